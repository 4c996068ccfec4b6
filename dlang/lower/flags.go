package lower

import "dscope.dev/dlang/ir"

// Where bits lie in the flags of x86.
const (
	carry    = 0
	parity   = 2
	zero     = 6
	sign     = 7
	overflow = 11
)

// flagsWord is which word of struct pt_regs of x86 the flags are.
const flagsWord = 18

// onlyJump ends the firing unless a jump of x86 is about to be taken: one on the
// condition jump-1, of the sixteen that its opcode tells apart.
func (f *fn) onlyJump(jump uint8) {
	flags := f.savedRegister(Register{Word: flagsWord, Size: 8})
	bit := func(n int64) *ir.Value { return f.Op(ir.OpAnd, f.Op(ir.OpShrL, flags, f.Const(n)), f.Const(1)) }
	less := func() *ir.Value { return f.Op(ir.OpXor, bit(sign), bit(overflow)) }
	var is *ir.Value
	code := jump - 1
	switch code >> 1 {
	case 0:
		is = bit(overflow)
	case 1:
		is = bit(carry)
	case 2:
		is = bit(zero)
	case 3:
		is = f.Op(ir.OpOr, bit(carry), bit(zero))
	case 4:
		is = bit(sign)
	case 5:
		is = bit(parity)
	case 6:
		is = less()
	default:
		is = f.Op(ir.OpOr, less(), bit(zero))
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
