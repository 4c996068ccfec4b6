package check

import (
	"fmt"
	"slices"

	"dscope.dev/dlang/ast"
	"dscope.dev/dlang/diag"
	"dscope.dev/dlang/lib"
	"dscope.dev/dlang/parser"
	"dscope.dev/dlang/token"
	"dscope.dev/dlang/types"
)

// library returns the item of a library that declares name, the user's
// libraries before the one inside.
func (c *checker) libraryItem(name string, kinds ...lib.Kind) *lib.Item {
	if c.opts.NoLibraries {
		return nil
	}
	if it := c.opts.Libraries.Lookup(name, kinds...); it != nil {
		return it
	}
	return lib.Own().Lookup(name, kinds...)
}

// load declares what an item of a library does, once. What it complains about
// is not about the script: it is told where the script uses the name.
func (c *checker) load(it *lib.Item) {
	if c.loaded[it] {
		return
	}
	c.loaded[it] = true
	if it.Missing != "" {
		c.broken[it] = it.Missing
		return
	}
	file := c.annex(it.File, it.Text, it.Line)
	tree, list := parser.Config{IsType: c.isType}.Parse(file)
	if list.Failed() {
		c.fail(it, file, list)
		return
	}
	list = c.apart(&library{it, file}, func() {
		for _, item := range tree.Items {
			c.item(item)
		}
	})
	if list.Failed() {
		c.fail(it, file, list)
	}
}

// annex returns the file of a text of a library that begins on a line of the file called
// name. What is said of its places is said of that file.
func (c *checker) annex(name, text string, line int) *token.File {
	last := c.prog.File
	if n := len(c.annexes); n > 0 {
		last = c.annexes[n-1]
	}
	f := token.NewAnnex(name, text, line, last.End())
	c.annexes = append(c.annexes, f)
	return f
}

// apart checks text of a library and returns the complaints about it.
func (c *checker) apart(l *library, check func()) diag.List {
	outer := c.around
	c.around = around{library: l}
	back := c.withoutLocals()
	check()
	back()
	found := c.list
	c.around = outer
	return found
}

// withoutLocals makes names mean what they do outside of all blocks, until the
// result is called.
func (c *checker) withoutLocals() func() {
	hidden, from := c.hidden, c.scopeFrom
	for _, h := range slices.Backward(hidden) {
		key := varKey{ast.Global, h.local.Name}
		if h.was == nil {
			delete(c.vars, key)
		} else {
			c.vars[key] = h.was
		}
	}
	c.hidden, c.scopeFrom = nil, 0
	return func() {
		c.hidden, c.scopeFrom = hidden, from
		for _, h := range hidden {
			c.vars[varKey{ast.Global, h.local.Name}] = h.local
		}
	}
}

// globalVar returns the variable that the name x means, or nil.
func (c *checker) globalVar(x ast.Expr, name string) *Var {
	if id, ok := x.(*ast.Ident); ok && id.Outer {
		for _, h := range c.hidden {
			if h.local.Name == name {
				return h.was
			}
		}
	}
	return c.vars[varKey{ast.Global, name}]
}

// A library is where the text that is being checked stands, if not in the script.
type library struct {
	item *lib.Item
	file *token.File
}

// place spells a place of the item for a message.
func (l *library) place(at token.Span) string {
	name, line, _ := l.file.Place(at.From)
	return fmt.Sprintf("%s, line %d", name, line)
}

// fail remembers why an item cannot be used.
func (c *checker) fail(it *lib.Item, f *token.File, list diag.List) {
	c.broken[it] = (&library{it, f}).reason(list)
}

// reason is the first complaint of a list with its place.
func (l *library) reason(list diag.List) string {
	for _, d := range list {
		if d.Severity != diag.Error {
			continue
		}
		if d.Why != "" {
			return d.Why // it is that of what this one needs
		}
		if d.Hint != "" {
			return fmt.Sprintf("%s: %s (%s)", d.Msg, d.Hint, l.place(d.At))
		}
		return fmt.Sprintf("%s (%s)", d.Msg, l.place(d.At))
	}
	return ""
}

// notHere complains at x about what cannot be had on this machine.
func (c *checker) notHere(x ast.Node, code diag.Code, what, why string) {
	c.errorf(x, code, "%s cannot be had here: %s", what, why).Why = why
}

// cannot complains at x about a name that a library declares and that cannot be
// had on this machine.
func (c *checker) cannot(x ast.Node, name string, it *lib.Item) types.Type {
	c.notHere(x, diag.Unsupported, name, c.broken[it])
	return types.Bad
}

