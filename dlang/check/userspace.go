package check

import (
	"dscope.dev/dlang/ast"
	"dscope.dev/dlang/token"
	"dscope.dev/dlang/types"
)

// inProcess reports whether x, a pointer or what lies behind one, is an address of
// the process that fires: an argument that the probe says is one, what the script
// calls userland, what that leads to, or a variable that holds such pointers only.
func (c *checker) inProcess(x ast.Expr) bool {
	switch x := c.prog.Means.Unparen(x).(type) {
	case *ast.Cast:
		return ast.InUserland(x.Type) && !c.scratch(x.X) || c.inProcess(x.X)
	case *ast.Unary:
		return (x.Op == token.Star || x.Op == token.Amp || isStep(x.Op)) && c.inProcess(x.X)
	case *ast.Postfix:
		return c.inProcess(x.X)
	case *ast.Member:
		return c.prog.Members[x].User || c.inProcess(x.X)
	case *ast.Index:
		switch ref := c.prog.Refs[x].(type) {
		case *ArgRef:
			return ref.Arg.User
		case *Var:
			return ref.User
		}
		return c.inProcess(x.X)
	case *ast.Binary:
		return (x.Op == token.Plus || x.Op == token.Minus) && (c.inProcess(x.X) || c.inProcess(x.Y))
	case *ast.Assign:
		return c.inProcess(x.Y)
	case *ast.Cond:
		return c.inProcess(x.Then) && c.inProcess(x.Else)
	case *ast.Ident, *ast.Var:
		v, ok := c.prog.Refs[x].(*Var)
		return ok && v.User
	}
	return false
}

// notePointer notes whether v, which is made the pointer y, holds addresses of the
// process. One that holds others too is taken for an address of the kernel.
func (c *checker) notePointer(v *Var, y ast.Expr, first bool) {
	if !types.IsPointer(v.Type) || v.userland {
		return
	}
	user := c.inProcess(y)
	v.User = user && (first || v.User)
}
