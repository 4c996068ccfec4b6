package check

import (
	"dscope.dev/dlang/ast"
	"dscope.dev/dlang/token"
	"dscope.dev/dlang/types"
)

// Folding computes what is known before the script runs, exactly as the
// machine would. D computes in 64 bits whatever the types of the operands; the
// type of a result says how it is compared, divided, shifted and printed, and
// only a cast, a variable or a record cuts it to its size.

func (c *checker) foldUnary(x *ast.Unary, t types.Type) {
	v, ok := c.prog.Consts[x.X]
	if !ok {
		return
	}
	switch x.Op {
	case token.Minus:
		v = Negate(v, t)
	case token.Tilde:
		v = ^v
	case token.Not:
		v = truth(v == 0)
	}
	c.prog.Consts[x] = v
}

// Negate computes -v for a constant of type t. An unsigned constant, and no
// other unsigned value, is cut to its size: -1U is the largest unsigned int.
func Negate(v int64, t types.Type) int64 {
	if types.IsSigned(t) {
		return -v
	}
	return types.Wrap(-v, t)
}

func truth(b bool) int64 {
	if b {
		return 1
	}
	return 0
}

// foldBinary folds x op y. A logical operator may be known by its left side
// alone.
func (c *checker) foldBinary(x *ast.Binary) {
	a, okA := c.prog.Consts[x.X]
	b, okB := c.prog.Consts[x.Y]
	switch {
	case okA && okB:
	case okA && x.Op == token.AndAnd && a == 0:
		c.prog.Consts[x] = 0
		return
	case okA && x.Op == token.OrOr && a != 0:
		c.prog.Consts[x] = 1
		return
	default:
		c.foldStrings(x)
		return
	}
	ta, tb := c.prog.Types[x.X], c.prog.Types[x.Y]
	if !types.IsInteger(ta) || !types.IsInteger(tb) {
		return // pointers: the code computes them
	}
	if v, ok := Fold(x.Op, a, b, ta, tb); ok {
		c.prog.Consts[x] = v
	}
}

// foldStrings folds the comparison of two string constants.
func (c *checker) foldStrings(x *ast.Binary) {
	a, okA := c.prog.Strings[x.X]
	b, okB := c.prog.Strings[x.Y]
	if !okA || !okB {
		return
	}
	switch x.Op {
	case token.Eq:
		c.setConst(x, truth(a == b), types.IntType)
	case token.Ne:
		c.setConst(x, truth(a != b), types.IntType)
	}
}

// Fold computes a op b for integers of types ta and tb, by the rules of the
// language: in 64 bits, with a sign if their common type has one. It reports
// false if the operation has no value (division by zero).
func Fold(op token.Kind, a, b int64, ta, tb types.Type) (int64, bool) {
	if op == token.Shl || op == token.Shr {
		return foldShift(op, a, b, types.Promote(ta))
	}
	signed := types.IsSigned(types.Common(ta, tb))
	var v int64
	switch op {
	case token.Plus:
		v = a + b
	case token.Minus:
		v = a - b
	case token.Star:
		v = a * b
	case token.Slash, token.Percent:
		if b == 0 {
			return 0, false
		}
		v = divide(op, a, b, signed)
	case token.Amp:
		v = a & b
	case token.Pipe:
		v = a | b
	case token.Caret:
		v = a ^ b
	case token.AndAnd:
		return truth(a != 0 && b != 0), true
	case token.OrOr:
		return truth(a != 0 || b != 0), true
	case token.XorXor:
		return truth((a != 0) != (b != 0)), true
	case token.Eq:
		return truth(a == b), true
	case token.Ne:
		return truth(a != b), true
	case token.Lt:
		return truth(less(a, b, signed)), true
	case token.Le:
		return truth(!less(b, a, signed)), true
	case token.Gt:
		return truth(less(b, a, signed)), true
	case token.Ge:
		return truth(!less(a, b, signed)), true
	default:
		return 0, false
	}
	return v, true
}

func less(a, b int64, signed bool) bool {
	if signed {
		return a < b
	}
	return uint64(a) < uint64(b)
}

// divide computes a / b or a % b. The smallest number divided by -1 wraps to
// itself, as in the machine.
func divide(op token.Kind, a, b int64, signed bool) int64 {
	switch {
	case signed && op == token.Slash:
		return a / b
	case signed:
		return a % b
	case op == token.Slash:
		return int64(uint64(a) / uint64(b))
	}
	return int64(uint64(a) % uint64(b))
}

// foldShift shifts as eBPF does: by the low six bits of the distance, in 64 bits.
func foldShift(op token.Kind, a, b int64, t types.Type) (int64, bool) {
	n := uint(b) & 63
	switch {
	case op == token.Shl:
		a <<= n
	case types.IsSigned(t):
		a >>= n
	default:
		a = int64(uint64(a) >> n)
	}
	return a, true
}

// foldCond folds cond ? then : otherwise where the condition is known.
func (c *checker) foldCond(x *ast.Cond) {
	test, ok := c.prog.Consts[x.Cond]
	if !ok {
		return
	}
	arm := x.Then
	if test == 0 {
		arm = x.Else
	}
	if v, ok := c.prog.Consts[arm]; ok {
		c.prog.Consts[x] = v
	}
	if s, ok := c.prog.Strings[arm]; ok {
		c.prog.Strings[x] = s
	}
}
