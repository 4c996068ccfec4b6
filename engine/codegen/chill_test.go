package codegen

import (
	"testing"
	"time"

	"dscope.dev/dlang/ir"
)

// TestChill spins, and is refused once a second has had its share.
func TestChill(t *testing.T) {
	over := &ir.Func{Name: "over", Unit: -1, Result: true}
	s := ir.NewBuilder(over)
	round, span := s.Emit(ir.Value{Op: ir.OpParam}), s.Emit(ir.Value{Op: ir.OpParam, Imm: 1, Size: 16})
	gone := s.Op(ir.OpSub, s.Op(ir.OpClock), s.Load(span, 0, 8))
	s.Return(s.Op(ir.OpLeU, s.Load(span, 8, 8), gone))
	over.Params = []*ir.Value{round, span}
	b := newBed()
	b.p.Funcs = append(b.p.Funcs, over)
	const limit = 30 * time.Millisecond
	clock := b.Op(ir.OpClock)
	for _, n := range []time.Duration{20 * time.Millisecond, limit + 1, 11 * time.Millisecond, -1, 5 * time.Millisecond} {
		b.keep(b.Emit(ir.Value{Op: ir.OpChill, Imm: int64(limit), Aux: ir.Sym("over")}, b.Const(int64(n))))
	}
	b.keep(b.Op(ir.OpSub, b.Op(ir.OpClock), clock))
	got, _, _ := b.run(t)
	expect(t, got, 0, 1, 1, 1, 0)
	if spun := time.Duration(got[5]); spun < 25*time.Millisecond || spun > 5*time.Second {
		t.Errorf("spun for %v, want 25ms", spun)
	}
}
