package ir

import (
	"math/bits"
	"slices"
)

// fold computes what is constant, simplifies what is not, and removes branches
// that are decided, until nothing changes.
func fold(f *Func) {
	for changed := true; changed; {
		changed = false
		r := rewrite{}
		for _, b := range f.Blocks {
			for _, v := range slices.Clone(b.Vals) {
				for i, a := range v.Args {
					v.Args[i] = r.final(a)
				}
				if same := simplify(v); same == v {
					changed = true
				} else if same != nil {
					r[v] = same
					changed = true
				}
			}
		}
		r.apply(f)
		for _, b := range f.Blocks {
			changed = decide(b) || changed
		}
		dropUnreachable(f)
		changed = straighten(f) || changed
	}
}

// decide turns a branch on a constant into a jump, and a branch on a test for
// zero into one on what is tested.
func decide(b *Block) bool {
	term := b.Term()
	if term.Op != OpBranch {
		return false
	}
	c := term.Args[0]
	switch {
	case c.Op == OpConst:
		removeEdge(b, int(truth(c.Imm != 0)))
		term.become(OpJump)
		return true
	case b.Succs[0] == b.Succs[1]:
		removeEdge(b, 0)
		term.become(OpJump)
		return true
	case c.Op == OpNe && isConst(c.Args[1], 0), c.Op == OpSExt && Width(c.Args[0]) <= 8*c.Size:
		term.Args[0] = c.Args[0]
		return true
	case c.Op == OpEq && isConst(c.Args[1], 0):
		term.Args[0] = c.Args[0]
		b.Succs[0], b.Succs[1] = b.Succs[1], b.Succs[0]
		return true
	}
	return false
}

// straighten joins each block to its only successor if it is the only
// predecessor of that.
func straighten(f *Func) bool {
	changed, r := false, rewrite{}
	for _, b := range f.Blocks {
		for len(b.Succs) == 1 && len(b.Succs[0].Preds) == 1 && b.Succs[0] != b && b.Succs[0] != f.Entry() {
			next := b.Succs[0]
			for _, phi := range next.Phis() {
				r[phi] = phi.Args[0]
			}
			b.Vals = append(b.Vals[:len(b.Vals)-1], next.Vals...)
			for _, v := range next.Vals {
				v.Block = b
			}
			b.Succs = next.Succs
			for _, s := range b.Succs {
				s.Preds[slices.Index(s.Preds, next)] = b
			}
			next.Vals, next.Succs, next.Preds = nil, nil, nil
			changed = true
		}
	}
	if changed {
		r.apply(f)
		f.Blocks = slices.DeleteFunc(f.Blocks, func(b *Block) bool { return len(b.Vals) == 0 })
	}
	return changed
}

func truth(b bool) int64 {
	if b {
		return 1
	}
	return 0
}

func isConst(v *Value, n int64) bool { return v.Op == OpConst && v.Imm == n }

// simplify returns a value that v can be replaced by, or v if v was changed in
// place, or nil if there is nothing to do.
func simplify(v *Value) *Value {
	switch v.Op {
	case OpPhi:
		return simplifyPhi(v)
	case OpSExt, OpZExt:
		return simplifyExt(v)
	case OpNeg, OpNot, OpLog2, OpBound:
		return simplifyUnary(v)
	}
	if infos[v.Op].imm == offset {
		return simplifyAccess(v)
	}
	if len(v.Args) != 2 || v.Type() != Word || !v.Op.IsPure() {
		return nil
	}
	a, b := v.Args[0], v.Args[1]
	if a.Op == OpConst && b.Op == OpConst {
		if n, ok := evaluate(v.Op, a.Imm, b.Imm); ok {
			v.becomeConst(n)
			return v
		}
		return nil
	}
	if a.Op == OpConst && v.Op.Commutes() {
		v.Args[0], v.Args[1] = b, a
		return v
	}
	if v.Op.Compares() {
		return simplifyCompare(v, a, b)
	}
	if b.Op == OpConst {
		return simplifyByConst(v, a, b)
	}
	return simplifySame(v, a, b)
}

// simplifyAccess takes a constant distance of a pointer into the offset, and
// stores what was extended as it was before.
func simplifyAccess(v *Value) *Value {
	p := v.Args[0]
	if p.Op == OpAdd && p.Args[1].Op == OpConst {
		v.Args[0] = p.Args[0]
		v.Imm += p.Args[1].Imm
		return v
	}
	if v.Op != OpStore {
		return nil
	}
	if w := v.Args[1]; (w.Op == OpSExt || w.Op == OpZExt) && w.Size >= v.Size {
		v.Args[1] = w.Args[0]
		return v
	}
	return nil
}

// simplifyPhi replaces a phi whose arguments are all the same, itself aside.
func simplifyPhi(v *Value) *Value {
	var same *Value
	for _, a := range v.Args {
		switch {
		case a == v || a == same:
		case same == nil:
			same = a
		default:
			if n, ok := samePhiConst(v); ok {
				return hoistConst(v, n)
			}
			return nil
		}
	}
	return same
}

// samePhiConst reports whether all arguments are one constant.
func samePhiConst(v *Value) (int64, bool) {
	for _, a := range v.Args {
		if a.Op != OpConst || a.Imm != v.Args[0].Imm {
			return 0, false
		}
	}
	return v.Args[0].Imm, true
}

// hoistConst makes a constant that stands for the phi v, behind all phis.
func hoistConst(v *Value, n int64) *Value {
	b := v.Block
	return insertConst(b.Vals[len(b.Phis())], n)
}

