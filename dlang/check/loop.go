package check

import (
	"dscope.dev/dlang/ast"
	"dscope.dev/dlang/diag"
	"dscope.dev/dlang/token"
	"dscope.dev/dlang/types"
)

// maxRounds is the most that a loop may state as its bound, or be found to need:
// a probe that goes round a million times takes milliseconds of whatever it
// interrupts.
const maxRounds = 1 << 20

// forStmt checks for (init; cond; step; max rounds) body. What init declares lives
// as long as the loop.
func (c *checker) forStmt(s *ast.For) {
	defer c.scope()()
	if s.Init != nil {
		c.stmt(s.Init)
	}
	if s.Cond != nil {
		c.condition(s.Cond, "for")
	}
	if s.Step != nil {
		c.effect(s.Step)
	}
	c.loopBody(s.Body)
	c.loopBound(s, s.Max, func(l *Loop) { c.trips(s, l) })
}

// whileStmt checks while and do while.
func (c *checker) whileStmt(s ast.Stmt, cond, most ast.Expr, body ast.Stmt) {
	if _, do := s.(*ast.DoWhile); do {
		c.loopBody(body)
		c.condition(cond, "while")
	} else {
		c.condition(cond, "while")
		c.loopBody(body)
	}
	c.loopBound(s, most, func(l *Loop) { l.Max, l.Proved = 1, c.isZero(cond) })
}

func (c *checker) loopBody(s ast.Stmt) {
	c.loops++
	c.inner(s)
	c.loops--
}

// loopBound settles how many rounds a loop may go: what it states, or what prove finds.
func (c *checker) loopBound(s ast.Stmt, stated ast.Expr, prove func(*Loop)) {
	l := &Loop{}
	c.prog.Loops[s] = l
	prove(l)
	if stated == nil {
		if !l.Proved {
			c.noBound(s)
		}
		return
	}
	t := c.value(stated)
	n, ok := c.prog.Consts[stated]
	switch {
	case types.IsInvalid(t):
	case !ok || !types.IsInteger(t):
		c.errorf(stated, diag.LoopBound, "the bound of a loop must be a constant").Suggest("write max 1000, or what is never exceeded")
	case n < 1 || n > maxRounds:
		c.errorf(stated, diag.LoopBound, "the bound of a loop must lie between 1 and %d", maxRounds)
	case !l.Proved || n < l.Max:
		*l = Loop{Max: n}
	}
}

// noBound complains about a loop of which nobody knows when it ends.
func (c *checker) noBound(s ast.Stmt) {
	word := "while (…; max 1000)"
	if _, ok := s.(*ast.For); ok {
		word = "for (…; …; …; max 1000)"
	}
	at := s.Span()
	at.To = min(at.To, at.From+token.Pos(len(loopWord(s))))
	c.list.Add(at, diag.LoopBound, "nothing shows how often this loop goes round").
		Suggest("state a bound: %s; meeting it is an error that tracing reports", word)
}

func loopWord(s ast.Stmt) string {
	switch s.(type) {
	case *ast.For:
		return "for"
	case *ast.DoWhile:
		return "do"
	}
	return "while"
}

// A counting is what the head of a for says: a variable runs from one number
// to another in equal steps.
type counting struct {
	v    *Var
	from int64
	op   token.Kind // the variable stands on its left
	to   int64
	by   int64
	typ  types.Type // of the comparison
}

// trips finds how often a for goes round if its head counts: its variable begins
// with a constant, is compared with one, changes by one, and nothing else
// changes it.
func (c *checker) trips(s *ast.For, l *Loop) {
	if s.Cond != nil && c.isZero(s.Cond) {
		l.Max, l.Proved = 1, true
		return
	}
	k := counting{}
	if !c.compared(s.Cond, &k) || !c.begins(s.Init, &k) || !c.stepped(s.Step, &k) || c.changes(s.Body, k.v) {
		return
	}
	if n, ok := k.trips(); ok && n <= maxRounds {
		*l = Loop{Max: max(n, 1), Proved: true, Counter: k.v, From: k.from, By: k.by, Rounds: n}
	}
}

// compared reads v < constant, in any order.
func (c *checker) compared(x ast.Expr, k *counting) bool {
	b, ok := c.prog.Means.Unparen(x).(*ast.Binary)
	if !ok {
		return false
	}
	l, r, op := c.prog.Means.Unparen(b.X), c.prog.Means.Unparen(b.Y), b.Op
	if _, isConst := c.prog.Consts[l]; isConst {
		l, r, op = r, l, mirrored(op)
	}
	k.v, k.op = c.counter(l), op
	if k.to, ok = c.prog.Consts[r]; !ok || k.v == nil || !types.IsInteger(k.v.Type) {
		return false
	}
	k.typ = types.Common(k.v.Type, c.prog.Types[r])
	return true
}

