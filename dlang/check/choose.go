package check

import (
	"slices"

	"dscope.dev/dlang/ast"
	"dscope.dev/dlang/token"
	"dscope.dev/dlang/types"
)

// A ?: whose condition is constant is its one arm, and the other is not there:
// DTrace drops it while it parses, before it asks what any of it means. Scripts
// that take options live by that:
//
//	inline int OPT_time = 1;
//	…
//	OPT_time ? printf("%d ", timestamp) : 1;
//	OPT_count ? @calls[execname] = count() : 1;
//
// The tree of the script stays as it is. What is checked, and all that follows
// works on, is a copy where an arm is chosen, sharing what has no such choice.

// A chooser makes those copies, in the order of the text: a name is constant only
// while no variable has it.
type chooser struct {
	c      *checker
	locals []string // of the blocks and the function around, which the checker does not know yet
	born   []string // by an assignment, above in the clause
}

// chosenClause returns a with its constant choices made.
func (c *checker) chosenClause(a *ast.Clause) *ast.Clause {
	if !c.chooses {
		return a
	}
	w := chooser{c: c}
	pred, body := w.expr(a.Pred), a.Body
	if body != nil {
		body = w.block(body)
	}
	if pred == a.Pred && body == a.Body {
		return a
	}
	return &ast.Clause{Probes: a.Probes, Pred: pred, Body: body, At: a.At}
}

// chosenFunc returns f with its constant choices made.
func (c *checker) chosenFunc(f *ast.FuncItem) *ast.FuncItem {
	w := chooser{c: c}
	for _, p := range f.Decl.Names[0].Type.(*ast.Func).Params {
		if p.Name != nil {
			w.locals = append(w.locals, p.Name.Text)
		}
	}
	body := w.block(f.Body)
	if body == f.Body {
		return f
	}
	return &ast.FuncItem{Decl: f.Decl, Body: body, At: f.At}
}

// chosen returns x with its constant choices made.
func (c *checker) chosen(x ast.Expr) ast.Expr {
	w := chooser{c: c}
	return w.expr(x)
}

// block makes the choices of a block. Its variables are gone behind it.
func (w *chooser) block(b *ast.Block) *ast.Block {
	outer := len(w.locals)
	list := w.stmts(b.Stmts)
	w.locals = w.locals[:outer]
	if len(list) == len(b.Stmts) && (len(list) == 0 || &list[0] == &b.Stmts[0]) {
		return b
	}
	return &ast.Block{Stmts: list, At: b.At}
}

// stmts returns list itself if there is nothing to choose in it.
func (w *chooser) stmts(list []ast.Stmt) []ast.Stmt {
	out := list
	changed := false
	for i, s := range list {
		y := w.stmt(s)
		if !changed && (len(y) != 1 || y[0] != s) {
			out, changed = slices.Clone(list[:i]), true
		}
		if changed {
			out = append(out, y...)
		}
	}
	return out
}

// single is stmt where one statement is due.
func (w *chooser) single(s ast.Stmt) ast.Stmt {
	if s == nil {
		return nil
	}
	outer := len(w.locals)
	list := w.stmt(s)
	w.locals = w.locals[:outer]
	if len(list) == 1 {
		return list[0]
	}
	return &ast.Block{Stmts: list, At: ast.At(s.Span())}
}

// stmt returns what stands for s: s itself, most often.
func (w *chooser) stmt(s ast.Stmt) []ast.Stmt {
	var y ast.Stmt
	switch s := s.(type) {
	case *ast.ExprStmt:
		return w.exprStmt(s)
	case *ast.AggAssign:
		y = w.aggAssign(s)
	case *ast.Block:
		y = w.block(s)
	case *ast.Return:
		y = remade(s, s.X, w.expr(s.X), func(x ast.Expr) *ast.Return { return &ast.Return{X: x, At: s.At} })
	case *ast.DeclStmt:
		y = w.declStmt(s)
	default:
		y = w.control(s)
	}
	return []ast.Stmt{y}
}

// remade returns s unless what it holds has changed.
func remade[S any, X comparable](s S, was, is X, with func(X) S) S {
	if was == is {
		return s
	}
	return with(is)
}

