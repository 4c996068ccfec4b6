package check

import (
	"slices"

	"dscope.dev/dlang/ast"
	"dscope.dev/dlang/diag"
	"dscope.dev/dlang/function"
)

// The guide's chapter on speculative tracing says what may stand together in one
// clause. A clause that calls speculate() records into a buffer of its own, all of
// it, so nothing can be recorded before. Under an if it is the arm that records there;
// what follows the if would belong to the speculation at one firing and to the output at
// the next, and so records nothing. What cannot be taken back may not follow:
// aggregations, destructive actions, exit(). A clause that commits lets records
// of others into the stream at its own place, so it records nothing itself.

// A conduct is what a clause has done so far, of what must keep an order.
type conduct struct {
	speculate, commit, record ast.Node // the first of each; nil if none
	perhaps                   ast.Node // speculate() in an arm of an if that is over
}

// either is what was done after one or the other way through a statement.
func either(a, b conduct) conduct {
	for _, p := range [...]struct{ to, from *ast.Node }{
		{&a.speculate, &b.speculate}, {&a.commit, &b.commit}, {&a.record, &b.record}, {&a.perhaps, &b.perhaps},
	} {
		if *p.to == nil {
			*p.to = *p.from
		}
	}
	return a
}

// inOrder checks that a call may stand where it does, and notes what it does.
func (c *checker) inOrder(p *pending) bool {
	if c.clause == nil || !p.fn.Action && !p.fn.Irrevocable {
		return true // a function, which leaves nothing behind
	}
	switch name := p.fn.Name; {
	case p.fn.ID == function.Speculate:
		return c.speculateInOrder(p.ast)
	case p.fn.ID == function.Commit:
		if c.did.record != nil {
			c.errorf(p.ast, diag.CommDrec, "commit() may not follow data-recording actions").
				Note(c.did.record.Span(), "this records").Suggest("commit in a clause of its own, on the same probe")
			return false
		}
		c.first(&c.did.commit, p.ast)
	case p.fn.ID == function.Discard:
	case p.fn.Irrevocable:
		if c.did.speculate != nil {
			c.errorf(p.ast, diag.ActSpec, "destructive actions may not follow speculate()").
				Note(c.did.speculate.Span(), "the clause speculates here").Suggest("call %s() in another clause", name)
			return false
		}
	case p.fn.Stops && c.did.speculate != nil:
		c.errorf(p.ast, diag.ExitSpec, "exit() may not follow speculate()").
			Note(c.did.speculate.Span(), "the clause speculates here").Suggest("call exit() in another clause")
		return false
	case p.fn.Records:
		if c.did.commit != nil {
			c.errorf(p.ast, diag.DrecComm, "data-recording actions may not follow commit()").
				Note(c.did.commit.Span(), "the clause commits here").Suggest("call %s() in another clause", name)
			return false
		}
		if c.did.perhaps != nil {
			c.errorf(p.ast, diag.Unsupported, "%s() would record speculatively or not, as the if before it decides", name).
				Note(c.did.perhaps.Span(), "the arm speculates here").
				Suggest("put it into the arm, behind speculate(), or into another clause")
			return false
		}
		c.first(&c.did.record, p.ast)
	}
	return true
}

// first notes n unless something was noted before.
func (c *checker) first(at *ast.Node, n ast.Node) {
	if *at == nil {
		*at = n
	}
}

// speculateInOrder checks the place of speculate(). It decides where all is recorded that
// comes after it in the clause, or in the arm of an if.
func (c *checker) speculateInOrder(x *ast.Call) bool {
	const own = "speculate in a clause of its own, on the same probe"
	switch d := &c.did; {
	case d.speculate != nil:
		c.errorf(x, diag.SpecSpec, "speculate() may not follow speculate()").Note(d.speculate.Span(), "the clause speculates here").Suggest(own)
	case d.commit != nil:
		c.errorf(x, diag.SpecComm, "speculate() may not follow commit()").Note(d.commit.Span(), "the clause commits here").Suggest(own)
	case d.record != nil:
		c.errorf(x, diag.SpecDrec, "speculate() may not follow data-recording actions").Note(d.record.Span(), "this records").Suggest(own)
	case c.clause.AST.Body == nil || !c.direct(c.clause.AST.Body, x):
		c.errorf(x, diag.Unsupported, "speculate() stands by itself in a clause or in an arm of an if: it decides where what follows is recorded").
			Suggest("write if (…) { speculate(id); … } with what it records")
	default:
		d.speculate = x
		c.clause.Speculates = true
		return true
	}
	return false
}

// direct reports whether x is a statement of its own in s, in an arm of an if perhaps,
// but not in a loop.
func (c *checker) direct(s ast.Stmt, x *ast.Call) bool {
	switch s := s.(type) {
	case *ast.ExprStmt:
		return c.prog.Means.Unparen(s.X) == ast.Expr(x)
	case *ast.Block:
		return slices.ContainsFunc(s.Stmts, func(s ast.Stmt) bool { return c.direct(s, x) })
	case *ast.If:
		return c.direct(s.Then, x) || s.Else != nil && c.direct(s.Else, x)
	}
	return false
}

// aggInOrder checks that an aggregation may stand where it does.
func (c *checker) aggInOrder(s *ast.AggAssign) {
	switch {
	case c.did.speculate != nil:
		c.errorf(s, diag.AggSpec, "aggregating actions may not follow speculate()").
			Note(c.did.speculate.Span(), "the clause speculates here").Suggest("fill @%s in another clause", s.Agg.Name)
	case c.did.commit != nil:
		c.errorf(s, diag.AggComm, "aggregating actions may not follow commit()").
			Note(c.did.commit.Span(), "the clause commits here").Suggest("fill @%s before the commit, or in another clause", s.Agg.Name)
	}
}
