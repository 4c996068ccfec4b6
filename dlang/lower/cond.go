package lower

import (
	"dscope.dev/dlang/ast"
	"dscope.dev/dlang/ir"
	"dscope.dev/dlang/token"
	"dscope.dev/dlang/types"
)

// cond goes to yes if x is not 0, else to no. && and || compute their right
// side only where it matters, and a comparison is used by its branch alone,
// so that the two become one instruction.
func (f *fn) cond(x ast.Expr, yes, no *ir.Block) {
	x = f.prog.Means.Unparen(x)
	if n, ok := f.prog.Consts[x]; ok {
		f.Branch(f.Const(n), yes, no)
		return
	}
	switch x := x.(type) {
	case *ast.Unary:
		if x.Op == token.Not {
			f.cond(x.X, no, yes)
			return
		}
	case *ast.Binary:
		switch x.Op {
		case token.AndAnd:
			more := f.Block()
			f.cond(x.X, more, no)
			f.Go(more)
			f.cond(x.Y, yes, no)
			return
		case token.OrOr:
			more := f.Block()
			f.cond(x.X, yes, more)
			f.Go(more)
			f.cond(x.Y, yes, no)
			return
		}
	}
	f.Branch(f.word(x), yes, no)
}

// truth lowers a logical operator whose value is wanted.
func (f *fn) truth(x ast.Expr) *ir.Value {
	return f.either(x, func() *ir.Value { return f.Const(1) }, func() *ir.Value { return f.Const(0) })
}

func isComparison(op token.Kind) bool {
	switch op {
	case token.Eq, token.Ne, token.Lt, token.Le, token.Gt, token.Ge:
		return true
	}
	return false
}

// compare lowers a comparison: of strings if one side is a string, else of
// words in the common type of both.
func (f *fn) compare(x *ast.Binary) *ir.Value {
	ta, tb := f.typeOf(x.X), f.typeOf(x.Y)
	if types.IsString(ta) || types.IsString(tb) {
		return f.compareStr(x)
	}
	a, b := f.word(x.X), f.word(x.Y)
	signed := false
	if types.IsInteger(ta) && types.IsInteger(tb) {
		signed = types.IsSigned(types.Common(ta, tb))
	}
	return f.relation(x.Op, a, b, signed)
}

// relation compares two words.
func (f *fn) relation(op token.Kind, a, b *ir.Value, signed bool) *ir.Value {
	lt, le := ir.OpLtU, ir.OpLeU
	if signed {
		lt, le = ir.OpLtS, ir.OpLeS
	}
	switch op {
	case token.Eq:
		return f.Op(ir.OpEq, a, b)
	case token.Ne:
		return f.Op(ir.OpNe, a, b)
	case token.Lt:
		return f.Op(lt, a, b)
	case token.Le:
		return f.Op(le, a, b)
	case token.Gt:
		return f.Op(lt, b, a)
	}
	return f.Op(le, b, a)
}
