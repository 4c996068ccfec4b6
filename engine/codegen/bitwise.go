package codegen

import (
	"slices"

	"github.com/cilium/ebpf/asm"

	"dscope.dev/dlang/ir"
	"dscope.dev/engine/codegen/mach"
)

// The verifier of newer kernels (7.0, and 6.12 and 6.18 since it was carried back)
// splits in two where an AND or OR with a number that it knows changes a register that
// holds, for all it knows, -1 or 0: it goes on with each. Where its list of ways to go
// is full, 8,192 of them, Linux 6.18.44 takes for a pointer what is none (push_stack
// gives NULL, and maybe_fork_scalars looks for an error number), and the process that
// loads the program dies with a kernel oops. So no AND and no OR that we emit changes
// such a register, whatever the verifier has to do elsewhere:
//
//   - With a constant, the constant is what is changed: d = c; d &= x. It is known
//     whole, never -1 or 0 and no more. This costs no instruction: else it would be
//     d = x; d &= c.
//   - Of two unknown numbers, either of which a test may have told the verifier, the
//     one is changed of which it can never think so: see oneSided. If there is none,
//     it becomes so by an XOR, of whose result the verifier knows single bits only:
//     a & b is ((a ^ b) & a) ^ a, and a | b is ((a ^ b) & b) ^ a.
//
// What the compiler writes by itself, without a value of the script, uses masked or
// adds bits that do not meet. TestNoForks and TestFullStack ask the kernel.

// bitwise selects v = a op b, op being And or Or, neither of them a constant that
// fits an instruction better.
func (s *selector) bitwise(v *ir.Value, op asm.ALUOp, a, b *ir.Value) {
	if a.Op == ir.OpConst || b.Op != ir.OpConst && !s.oneSided(a) && s.oneSided(b) {
		a, b = b, a
	}
	d := s.def(v)
	if b.Op == ir.OpConst {
		r := s.reg(a)
		s.movImm(d, b.Imm)
		s.alu(op, d, r)
		return
	}
	ra, rb := s.reg(a), s.reg(b)
	s.mov(d, ra)
	if s.oneSided(a) {
		s.alu(op, d, rb)
		return
	}
	s.alu(asm.Xor, d, rb)
	if op == asm.And {
		s.alu(asm.And, d, ra)
	} else {
		s.alu(asm.And, d, rb)
	}
	s.alu(asm.Xor, d, ra)
}

// masked sets d, which is not r, to the bits n of r.
func (s *selector) masked(d, r mach.Reg, n int64) {
	s.movImm(d, n)
	s.alu(asm.And, d, r)
}

// oneSided reports whether the verifier can never take v for a number that is -1 or
// 0: it sees that it is not negative in either half, or it knows single bits of it only,
// and no test has told it more.
func (s *selector) oneSided(v *ir.Value) bool {
	switch v.Op {
	case ir.OpXor, ir.OpAnd, ir.OpOr:
		if len(s.uses[v.ID]) == 1 && !lowHalf(v) {
			return true
		}
	}
	return s.seenWidth(v) <= 31
}

// lowHalf reports whether v is the low half of another value: that is moved (see low32),
// and tests of the other tell of it.
func lowHalf(v *ir.Value) bool {
	return v.Op == ir.OpAnd && slices.ContainsFunc(v.Args, func(a *ir.Value) bool { return a.Op == ir.OpConst && a.Imm == 0xffffffff })
}

// seenWidth returns how many low bits of v the verifier believes can be other
// than zero. Unlike ir.Width it takes nothing for granted that only the value tells: a
// shift by more than 63, say.
func (s *selector) seenWidth(v *ir.Value) int {
	switch v.Op {
	case ir.OpLoad, ir.OpTaskLoad:
		if s.blurs() && s.onStack(v.Args[0]) {
			return 64
		}
		return 8 * v.Size
	case ir.OpZExt:
		if ir.Width(v.Args[0]) <= 8*v.Size {
			return s.seenWidth(v.Args[0]) // nothing is done
		}
		return 8 * v.Size
	case ir.OpEq, ir.OpNe, ir.OpLtS, ir.OpLeS, ir.OpLtU, ir.OpLeU, ir.OpPtrEq0:
		if s.blurs() {
			return 64
		}
		return 1
	case ir.OpKeyIn:
		return 1
	case ir.OpAnd:
		return min(s.seenWidth(v.Args[0]), s.seenWidth(v.Args[1]))
	case ir.OpShrL:
		if n := v.Args[1]; n.Op == ir.OpConst {
			return max(s.seenWidth(v.Args[0])-int(n.Imm&63), 0)
		}
	case ir.OpConst:
		return ir.Width(v)
	}
	return 64
}
