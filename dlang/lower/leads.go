package lower

import "dscope.dev/dlang/ast"

// In DTrace what stands in braces is a clause of its own, as is what stands behind
// them, and no clause runs after exit(). So exit() in an arm or in a loop lets the
// braces go on to their end, and then ends the clause.

// leads reports whether s may lead elsewhere than to what follows it: inLoop is
// whether break and continue do not.
func (l *lowerer) leads(n ast.Stmt, inLoop bool) bool {
	switch s := n.(type) {
	case *ast.Return:
		return true
	case *ast.Jump:
		return !inLoop
	case *ast.ExprStmt:
		return l.maySkip(s)
	case *ast.Block:
		for _, s := range s.Stmts {
			if l.leads(s, inLoop) {
				return true
			}
		}
	case *ast.If:
		return l.leadsArm(s.Then, inLoop) || s.Else != nil && l.leadsArm(s.Else, inLoop)
	case *ast.For:
		return l.leadsArm(s.Body, true)
	case *ast.While:
		return l.leadsArm(s.Body, true)
	case *ast.DoWhile:
		return l.leadsArm(s.Body, true)
	}
	return false
}

func (l *lowerer) leadsArm(s ast.Stmt, inLoop bool) bool { return l.leads(s, inLoop) || l.exits(s) }

// maySkip reports whether s calls a function that may end the clause.
func (l *lowerer) maySkip(s *ast.ExprStmt) bool {
	found := false
	l.walk(s, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.If:
			found = found || l.exits(n.Then) || n.Else != nil && l.exits(n.Else)
		case *ast.For:
			found = found || l.exits(n.Body)
		case *ast.While:
			found = found || l.exits(n.Body)
		case *ast.DoWhile:
			found = found || l.exits(n.Body)
		}
		return !found
	})
	return found
}

// exits reports whether s calls exit(), perhaps in a function, and is not merely
// around an arm that does.
func (l *lowerer) exits(s ast.Stmt) bool {
	switch s := s.(type) {
	case *ast.Block:
		for _, s := range s.Stmts {
			if l.exits(s) {
				return true
			}
		}
	case *ast.ExprStmt:
		call, ok := l.prog.Means.Unparen(s.X).(*ast.Call)
		if !ok {
			return false
		}
		c := l.prog.Calls[call]
		return c != nil && (c.Fn != nil && c.Fn.Stops || c.User != nil && l.exits(c.User.AST.Body))
	}
	return false
}

// afterExit ends the clause behind an arm or the body of a loop that calls exit().
func (f *fn) afterExit(s ast.Stmt) {
	if f.exits(s) {
		f.leave(f.whole.opened, f.whole.ret)
	}
}
