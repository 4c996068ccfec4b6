// Stairs has frames of Go: methods behind an interface, closures, inlined functions,
// deferred ones, and recursion.
package main

var sink int

//go:noinline
func leaf(n int) int { sink += n; return n + 1 }

func inner(n int) int { return leaf(n) + sink }

func outer(n int) int { return inner(n) * 2 }

type story interface{ climb(n int) int }

type attic struct{ height int }

//go:noinline
func (a *attic) climb(n int) int { r := outer(n + a.height); sink = r; return r }

//go:noinline
func recur(n int) int {
	if n == 0 {
		return leaf(3)
	}
	r := recur(n-1) + 1
	sink = r
	return r
}

//go:noinline
func each(f func(int) int) int { return f(4) + f(5) }

//go:noinline
func late() {
	defer func() { sink = leaf(sink) }()
	sink++
}

func main() {
	var s story = &attic{2}
	s.climb(1)
	recur(3)
	each(func(n int) int { return leaf(n) + 1 })
	late()
}
