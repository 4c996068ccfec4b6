package check

import (
	"errors"
	"strings"

	"dscope.dev/dlang/ast"
	"dscope.dev/dlang/diag"
	"dscope.dev/dlang/token"
	"dscope.dev/dlang/types"
)

// checkClause checks the probes, the predicate and the body of one clause, and
// returns it as it was checked.
func (c *checker) checkClause(a *ast.Clause) *ast.Clause {
	a = c.chosenClause(a)
	cl := &Clause{AST: a, Index: len(c.prog.Clauses)}
	if n := len(c.prog.Clauses); n > 0 {
		cl.First = c.prog.Clauses[n-1].First + len(c.prog.Clauses[n-1].AST.Probes)
	}
	c.prog.Clauses = append(c.prog.Clauses, cl)
	if n := cl.First + len(a.Probes); n > maxDescriptions && cl.First <= maxDescriptions {
		c.errorf(a.Probes[0], diag.Unsupported, "a script can have at most %d probe descriptions", maxDescriptions).
			Suggest("join them with globs: syscall::read*:entry")
	}
	c.clause, c.did = cl, conduct{}
	defer func() { c.clause = nil }()

	cl.Probes = make([]ProbeSet, 0, len(a.Probes))
	for _, d := range a.Probes {
		if c.enough() {
			cl.Probes = append(cl.Probes, ProbeSet{})
			continue
		}
		c.probe(cl, d)
	}
	cl.Args = agreedArgs(present(cl.Probes))
	cl.Default = a.Body == nil || len(a.Body.Stmts) == 0
	cl.Records = cl.Default
	// As in DTrace a predicate may read what its own clause assigns, as in
	// /start == 0/ { start = timestamp; }, unless it assigns itself.
	first := a.Pred != nil && c.prog.Assigns(a.Pred)
	if first {
		c.predicate(a.Pred)
	}
	if a.Body != nil {
		c.block(a.Body)
	}
	switch {
	case a.Pred == nil || first:
	case c.readsAhead(a.Pred):
		c.ahead = append(c.ahead, func() { c.aheadPredicate(cl) })
	default:
		c.predicate(a.Pred)
	}
	c.leftOut(cl)
	return a
}

// readsAhead reports whether a predicate reads a variable that nothing above has
// assigned. A clause below may: it waits for what it needs, as in
// return /ts[tid]/ { … } above entry { ts[tid] = timestamp; }.
func (c *checker) readsAhead(pred ast.Expr) bool {
	return c.prog.Means.Holds(pred, func(n ast.Node) bool {
		switch x := n.(type) {
		case *ast.Ident:
			return c.freshGlobal(x.Name) != nil && c.params[x.Name] == nil && c.enumerator(x.Name) == nil
		case *ast.Var:
			return x.Scope == ast.Self && c.vars[varKey{x.Scope, x.Name}] == nil
		}
		return false
	})
}

// aheadPredicate checks the predicate of a clause once all clauses have been.
func (c *checker) aheadPredicate(cl *Clause) {
	c.clause, c.did = cl, conduct{}
	c.predicate(cl.AST.Pred)
	c.clause = nil
}

// maxDescriptions is how many faults can tell apart: they name theirs in 16 bits.
const maxDescriptions = 1<<16 - 1

