package ir

import "math/bits"

// simplifyCompare knows what comparisons with constants and of the same value
// come to.
func simplifyCompare(v, a, b *Value) *Value {
	if a == b {
		v.becomeConst(truth(v.Op == OpEq || v.Op == OpLeS || v.Op == OpLeU))
		return v
	}
	if b.Op != OpConst {
		if isConst(a, 0) {
			return compareZeroWith(v, b)
		}
		return nil
	}
	switch v.Op {
	case OpEq, OpNe:
		return simplifyEqual(v, a, b)
	case OpLtU:
		switch b.Imm {
		case 0:
			v.becomeConst(0)
			return v
		case 1:
			v.become(OpEq, a, insertConst(v, 0))
			return v
		}
	}
	return nil
}

// compareZeroWith simplifies 0 < b and 0 <= b.
func compareZeroWith(v, b *Value) *Value {
	nonNegative := Width(b) < 64
	switch {
	case v.Op == OpLtU, v.Op == OpLtS && nonNegative:
		v.become(OpNe, b, v.Args[0])
		return v
	case v.Op == OpLeU, v.Op == OpLeS && nonNegative:
		v.becomeConst(1)
		return v
	}
	return nil
}

// simplifyEqual simplifies a == b and a != b for a constant b.
func simplifyEqual(v, a, b *Value) *Value {
	equal := v.Op == OpEq
	switch {
	case Width(a) == 1 && b.Imm>>1 != 0:
		v.becomeConst(truth(!equal))
		return v
	case Width(a) == 1 && equal == (b.Imm == 1):
		return a // the truth itself
	case a.Op.Compares() && b.Imm>>1 == 0:
		return invert(v, a)
	case a.Op == OpSExt && Width(a.Args[0]) <= 8*a.Size:
		return equalNarrow(v, a, b.Imm)
	case a.Op == OpXor && b.Imm == 0, a.Op == OpSub && b.Imm == 0 && a.Type() == Word:
		v.Args = []*Value{a.Args[0], a.Args[1]}
		return v
	case a.Op == OpAdd && a.Args[1].Op == OpConst:
		v.Args = []*Value{a.Args[0], insertConst(v, b.Imm-a.Args[1].Imm)}
		return v
	case a.Op == OpXor && a.Args[1].Op == OpConst:
		v.Args = []*Value{a.Args[0], insertConst(v, b.Imm^a.Args[1].Imm)}
		return v
	}
	return nil
}

// equalNarrow compares what a extends, which has no other bits, and not its
// extension.
func equalNarrow(v, a *Value, n int64) *Value {
	if extendConst(OpSExt, a.Size, n) != n {
		v.becomeConst(truth(v.Op == OpNe))
		return v
	}
	v.Args = []*Value{a.Args[0], insertConst(v, extendConst(OpZExt, a.Size, n))}
	return v
}

// invert makes v the opposite of the comparison a.
func invert(v, a *Value) *Value {
	x, y := a.Args[0], a.Args[1]
	switch a.Op {
	case OpEq:
		v.become(OpNe, x, y)
	case OpNe:
		v.become(OpEq, x, y)
	case OpLtS:
		v.become(OpLeS, y, x)
	case OpLeS:
		v.become(OpLtS, y, x)
	case OpLtU:
		v.become(OpLeU, y, x)
	case OpLeU:
		v.become(OpLtU, y, x)
	}
	return v
}

// simplifyByConst simplifies a op b for a constant b.
func simplifyByConst(v, a, b *Value) *Value {
	n := b.Imm
	switch v.Op {
	case OpAdd, OpOr, OpXor, OpShl, OpShrL, OpShrA:
		if n == 0 && a.Type() == Word {
			return a
		}
	}
	switch v.Op {
	case OpAdd:
		if a.Op == OpAdd && a.Args[1].Op == OpConst && a.Type() == Word {
			v.Args = []*Value{a.Args[0], insertConst(v, n+a.Args[1].Imm)}
			return v
		}
	case OpSub:
		v.become(OpAdd, a, insertConst(v, -n))
		return v
	case OpMul:
		return simplifyMul(v, a, n)
	case OpDivU, OpModU, OpDivS, OpModS:
		return simplifyDivide(v, a, n)
	case OpAnd:
		return simplifyAnd(v, a, n)
	case OpOr:
		if n == -1 {
			return b
		}
	case OpShl, OpShrL:
		return simplifyShift(v, a, n)
	}
	return nil
}

