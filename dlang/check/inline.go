package check

import (
	"strconv"

	"dscope.dev/dlang/ast"
	"dscope.dev/dlang/diag"
	"dscope.dev/dlang/lib"
	"dscope.dev/dlang/token"
	"dscope.dev/dlang/types"
)

// An inline is an expression with a name. One that is constant is known once and
// for all; any other is evaluated wherever its name is used. An inline with
// parameters looks like an associative array: its keys are the parameters.
type inline struct {
	name   string
	typ    types.Type // types.Bad if the declaration is faulty
	params []param    // nil if it takes none
	value  *int64     // of an integer constant
	text   *string    // of a string constant
	body   ast.Expr   // of any other
	cast   bool       // whether the body needs a cast to typ
	first  token.Span // where it was declared
	item   *lib.Item  // the item of a library that declares it; nil for the script
}

// A param is a parameter of an inline, or the input of a translator.
type param struct {
	name string
	typ  types.Type
}

// inline checks inline type name = value; and inline type name[params] = value;
func (c *checker) inline(x *ast.Inline) {
	name := x.Name.Text
	if c.reserved(&ast.Declarator{Name: x.Name}, &Var{Name: name}) {
		return
	}
	if v := c.vars[varKey{ast.Global, name}]; v != nil {
		c.errorf(x.Name, diag.DeclRedef, "%s is a variable already", name).Note(v.First, "here")
		return
	}
	in := &inline{name: name, first: x.Name.Span(), typ: types.Bad, item: c.fromItem()}
	t, ok := x.Type, true
	if a, isArray := t.(*ast.Assoc); isArray {
		in.params, ok = c.inlineParams(a)
		t = a.Elem
	}
	typ := c.typ(t)
	from := c.within(in.params, func() types.Type {
		in.body = c.chosen(x.Value)
		return c.object(in.body)
	})
	if ok && !types.IsInvalid(typ) && !types.IsInvalid(from) {
		in.settle(c, x, typ, from)
	}
	c.inlines[name] = in
}

// inlineParams checks the parameters of an inline.
func (c *checker) inlineParams(a *ast.Assoc) (list []param, ok bool) {
	list, ok = []param{}, true
	for _, p := range a.Keys {
		t := c.typ(p.Type)
		if types.IsInvalid(t) {
			ok = false
		}
		if p.Name == nil {
			c.errorf(p, diag.DeclProtoName, "a parameter of an inline needs a name, as its value is an expression of it")
			ok = false
			continue
		}
		if ast.InUserland(p.Type) {
			c.errorf(p, diag.Unsupported, "a parameter of an inline cannot be called userland: it is what is given for it").
				Suggest("call what is given so: f[(userland char *)arg1], or use a function")
		}
		list = append(list, param{p.Name.Text, t})
	}
	return list, ok
}

// settle decides what the inline is, once its parts are typed.
func (in *inline) settle(c *checker, x *ast.Inline, t, from types.Type) {
	if types.IsVoid(t) {
		c.errorf(x, diag.DeclVoid, "an inline cannot be void")
		return
	}
	if !c.holdsValue(t, from, in.body) {
		c.errorf(in.body, diag.OpIncompat, "inline %s is %s and cannot hold %s", in.name, article(t), from)
		return
	}
	in.typ = t
	if s, ok := c.prog.Strings[in.body]; ok && types.IsString(t) {
		in.text = &s
		return
	}
	if v, ok := c.prog.Consts[in.body]; ok && types.IsScalar(t) {
		v = types.Wrap(v, t)
		in.value = &v
		return
	}
	c.squeezed(in.body, t, in.name)
	in.cast = c.needsCast(in.body, t, from)
}

// holdsValue reports whether a value of type from can be had as one of type t.
func (c *checker) holdsValue(t, from types.Type, x ast.Expr) bool {
	if s, ok := types.Resolve(t).(*types.Struct); ok {
		return types.Identical(s, from)
	}
	if types.IsCharArray(t) {
		return types.IsStringLike(from)
	}
	if x != nil && c.prog.Means.Translation(x) != nil {
		return types.Identical(t, from)
	}
	return c.converts(t, from, nil, x)
}

// needsCast reports whether the type of a value differs from the one that it is
// declared to have. What a translator makes has its type already.
func (c *checker) needsCast(x ast.Expr, t, from types.Type) bool {
	if c.prog.Means.Translation(x) != nil || types.IsCharArray(t) {
		return false
	}
	if types.IsString(t) {
		return !types.IsString(from)
	}
	return types.IsScalar(t) && !types.Identical(t, from)
}

// within calls f while params are names of their own.
func (c *checker) within(params []param, f func() types.Type) types.Type {
	outer := c.params
	defer func() { c.params = outer }()
	c.params = map[string]*Var{}
	for _, p := range params {
		c.params[p.name] = &Var{Name: p.name, Type: p.typ, Declared: true}
	}
	return f()
}

