package check

import (
	"dscope.dev/dlang/ast"
	"dscope.dev/dlang/diag"
	"dscope.dev/dlang/types"
)

// ifStmt checks if (cond) then else otherwise. Variables come to life in the order
// of the text, whichever arm assigns them first; but what one arm does does not
// come before what the other does.
func (c *checker) ifStmt(s *ast.If) {
	c.condition(s.Cond, "if")
	before := c.did
	c.inner(s.Then)
	if s.Else != nil {
		then := c.did
		c.did = before
		c.inner(s.Else)
		c.did = either(then, c.did)
	}
	if before.speculate == nil {
		c.did.perhaps = c.did.speculate
	}
}

// inner checks what an if or a loop governs, which is a block even without braces.
func (c *checker) inner(s ast.Stmt) {
	defer c.scope()()
	c.stmt(s)
}

// condition checks what an if or a loop depends on.
func (c *checker) condition(x ast.Expr, of string) {
	t := c.valueFor(x, diag.OpScalar)
	if types.IsInvalid(t) || types.IsScalar(types.Decay(t)) {
		return
	}
	say := c.errorf(x, diag.OpScalar, "the condition of %s must be an integer or a pointer, not %s", of, t)
	if types.IsString(t) {
		say.Suggest("compare it: %s != \"\"", c.text(x))
	}
}

// returnStmt checks return x; in a clause it ends the clause and has no value.
func (c *checker) returnStmt(s *ast.Return) {
	t := types.Type(types.VoidType)
	if s.X != nil {
		t = c.value(s.X)
	}
	switch {
	case c.fn == nil && s.X != nil:
		c.errorf(s, diag.Return, "a clause returns no value").Suggest("return; ends the clause")
	case c.fn == nil || types.IsInvalid(t) || types.IsInvalid(c.fn.Result):
	case types.IsVoid(c.fn.Result) && s.X != nil:
		c.errorf(s, diag.Return, "%s() is void and returns no value", c.fn.Name).Note(c.fn.at(), "it is declared here")
	case types.IsVoid(c.fn.Result):
	case s.X == nil:
		c.errorf(s, diag.Return, "%s() must return %s", c.fn.Name, article(c.fn.Result)).Note(c.fn.at(), "it is declared here")
	case !c.converts(c.fn.Result, t, nil, s.X):
		c.errorf(s.X, diag.Return, "%s() returns %s and cannot return %s", c.fn.Name, article(c.fn.Result), t).Note(c.fn.at(), "it is declared here")
	default:
		c.returned(s.X)
		c.squeezed(s.X, c.fn.Result, c.fn.Name+"()")
	}
}

// returned notes whether a function returns addresses of scratch memory or others.
func (c *checker) returned(x ast.Expr) {
	if !types.IsPointer(c.fn.Result) || c.isZero(x) {
		return
	}
	scratch := c.scratch(x)
	if c.fn.points && scratch != c.fn.Scratch {
		c.errorf(x, diag.AllocaMix, "%s() returns addresses of scratch memory and others", c.fn.Name).Suggest("use two functions")
	}
	c.fn.points, c.fn.Scratch = true, scratch
}
