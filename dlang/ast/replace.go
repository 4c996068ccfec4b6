package ast

// Replace returns x with the parts of it replaced for which f returns something
// else. f is asked from the outside in, for x itself first, and not for what is
// inside a part about which it returns true: that is settled. x stays as it was;
// what holds a part that changes is copied, and the rest is shared.
func Replace(x Expr, f func(Expr) (Expr, bool)) Expr {
	if x == nil {
		return nil
	}
	y, settled := f(x)
	if settled {
		return y
	}
	r := replacer{f: f}
	return r.parts(y)
}

// ReplaceAll is Replace for each of xs; a list without changes is returned as it is.
func ReplaceAll(xs []Expr, f func(Expr) (Expr, bool)) []Expr {
	r := replacer{f: f}
	return r.list(xs)
}

type replacer struct {
	f       func(Expr) (Expr, bool)
	changed bool
}

func (r *replacer) expr(x Expr) Expr {
	y := Replace(x, r.f)
	r.changed = r.changed || y != x
	return y
}

func (r *replacer) list(xs []Expr) []Expr {
	out := xs
	for i, x := range xs {
		y := r.expr(x)
		if y == x {
			continue
		}
		if &out[0] == &xs[0] {
			out = append([]Expr(nil), xs...)
		}
		out[i] = y
	}
	return out
}

// parts replaces parts of x, in a copy of it if there are any.
func (r *replacer) parts(x Expr) Expr {
	switch n := x.(type) {
	case *Ident, *Var, *KSym, *Macro, *Int, *Char, *String, *Offsetof, *BadExpr:
		return x
	case *AggRef:
		return keep(r, n, AggRef{Name: n.Name, Keys: r.list(n.Keys), At: n.At})
	case *Unary:
		return keep(r, n, Unary{Op: n.Op, X: r.expr(n.X), At: n.At})
	case *Postfix:
		return keep(r, n, Postfix{Op: n.Op, X: r.expr(n.X), At: n.At})
	case *Binary:
		return keep(r, n, Binary{Op: n.Op, OpPos: n.OpPos, X: r.expr(n.X), Y: r.expr(n.Y), At: n.At})
	case *Assign:
		return keep(r, n, Assign{Op: n.Op, OpPos: n.OpPos, X: r.expr(n.X), Y: r.expr(n.Y), At: n.At})
	case *Cond:
		return keep(r, n, Cond{Cond: r.expr(n.Cond), Then: r.expr(n.Then), Else: r.expr(n.Else), At: n.At})
	case *Call:
		return keep(r, n, Call{Fn: n.Fn, Args: r.list(n.Args), At: n.At})
	case *Index:
		return keep(r, n, Index{X: r.expr(n.X), Args: r.list(n.Args), Raw: n.Raw, At: n.At})
	case *Member:
		return keep(r, n, Member{X: r.expr(n.X), Arrow: n.Arrow, Name: n.Name, At: n.At})
	case *Cast:
		return keep(r, n, Cast{Type: n.Type, X: r.expr(n.X), At: n.At})
	case *Sizeof:
		return keep(r, n, Sizeof{Type: n.Type, X: r.expr(n.X), At: n.At})
	case *Xlate:
		return keep(r, n, Xlate{Type: n.Type, X: r.expr(n.X), At: n.At})
	case *Paren:
		return keep(r, n, Paren{X: r.expr(n.X), At: n.At})
	}
	panic("ast.Replace: unknown expression")
}

// keep returns n, or what was made of it if a part of it changed.
func keep[T any, P interface {
	*T
	Expr
}](r *replacer, n P, made T) Expr {
	if r.changed {
		return P(&made)
	}
	return n
}
