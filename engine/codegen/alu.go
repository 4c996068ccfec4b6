package codegen

import (
	"math/bits"

	"github.com/cilium/ebpf/asm"

	"dscope.dev/dlang/ir"
	"dscope.dev/engine/codegen/mach"
)

// binaries are the operations that eBPF has an instruction for.
var binaries = map[ir.Op]asm.ALUOp{
	ir.OpAdd: asm.Add, ir.OpSub: asm.Sub, ir.OpMul: asm.Mul, ir.OpDivU: asm.Div, ir.OpModU: asm.Mod,
	ir.OpAnd: asm.And, ir.OpOr: asm.Or, ir.OpXor: asm.Xor,
	ir.OpShl: asm.LSh, ir.OpShrL: asm.RSh, ir.OpShrA: asm.ArSh,
}

// arith selects what computes words.
func (s *selector) arith(v *ir.Value) bool {
	if op, ok := binaries[v.Op]; ok {
		if !s.lazy(v) && !(v.Op == ir.OpAnd && s.fusedAnd(v)) {
			s.binary(v, op)
		}
		return true
	}
	switch v.Op {
	case ir.OpDivS, ir.OpModS:
		s.divide(v)
	case ir.OpNeg:
		d := s.def(v)
		s.into(d, v.Args[0])
		s.aluImm(asm.Neg, d, 0)
	case ir.OpNot:
		d := s.def(v)
		s.into(d, v.Args[0])
		s.aluImm(asm.Xor, d, -1)
	case ir.OpSExt:
		n := int64(64 - 8*v.Size)
		d := s.def(v)
		s.into(d, v.Args[0])
		s.aluImm(asm.LSh, d, n)
		s.aluImm(asm.ArSh, d, n)
	case ir.OpZExt:
		s.zeroExtend(v)
	case ir.OpEq, ir.OpNe, ir.OpLtS, ir.OpLeS, ir.OpLtU, ir.OpLeU, ir.OpPtrEq0:
		if !s.fused(v) {
			s.truth(v)
		}
	case ir.OpLog2:
		s.log2(v)
	case ir.OpBound:
		s.bound(v)
	default:
		return false
	}
	return true
}

// binary selects d = a op b in two-address form. Where the operation commutes,
// the operand that ends here becomes the destination.
func (s *selector) binary(v *ir.Value, op asm.ALUOp) {
	a, b := v.Args[0], v.Args[1]
	if v.Op.Commutes() && (a.Op == ir.OpConst || b.Op != ir.OpConst && s.types[a.ID] != ir.Ptr &&
		len(s.uses[a.ID]) > 1 && len(s.uses[b.ID]) == 1) {
		a, b = b, a
	}
	if op == asm.And && b.Op == ir.OpConst && b.Imm == 0xffffffff {
		s.low32(s.def(v), a)
		return
	}
	if op == asm.And || op == asm.Or {
		s.bitwise(v, op, a, b)
		return
	}
	d := s.def(v)
	if b.Op == ir.OpConst {
		if op, n, ok := immediate(op, b.Imm); ok {
			s.constant(op, d, a, n)
			return
		}
	}
	r := s.reg(b)
	s.into(d, a)
	s.alu(op, d, r)
}

// constant selects d = a op n.
func (s *selector) constant(op asm.ALUOp, d mach.Reg, a *ir.Value, n int64) {
	if op == asm.And {
		s.masked(d, s.reg(a), n)
		return
	}
	s.into(d, a)
	s.aluImm(op, d, n)
}

// immediate returns the instruction for an operation with the constant n, if
// there is one that does it.
func immediate(op asm.ALUOp, n int64) (asm.ALUOp, int64, bool) {
	pow2 := n > 0 && n&(n-1) == 0
	shift := int64(bits.TrailingZeros64(uint64(n)))
	switch op {
	case asm.LSh, asm.RSh, asm.ArSh:
		return op, n & 63, true
	case asm.Mul:
		if pow2 {
			return asm.LSh, shift, true
		}
	case asm.Div:
		if pow2 {
			return asm.RSh, shift, true
		}
		return op, n, n > 0 && fits32(n)
	case asm.Mod:
		if pow2 && fits32(n-1) {
			return asm.And, n - 1, true
		}
		return op, n, n > 0 && fits32(n)
	}
	return op, n, fits32(n)
}

// low32 sets d to the low half of a.
func (s *selector) low32(d mach.Reg, a *ir.Value) {
	s.emit(mach.Inst{Op: asm.Mov.Op32(asm.RegSource), Dst: d, Src: s.reg(a)})
}