func mirrored(op token.Kind) token.Kind {
	switch op {
	case token.Lt:
		return token.Gt
	case token.Le:
		return token.Ge
	case token.Gt:
		return token.Lt
	case token.Ge:
		return token.Le
	}
	return op
}

// counter returns the variable that x is if nobody else can change it meanwhile:
// a local variable or one of the firing.
func (c *checker) counter(x ast.Expr) *Var {
	v, ok := c.prog.Refs[c.prog.Means.Unparen(x)].(*Var)
	if !ok || v.Scope != ast.Local && v.Scope != ast.This {
		return nil
	}
	return v
}

// begins reads v = constant or int v = constant.
func (c *checker) begins(s ast.Stmt, k *counting) bool {
	var first ast.Expr
	switch s := s.(type) {
	case *ast.ExprStmt:
		a, ok := c.prog.Means.Unparen(s.X).(*ast.Assign)
		if !ok || a.Op != token.Assign || c.counter(a.X) != k.v {
			return false
		}
		first = a.Y
	case *ast.DeclStmt:
		for _, n := range s.Decl.Names {
			if c.prog.Locals[n] == k.v {
				first = n.Init
			}
		}
	}
	if first == nil {
		return false
	}
	n, ok := c.prog.Consts[first]
	k.from = types.Wrap(n, k.v.Type)
	return ok
}

// stepped reads v++, v--, v += constant and v -= constant.
func (c *checker) stepped(x ast.Expr, k *counting) bool {
	switch x := c.prog.Means.Unparen(x).(type) {
	case *ast.Postfix:
		k.by = map[token.Kind]int64{token.Inc: 1, token.Dec: -1}[x.Op]
		return c.counter(x.X) == k.v
	case *ast.Unary:
		k.by = map[token.Kind]int64{token.Inc: 1, token.Dec: -1}[x.Op]
		return k.by != 0 && c.counter(x.X) == k.v
	case *ast.Assign:
		n, ok := c.prog.Consts[x.Y]
		if !ok || n < -maxRounds || n > maxRounds {
			return false
		}
		k.by = map[token.Kind]int64{token.PlusAssign: n, token.MinusAssign: -n}[x.Op]
		return k.by != 0 && c.counter(x.X) == k.v
	}
	return false
}

// changes reports whether anything in s may change v. A function may change the
// variables of the firing.
func (c *checker) changes(s ast.Stmt, v *Var) bool {
	found := false
	is := func(x ast.Expr) bool { return c.prog.Refs[c.prog.Means.Unparen(x)] == Ref(v) }
	c.prog.Means.Walk(s, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.Assign:
			found = found || is(n.X)
		case *ast.Postfix:
			found = found || is(n.X)
		case *ast.Unary:
			found = found || (isStep(n.Op) || n.Op == token.Amp) && is(n.X)
		case *ast.Call:
			call := c.prog.Calls[n]
			found = found || v.Scope == ast.This && call != nil && call.User != nil
		}
		return !found
	})
	return found
}

// trips counts the rounds, unless the variable would leave the range of its type
// or the comparison is not that of the numbers.
func (k counting) trips() (int64, bool) {
	var n int64
	far, ok := between(k.from, k.to)
	switch {
	case !ok:
		return 0, false
	case k.op == token.Lt && k.by > 0, k.op == token.Gt && k.by < 0:
		n = ceil(far, k.by)
	case k.op == token.Le && k.by > 0, k.op == token.Ge && k.by < 0:
		n = ceil(far+sign(k.by), k.by)
	case k.op == token.Ne && far%k.by == 0 && far/k.by >= 0:
		n = far / k.by
	default:
		return 0, false
	}
	last, ok := add(k.from, n*k.by)
	if !ok || types.Wrap(last, k.v.Type) != last {
		return 0, false
	}
	if !types.IsSigned(k.typ) && min(k.from, k.to, last) < 0 {
		return 0, false
	}
	return n, true
}

// ceil is how many steps of by reach over far, which is none if it lies behind.
func ceil(far, by int64) int64 {
	if far*sign(by) <= 0 {
		return 0
	}
	return (far*sign(by) + by*sign(by) - 1) / (by * sign(by))
}

func sign(n int64) int64 {
	if n < 0 {
		return -1
	}
	return 1
}

// between is to - from, if it is small enough to count with.
func between(from, to int64) (int64, bool) {
	const far = maxRounds << 16
	d := to - from
	return d, (d < 0) == (to < from) && -far < d && d < far
}

func add(a, b int64) (int64, bool) {
	s := a + b
	return s, (s >= a) == (b >= 0)
}
