package ir

import "testing"

// TestDeadStoresFar overwrites a store behind so many others. Up to mostPieces are
// compared with each; that one which is further away stays is what this costs.
func TestDeadStoresFar(t *testing.T) {
	for _, tt := range []struct {
		between int
		left    int // of the first store and the last
	}{{0, 1}, {mostPieces - 1, 1}, {mostPieces, 2}, {100_000, 2}} {
		f := &Func{}
		b := NewBuilder(f)
		slot := b.Alloca(8 * (tt.between + 1))
		first := b.Op(OpNeg, b.Emit(Value{Op: OpArg}))
		b.Store(slot, 0, 8, first)
		for i := range tt.between {
			b.Store(slot, int64(8*(i+1)), 8, first)
		}
		b.Store(slot, 0, 8, b.Const(1))
		b.Store(b.Emit(Value{Op: OpGlobal}), 0, 8, b.Load(slot, 0, 8))
		b.Return()
		dropDeadStores(f)
		stores := 0
		for _, v := range f.Entry().Vals {
			if v.Op == OpStore && v.Args[0] == slot && v.Imm == 0 {
				stores++
			}
		}
		if stores != tt.left {
			t.Errorf("%d pieces between: %d stores are left, want %d", tt.between, stores, tt.left)
		}
	}
}