// probe resolves one description. Whatever goes wrong, a ProbeSet is kept, so
// that the lists stay parallel.
func (c *checker) probe(cl *Clause, d *ast.ProbeDesc) {
	expanded, ok := c.expandProbe(d)
	if !ok || !c.pidProbe(d, expanded) {
		cl.Probes = append(cl.Probes, ProbeSet{})
		return
	}
	set, err := c.probes(d, expanded)
	if args, ok := c.declaredArgs(expanded, set); ok {
		set.Args, set.Disagree = args, false
	}
	c.derive(d, &set)
	if set.Count == 0 && set.Unawaited != "" && c.opts.ZeroProbesOK {
		c.nobody = append(c.nobody, unawaited{d, set.Unawaited})
	}
	cl.Probes = append(cl.Probes, set)
	if set.Module != "" && !c.saidModule {
		c.saidModule = true
		c.warn(d, diag.Portable, "Linux has no module %s: taken for its own, %s", expanded.Module, set.Module)
	}
	switch {
	case err == nil && (set.Count > 0 || c.opts.ZeroProbesOK):
		return
	case err != nil && !errors.Is(err, ErrNoProbe):
		c.refused(d, expanded.Text, err)
		return
	case c.opts.ZeroProbesOK:
		return
	}
	if d.ID != 0 {
		c.errorf(d, diag.ProbeInvalid, "invalid probe identifier %d: Unknown probe identifier", d.ID).Suggest("list the probes with their ids: dscope trace -l")
		return
	}
	say := c.errorf(d, diag.ProbeZero, "probe description %s:%s:%s:%s does not match any probes", d.Provider, d.Module, d.Function, d.Name)
	if more := hintOf(err); more != "" {
		say.Suggest("%s", more)
		c.correct(say, d, err)
		say.Set("zdefs")
		return
	}
	say.Set("zdefs").Suggest("list what there is with dscope probes, or allow descriptions that match nothing with -Z")
}

// resolved is what the Env says of a description.
type resolved struct {
	set ProbeSet
	err error
}

// probes asks the Env for the probes of d, once.
func (c *checker) probes(d, expanded *ast.ProbeDesc) (ProbeSet, error) {
	r, ok := c.sets[d]
	if !ok {
		r.set, r.err = c.env.Probes(expanded)
		c.sets[d] = r
	}
	return r.set, r.err
}

// refused says why a description cannot be had, which text spells without macros.
func (c *checker) refused(d *ast.ProbeDesc, text string, err error) {
	over := errors.Is(err, ErrTooMuch)
	c.over = c.over || over
	code := diag.ProbeZero
	var t Tagger
	if errors.As(err, &t) {
		code = diag.Code(t.Tag())
	}
	if !over && c.forgiven(d, text, code, err) {
		return
	}
	say := c.errorf(d, code, "%s cannot be traced here: %s", text, err)
	say.Cause = causeOf(err)
	if hint := hintOf(err); hint != "" {
		say.Suggest("%s", hint)
	}
}

// hintOf returns what an error of the Env suggests, or "".
func hintOf(err error) string {
	var h Hinter
	if errors.As(err, &h) {
		return h.Hint()
	}
	return ""
}

// causeOf returns what a complaint is due to that repeats an error of the Env.
func causeOf(err error) diag.Cause {
	var s Shut
	if errors.As(err, &s) {
		return diag.NoProvider
	}
	return diag.Script
}

// expandProbe replaces the macro arguments in a description: pid$target:::entry.
func (c *checker) expandProbe(d *ast.ProbeDesc) (*ast.ProbeDesc, bool) {
	if !strings.Contains(d.Text, "$") {
		return d, true
	}
	e, before := *d, len(c.list)
	for _, part := range []*string{&e.Provider, &e.Module, &e.Function, &e.Name} {
		*part = c.expandMacros(d, *part)
	}
	if len(c.list) > before {
		return &e, false
	}
	e.Text = c.expandMacros(d, e.Text)
	return &e, true
}

// agreedArgs returns the typed arguments that all of sets have, or nil.
func agreedArgs(sets []ProbeSet) []Arg {
	if len(sets) == 0 {
		return nil
	}
	first := sets[0]
	if first.Disagree {
		return nil
	}
	for _, s := range sets[1:] {
		if s.Disagree || !sameArgs(first.Args, s.Args) {
			return nil
		}
	}
	return first.Args
}

func sameArgs(a, b []Arg) bool {
	if len(a) != len(b) {
		return false
	}
	for i := range a {
		if a[i].Slot != b[i].Slot || a[i].User != b[i].User || (a[i].Type == nil) != (b[i].Type == nil) {
			return false
		}
		if a[i].to == b[i].to && a[i].As == b[i].As && a[i].Type == b[i].Type {
			continue // as most are, and names are long to make
		}
		if a[i].TypeName() != b[i].TypeName() {
			return false
		}
		if a[i].Type != nil && !types.Identical(a[i].Type, b[i].Type) {
			return false
		}
	}
	return true
}

