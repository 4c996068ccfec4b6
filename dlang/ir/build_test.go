package ir

import "testing"

// TestAllocaMovesLittle makes as many slots as a large function has, between other
// values of the entry. Each is put before all of them, and they are moved only now and
// then: they used to be with each slot, which took longer than all the passes.
func TestAllocaMovesLittle(t *testing.T) {
	const slots = 1 << 15
	f := &Func{}
	b := NewBuilder(f)
	moves, lastMoved := 0, (*Value)(nil)
	var first **Value
	for i := range slots {
		if i%3 == 0 {
			b.Const(int64(i))
		}
		v := b.Alloca(8)
		vals := f.Entry().Vals
		if vals[0] != v {
			t.Fatalf("slot %d is not the first value", i)
		}
		if i > 0 && (vals[1] != lastMoved && i%3 != 0 || i > 1 && &vals[1] != first) {
			moves++
		}
		lastMoved, first = v, &vals[0]
	}
	if moves > 64 {
		t.Errorf("the values were moved %d times for %d slots", moves, slots)
	}
	b.Return()
	if err := Verify(f); err != nil {
		t.Error(err)
	}
	if got := f.Entry().Vals; len(got) != slots+slots/3+2 || got[0].Op != OpAlloca || got[slots-1].Op != OpAlloca || got[slots].Op != OpConst {
		t.Errorf("%d values, or in another order", len(got))
	}
}