// control makes the choices of an if or a loop and of what it governs.
func (w *chooser) control(s ast.Stmt) ast.Stmt {
	outer := len(w.locals)
	defer func() { w.locals = w.locals[:outer] }()
	switch s := s.(type) {
	case *ast.If:
		y := ast.If{Cond: w.expr(s.Cond), Then: w.single(s.Then), Else: w.single(s.Else), At: s.At}
		return remade(s, *s, y, func(y ast.If) *ast.If { return &y })
	case *ast.For:
		var first ast.Stmt
		if x, ok := s.Init.(*ast.ExprStmt); ok {
			first = remade(x, x.X, w.expr(x.X), func(y ast.Expr) *ast.ExprStmt { return &ast.ExprStmt{X: y, At: x.At} })
		} else {
			first = w.single(s.Init)
		}
		if d, ok := first.(*ast.DeclStmt); ok {
			w.declares(d)
		}
		y := ast.For{Init: first, Cond: w.expr(s.Cond), Step: w.expr(s.Step), Max: w.expr(s.Max), Body: w.single(s.Body), At: s.At}
		return remade(s, *s, y, func(y ast.For) *ast.For { return &y })
	case *ast.While:
		y := ast.While{Cond: w.expr(s.Cond), Max: w.expr(s.Max), Body: w.single(s.Body), At: s.At}
		return remade(s, *s, y, func(y ast.While) *ast.While { return &y })
	case *ast.DoWhile:
		y := ast.DoWhile{Body: w.single(s.Body), Cond: w.expr(s.Cond), Max: w.expr(s.Max), At: s.At}
		return remade(s, *s, y, func(y ast.DoWhile) *ast.DoWhile { return &y })
	case *ast.Jump, *ast.Empty, *ast.BadStmt:
		return s
	}
	panic("check: unknown statement")
}

// declStmt makes the choices in the first values of local variables, and notes
// their names.
func (w *chooser) declStmt(s *ast.DeclStmt) ast.Stmt {
	names := s.Decl.Names
	for i, n := range s.Decl.Names {
		if y := w.expr(n.Init); y != n.Init {
			if &names[0] == &s.Decl.Names[0] {
				names = slices.Clone(names)
			}
			d := *n
			d.Init = y
			names[i] = &d
		}
	}
	w.declares(s)
	if len(names) == 0 || &names[0] == &s.Decl.Names[0] {
		return s
	}
	d := *s.Decl
	d.Names = names
	return &ast.DeclStmt{Decl: &d, At: s.At}
}

// declares notes the names of local variables.
func (w *chooser) declares(s *ast.DeclStmt) {
	for _, n := range s.Decl.Names {
		if n.Name != nil {
			w.locals = append(w.locals, n.Name.Text)
		}
	}
}

// aggAssign makes the choices in keys and arguments.
func (w *chooser) aggAssign(s *ast.AggAssign) ast.Stmt {
	ref := w.expr(s.Agg).(*ast.AggRef)
	args := s.Args
	for i, a := range s.Args {
		if y := w.expr(a); y != a {
			if &args[0] == &s.Args[0] {
				args = slices.Clone(args)
			}
			args[i] = y
		}
	}
	if ref == s.Agg && (len(args) == 0 || &args[0] == &s.Args[0]) {
		return s
	}
	return &ast.AggAssign{Agg: ref, Fn: s.Fn, Args: args, At: s.At}
}

// exprStmt returns the statements that an expression makes once its choices are
// made: none that is only the 1 of OPT ? printf(…) : 1, and one for each action of
// OPT ? (this->n = 1, printf(…)) : 1.
func (w *chooser) exprStmt(s *ast.ExprStmt) []ast.Stmt {
	x := w.expr(s.X)
	if x == s.X {
		return []ast.Stmt{s}
	}
	return w.acts(x, s.At, nil)
}

// acts adds to list the statements that x makes, the last of them at the given place.
func (w *chooser) acts(x ast.Expr, at ast.At, list []ast.Stmt) []ast.Stmt {
	if w.isConstant(x) {
		return append(list, &ast.Empty{At: at})
	}
	switch u := ast.Unparen(x).(type) {
	case *ast.Binary:
		if u.Op == token.Comma {
			return w.acts(u.Y, ast.At(u.Y.Span()), w.acts(u.X, ast.At(u.X.Span()), list))
		}
	case *ast.Assign:
		ref, isAgg := ast.Unparen(u.X).(*ast.AggRef)
		if call, ok := ast.Unparen(u.Y).(*ast.Call); ok && isAgg && u.Op == token.Assign {
			return append(list, &ast.AggAssign{Agg: ref, Fn: call.Fn, Args: call.Args, At: at})
		}
	}
	return append(list, &ast.ExprStmt{X: x, At: at})
}