// predicate checks the condition of a clause, which must be a number or a pointer.
func (c *checker) predicate(x ast.Expr) {
	c.alone = nil
	t := c.valueFor(x, diag.PredScalar)
	if types.IsInvalid(t) || types.IsScalar(t) {
		return
	}
	say := c.errorf(x, diag.PredScalar, "a predicate must be an integer or a pointer, not %s", t)
	if types.IsString(t) {
		say.Suggest("compare it: %s != \"\"", c.text(x)).Insert(x.Span().To, ` != ""`)
	}
}

func (c *checker) text(n ast.Node) string { return c.source().Text(n.Span()) }

func (c *checker) block(b *ast.Block) {
	defer c.scope()()
	for _, s := range b.Stmts {
		c.stmt(s)
	}
}

func (c *checker) stmt(s ast.Stmt) {
	if c.enough() {
		return
	}
	c.at = s.Span()
	switch s := s.(type) {
	case *ast.ExprStmt:
		c.effect(s.X)
	case *ast.AggAssign:
		c.aggAssign(s)
	case *ast.Block:
		c.block(s)
	case *ast.If:
		c.ifStmt(s)
	case *ast.For:
		c.forStmt(s)
	case *ast.While:
		c.whileStmt(s, s.Cond, s.Max, s.Body)
	case *ast.DoWhile:
		c.whileStmt(s, s.Cond, s.Max, s.Body)
	case *ast.Jump:
		if c.loops == 0 {
			c.errorf(s, diag.JumpNowhere, "%s stands in no loop", s.Op)
		}
	case *ast.Return:
		c.returnStmt(s)
	case *ast.DeclStmt:
		c.localDecl(s.Decl)
	case *ast.Empty, *ast.BadStmt:
	default:
		panic("check: unknown statement")
	}
}

// effect checks an expression that is there for what it does.
func (c *checker) effect(x ast.Expr) {
	c.alone = c.prog.Means.Unparen(x)
	switch u := c.prog.Means.Unparen(x).(type) {
	case *ast.AggRef:
		c.aggKeys(u)
		code := diag.AggNull
		if c.aggs[u.Name] == nil && len(u.Keys) == 0 {
			code = diag.UnknownIdent
		}
		c.errorf(u, code, "@%s alone does nothing", u.Name).
			Suggest("fill it: @%s = count();", u.Name)
	case *ast.Call:
		t := c.call(u, true)
		for p, ok := x.(*ast.Paren); ok; p, ok = p.X.(*ast.Paren) {
			c.set(p, t)
		}
	default:
		t := c.expr(x)
		if !types.IsInvalid(t) && !c.hasEffect(x) && !c.followsPointer(x) {
			c.warn(x, diag.NullExpr, "this has no effect").Suggest("record it: trace(%s);", c.text(x)).Instead(x.Span(), "trace("+c.text(x)+")")
		}
	}
}

// hasEffect reports whether evaluating x changes a variable or calls something.
func (c *checker) hasEffect(x ast.Expr) bool {
	return c.prog.Assigns(x) || c.prog.Means.Holds(x, func(n ast.Node) bool {
		_, ok := n.(*ast.Call)
		return ok
	})
}

// Assigns reports whether evaluating x changes a variable.
func (p *Program) Assigns(x ast.Expr) bool {
	return p.Means.Holds(x, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.Assign, *ast.Postfix:
			return true
		case *ast.Unary:
			return isStep(n.Op)
		}
		return false
	})
}

// followsPointer reports whether x reads through a pointer, which may fault:
// scripts do that on purpose to test what they do then.
func (c *checker) followsPointer(x ast.Expr) bool {
	return c.prog.Means.Holds(x, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.Unary:
			return n.Op == token.Star
		case *ast.Member, *ast.Index:
			return true
		}
		return false
	})
}

func (c *checker) warn(n ast.Node, code diag.Code, format string, args ...any) *diag.Diagnostic {
	d := c.errorf(n, code, format, args...)
	d.Severity = diag.Warning
	return d
}
