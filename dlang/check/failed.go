package check

import (
	"dscope.dev/dlang/ast"
	"dscope.dev/dlang/diag"
	"dscope.dev/dlang/token"
)

// On Solaris, macOS and FreeBSD a system call that fails returns -1, and errno tells
// why. On Linux it returns the negative errno, and -1 is EPERM. So the test that many old
// scripts make is true here of one error of all, which nobody wants to learn from what
// a script does not print.

// failedCall warns where x compares what a system call returns with -1.
func (c *checker) failedCall(x *ast.Binary) {
	if x.Op != token.Eq && x.Op != token.Ne || !c.atReturnOfCall() {
		return
	}
	for _, side := range [][2]ast.Expr{{x.X, x.Y}, {x.Y, x.X}} {
		if v, ok := c.prog.Consts[side[1]]; !ok || int32(v) != -1 || !c.isResult(side[0]) {
			continue
		}
		test := "errno != 0"
		if x.Op == token.Ne {
			test = "errno == 0"
		}
		c.warn(x, diag.FailedCall, "a system call of Linux that fails returns -errno: -1 is EPERM, and no other error").
			Suggest("%s", test)
		return
	}
}

// atReturnOfCall reports whether the clause names returns of system calls.
func (c *checker) atReturnOfCall() bool {
	if c.library != nil || c.clause == nil || c.clause.AST == nil {
		return false
	}
	for _, d := range c.clause.AST.Probes {
		if d.Provider == "syscall" && d.Name == "return" {
			return true
		}
	}
	return false
}

// isResult reports whether x is the result of a call: arg0, arg1 or args[], cast perhaps.
func (c *checker) isResult(x ast.Expr) bool {
	switch x := c.prog.Means.Unparen(x).(type) {
	case *ast.Cast:
		return c.isResult(x.X)
	case *ast.Ident:
		return x.Name == "arg0" || x.Name == "arg1"
	case *ast.Index:
		id, ok := c.prog.Means.Unparen(x.X).(*ast.Ident)
		return ok && id.Name == "args"
	}
	return false
}
