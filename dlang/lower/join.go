package lower

import (
	"slices"

	"dscope.dev/dlang/ast"
	"dscope.dev/dlang/check"
	"dscope.dev/dlang/function"
	"dscope.dev/dlang/ir"
)

// Scripts ask several things of the same keys: @n[execname] = count(); @t[execname] = sum(t);
// To find the cell takes longer than to change it. So aggregations that are updated nowhere
// but in statements that follow one another, with the same keys, are one table, in whose cells
// theirs lie side by side. What a firing has not come to, since it faulted before, is all zeros there.

// mostJoined is how many words of a cell several may take together.
const mostJoined = 1 << 10

// join finds the aggregations that can share cells.
func (l *lowerer) join() {
	uses := map[*check.Agg]int{}
	l.prog.Means.Walk(l.prog.Chosen, func(n ast.Node) bool {
		if s, ok := n.(*ast.AggAssign); ok {
			if as := l.prog.AggAssigns[s]; as != nil {
				uses[as.Agg]++
			}
		}
		return true
	})
	l.prog.Means.Walk(l.prog.Chosen, func(n ast.Node) bool {
		if b, ok := n.(*ast.Block); ok {
			l.joinIn(b.Stmts, uses)
		}
		return true
	})
}

// joinIn joins what neighbours in a list of statements update.
func (l *lowerer) joinIn(list []ast.Stmt, uses map[*check.Agg]int) {
	var host, before *ast.AggAssign // host has the cells; nil if the statement before cannot have any
	for _, stmt := range list {
		s, ok := stmt.(*ast.AggAssign)
		if !ok || !l.joinable(s, uses) {
			host = nil
			continue
		}
		if host == nil || l.stirs(before) || !l.joins(host, s) {
			host = s
		}
		before = s
	}
}

// joinable reports whether the cells of what s updates may hold others, or lie in theirs.
func (l *lowerer) joinable(s *ast.AggAssign, uses map[*check.Agg]int) bool {
	as := l.prog.AggAssigns[s]
	if as == nil || uses[as.Agg] != 1 || len(s.Agg.Keys) == 0 || as.Incr != nil { // weights can cancel each other out
		return false
	}
	if slices.ContainsFunc(l.tuples[as.Agg].elems, func(e elem) bool { return e.forms != nil }) {
		return false // a stack may be dropped between the keys and the cell
	}
	return !slices.ContainsFunc(s.Agg.Keys, l.varies)
}

// joins has what s updates lie in the cells of what host does, if they have the same keys.
func (l *lowerer) joins(host, s *ast.AggAssign) bool {
	h, a := l.prog.AggAssigns[host].Agg, l.prog.AggAssigns[s].Agg
	to, out := &l.out.Aggs[h.Index], &l.out.Aggs[a.Index]
	if h == a || to.Key != out.Key || to.Short != out.Short || to.Shared != out.Shared || to.Words+out.Words > mostJoined ||
		!slices.EqualFunc(host.Agg.Keys, s.Agg.Keys, l.sameText) ||
		!slices.EqualFunc(l.tuples[h].elems, l.tuples[a].elems, elem.sameLayout) {
		return false
	}
	out.In, out.At = h.Index+1, to.Words
	to.Words += out.Words
	return true
}

// separate takes all apart again.
func (l *lowerer) separate() {
	for i := range l.out.Aggs {
		if a := &l.out.Aggs[i]; a.In > 0 {
			l.out.Aggs[a.In-1].Words -= a.Words
			a.In, a.At = 0, 0
		}
	}
}

// sameText reports whether two expressions that stand beside each other are the same.
func (l *lowerer) sameText(x, y ast.Expr) bool {
	return x.Span().IsValid() && y.Span().IsValid() && l.prog.File.Text(x.Span()) == l.prog.File.Text(y.Span())
}

// sameLayout reports whether two elements of keys are encoded alike.
func (e elem) sameLayout(o elem) bool {
	return e.off == o.off && e.size == o.size && e.str == o.str && e.obj == o.obj && e.probe == o.probe
}

// stirs reports whether the value of s may change what keys are made of.
func (l *lowerer) stirs(s *ast.AggAssign) bool { return slices.ContainsFunc(s.Args, l.changes) }

// changes reports whether x changes anything.
func (l *lowerer) changes(x ast.Expr) bool {
	return l.prog.Assigns(x) || l.prog.Means.Holds(x, func(n ast.Node) bool {
		call, ok := n.(*ast.Call)
		if !ok {
			return false
		}
		user, _ := l.called(call)
		return user != nil
	})
}

// varies reports whether x may be another the next time that it is asked for.
func (l *lowerer) varies(x ast.Expr) bool {
	return l.changes(x) || l.prog.Means.Holds(x, func(n ast.Node) bool {
		call, ok := n.(*ast.Call)
		if !ok {
			return false
		}
		switch _, id := l.called(call); id {
		case function.Copyinstr, function.Basename, function.Dirname, function.Strjoin, function.Substr, function.Lltostr, function.Strlen:
			return false
		}
		return true
	})
}

// joined gives the part of a cell that belongs to a, where the statement before has found the cell, or
// goes on at skip if there is none.
func (f *fn) joined(a *check.Agg, skip *ir.Block) *ir.Value {
	out := &f.out.Aggs[a.Index]
	cell := f.cells[out.In-1]
	full, there := f.ColdBlock(), f.Block()
	f.Branch(f.Op(ir.OpPtrEq0, cell), full, there)
	f.Go(full)
	f.drop(ir.DropOf(dropAggregation, a.Index))
	f.Jump(skip)
	f.Go(there)
	return f.Op(ir.OpAdd, cell, f.Const(8*int64(out.At)))
}