// inlineNamed returns the inline of that name, or nil.
func (c *checker) inlineNamed(name string) *inline {
	if in := c.inlines[name]; in != nil {
		return in
	}
	it := c.fromLibrary(name, lib.Inline)
	if it != nil && c.newerItem(name) {
		c.inlines[name] = &inline{name: name, typ: types.Bad, item: it}
		c.broken[it] = "it is newer than the version of D that the script asks for"
	}
	if it != nil && c.inlines[name] == nil {
		c.inlines[name] = &inline{name: name, typ: types.Bad, item: it}
	}
	return c.inlines[name]
}

// useInline gives x, which is the name of in, its meaning.
func (c *checker) useInline(x ast.Expr, in *inline) types.Type {
	switch {
	case types.IsInvalid(in.typ) && in.item != nil:
		return c.cannot(x, in.name, in.item)
	case types.IsInvalid(in.typ):
		return types.Bad
	case in.params != nil:
		c.errorf(x, diag.BadIdent, "%s is an inline with parameters: it has no value without them", in.name).
			Suggest("%s[…]", in.name)
		return types.Bad
	case in.value != nil:
		return c.setConst(x, *in.value, in.typ)
	case in.text != nil:
		return c.str(x, *in.text)
	}
	return in.declared(c.expand(x, c.bodyOf(in, x.Span(), nil)))
}

// declared returns the type that in was declared with for the same by another name.
func (in *inline) declared(t types.Type) types.Type {
	if types.Identical(t, in.typ) {
		return in.typ
	}
	return t
}

// indexInline checks name[args] of an inline with parameters.
func (c *checker) indexInline(x *ast.Index, in *inline) types.Type {
	if in.params == nil && !types.IsInvalid(in.typ) {
		return c.notAnArray(x, in)
	}
	ok := !types.IsInvalid(in.typ)
	if !ok && in.item != nil {
		c.cannot(x, in.name, in.item)
	}
	if ok && len(x.Args) != len(in.params) {
		c.errorf(x, diag.ProtoLen, "%s[] takes %s, not %d", in.name, count(len(in.params), "argument"), len(x.Args))
		ok = false
	}
	put := map[string]ast.Expr{}
	var first ast.Expr
	for i, a := range x.Args {
		t := c.object(a)
		if !ok || types.IsInvalid(t) {
			ok = false
			continue
		}
		p := in.params[i]
		if !c.holdsValue(p.typ, t, a) {
			c.errorf(a, diag.ProtoArg, "argument %d of %s[] is %s, not %s", i+1, in.name, article(p.typ), t)
			ok = false
			continue
		}
		put[p.name] = c.boundOnce(in, p, a, t, x.Span(), &first)
	}
	switch {
	case !ok:
		return types.Bad
	case first != nil: // the arguments do something, whatever the value is
	case in.value != nil:
		return c.setConst(x, *in.value, in.typ)
	case in.text != nil:
		return c.str(x, *in.text)
	}
	return in.declared(c.expand(x, within(first, c.bodyOf(in, x.Span(), put))))
}

// notAnArray handles x[i] of an inline without parameters, whose value may be a
// C array or a pointer.
func (c *checker) notAnArray(x *ast.Index, in *inline) types.Type {
	t := c.value(x.X)
	if types.IsInvalid(t) {
		return types.Bad
	}
	return c.element(x, t)
}

// bodyOf copies the value of in to where it is used.
func (c *checker) bodyOf(in *inline, at token.Span, put map[string]ast.Expr) ast.Expr {
	if put == nil {
		put = map[string]ast.Expr{}
	}
	body := ast.Expr(&ast.Paren{X: ast.Clone(in.body, at, put), At: ast.At(at)})
	if in.cast {
		body = &ast.Cast{Type: c.known(in.typ, at), X: body, At: ast.At(at)}
	}
	return body
}

// boundOnce is bound for an argument of in, which it also computes once if that is
// long and the inline names it more than once.
func (c *checker) boundOnce(in *inline, p param, a ast.Expr, from types.Type, at token.Span, first *ast.Expr) ast.Expr {
	if c.hasEffect(a) || !c.isLong(a) || !types.IsScalar(types.Decay(p.typ)) || c.namedIn(in.body, p.name) < 2 {
		return c.bound(a, p.typ, from, at, first)
	}
	return c.kept(a, p.typ, from, at, first)
}

// isLong reports whether x costs more than to read a variable or an argument: what
// it follows or chooses grows with each name that stands for it.
func (c *checker) isLong(x ast.Expr) bool {
	return c.prog.Means.Holds(x, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.Cond, *ast.Member:
			return true
		case *ast.Unary:
			return n.Op == token.Star
		case *ast.Index:
			return !n.Raw && len(n.Args) > 0 && !isArgs(n)
		}
		return false
	})
}

