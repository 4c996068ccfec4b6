package codegen

import (
	"testing"

	"dscope.dev/dlang/ir"
)

// TestFetch changes words in one step and keeps what was found, with enough
// other values alive that registers run short.
func TestFetch(t *testing.T) {
	b := newBed()
	word := b.Op(ir.OpAdd, b.out, b.Const(400))
	var alive []*ir.Value
	for i := range 12 {
		alive = append(alive, b.Op(ir.OpAdd, b.Emit(ir.Value{Op: ir.OpArg, Imm: int64(i % 6)}), b.Const(int64(i))))
	}
	fetch := func(op ir.Op, args ...*ir.Value) {
		b.keep(b.Emit(ir.Value{Op: op, Size: 8, Imm: 8}, append([]*ir.Value{word}, args...)...))
		b.keep(b.Load(word, 8, 8))
	}
	b.Store(word, 8, 8, b.Const(40))
	fetch(ir.OpFetchAdd, b.Const(2))
	fetch(ir.OpFetchAdd, b.Const(-50))
	fetch(ir.OpCmpXchg, b.Const(-8), b.Const(7))
	fetch(ir.OpCmpXchg, b.Const(-8), b.Const(9))
	sum := b.Const(0)
	for _, v := range alive {
		sum = b.Op(ir.OpAdd, sum, v)
	}
	b.keep(sum)
	got, _, _ := b.run(t)
	minus8 := ^uint64(7)
	expect(t, got, 40, 42, 42, minus8, minus8, 7, 7, 7, 66)
}
