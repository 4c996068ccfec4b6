package codegen

import (
	"math/rand/v2"
	"slices"
	"testing"

	"dscope.dev/dlang/ir"
)

// TestDrafts makes programs side by side, some of which have to do with less
// working memory on the stack than was planned: the object is the same every time.
func TestDrafts(t *testing.T) {
	p := &ir.Program{Vars: []ir.Var{{Kind: ir.GlobalVar, Size: 8 * (outputs + 1)}}}
	var units []*Unit
	for i, live := range []int{6, 30, 5, 35, 7} {
		fn := randomFunc(rand.New(rand.NewPCG(uint64(i), 3)), live).Funcs[0]
		fn.Name, fn.Unit = string(rune('a'+i)), i
		big(fn)
		p.Funcs = append(p.Funcs, fn)
		units = append(units, begin())
	}
	first := generate(t, p, fixedFeatures(), units...)
	work := first.Spec.Maps[mapWork]
	if work == nil || work.MaxEntries != 2 || first.spills == 0 {
		t.Errorf("working memory is %v with %d spills, want that of the two largest functions off the stack", work, first.spills)
	}
	for range 5 {
		if again := generate(t, p, fixedFeatures(), units...); again.Listing() != first.Listing() {
			t.Fatalf("the object differs from one time to the next:\n%s\n%s", first.Listing(), again.Listing())
		}
	}
}

// big gives f working memory that fits the stack if not much else is there.
func big(f *ir.Func) {
	b := &ir.Builder{Fn: f, Cur: f.Entry()}
	b.Emit(ir.Value{Op: ir.OpZero, Size: 336}, b.Alloca(336))
	last := len(b.Cur.Vals) - 1
	zero := b.Cur.Vals[last]
	b.Cur.Vals = slices.Insert(b.Cur.Vals[:last], 1, zero) // behind the memory, before the terminator
}