// isArgs reports whether x is args[n].
func isArgs(x *ast.Index) bool {
	id, ok := x.X.(*ast.Ident)
	return ok && id.Name == "args"
}

// namedIn counts how often x names name.
func (c *checker) namedIn(x ast.Expr, name string) int {
	n := 0
	c.prog.Means.Walk(x, func(at ast.Node) bool {
		if id, ok := at.(*ast.Ident); ok && id.Name == name {
			n++
		}
		return true
	})
	return n
}

// bound returns what takes the place of a parameter of type t, for which the
// script has a, of type from. What does something or calls something is done
// once, in *first, however often the parameter is named.
func (c *checker) bound(a ast.Expr, t, from types.Type, at token.Span, first *ast.Expr) ast.Expr {
	if c.hasEffect(a) && (types.IsScalar(types.Decay(t)) || types.IsString(t)) {
		return c.kept(a, t, from, at, first)
	}
	return c.as(a, t, from, at)
}

// as is a at another place, with a cast to t if it needs one.
func (c *checker) as(a ast.Expr, t, from types.Type, at token.Span) ast.Expr {
	y := ast.Clone(a, at, nil)
	if c.needsCast(a, t, from) {
		y = &ast.Cast{Type: c.known(t, at), X: &ast.Paren{X: y, At: ast.At(at)}, At: ast.At(at)}
	}
	return y
}

// kept returns a variable that keeps a, which *first assigns.
func (c *checker) kept(a ast.Expr, t, from types.Type, at token.Span, first *ast.Expr) ast.Expr {
	y := c.as(a, t, from, at)
	v := &Var{Name: hiddenName(len(c.prog.Vars)), Scope: ast.This, Type: types.Decay(t), First: at, Declared: true, Scratch: c.scratch(a)}
	c.addVar(v)
	set := &ast.Assign{Op: token.Assign, OpPos: at, X: &ast.Var{Scope: ast.This, Name: v.Name, At: ast.At(at)}, Y: y, At: ast.At(at)}
	*first = before(*first, set)
	return &ast.Var{Scope: ast.This, Name: v.Name, At: ast.At(at)}
}

// hiddenName is the name of a variable that no script can name.
func hiddenName(n int) string { return "%" + strconv.Itoa(n) }

// IsHidden reports whether the compiler made up the variable.
func (v *Var) IsHidden() bool { return v.Name != "" && v.Name[0] == '%' }

// before is first, then x; first may be nil.
func before(first, x ast.Expr) ast.Expr {
	if first == nil {
		return x
	}
	return &ast.Binary{Op: token.Comma, OpPos: x.Span(), X: first, Y: x, At: ast.At(x.Span())}
}

// within is before, but if x is translated what it is translated from comes after
// first, so that x is still left to its translator.
func within(first, x ast.Expr) ast.Expr {
	y := x
	for {
		switch u := y.(type) {
		case *ast.Paren:
			y = u.X
			continue
		case *ast.Xlate:
			u.X = before(first, u.X)
			return x
		}
		return before(first, x)
	}
}

// Bounds of what names may stand for: how deep the names in it are nested, how
// many one name of the script leads to, and how many all do. A name that is used
// twice in what the next stands for doubles with each.
const (
	maxDepth    = 32
	maxExpand   = 1 << 10
	maxExpanded = 1 << 17
)

// expand makes x stand for y, which it checks in x's place.
func (c *checker) expand(x, y ast.Expr) types.Type {
	if c.depth == 0 {
		c.expanded, c.grown = c.expanded+c.grown, 0
	}
	c.depth++
	defer func() { c.depth-- }()
	switch c.grown++; {
	case c.depth > maxDepth:
		c.errorf(x, diag.IdentNest, "what stands behind this is nested more than %d levels deep", maxDepth)
		return types.Bad
	case c.grown > maxExpand || c.expanded+c.grown > maxExpanded:
		if c.grown == maxExpand+1 || c.expanded+c.grown == maxExpanded+1 {
			c.errorf(x, diag.IdentNest, "what stands behind this is too large: it leads to more than %d names", maxExpand)
		}
		return types.Bad
	}
	t := c.expr(y)
	c.prog.Means.Set(x, y)
	if v, ok := c.prog.Consts[y]; ok {
		c.prog.Consts[x] = v
	}
	if s, ok := c.prog.Strings[y]; ok {
		c.prog.Strings[x] = s
	}
	return t
}

// known returns a type as it would be written, for a type that is resolved already.
func (c *checker) known(t types.Type, at token.Span) ast.Type {
	n := &ast.Named{Name: t.String(), At: ast.At(at)}
	c.defined[n] = t
	return n
}
