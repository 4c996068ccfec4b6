package narrow

import (
	"dscope.dev/dlang/ast"
	"dscope.dev/dlang/token"
)

// missing returns the parts of the condition that the script does not ask for on the way
// to the assignment.
func (p *place) missing() (out []ast.Expr) {
	var asked []ast.Expr
	if p.clause != nil && !p.isLater() {
		asked = conjuncts(p.clause.Pred)
	}
	ast.Walk(p.body, func(n ast.Node) bool {
		if n, ok := n.(*ast.If); ok && holds(n.Then, p.agg) {
			asked = append(asked, conjuncts(n.Cond)...)
		}
		return true
	})
	for _, want := range conjuncts(p.cond) {
		found := false
		for _, x := range asked {
			found = found || ast.Equal(x, want)
		}
		if !found {
			out = append(out, want)
		}
	}
	return out
}

// holds reports whether s stands within n.
func holds(n ast.Node, s ast.Node) bool {
	return n != nil && n.Span().From <= s.Span().From && s.Span().To <= n.Span().To
}

// conjuncts takes x && y apart.
func conjuncts(x ast.Expr) []ast.Expr {
	if x == nil {
		return nil
	}
	x = ast.Unparen(x)
	if b, ok := x.(*ast.Binary); ok && b.Op == token.AndAnd {
		return append(conjuncts(b.X), conjuncts(b.Y)...)
	}
	return []ast.Expr{x}
}

// A variable is one by scope and name.
type variable struct {
	scope ast.Scope
	name  string
}

// isLater reports whether the condition reads what the body computes before it fills the
// aggregation, or could have.
func (p *place) isLater() bool {
	set := map[variable]bool{}
	p.assigned(func(v variable) { set[v] = true })
	later := false
	ast.Walk(p.cond, func(n ast.Node) bool {
		if v, ok := named(n); ok {
			later = later || set[v] || set[variable{ast.Local, v.name}]
		}
		return true
	})
	return later
}

// setsState reports whether the body sets what other firings read.
func (p *place) setsState() bool {
	state := false
	locals := map[string]bool{}
	p.assigned(func(v variable) {
		if v.scope == ast.Local {
			locals[v.name] = true
		}
	})
	p.assigned(func(v variable) {
		state = state || v.scope == ast.Self || v.scope == ast.Global && !locals[v.name]
	})
	return state
}

// assigned calls f for each variable that the body declares, assigns or counts up.
func (p *place) assigned(f func(variable)) {
	target := func(x ast.Expr) {
		if v, ok := named(root(x)); ok {
			f(v)
		}
	}
	ast.Walk(p.body, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.Assign:
			target(n.X)
		case *ast.Postfix:
			target(n.X)
		case *ast.Unary:
			if n.Op == token.Inc || n.Op == token.Dec {
				target(n.X)
			}
		case *ast.DeclStmt:
			for _, d := range n.Decl.Names {
				if d.Name != nil {
					f(variable{ast.Local, d.Name.Text})
				}
			}
		}
		return true
	})
}

// root returns the variable that an assignment to x changes.
func root(x ast.Expr) ast.Expr {
	for {
		switch y := x.(type) {
		case *ast.Paren:
			x = y.X
		case *ast.Index:
			x = y.X
		case *ast.Member:
			x = y.X
		default:
			return x
		}
	}
}

func named(n ast.Node) (variable, bool) {
	switch n := n.(type) {
	case *ast.Ident:
		return variable{ast.Global, n.Name}, true
	case *ast.Var:
		return variable{n.Scope, n.Name}, true
	}
	return variable{}, false
}
