package ir

import "fmt"

// A pass rewrites a function.
type pass struct {
	name  string
	run   func(*Func)
	must  bool     // whether code generation needs it
	after []string // passes that must have run
}

// passes run in this order. Read it top to bottom to know what the compiler does.
var passes = []pass{}

// Optimize rewrites f. Level 0 runs only what code generation needs. After each
// pass it verifies f, so that a broken invariant is blamed on the pass that
// broke it, and shows f to watch if set.
func Optimize(f *Func, level int, watch func(pass string, f *Func)) error {
	for _, p := range passes {
		if level == 0 && !p.must {
			continue
		}
		p.run(f)
		if err := Verify(f); err != nil {
			return fmt.Errorf("internal error: pass %s on %s: %w", p.name, f.Name, err)
		}
		if watch != nil {
			watch(p.name, f)
		}
	}
	return nil
}

// Verify checks f.
func Verify(f *Func) error { return nil }