// expr returns x with its choices made.
func (w *chooser) expr(x ast.Expr) ast.Expr {
	if x == nil || w.c.bothArms || !ast.Meanings(nil).Holds(x, isChoice) {
		w.names(x)
		return x
	}
	return ast.Replace(x, w.choose)
}

func isChoice(n ast.Node) bool {
	_, ok := n.(*ast.Cond)
	return ok
}

// names notes the variables that x may bring to life.
func (w *chooser) names(x ast.Expr) {
	ast.Walk(x, func(n ast.Node) bool {
		if y, ok := n.(ast.Expr); ok {
			w.assigned(y)
		}
		return true
	})
}

// assigned notes the name that x gives a value.
func (w *chooser) assigned(x ast.Expr) {
	switch x := x.(type) {
	case *ast.Assign:
		w.name(x.X)
	case *ast.Postfix:
		w.name(x.X)
	case *ast.Unary:
		if isStep(x.Op) {
			w.name(x.X)
		}
	}
}

func (w *chooser) name(x ast.Expr) {
	if id, ok := ast.Unparen(x).(*ast.Ident); ok {
		w.born = append(w.born, id.Name)
	}
}

// choose is for ast.Replace: it settles each ?:.
func (w *chooser) choose(x ast.Expr) (ast.Expr, bool) {
	w.assigned(x)
	cond, ok := x.(*ast.Cond)
	if !ok {
		return x, false
	}
	test := w.expr(cond.Cond)
	v, known := w.constant(test)
	switch {
	case !known:
		y := ast.Cond{Cond: test, Then: w.expr(cond.Then), Else: w.expr(cond.Else), At: cond.At}
		return remade(cond, *cond, y, func(y ast.Cond) *ast.Cond { return &y }), true
	case v != 0:
		w.drop(cond.Else)
		return w.expr(cond.Then), true
	}
	w.drop(cond.Then)
	return w.expr(cond.Else), true
}

// drop leaves x out. Its macro arguments count as read, as who gives them to a
// script cannot know which arm is chosen.
func (w *chooser) drop(x ast.Expr) {
	ast.Walk(x, func(n ast.Node) bool {
		if m, ok := n.(*ast.Macro); ok {
			w.c.used[m.Name] = true
		}
		return true
	})
}

// constant returns the value of a condition that is known before the script runs.
// Whatever is wrong with one is told when it is checked in its place.
func (w *chooser) constant(x ast.Expr) (int64, bool) {
	if !w.isConstant(x) {
		return 0, false
	}
	outer := w.c.list
	w.c.list = nil
	t := w.c.expr(x)
	w.c.list = outer
	v, ok := w.c.prog.Consts[x]
	return v, ok && types.IsScalar(types.Decay(t))
}

// isConstant reports whether x is made of nothing but constants.
func (w *chooser) isConstant(x ast.Expr) bool {
	return !ast.Meanings(nil).Holds(x, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.Ident:
			return !w.isConstantName(n.Name)
		case *ast.Macro:
			name, ok := w.c.macroIdent(n)
			return ok && !w.isConstantName(name)
		case *ast.Unary:
			return isStep(n.Op) || n.Op == token.Star || n.Op == token.Amp
		case *ast.Binary:
			return n.Op == token.Comma
		case *ast.Var, *ast.KSym, *ast.AggRef, *ast.Postfix, *ast.Assign, *ast.Cond, *ast.Call, *ast.Index, *ast.Member, *ast.Xlate, *ast.BadExpr:
			return true
		}
		return false
	})
}

// isConstantName reports whether name is a constant: an inline of one, or an enumerator.
func (w *chooser) isConstantName(name string) bool {
	c := w.c
	switch {
	case c.params[name] != nil || c.vars[varKey{ast.Global, name}] != nil || slices.Contains(w.locals, name), slices.Contains(w.born, name):
		return false
	case c.enums[name] != nil:
		return true
	}
	if in := c.inlineNamed(name); in != nil {
		return in.params == nil && (in.value != nil || in.text != nil)
	}
	if _, isBuiltin := builtinTable[name]; isBuiltin {
		return false
	}
	return constants[name] != nil || c.enumerator(name) != nil
}
