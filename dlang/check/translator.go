package check

import (
	"slices"

	"dscope.dev/dlang/ast"
	"dscope.dev/dlang/diag"
	"dscope.dev/dlang/lib"
	"dscope.dev/dlang/token"
	"dscope.dev/dlang/types"
)

// A translator says how the members of a struct are had from an object of
// another type. Only those that a script reads are ever computed.
type translator struct {
	out     types.Type // a struct or union, perhaps by another name
	in      param
	members map[string]ast.Expr
	first   token.Span
	item    *lib.Item         // the item of a library that declares it; nil for the script
	broken  map[string]string // members of a library's translator that cannot be had here, and why

	all     []*ast.TranslatorMember // as they are declared
	library *library                // that it is of; nil for the script
	later   map[string]bool         // members of a library's translator that nobody has asked for
}

// maxTranslators is how many there may be: each is compared with all before it.
const maxTranslators = 4000

// translator checks translator out < in > { member = value; … };
func (c *checker) translator(x *ast.Translator) {
	out, in := c.typ(x.Out), c.typ(x.In)
	if types.IsInvalid(out) || types.IsInvalid(in) {
		return
	}
	if c.library == nil {
		c.needTranslators(out)
	}
	if len(c.translators) >= maxTranslators {
		c.errorf(x, diag.Unsupported, "a script can have at most %d translators", maxTranslators).
			Suggest("leave those away that nothing uses")
		return
	}
	if old := c.sameTranslator(out, in); old != nil {
		say := c.errorf(x, diag.XlateRedecl, "%s is translated to %s already", in, out)
		if old.item == nil {
			say.Note(old.first, "here")
		} else {
			say.Suggest("%s does that: leave it to the library, or translate to a type of your own", old.item.File)
		}
		return
	}
	s, ok := types.Resolve(out).(*types.Struct)
	switch {
	case !ok:
		c.errorf(x.Out, diag.XlateSou, "a translator makes a struct or union, not %s", article(out))
		return
	case !s.Complete():
		c.errorf(x.Out, diag.XlateSou, "nothing tells what is inside %s", s)
		return
	}
	tr := &translator{out: out, in: param{x.Name.Text, in}, members: map[string]ast.Expr{}, first: x.Span(),
		item: c.fromItem(), broken: map[string]string{}, all: x.Members, library: c.library, later: map[string]bool{}}
	// Known from here on: a member may be translated by its own translator.
	c.translators = append(c.translators, tr)
	for _, m := range x.Members {
		if c.library == nil {
			c.translatorMember(tr, s, m)
		} else {
			tr.later[m.Name.Text] = true
		}
	}
}

// want checks what a library says of a member, once. There are several translators
// to most types, with a dozen members each, of which a script reads one or two.
func (c *checker) want(tr *translator, name string) {
	if !tr.later[name] {
		return
	}
	delete(tr.later, name) // which may be asked for on the way
	s := types.Resolve(tr.out).(*types.Struct)
	for _, m := range tr.all {
		if m.Name.Text != name {
			continue
		}
		if list := c.apart(tr.library, func() { c.translatorMember(tr, s, m) }); list.Failed() {
			tr.broken[name] = tr.library.reason(list)
		}
	}
}

// order returns the members that can be had, as they are declared.
func (c *checker) order(tr *translator) []string {
	var names []string
	for _, m := range tr.all {
		c.want(tr, m.Name.Text)
		if tr.members[m.Name.Text] != nil && !slices.Contains(names, m.Name.Text) {
			names = append(names, m.Name.Text)
		}
	}
	return names
}

func (c *checker) translatorMember(tr *translator, s *types.Struct, m *ast.TranslatorMember) {
	f, ok := s.Member(m.Name.Text)
	if !ok {
		say := c.errorf(m.Name, diag.XlateMember, "%s has no member %s that could be translated", s, m.Name.Text)
		if near := nearest(m.Name.Text, memberNames(s)); near != "" {
			say.Suggest("did you mean %s?", near).Instead(m.Name.Span(), near)
		}
		return
	}
	var value ast.Expr
	from := c.within([]param{tr.in}, func() types.Type {
		value = c.chosen(m.Value)
		return c.object(value)
	})
	if types.IsInvalid(from) {
		return
	}
	if !c.holdsValue(f.Type, from, value) {
		c.errorf(value, diag.XlateIncompat, "%s is %s and cannot hold %s", m.Name.Text, article(f.Type), from)
		return
	}
	if _, twice := tr.members[m.Name.Text]; !twice { // as in DTrace the first counts
		tr.members[m.Name.Text] = value
	}
}

// sameTranslator returns the translator between exactly these types, or nil.
func (c *checker) sameTranslator(out, in types.Type) *translator {
	for _, tr := range c.translators {
		if types.Identical(tr.out, out) && types.Identical(tr.in.typ, in) {
			return tr
		}
	}
	return nil
}

// translatorFor returns the translator that makes out of x, of type in: that of
// just this type, or else the first whose input x converts to.
func (c *checker) translatorFor(out, in types.Type, x ast.Expr) *translator {
	c.needTranslators(out)
	if tr := c.sameTranslator(out, in); tr != nil {
		return tr
	}
	for _, tr := range c.translators {
		if types.Identical(tr.out, out) && c.holdsValue(tr.in.typ, in, x) {
			return tr
		}
	}
	return nil
}

// An xlation is an xlate<out>(x) with its translator.
type xlation struct {
	*translator
	from types.Type // of x
}

