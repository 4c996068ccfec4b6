package ast

// StandFor makes x stand for y. The name of an inline stands for its value, a
// member of a translated object for the expression that translates it: the
// checker says so, once it knows, and whoever looks at x through Unparen sees y.
// The text of the script has no y; its nodes have the place of x.
func StandFor(x, y Expr) {
	switch x := x.(type) {
	case *Ident:
		x.Stands = y
	case *Macro:
		x.Stands = y
	case *Unary:
		x.Stands = y
	case *Index:
		x.Stands = y
	case *Member:
		x.Stands = y
	case *Xlate:
		x.Stands = y
	default:
		panic("ast.StandFor: an expression that is only itself")
	}
}

// stands returns what x was made to stand for, or nil.
func stands(x Expr) Expr {
	switch x := x.(type) {
	case *Ident:
		return x.Stands
	case *Macro:
		return x.Stands
	case *Unary:
		return x.Stands
	case *Index:
		return x.Stands
	case *Member:
		return x.Stands
	case *Xlate:
		return x.Stands
	}
	return nil
}

// Stands reports whether x, in parentheses or not, stands for something else.
func Stands(x Expr) bool {
	for {
		p, ok := x.(*Paren)
		if !ok {
			return stands(x) != nil
		}
		x = p.X
	}
}

// Unparen returns x without the parentheses around it, and what it stands for
// rather than its name.
func Unparen(x Expr) Expr {
	for {
		if p, ok := x.(*Paren); ok {
			x = p.X
			continue
		}
		y := stands(x)
		if y == nil {
			return x
		}
		x = y
	}
}

// Translation returns the xlate that x is or stands for, whatever was made of it
// since; nil if it is none.
func Translation(x Expr) *Xlate {
	for {
		switch u := x.(type) {
		case *Xlate:
			return u
		case *Paren:
			x = u.X
			continue
		}
		if x = stands(x); x == nil {
			return nil
		}
	}
}
