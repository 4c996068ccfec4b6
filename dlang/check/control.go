package check

import (
	"dscope.dev/dlang/ast"
	"dscope.dev/dlang/diag"
	"dscope.dev/dlang/types"
)

// ifStmt checks if (cond) then else otherwise. Variables come to life in the order
// of the text, whichever arm assigns them first.
func (c *checker) ifStmt(s *ast.If) {
	c.condition(s.Cond, "if")
	c.stmt(s.Then)
	if s.Else != nil {
		c.stmt(s.Else)
	}
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