// xlate checks xlate<T>(x) and xlate<T *>(x).
func (c *checker) xlate(x *ast.Xlate) types.Type {
	t, from := c.typ(x.Type), c.object(x.X)
	if types.IsInvalid(t) || types.IsInvalid(from) {
		return types.Bad
	}
	out := t
	if p, ok := types.Resolve(t).(*types.Pointer); ok {
		out = p.Elem
	}
	tr := c.translatorFor(out, from, x.X)
	if tr == nil {
		say := c.errorf(x, diag.XlateNone, "nothing translates %s to %s", from, out)
		if p, ok := types.Resolve(from).(*types.Struct); ok && c.translatorFor(out, &types.Pointer{Elem: p}, x.X) != nil {
			say.Suggest("there is a translator for a pointer: xlate<%s>(&%s)", t, c.text(x.X))
		}
		return types.Bad
	}
	c.xlations[x] = xlation{tr, from}
	return t
}

// translated returns the xlate that x is, if it is one that nothing was made of yet.
func (c *checker) translated(x ast.Expr) *ast.Xlate {
	u, _ := c.prog.Means.Unparen(x).(*ast.Xlate)
	return u
}

// translatedMember gives xlate<T>(y).name its meaning: what the translator says.
func (c *checker) translatedMember(x *ast.Member, from *ast.Xlate, s *types.Struct) types.Type {
	xl := c.xlations[from]
	c.want(xl.translator, x.Name.Text)
	body, ok := xl.members[x.Name.Text]
	if why := xl.broken[x.Name.Text]; !ok && why != "" {
		c.notHere(x.Name, diag.XlateNoConv, x.Name.Text, why)
		return types.Bad
	}
	if !ok {
		say := c.errorf(x.Name, diag.XlateNoConv, "no translator says what %s of %s is for %s", x.Name.Text, s, article(xl.from))
		if near := nearest(x.Name.Text, c.order(xl.translator)); near != "" {
			say.Suggest("did you mean %s?", near).Instead(x.Name.Span(), near)
		}
		return types.Bad
	}
	f, _ := s.Member(x.Name.Text)
	return c.expand(x, c.translation(xl, f, body, from.X, x.Span()))
}

// translation copies what makes the member f to where it is read.
func (c *checker) translation(xl xlation, f types.Field, body, y ast.Expr, at token.Span) ast.Expr {
	var first ast.Expr
	put := map[string]ast.Expr{xl.in.name: c.bound(y, xl.in.typ, xl.from, at, &first)}
	to := ast.Expr(&ast.Paren{X: ast.Clone(body, at, put), At: ast.At(at)})
	if c.needsCast(body, f.Type, c.prog.Types[body]) {
		to = &ast.Cast{Type: c.known(f.Type, at), X: to, At: ast.At(at)}
	}
	return before(first, to)
}

// derefTranslated gives *x its meaning where x is a pointer to what a translator
// makes: what it makes.
func (c *checker) derefTranslated(x *ast.Unary, xl *ast.Xlate, t types.Type) types.Type {
	p, ok := types.Resolve(t).(*types.Pointer)
	if !ok {
		return c.deref(x, t)
	}
	return c.expand(x, &ast.Xlate{Type: c.known(p.Elem, x.Span()), X: ast.Clone(xl.X, x.Span(), nil), At: ast.At(x.Span())})
}

// keepable complains about a pointer to a translated object where it would be
// kept: what it points to is not what the translator makes.
func (c *checker) keepable(x *ast.Assign, rt types.Type) bool {
	xl := c.prog.Means.Translation(x.Y)
	if xl == nil || !types.IsPointer(rt) {
		return true
	}
	c.errorf(x.Y, diag.OpIncompat, "a translated object is had member by member: it has no address that could be kept").
		Suggest("keep a member, or all of it: *%s", c.text(x.Y))
	return false
}

// whole gives x, an xlate that no member is selected of, a value: all that its
// translator makes, or the address of what it translates, which points to
// nothing that the script could read.
func (c *checker) whole(x ast.Expr, from *ast.Xlate, t types.Type, code diag.Code) types.Type {
	at := from.Span()
	if types.IsPointer(t) {
		if code == diag.CastInval {
			c.errorf(x, code, "a translated object has no address that could be cast").
				Suggest("read its members: %s->…", c.text(x))
			return c.set(x, types.Bad)
		}
		if code == diag.KeyType {
			c.errorf(x, code, "a translated object has no address that could be a key").
				Suggest("use one of its members: %s->…", c.text(x))
			return c.set(x, types.Bad)
		}
		return c.expand(from, &ast.Cast{Type: c.known(types.VoidPtr, at), X: &ast.Paren{X: ast.Clone(from.X, at, nil), At: ast.At(at)}, At: ast.At(at)})
	}
	xl := c.xlations[from]
	s := types.Resolve(t).(*types.Struct)
	v := &Var{Name: hiddenName(len(c.prog.Vars)), Scope: ast.This, Type: t, First: at, Declared: true}
	c.addVar(v)
	object := func() ast.Expr { return &ast.Var{Scope: ast.This, Name: v.Name, At: ast.At(at)} }
	var all ast.Expr
	for _, name := range c.order(xl.translator) {
		f, _ := s.Member(name)
		member := &ast.Member{X: object(), Name: &ast.Name{Text: name, At: ast.At(at)}, At: ast.At(at)}
		set := &ast.Assign{Op: token.Assign, OpPos: at, X: member, Y: c.translation(xl, f, xl.members[name], from.X, at), At: ast.At(at)}
		if types.IsCharArray(f.Type) {
			if f.Off%64 != 0 || f.Type.Size()%8 != 0 {
				c.errorf(x, diag.Unsupported, "%s of %s cannot be filled: its bytes do not lie in words", name, s).Suggest("read the member by itself")
				continue
			}
			c.fills[set] = true
		}
		all = before(all, set)
	}
	return c.expand(from, before(all, object()))
}
