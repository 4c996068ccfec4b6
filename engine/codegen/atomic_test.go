package codegen

import (
	"testing"

	"dscope.dev/dlang/ir"
)

// TestCmpXchg exchanges a word in the globals, which all CPUs share: only if it
// holds what is expected, and giving what it held.
func TestCmpXchg(t *testing.T) {
	b := newBed()
	at := int64(8 * 40)
	x := func(old, with int64) {
		b.keep(b.Emit(ir.Value{Op: ir.OpCmpXchg, Size: 8, Imm: at}, b.out, b.Const(old), b.Const(with)))
		b.keep(b.Load(b.out, at, 8))
	}
	x(0, 7)
	x(6, 9)
	x(7, -1)
	got, _, _ := b.run(t)
	minus1 := ^uint64(0)
	expect(t, got, 0, 7, 7, 7, 7, minus1)
}