// zeroExtend selects v = the low bytes of its argument.
func (s *selector) zeroExtend(v *ir.Value) {
	a := v.Args[0]
	d := s.def(v)
	switch {
	case ir.Width(a) <= 8*v.Size:
		s.into(d, a)
	case v.Size == 4:
		s.low32(d, a)
	default:
		s.masked(d, s.reg(a), 1<<(8*v.Size)-1)
	}
}

// divide selects signed division, which eBPF had no instruction for before 6.6:
// unsigned division of the magnitudes, then the sign. As in C that of a remainder is
// the dividend's.
func (s *selector) divide(v *ir.Value) {
	op := asm.Div
	if v.Op == ir.OpModS {
		op = asm.Mod
	}
	a, b := v.Args[0], v.Args[1]
	sign := s.newReg()
	s.hide(sign, a, TellsCopies)
	var n mach.Reg
	if b.Op == ir.OpConst && b.Imm > 0 && fits32(b.Imm) {
		n = mach.None
	} else {
		n = s.newReg()
		s.hide(n, b, TellsCopies)
		if op == asm.Div {
			s.alu(asm.Xor, sign, n)
		}
		s.abs(n)
	}
	d := s.def(v)
	s.hide(d, a, TellsCopies)
	s.abs(d)
	if n == mach.None {
		s.byConstant(op, d, b.Imm)
	} else {
		s.alu(op, d, n)
	}
	s.unless(testImm(asm.JSGE, sign, 0), func() { s.aluImm(asm.Neg, d, 0) })
}

// byConstant does d = d op n, a division or its remainder.
func (s *selector) byConstant(op asm.ALUOp, d mach.Reg, n int64) {
	op, n, _ = immediate(op, n)
	if op == asm.And {
		t := s.newReg()
		s.masked(t, d, n)
		s.mov(d, t)
		return
	}
	s.aluImm(op, d, n)
}

// abs makes r its own magnitude.
func (s *selector) abs(r mach.Reg) {
	s.unless(testImm(asm.JSGE, r, 0), func() { s.aluImm(asm.Neg, r, 0) })
}

// unless does then if t does not hold.
func (s *selector) unless(t mach.Test, then func()) {
	body, next := s.m.NewBlock(s.cur.Cold), s.m.NewBlock(s.cur.Cold)
	s.branch(t, next, body)
	s.cur = body
	then()
	s.jump(next)
	s.cur = next
}

// bound selects OpBound. Where spills forget, the comparison is of a register that never lies
// on the stack.
func (s *selector) bound(v *ir.Value) {
	d := s.def(v)
	if !s.g.f.Verifier.Has(SpillsForget) {
		s.offset(d, v.Args[0])
		s.clamp(d, v.Imm-1)
		return
	}
	r := s.newReg()
	s.m.Alone = append(s.m.Alone, r)
	s.offset(r, v.Args[0])
	s.clamp(r, v.Imm-1)
	s.mov(d, r)
}

// clamp makes r at most limit, so that the verifier knows it.
func (s *selector) clamp(r mach.Reg, limit int64) {
	s.unless(testImm(asm.JLE, r, limit), func() { s.movImm(r, limit) })
}

// log2 selects floor(log2 a) of a > 0. Four steps halve the range down to four
// bits, whose logarithms stand in a constant, two bits each. The first is a branch, which is
// predicted: few values have more than 32 bits. The others are none, since eBPF can tell by the
// sign of a difference which number is larger: the values of a histogram differ in them, and the
// verifier follows each way through branches to the end of the program.
func (s *selector) log2(v *ir.Value) {
	a := s.newReg()
	s.hide(a, v.Args[0], TellsCopies)
	d := s.def(v)
	s.movImm(d, 0)
	top := s.newReg()
	s.mov(top, a)
	s.aluImm(asm.RSh, top, 32)
	s.unless(testImm(asm.JEq, top, 0), func() {
		s.mov(a, top)
		s.movImm(d, 32)
	})
	for _, log := range []int64{4, 3, 2} {
		n := s.newReg() // 1<<log if a has more bits, else 0
		s.movImm(n, 1<<(1<<log)-1)
		s.alu(asm.Sub, n, a)
		s.aluImm(asm.RSh, n, 63)
		s.aluImm(asm.LSh, n, log)
		s.alu(asm.RSh, a, n)
		s.alu(asm.Add, d, n)
	}
	// 0,0,1,1,2,2,2,2,3,3,3,3,3,3,3,3 from the lowest bits up.
	const table = 0xffffaa50
	t := s.newReg()
	s.aluImm(asm.LSh, a, 1)
	s.movImm(t, table)
	s.alu(asm.RSh, t, a)
	s.aluImm(asm.And, t, 3) // of a number that lies between table and 0 for the verifier
	s.alu(asm.Add, d, t)
}
