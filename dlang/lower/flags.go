package lower

import (
	"dscope.dev/dlang/ir"
	"dscope.dev/dlang/machine"
)

// onlyJump ends the firing unless a jump of x86 is about to be taken: one on the
// condition jump-1, of the sixteen that its opcode tells apart.
func (f *fn) onlyJump(jump uint8) {
	flags := f.savedRegister(Register{Word: int64(machine.AMD64().Word("flags")), Size: 8})
	bit := func(n int64) *ir.Value { return f.Op(ir.OpAnd, f.Op(ir.OpShrL, flags, f.Const(n)), f.Const(1)) }
	less := func() *ir.Value { return f.Op(ir.OpXor, bit(machine.Sign), bit(machine.Overflow)) }
	var is *ir.Value
	code := jump - 1
	switch code >> 1 {
	case 0:
		is = bit(machine.Overflow)
	case 1:
		is = bit(machine.Carry)
	case 2:
		is = bit(machine.Zero)
	case 3:
		is = f.Op(ir.OpOr, bit(machine.Carry), bit(machine.Zero))
	case 4:
		is = bit(machine.Sign)
	case 5:
		is = bit(machine.Parity)
	case 6:
		is = less()
	default:
		is = f.Op(ir.OpOr, less(), bit(machine.Zero))
	}
	taken, other := f.Block(), f.Block()
	if code&1 != 0 {
		f.Branch(is, other, taken)
	} else {
		f.Branch(is, taken, other)
	}
	f.Go(other)
	f.Return()
	f.Go(taken)
}
