package ast

import "dscope.dev/dlang/token"

// Clone copies an expression to another place in the script: every node of the
// copy covers at. A plain name for which put has something is replaced by a copy
// of that, and any other means what it does outside of all blocks, unless put is
// nil. Types are shared.
func Clone(x Expr, at token.Span, put map[string]Expr) Expr {
	c := cloner{At(at), put}
	return c.expr(x)
}

type cloner struct {
	at  At
	put map[string]Expr
}

func (c *cloner) expr(x Expr) Expr {
	switch x := x.(type) {
	case nil:
		return nil
	case *Ident:
		if y, ok := c.put[x.Name]; ok {
			return &Paren{X: Clone(y, y.Span(), nil), At: c.at}
		}
		return &Ident{Name: x.Name, Outer: x.Outer || c.put != nil, At: c.at}
	case *Var:
		return &Var{Scope: x.Scope, Name: x.Name, At: c.at}
	case *KSym:
		return &KSym{Module: x.Module, Name: x.Name, At: c.at}
	case *Macro:
		return &Macro{Name: x.Name, Quoted: x.Quoted, At: c.at}
	case *AggRef:
		return &AggRef{Name: x.Name, Keys: c.list(x.Keys), At: c.at}
	case *Int:
		return &Int{Text: x.Text, Value: x.Value, Unsigned: x.Unsigned, Longs: x.Longs, At: c.at}
	case *Char:
		return &Char{Text: x.Text, Value: x.Value, At: c.at}
	case *String:
		return &String{Text: x.Text, Value: x.Value, At: c.at}
	case *BadExpr:
		return &BadExpr{At: c.at}
	}
	return c.compound(x)
}

// compound copies an expression that has parts.
func (c *cloner) compound(x Expr) Expr {
	switch x := x.(type) {
	case *Unary:
		return &Unary{Op: x.Op, X: c.expr(x.X), At: c.at}
	case *Postfix:
		return &Postfix{Op: x.Op, X: c.expr(x.X), At: c.at}
	case *Binary:
		return &Binary{Op: x.Op, OpPos: token.Span(c.at), X: c.expr(x.X), Y: c.expr(x.Y), At: c.at}
	case *Assign:
		return &Assign{Op: x.Op, OpPos: token.Span(c.at), X: c.expr(x.X), Y: c.expr(x.Y), At: c.at}
	case *Cond:
		return &Cond{Cond: c.expr(x.Cond), Then: c.expr(x.Then), Else: c.expr(x.Else), At: c.at}
	case *Call:
		return &Call{Fn: c.name(x.Fn), Args: c.list(x.Args), At: c.at}
	case *Index:
		return &Index{X: c.expr(x.X), Args: c.list(x.Args), Raw: x.Raw, At: c.at}
	case *Member:
		return &Member{X: c.expr(x.X), Arrow: x.Arrow, Name: c.name(x.Name), At: c.at}
	case *Cast:
		return &Cast{Type: x.Type, X: c.expr(x.X), At: c.at}
	case *Sizeof:
		return &Sizeof{Type: x.Type, X: c.expr(x.X), At: c.at}
	case *Offsetof:
		return &Offsetof{Type: x.Type, Member: c.name(x.Member), At: c.at}
	case *Xlate:
		return &Xlate{Type: x.Type, X: c.expr(x.X), At: c.at}
	case *Paren:
		return &Paren{X: c.expr(x.X), At: c.at}
	}
	panic("ast.Clone: unknown expression")
}

func (c *cloner) list(xs []Expr) []Expr {
	if xs == nil {
		return nil
	}
	out := make([]Expr, len(xs))
	for i, x := range xs {
		out[i] = c.expr(x)
	}
	return out
}

func (c *cloner) name(n *Name) *Name {
	if n == nil {
		return nil
	}
	return &Name{Text: n.Text, At: c.at}
}
