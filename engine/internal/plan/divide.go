package plan

import (
	"errors"
	"math"
	"slices"

	"dscope.dev/dlang/lower"
	"dscope.dev/engine/codegen"
	"dscope.dev/probes"
)

// A program has no more instructions than a jump can cross, some kilobytes of memory, half of
// one on its stack, and some tables. One hook tells of all system calls, so that a script with
// a clause for each of them may ask for more than one program can do. As each call has its
// own clauses, several programs do as well, and a dispatcher at the hook goes on to that of
// the call: see codegen.Entry.

// mostOfHook bounds into how many programs one is divided at a time.
const mostOfHook = 512

// mostChecked is how many instructions a program should have that can be divided: the time
// in which the kernel checks one grows faster than its size, and so does ours in which it is
// made. From start to first output 300 clauses at each of two hooks took 502 ms in programs
// of 2^13, 425 of 2^12, 362 of 2^11, 330 of 2^10 and 426 of 2^9, which begin with more than
// they are for.
const mostChecked = 1 << 10

// divided returns units with one in parts whose program err says is too large, and false if
// that is not what is wrong, or it cannot be divided.
func divided(units []*Unit, err error) ([]*Unit, bool) {
	var large *codegen.Error
	if !errors.As(err, &large) || large.Times <= 1 || large.Unit >= len(units) {
		return nil, false
	}
	parts := units[large.Unit].inParts(large.Times)
	return slices.Concat(units[:large.Unit], parts, units[large.Unit+1:]), len(parts) > 1
}

// lighter returns units with those in parts whose programs the kernel would be long about,
// and false if there are none. Sizes are how many instructions they have, of most at most.
func lighter(units []*Unit, sizes []float64, most float64) (list []*Unit, any bool) {
	for i, u := range units {
		parts := u.inParts(sizes[i] / most)
		list, any = append(list, parts...), any || len(parts) > 1
	}
	return list, any
}

// sizes returns how many instructions the programs of units have.
func sizes(o *codegen.Object) []float64 {
	list := make([]float64, len(o.Progs))
	for i, name := range o.Progs {
		if p := o.Spec.Programs[name]; p != nil {
			list[i] = float64(len(p.Instructions))
		}
	}
	return list
}

// perValue is about how many instructions come of a value of the intermediate representation as
// lowering leaves it: of programs of more than 3,000 instructions mostly 1.3 to 2.5.
const perValue = 1.5

// enough is after how many values a unit is left that can be divided: its first clauses tell
// how large the others are.
const enough = 3 * mostChecked

// foreseen is sizes for what is not generated yet, which takes most of the time of a compilation.
func foreseen(r *lower.Result) []float64 {
	list := slices.Clone(r.Sizes)
	for i := range list {
		list[i] *= perValue
	}
	return list
}

// inParts returns u in parts if its program is some times as large as it should be, and it
// can be divided.
func (u *Unit) inParts(times float64) []*Unit {
	if times <= 1 || !u.divisible() {
		return []*Unit{u}
	}
	const room = 1.2 // parts differ, and each repeats what all begin with
	return u.divide(min(int(math.Ceil(times*room)), len(u.Sites), mostOfHook))
}

// divisible reports whether u can be divided.
func (u *Unit) divisible() bool {
	return u.Hooks[0].Select == probes.BySyscall && u.derived == nil && len(u.Sites) > 1
}

// divide returns u in two parts or more, n at most, each of sites that follow one another and
// fire about as many clauses.
func (u *Unit) divide(n int) []*Unit {
	weights, all := map[uint32]int{}, len(u.Sites)
	for _, c := range u.Clauses {
		for _, key := range c.keys {
			weights[key]++
			all++
		}
	}
	var parts []*Unit
	from, weight := 0, 0
	for i, s := range u.Sites {
		weight += 1 + weights[s.Key]
		if weight*n >= all*(len(parts)+1) {
			parts = append(parts, u.part(u.Sites[from:i+1]))
			from = i + 1
		}
	}
	if len(parts) > 1 {
		return parts
	}
	half := len(u.Sites) / 2
	return []*Unit{u.part(u.Sites[:half]), u.part(u.Sites[half:])}
}

// part returns u with some of its sites, and the clauses that they fire.
func (u *Unit) part(sites []*probes.Site) *Unit {
	one := *u
	one.divided, one.Sites, one.Clauses = true, slices.Clone(sites), nil
	has := map[uint32]bool{}
	for _, s := range sites {
		has[s.Key] = true
	}
	for _, c := range u.Clauses {
		if c.keys == nil { // all sites of u fire it
			one.Clauses = append(one.Clauses, c)
			continue
		}
		keys := slices.DeleteFunc(slices.Clone(c.keys), func(key uint32) bool { return !has[key] })
		if len(keys) > 0 {
			one.Clauses = append(one.Clauses, unitClause{c.Clause, keys})
		}
	}
	one.settle()
	return &one
}