// simplifyExt drops an extension of what is extended already.
func simplifyExt(v *Value) *Value {
	a := v.Args[0]
	switch {
	case a.Op == OpConst:
		v.becomeConst(extendConst(v.Op, v.Size, a.Imm))
		return v
	case v.Op == OpZExt && Width(a) <= 8*v.Size, v.Op == OpSExt && isExtended(a, v.Size, nil):
		return a
	case (a.Op == OpSExt || a.Op == OpZExt) && a.Size >= v.Size:
		v.Args[0] = a.Args[0]
		return v
	case v.Op == OpZExt && a.Op == OpAnd && a.Args[1].Op == OpConst && a.Args[1].Imm>>(8*v.Size-1)>>1 == 0 && a.Args[1].Imm >= 0:
		return a
	}
	return nil
}

// mostPhis is how many phis isExtended looks through.
const mostPhis = 64

// isExtended reports whether all bits of v from the highest of its low size bytes on are
// alike. Those of a phi are if those of all that leads to it are, itself aside: seen holds the
// phis on the way, nil at first.
func isExtended(v *Value, size int, seen map[*Value]bool) bool {
	switch v.Op {
	case OpConst:
		return extendConst(OpSExt, size, v.Imm) == v.Imm
	case OpSExt:
		return v.Size <= size
	case OpPhi:
		if seen[v] {
			return true
		}
		if seen == nil {
			seen = map[*Value]bool{}
		}
		seen[v] = true
		return len(seen) <= mostPhis && !slices.ContainsFunc(v.Args, func(a *Value) bool { return !isExtended(a, size, seen) })
	}
	return Width(v) < 8*size
}

func extendConst(op Op, size int, n int64) int64 {
	shift := 64 - 8*size
	if op == OpSExt {
		return n << shift >> shift
	}
	return int64(uint64(n) << shift >> shift)
}

// Width returns how many of the low bits of v may be set.
func Width(v *Value) int { return widthWithin(v, widthDepth) }

// widthDepth is how far Width follows arguments. Each may have two of its own, and
// be that of others: what is asked of all would double with each step.
const widthDepth = 6

func widthWithin(v *Value, depth int) int {
	if depth == 0 {
		return 64
	}
	if n := v.Op.Bits(); n > 0 {
		return n
	}
	depth--
	switch v.Op {
	case OpConst:
		return bits.Len64(uint64(v.Imm))
	case OpLoad, OpTaskLoad, OpZExt:
		return 8 * v.Size
	case OpBound:
		return bits.Len64(uint64(v.Imm - 1))
	case OpAnd:
		return min(widthWithin(v.Args[0], depth), widthWithin(v.Args[1], depth))
	case OpOr, OpXor:
		return max(widthWithin(v.Args[0], depth), widthWithin(v.Args[1], depth))
	case OpShrL:
		if c := v.Args[1]; c.Op == OpConst {
			return max(widthWithin(v.Args[0], depth)-int(c.Imm&63), 0)
		}
		return widthWithin(v.Args[0], depth)
	case OpShl:
		if c := v.Args[1]; c.Op == OpConst {
			return min(widthWithin(v.Args[0], depth)+int(c.Imm&63), 64)
		}
	}
	return 64
}

func simplifyUnary(v *Value) *Value {
	a := v.Args[0]
	if a.Op == OpConst {
		n, ok := evaluateUnary(v, a.Imm)
		if ok {
			v.becomeConst(n)
			return v
		}
		return nil
	}
	if (v.Op == OpNeg || v.Op == OpNot) && a.Op == v.Op {
		return a.Args[0]
	}
	return nil
}

func evaluateUnary(v *Value, a int64) (int64, bool) {
	switch v.Op {
	case OpNeg:
		return -a, true
	case OpNot:
		return ^a, true
	case OpLog2:
		return int64(bits.Len64(uint64(a)) - 1), a != 0
	case OpBound:
		return int64(min(uint64(a), uint64(v.Imm-1))), true
	}
	return 0, false
}

// evaluate computes a op b as the machine does.
func evaluate(op Op, a, b int64) (int64, bool) {
	switch op {
	case OpAdd:
		return a + b, true
	case OpSub:
		return a - b, true
	case OpMul:
		return a * b, true
	case OpDivS, OpDivU, OpModS, OpModU:
		return divide(op, a, b)
	case OpAnd:
		return a & b, true
	case OpOr:
		return a | b, true
	case OpXor:
		return a ^ b, true
	case OpShl:
		return a << uint(b&63), true
	case OpShrL:
		return int64(uint64(a) >> uint(b&63)), true
	case OpShrA:
		return a >> uint(b&63), true
	case OpEq:
		return truth(a == b), true
	case OpNe:
		return truth(a != b), true
	case OpLtS:
		return truth(a < b), true
	case OpLeS:
		return truth(a <= b), true
	case OpLtU:
		return truth(uint64(a) < uint64(b)), true
	case OpLeU:
		return truth(uint64(a) <= uint64(b)), true
	}
	return 0, false
}

// divide computes quotients and rests. The smallest number by -1 gives itself
// and no rest, in Go as in the form.
func divide(op Op, a, b int64) (int64, bool) {
	if b == 0 {
		return 0, false
	}
	switch op {
	case OpDivS:
		return a / b, true
	case OpModS:
		return a % b, true
	case OpDivU:
		return int64(uint64(a) / uint64(b)), true
	}
	return int64(uint64(a) % uint64(b)), true
}
