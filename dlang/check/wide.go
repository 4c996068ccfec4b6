package check

import (
	"slices"

	"dscope.dev/dlang/ast"
	"dscope.dev/dlang/diag"
	"dscope.dev/dlang/function"
	"dscope.dev/dlang/token"
	"dscope.dev/dlang/types"
)

// Scripts keep times in whatever variable is at hand: self int last;, or t = 0; before
// t = timestamp;. A variable of DTrace is a register, and keeps all 64 bits of a value
// that has them. An int expression has 32: x = y + 1 of two ints is cut as in C. So
//
//   - a variable that nobody declared has 64 bits if the script assigns it a value of a
//     64-bit type anywhere;
//   - one that was declared smaller keeps such values whole, is wide, and is cut where
//     its type counts: in a record, in a key. A warning tells;
//   - arg0 to arg9, of which nobody knows the width, are what the declaration says;
//   - members of structs, elements of arrays and what blocks and functions declare are
//     C's, and cut with a warning.

// A store is an assignment to a variable of less than 64 bits.
type store struct {
	v *Var
	y ast.Expr   // the value, or what changes it
	p token.Kind // the operator of a compound assignment, or Bad
}

// A squeeze is a place where a value is cut if it has more bits than are due.
type squeeze struct {
	x  ast.Expr
	to types.Type
	of string // what it is that has too few
}

// isNarrow reports whether t is an integer of less than 64 bits.
func isNarrow(t types.Type) bool { return types.IsInteger(t) && t.Size() < 8 }

// noteStore notes that the value of y, perhaps combined with the old one, becomes
// that of x.
func (c *checker) noteStore(x ast.Expr, op token.Kind, y ast.Expr) {
	v, ok := c.prog.Refs[c.prog.Means.Unparen(x)].(*Var)
	switch {
	case !ok || v.Scope == ast.Local:
		if op != token.Shl && op != token.Shr {
			c.squeezed(y, c.prog.Types[x], c.text(x))
		}
	case c.library == nil && isNarrow(v.Type):
		c.stores = append(c.stores, store{v, y, op})
	}
}

// squeezed notes that y becomes a value of type to, of something that cuts it.
func (c *checker) squeezed(y ast.Expr, to types.Type, of string) {
	if c.library == nil && isNarrow(to) {
		c.squeezes = append(c.squeezes, squeeze{y, to, of})
	}
}

// widen settles which variables hold values of 64 bits, by all that the script
// assigns. It returns those that were not declared, and should have been made for that.
func (c *checker) widen() (more []varKey) {
	leads := map[*Var][]*Var{} // what is assigned to others
	var wide []*Var
	for _, s := range c.stores {
		from := func(u *Var) bool {
			leads[u] = append(leads[u], s.v)
			return false
		}
		if s.p == token.Shl || s.p == token.Shr || s.v.Declared && c.prog.isRaw(s.y) {
			continue
		}
		if c.prog.carries(s.y, s.v.Type, from) {
			wide = append(wide, s.v)
		}
	}
	for len(wide) > 0 {
		v := wide[len(wide)-1]
		wide = wide[:len(wide)-1]
		if v.Wide {
			continue
		}
		v.Wide = true
		if !v.Declared {
			more = append(more, varKey{v.Scope, v.Name})
		}
		wide = append(wide, leads[v]...)
	}
	return more
}

// carries reports whether the value of x may need more bits than those of to, by its
// type or by that of a variable in it for which wide is true.
func (p *Program) carries(x ast.Expr, to types.Type, wide func(*Var) bool) bool {
	x = p.Means.Unparen(x)
	t := p.Types[x]
	if n, ok := p.Consts[x]; ok {
		return t.Size() == 8 && types.Wrap(n, to) != n
	}
	if !isNarrow(t) {
		return types.IsInteger(t) && !isLength(x)
	}
	in := func(y ast.Expr) bool { return p.carries(y, to, wide) }
	switch x := x.(type) {
	case *ast.Ident, *ast.Var, *ast.Macro, *ast.Index:
		v, ok := p.Refs[x].(*Var)
		return ok && wide(v)
	case *ast.Postfix:
		return in(x.X)
	case *ast.Unary:
		return x.Op != token.Not && x.Op != token.Star && x.Op != token.Amp && in(x.X)
	case *ast.Assign:
		return in(x.X)
	case *ast.Cond:
		then := in(x.Then)
		return in(x.Else) || then // both are asked: wide takes notes
	case *ast.Binary:
		switch x.Op {
		case token.Comma:
			return in(x.Y)
		case token.Shl, token.Shr:
			return in(x.X)
		case token.AndAnd, token.OrOr, token.XorXor:
			return false
		}
		left := !isComparison(x.Op) && in(x.X)
		return !isComparison(x.Op) && in(x.Y) || left
	}
	return false
}

// isLength reports whether x is the length of a string, which an int holds.
func isLength(x ast.Expr) bool {
	call, ok := x.(*ast.Call)
	return ok && function.Find(call.Fn.Text).ID == function.Strlen
}

// isRaw reports whether x is arg0 to arg9.
func (p *Program) isRaw(x ast.Expr) bool {
	b, ok := p.Refs[p.Means.Unparen(x)].(*Builtin)
	return ok && len(b.Name) == len("arg0") && b.Name[:3] == "arg"
}

// IsWide reports whether the value of x may have more bits than its type says,
// because a variable in it has.
func (p *Program) IsWide(x ast.Expr) bool {
	t := p.Types[x]
	return isNarrow(t) && p.carries(x, t, func(v *Var) bool { return v.Wide })
}

// KeepsWhole reports whether v keeps all 64 bits of the value of x.
func (p *Program) KeepsWhole(v *Var, x ast.Expr) bool {
	return v.Wide && !(v.Declared && p.isRaw(x)) && p.carries(x, v.Type, func(v *Var) bool { return v.Wide })
}

// cuts warns where a value of 64 bits loses some.
func (c *checker) cuts() {
	for _, s := range c.squeezes {
		if c.prog.isRaw(s.x) || !c.prog.carries(s.x, s.to, func(v *Var) bool { return v.Wide }) {
			continue
		}
		c.warn(s.x, diag.Narrow, "this has 64 bits, and %s keeps %d of them", s.of, 8*s.to.Size()).
			Suggest("cast it if that is meant: (%s)", s.to)
	}
	if !slices.ContainsFunc(c.prog.Vars, func(v *Var) bool { return v.Wide }) {
		return
	}
	c.prog.Means.Walk(c.prog.Chosen, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.Call:
			if call := c.prog.Calls[n]; call != nil && call.Fn != nil && call.Fn.Records {
				c.recorded(n.Args, "recorded")
			}
		case *ast.AggRef:
			c.recorded(n.Keys, "part of the key")
		case *ast.Index:
			if v, ok := c.prog.Refs[n].(*Var); ok && v.Keys != nil {
				c.recorded(n.Args, "part of the key")
			}
		}
		return true
	})
}

// recorded warns of those of list whose type has fewer bits than they.
func (c *checker) recorded(list []ast.Expr, how string) {
	for _, x := range list {
		if !c.prog.IsWide(x) {
			continue
		}
		t := c.prog.Types[x]
		say := c.warn(x, diag.Narrow, "this may have 64 bits, and %d of them are %s: it is %s", 8*t.Size(), how, article(t))
		if v, ok := c.prog.Refs[c.prog.Means.Unparen(x)].(*Var); ok {
			say.Note(v.First, "it was declared here").Suggest("declare it as int64_t")
		} else {
			say.Suggest("declare the variable as int64_t")
		}
	}
}
