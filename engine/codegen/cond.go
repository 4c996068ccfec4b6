package codegen

import (
	"github.com/cilium/ebpf/asm"

	"dscope.dev/dlang/ir"
	"dscope.dev/engine/codegen/mach"
)

// A comparison is an eBPF jump that decides an operation: with the operands as
// they are, and exchanged.
type comparison struct{ op, swapped asm.JumpOp }

var comparisons = map[ir.Op]comparison{
	ir.OpEq: {asm.JEq, asm.JEq}, ir.OpNe: {asm.JNE, asm.JNE},
	ir.OpLtS: {asm.JSLT, asm.JSGT}, ir.OpLeS: {asm.JSLE, asm.JSGE},
	ir.OpLtU: {asm.JLT, asm.JGT}, ir.OpLeU: {asm.JLE, asm.JGE},
	ir.OpPtrEq0: {asm.JEq, asm.JEq},
}

// fused reports whether v is part of the branches that it decides, and so
// needs no register. The test of a pointer is repeated at each branch: the
// verifier knows what it says of the pointer only there.
func (s *selector) fused(v *ir.Value) bool {
	for _, u := range s.uses[v.ID] {
		if u.Op != ir.OpBranch || u.Block != v.Block && v.Op != ir.OpPtrEq0 {
			return false
		}
	}
	return true
}

// branchOn selects a branch together with the comparison that decides it.
func (s *selector) branchOn(v *ir.Value) {
	b := v.Block
	cond := v.Args[0]
	if cond.Op == ir.OpConst {
		n := 1
		if cond.Imm != 0 {
			n = 0
		}
		s.jump(s.edge(b, n))
		return
	}
	if cond.Op == ir.OpMayGo {
		s.mayGo(s.edge(b, 0), s.edge(b, 1))
		return
	}
	if ks, ok := cond.Aux.(ir.KeySet); ok && cond.Op == ir.OpKeyIn && s.fused(cond) {
		s.keyIn(ks, s.edge(b, 0), s.edge(b, 1))
		return
	}
	t, negate := s.test(cond)
	yes, no := s.edge(b, 0), s.edge(b, 1)
	if negate {
		yes, no = no, yes
	}
	s.branch(t, yes, no)
}

// test returns the test that decides cond, or that decides its opposite. It may
// put operands into registers.
func (s *selector) test(cond *ir.Value) (t mach.Test, negate bool) {
	cmp, ok := comparisons[cond.Op]
	if !ok || !s.fused(cond) {
		if cond.Op == ir.OpAnd && s.fusedAnd(cond) {
			return s.bits(cond), false
		}
		return testImm(asm.JNE, s.tested(cond), 0), false
	}
	if cond.Op == ir.OpPtrEq0 {
		return testImm(asm.JEq, s.reg(cond.Args[0]), 0), false
	}
	a, b, op := cond.Args[0], cond.Args[1], cmp.op
	if a.Op == ir.OpConst && b.Op != ir.OpConst {
		a, b, op = b, a, cmp.swapped
	}
	if b.Op == ir.OpConst && b.Imm == 0 && a.Op == ir.OpAnd && (op == asm.JEq || op == asm.JNE) && s.fusedAnd(a) {
		return s.bits(a), op == asm.JEq
	}
	return s.compare(op, a, b), false
}

// compare returns the test of a against b. Numbers that are known to be
// extended from 32 bits alike are compared as they were before, without the two
// instructions that extend one.
func (s *selector) compare(op asm.JumpOp, a, b *ir.Value) mach.Test {
	low := false
	if a.Op == ir.OpSExt && a.Size == 4 {
		switch {
		case b.Op == ir.OpConst && fits32(b.Imm):
			a, low = a.Args[0], true
		case b.Op == ir.OpSExt && b.Size == 4:
			a, b, low = a.Args[0], b.Args[0], true
		}
	}
	t := mach.Test{Op: op, X: s.tested(a), Y: mach.None, Low: low}
	if b.Op == ir.OpConst && fits32(b.Imm) {
		t.Imm = b.Imm
	} else {
		t.Y = s.reg(b)
	}
	return t
}

// fusedAnd reports whether v, a bitwise and, only decides a branch.
func (s *selector) fusedAnd(v *ir.Value) bool {
	if len(s.uses[v.ID]) != 1 {
		return false
	}
	u := s.uses[v.ID][0]
	if u.Block != v.Block {
		return false
	}
	if u.Op == ir.OpBranch {
		return true
	}
	if u.Op != ir.OpEq && u.Op != ir.OpNe || !s.fused(u) || len(s.uses[u.ID]) == 0 {
		return false
	}
	other := u.Args[1]
	return u.Args[0] == v && other.Op == ir.OpConst && other.Imm == 0
}

// bits returns the test of whether a & b has a bit.
func (s *selector) bits(v *ir.Value) mach.Test {
	a, b := v.Args[0], v.Args[1]
	if a.Op == ir.OpConst {
		a, b = b, a
	}
	if b.Op == ir.OpConst && fits32(b.Imm) {
		return testImm(asm.JSet, s.tested(a), b.Imm)
	}
	return mach.Test{Op: asm.JSet, X: s.tested(a), Y: s.reg(b)}
}

// truth selects a comparison whose result is needed as a word.
func (s *selector) truth(v *ir.Value) {
	cmp := comparisons[v.Op]
	var t mach.Test
	if v.Op == ir.OpPtrEq0 {
		t = testImm(cmp.op, s.reg(v.Args[0]), 0)
	} else {
		a, b, op := v.Args[0], v.Args[1], cmp.op
		if a.Op == ir.OpConst {
			a, b, op = b, a, cmp.swapped
		}
		t = s.compare(op, a, b)
	}
	d := s.def(v)
	s.movImm(d, 1)
	s.unless(t, func() { s.movImm(d, 0) })
	s.unlearn(d)
}