// fromLibrary declares name if a library does, and returns the item that does.
// Of several it is the first that can be had here.
func (c *checker) fromLibrary(name string, kinds ...lib.Kind) *lib.Item {
	if c.opts.NoLibraries {
		return nil
	}
	all := c.opts.Libraries.All(name, kinds...)
	if len(all) == 0 {
		all = lib.Own().All(name, kinds...)
	}
	for _, it := range all {
		c.load(it)
		if c.broken[it] == "" {
			return it
		}
		if in := c.inlines[name]; in != nil && in.item == it {
			delete(c.inlines, name)
		}
		if it.Kind == lib.Function {
			delete(c.funcs, name)
		}
	}
	if len(all) == 0 {
		return nil
	}
	return all[0]
}

// fromItem returns the item of a library that is being checked, or nil.
func (c *checker) fromItem() *lib.Item {
	if c.library == nil {
		return nil
	}
	return c.library.item
}

// written resolves a type that is given as text; types.Bad if it cannot be had.
func (c *checker) written(text string) types.Type {
	if t, ok := c.texts[text]; ok {
		return t
	}
	f := token.NewFile("type", "inline "+text+" x = 0;")
	tree, list := parser.Config{IsType: c.isType}.Parse(f)
	t := types.Type(types.Bad)
	if in, ok := tree.Items[0].(*ast.Inline); ok && !list.Failed() {
		c.apart(&library{&lib.Item{File: "type"}, f}, func() { t = c.typ(in.Type) })
	}
	c.texts[text] = t
	return t
}

// isType tells the parser of a library what looks like a cast and is one.
func (c *checker) isType(module, name string) bool {
	if KnownType(module, name) || module == "" && (c.typedefs[name] != nil || c.libraryItem(name, lib.Type) != nil) {
		return true
	}
	_, err := c.lookupType("typedef", moduleOf(module), name)
	return err == nil
}

// libraryType resolves a typedef of a library; nil if there is none.
func (c *checker) libraryType(t *ast.Named) types.Type {
	if t.Module != "" && t.Module != "D" {
		return nil
	}
	it := c.fromLibrary(t.Name, lib.Type)
	switch {
	case it == nil:
		return nil
	case c.typedefs[t.Name] == nil || types.IsInvalid(c.typedefs[t.Name]):
		return c.cannot(t, t.Name, it)
	}
	return c.typedefs[t.Name]
}

// libraryTag resolves struct tag of a library; nil if there is none.
func (c *checker) libraryTag(kind, tag string) types.Type {
	if c.fromLibrary(tag, lib.Tag, lib.Type) == nil {
		return nil
	}
	return c.tags[kind+" "+tag]
}

// needTranslators declares what translates to out in a library.
func (c *checker) needTranslators(out types.Type) {
	for _, name := range typeNames(out) {
		if c.opts.NoLibraries {
			return
		}
		for _, x := range []*lib.Index{c.opts.Libraries, lib.Own()} {
			for _, it := range x.Translators(name) {
				c.load(it)
			}
		}
	}
}

// typeNames returns the names that a declaration may give to t: its typedefs and
// the tag of its struct.
func typeNames(t types.Type) []string {
	var names []string
	for {
		switch u := t.(type) {
		case *types.Typedef:
			names = append(names, u.Name)
			t = u.Under
			continue
		case *types.Struct:
			if u.Tag != "" {
				names = append(names, u.Tag)
			}
		}
		return names
	}
}

// source returns the text that is being checked.
func (c *checker) source() *token.File {
	if c.library != nil {
		return c.library.file
	}
	return c.prog.File
}

// userLibraries checks of the user's libraries what is not checked when it is
// named: that they follow the grammar, what their control lines say, and clauses,
// which a library may have though they never fire.
func (c *checker) userLibraries() {
	x := c.opts.Libraries
	if x == nil || c.opts.NoLibraries {
		return
	}
	for _, it := range x.Items {
		if it.Missing != "" {
			continue
		}
		file := c.annex(it.File, it.Text, it.Line)
		tree, list := parser.Config{IsType: c.isType}.Parse(file)
		l := &library{it, file}
		if it.Kind == lib.Clause && !list.Failed() {
			list = c.apart(l, func() {
				for _, item := range tree.Items {
					c.item(item)
				}
			})
			c.prog.Clauses = nil
		}
		c.blame(list)
	}
	for _, line := range x.Controls {
		file := c.annex(line.File, line.Text, line.Line)
		at := token.Span{From: file.Base() + 1, To: file.Base() + token.Pos(len(line.Text)+1)}
		l := &library{&lib.Item{File: line.File, Line: line.Line}, file}
		c.blame(c.apart(l, func() { c.pragma(&ast.Pragma{Text: line.Text, At: ast.At(at)}) }))
	}
}

// blame hands the complaints about a library of the user to the script's.
func (c *checker) blame(list diag.List) {
	for _, d := range list {
		if d.Severity == diag.Error {
			e := c.list.Add(d.At, d.Code, "%s", d.Msg)
			e.Notes, e.Hint = d.Notes, d.Hint
			return
		}
	}
}
