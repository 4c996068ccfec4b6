package gen

import (
	"strings"

	"dscope.dev/dlang/ast"
	"dscope.dev/dlang/check"
	"dscope.dev/dlang/token"
	"dscope.dev/dlang/types"
)

// into is what a variable keeps of n, the value of y: all 64 bits of a value that has
// them, if the script gives it any such, and else what its type holds. A declared one
// takes a raw argument for what it is declared to be.
func (j *Judge) into(x, y ast.Expr, n int64) int64 {
	v := j.wide(x)
	if v == nil {
		return types.Wrap(n, j.typ(x))
	}
	b, _ := j.prog.Refs[j.prog.Means.Unparen(y)].(*check.Builtin)
	if b != nil && v.Declared && b.Name != "args" && strings.HasPrefix(b.Name, "arg") || !j.full(y) {
		return types.Wrap(n, v.Type)
	}
	return n
}

// changed is what a variable keeps of n, which was computed from what it held.
func (j *Judge) changed(x ast.Expr, n int64) int64 {
	if j.wide(x) != nil {
		return n
	}
	return types.Wrap(n, j.typ(x))
}

// wide is the variable that x is, if it holds more bits than its type has.
func (j *Judge) wide(x ast.Expr) *check.Var {
	if v, ok := j.prog.Refs[j.prog.Means.Unparen(x)].(*check.Var); ok && v.Wide {
		return v
	}
	return nil
}

// full reports whether x has 64 bits, whatever they are just now. A number that a small
// type holds as well counts as small.
func (j *Judge) full(x ast.Expr) bool {
	x = j.prog.Means.Unparen(x)
	if j.typ(x).Size() == 8 {
		return true
	}
	switch x := x.(type) {
	case *ast.Unary:
		switch x.Op {
		case token.Minus, token.Plus, token.Tilde, token.Inc, token.Dec:
			return j.full(x.X)
		}
		return false
	case *ast.Postfix:
		return j.full(x.X)
	case *ast.Assign:
		return j.full(x.X)
	case *ast.Cond:
		return j.full(x.Then) || j.full(x.Else)
	case *ast.Binary:
		switch x.Op {
		case token.Plus, token.Minus, token.Star, token.Slash, token.Percent, token.Amp, token.Pipe, token.Caret:
			return j.full(x.X) || j.full(x.Y)
		case token.Shl, token.Shr:
			return j.full(x.X)
		case token.Comma:
			return j.full(x.Y)
		}
		return false
	}
	return j.wide(x) != nil
}
