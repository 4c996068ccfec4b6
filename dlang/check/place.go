package check

import (
	"dscope.dev/dlang/ast"
	"dscope.dev/dlang/diag"
	"dscope.dev/dlang/function"
	"dscope.dev/dlang/token"
	"dscope.dev/dlang/types"
)

// A place says what an expression stands for when it is assigned to.
type place uint8

const (
	placeNone   place = iota // a computed value
	placeVar                 // a variable of the script
	placeMemory              // memory behind a pointer, or a kernel variable
)

func (c *checker) placeOf(x ast.Expr) place {
	switch x := c.prog.Means.Unparen(x).(type) {
	case *ast.Ident, *ast.Var, *ast.Macro:
		if _, ok := c.prog.Refs[x].(*Var); ok {
			return placeVar
		}
	case *ast.KSym:
		return placeMemory
	case *ast.Unary:
		if x.Op == token.Star {
			return placeMemory
		}
	case *ast.Index:
		switch c.prog.Refs[x].(type) {
		case *Var:
			return placeVar
		case *ArgRef, *Builtin:
			return placeNone
		}
		if types.IsString(c.prog.Types[x.X]) {
			return placeNone
		}
		if _, ok := types.Resolve(c.prog.Types[x.X]).(*types.Array); ok {
			return c.placeOf(x.X)
		}
		return placeMemory
	case *ast.Member:
		if x.Arrow {
			return placeMemory
		}
		return c.placeOf(x.X)
	}
	return placeNone
}

// writable complains unless x may be assigned.
func (c *checker) writable(x ast.Expr, op token.Kind) bool {
	if c.prog.Means.Has(x) {
		c.errorf(x, diag.OpLval, "%s cannot change this: it stands for an expression", op)
		return false
	}
	switch c.placeOf(x) {
	case placeVar:
		return true
	case placeMemory:
		if c.scratch(x) {
			return true
		}
		c.errorf(x, diag.OpWrite, "%s cannot change this: only variables and memory from alloca() are writable", op).
			Suggest("copy the value into a variable of your own and change that")
		return false
	}
	if b, ok := c.prog.Refs[c.prog.Means.Unparen(x)].(*Builtin); ok {
		c.errorf(x, diag.OpWrite, "%s cannot change the built-in variable %s", op, b.Name).
			Suggest("keep your own value in this->%s", b.Name)
		return false
	}
	if ix, ok := c.prog.Means.Unparen(x).(*ast.Index); ok && types.IsString(c.prog.Types[ix.X]) {
		if c.placeOf(ix.X) == placeVar { // which then has the string that this one becomes
			return true
		}
		c.errorf(x, diag.OpLval, "%s cannot change a character of this string: it is in no variable of the script", op).
			Suggest("put it into one first: this->s = %s; this->s[%s] = …", c.text(ix.X), c.text(ix.Args[0]))
		return false
	}
	c.errorf(x, diag.OpLval, "%s needs a variable on its left", op)
	return false
}

// scratch reports whether x is, or lies behind, a pointer into scratch memory.
func (c *checker) scratch(x ast.Expr) bool {
	switch x := c.prog.Means.Unparen(x).(type) {
	case *ast.Cast:
		return c.scratch(x.X) || types.IsString(c.prog.Types[x.X]) && types.IsPointer(c.prog.Types[x])
	case *ast.Unary:
		return (x.Op == token.Star || x.Op == token.Amp || isStep(x.Op)) && c.scratch(x.X) || c.inVariable(x)
	case *ast.Postfix:
		return c.scratch(x.X)
	case *ast.Member:
		return c.scratch(x.X) || c.inVariable(x)
	case *ast.Index:
		if v, ok := c.prog.Refs[x].(*Var); ok {
			return v.Scratch || c.inVariable(x)
		}
		return c.scratch(x.X) || c.inVariable(x)
	case *ast.Binary:
		return (x.Op == token.Plus || x.Op == token.Minus) && (c.scratch(x.X) || c.scratch(x.Y))
	case *ast.Assign:
		return c.scratch(x.Y)
	case *ast.Cond:
		return c.scratch(x.Then) || c.scratch(x.Else)
	case *ast.Call:
		if call := c.prog.Calls[x]; call != nil && call.User != nil {
			return call.User.Scratch
		}
		return function.Find(x.Fn.Text).Scratch
	case *ast.Ident, *ast.Var:
		v, ok := c.prog.Refs[x].(*Var)
		return ok && v.Scratch || c.inVariable(x)
	}
	return false
}

// inVariable reports whether x, a pointer or an array, is the address of a part of a
// variable of the script.
func (c *checker) inVariable(x ast.Expr) bool {
	switch x := c.prog.Means.Unparen(x).(type) {
	case *ast.Unary:
		return x.Op == token.Amp && c.placeOf(x.X) == placeVar
	case *ast.Cast:
		return c.inVariable(x.X)
	case *ast.Binary:
		return (x.Op == token.Plus || x.Op == token.Minus) && (c.inVariable(x.X) || c.inVariable(x.Y))
	case *ast.Cond:
		return c.inVariable(x.Then) || c.inVariable(x.Else)
	}
	return isArray(c.prog.Types[c.prog.Means.Unparen(x)]) && c.placeOf(x) == placeVar
}

// varOf returns the variable that x is, or is a member or an element of.
func (c *checker) varOf(x ast.Expr) *Var {
	x = c.prog.Means.Unparen(x)
	if v, ok := c.prog.Refs[x].(*Var); ok {
		return v
	}
	switch x := x.(type) {
	case *ast.Member:
		if !x.Arrow {
			return c.varOf(x.X)
		}
	case *ast.Index:
		if isArray(c.prog.Types[x.X]) {
			return c.varOf(x.X)
		}
	}
	return nil
}
