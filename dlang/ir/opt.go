package ir

import (
	"fmt"
	"iter"
)

// A pass rewrites a function.
type pass struct {
	name  string
	run   func(*Func)
	must  bool     // whether code generation needs it
	after []string // passes that must have run
}

// passes run in this order. Read it top to bottom to know what the compiler does.
//
// Reading variables leaves tests behind that decide one another; threading
// takes them apart, which lets cse find more, which decides more: hence twice.
var passes = []pass{
	{name: "reach", run: dropUnreachable, must: true},
	{name: "promote", run: promote, after: []string{"reach"}},
	{name: "fold", run: fold, after: []string{"promote"}},
	{name: "thread", run: thread, after: []string{"fold"}},
	{name: "cse", run: cse, after: []string{"fold"}},
	{name: "fold again", run: fold, after: []string{"cse"}},
	{name: "thread again", run: thread, after: []string{"fold again"}},
	{name: "cse again", run: cse, after: []string{"thread again"}},
	{name: "late fold", run: fold, after: []string{"cse again"}},
	{name: "dead stores", run: dropDeadStores, after: []string{"cse again"}},
	{name: "dead", run: dropDead, after: []string{"dead stores"}},
	{name: "skip", run: skipEmpty, after: []string{"dead"}},
	{name: "edges", run: splitEdges, must: true, after: []string{"reach"}},
	{name: "layout", run: layout, must: true, after: []string{"edges"}},
}

// Optimize rewrites f. Level 0 runs only what code generation needs. After each
// pass it verifies f, so that a broken invariant is blamed on the pass that
// broke it, and shows f to watch if set.
func Optimize(f *Func, level int, watch func(pass string, f *Func)) error {
	for p := range chosen(level) {
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

// OptimizeFast rewrites f as Optimize does, and verifies only what comes out.
// To verify after each pass takes a third of the time of all passes; whoever waits
// for a script need not wait for it, since tests put all they have through
// Optimize.
func OptimizeFast(f *Func, level int) error {
	for p := range chosen(level) {
		p.run(f)
	}
	if err := Verify(f); err != nil {
		return fmt.Errorf("internal error: the passes on %s: %w", f.Name, err)
	}
	return nil
}

// chosen yields the passes that a level runs.
func chosen(level int) iter.Seq[pass] {
	return func(yield func(pass) bool) {
		for _, p := range passes {
			if (level > 0 || p.must) && !yield(p) {
				return
			}
		}
	}
}
