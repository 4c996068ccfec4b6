package ast

// Meanings says what expressions stand for. The name of an inline stands for its value, a
// member of a translated object for the expression that translates it. The text of the script
// has no such expression; its nodes have the place of the one that stands for it. The tree
// stays as it was parsed: whoever has no Meanings, nil, sees it as it is written.
type Meanings map[Expr]Expr

// of returns what x stands for, or nil.
func (m Meanings) of(x Expr) Expr {
	if len(m) == 0 {
		return nil
	}
	switch x.(type) {
	case *Ident, *Macro, *Unary, *Index, *Member, *Xlate: // no others do
		return m[x]
	}
	return nil
}

// Set makes x stand for y.
func (m Meanings) Set(x, y Expr) {
	m[x] = y
	if m.of(x) != y {
		panic("ast.Meanings: an expression that is only itself")
	}
}

// Has reports whether x, in parentheses or not, stands for something else.
func (m Meanings) Has(x Expr) bool { return m.of(Unparen(x)) != nil }

// Unparen returns x without the parentheses around it, and what it stands for
// rather than its name.
func (m Meanings) Unparen(x Expr) Expr {
	for {
		x = Unparen(x)
		y := m.of(x)
		if y == nil {
			return x
		}
		x = y
	}
}

// Translation returns the xlate that x is or stands for, whatever was made of it
// since; nil if it is none.
func (m Meanings) Translation(x Expr) *Xlate {
	for x != nil {
		x = Unparen(x)
		if u, ok := x.(*Xlate); ok {
			return u
		}
		x = m.of(x)
	}
	return nil
}

// Holds reports whether is is true of x or of a part of what it means.
func (m Meanings) Holds(x Expr, is func(Node) bool) bool {
	found := false
	m.Walk(x, func(n Node) bool {
		found = found || is(n)
		return !found
	})
	return found
}

// Unparen returns x without the parentheses around it.
func Unparen(x Expr) Expr {
	for {
		p, ok := x.(*Paren)
		if !ok {
			return x
		}
		x = p.X
	}
}