// powerOf2 returns k if n is 2 to the power of k.
func powerOf2(n int64) (k int64, ok bool) {
	return int64(bits.TrailingZeros64(uint64(n))), n != 0 && n&(n-1) == 0
}

func simplifyMul(v, a *Value, n int64) *Value {
	k, ok := powerOf2(n)
	switch {
	case n == 0:
		v.becomeConst(0)
	case n == 1:
		return a
	case n == -1:
		v.become(OpNeg, a)
	case ok:
		v.become(OpShl, a, insertConst(v, k))
	default:
		return nil
	}
	return v
}

// simplifyDivide makes shifts and masks of divisions by powers of two. A signed
// quotient is rounded towards zero: what is negative is moved up first.
func simplifyDivide(v, a *Value, n int64) *Value {
	k, ok := powerOf2(n)
	op := v.Op
	switch {
	case n == 1 && (op == OpDivU || op == OpDivS):
		return a
	case n == 1, n == -1 && op == OpModS:
		v.becomeConst(0)
	case n == -1 && op == OpDivS:
		v.become(OpNeg, a)
	case !ok:
		return nil
	case op == OpDivU:
		v.become(OpShrL, a, insertConst(v, k))
	case op == OpModU:
		v.become(OpAnd, a, insertConst(v, n-1))
	case n > 0 && Width(a) < 64 && op == OpDivS:
		v.become(OpShrL, a, insertConst(v, k))
	case n > 0 && Width(a) < 64:
		v.become(OpAnd, a, insertConst(v, n-1))
	case n > 0:
		sign := insert(v, OpShrA, a, insertConst(v, 63))
		up := insert(v, OpShrL, sign, insertConst(v, 64-k))
		sum := insert(v, OpAdd, a, up)
		if op == OpDivS {
			v.become(OpShrA, sum, insertConst(v, k))
			break
		}
		v.become(OpSub, a, insert(v, OpAnd, sum, insertConst(v, -n)))
	default:
		return nil
	}
	return v
}

func simplifyAnd(v, a *Value, n int64) *Value {
	switch w := Width(a); {
	case n == 0:
		v.becomeConst(0)
		return v
	case n == -1, w < 64 && n&(1<<w-1) == 1<<w-1:
		return a // the mask keeps all that there is
	case a.Op == OpAnd && a.Args[1].Op == OpConst:
		v.Args = []*Value{a.Args[0], insertConst(v, n&a.Args[1].Imm)}
		return v
	}
	if n == 1<<32-1 { // no constant of an instruction, but a move of half a register
		v.become(OpZExt, a)
		v.Size = 4
		return v
	}
	return nil
}

// simplifyShift adds up the distances of two shifts in one direction.
func simplifyShift(v, a *Value, n int64) *Value {
	if a.Op != v.Op || a.Args[1].Op != OpConst || a.Type() != Word {
		return nil
	}
	sum := n&63 + a.Args[1].Imm&63
	if sum > 63 {
		v.becomeConst(0)
		return v
	}
	v.Args = []*Value{a.Args[0], insertConst(v, sum)}
	return v
}

// simplifySame knows what a op a comes to, and what starts from a constant.
func simplifySame(v, a, b *Value) *Value {
	switch {
	case isConst(a, 0) && v.Op == OpSub:
		v.become(OpNeg, b)
		return v
	case isConst(a, 0) && (v.Op == OpShl || v.Op == OpShrL || v.Op == OpShrA):
		return a
	case a != b:
		return nil
	}
	switch v.Op {
	case OpSub, OpXor:
		v.becomeConst(0)
		return v
	case OpAnd, OpOr:
		return a
	}
	return nil
}
