package check

import (
	"strings"

	"dscope.dev/dlang/ast"
	"dscope.dev/dlang/diag"
	"dscope.dev/dlang/types"
)

// decl checks a declaration at the top level of a script.
func (c *checker) decl(d *ast.Decl) {
	switch d.Storage {
	case "auto", "register":
		c.badClass(d)
		return
	}
	base := c.typ(d.Base)
	if len(d.Names) == 0 {
		c.bare(d, base)
		return
	}
	for _, n := range d.Names {
		if n.Name == nil {
			continue // the parser has complained
		}
		switch {
		case d.Storage == "typedef":
			c.typedef(d, n)
		case n.KSym:
			c.errorf(n.Name, diag.DeclScope, "a declaration gives a plain name").
				Suggest("leave the back-quote out: extern %s", strings.TrimPrefix(n.Name.Text, "`"))
		case d.Storage == "extern", isPrototype(n.Type) && (d.Storage == "" || d.Storage == "static"):
			c.extern(n)
		case d.Storage == "static" && c.inHeader(d):
			// a table of the program's own
		case d.Storage == "static":
			c.badClass(d)
		default:
			c.varDecl(d, n)
		}
	}
}

func (c *checker) badClass(d *ast.Decl) {
	c.errorf(d, diag.DeclBadClass, "%s has no meaning in D", d.Storage).Suggest("leave it out")
}

// bare checks a declaration that names no variable: it must define a tag.
func (c *checker) bare(d *ast.Decl, base types.Type) {
	switch t := d.Base.(type) {
	case *ast.Struct:
		c.announce(t)
		return
	case *ast.Enum, *ast.BadType:
		return
	}
	if !types.IsInvalid(base) {
		c.errorf(d, diag.DeclUseless, "this declares nothing").Suggest("give it a name: %s x;", c.text(d.Base))
	}
}

func (c *checker) typedef(d *ast.Decl, n *ast.Declarator) {
	name := n.Name.Text
	t := c.typ(n.Type)
	if types.IsInvalid(t) {
		c.typedefs[name] = types.Bad
		return
	}
	if old, ok := c.typedefs[name]; ok {
		if !types.IsInvalid(old) && !(c.inHeader(n) && types.Identical(old, t)) {
			c.errorf(n.Name, diag.DeclRedef, "the type %s is declared twice", name)
		}
		return
	}
	if v := c.vars[varKey{ast.Global, name}]; v != nil {
		c.errorf(n.Name, diag.DeclRedef, "%s is a variable already", name).Note(v.First, "here")
		return
	}
	c.typedefs[name] = &types.Typedef{Name: name, Under: t, Aligned: c.aligned(n.Attrs.With(d.Attrs))}
}

// varDecl checks the declaration of one variable.
func (c *checker) varDecl(d *ast.Decl, n *ast.Declarator) {
	v := &Var{Name: n.Name.Text, Scope: scopeOf(d.Storage), First: n.Name.Span(), Declared: true}
	t := n.Type
	if a, ok := t.(*ast.Assoc); ok {
		if v.Scope == ast.This {
			c.errorf(n, diag.DeclLocalAssoc, "this->%s cannot be an associative array: this-> variables live for one firing", v.Name)
			return
		}
		for _, k := range a.Keys {
			v.Keys = append(v.Keys, c.declaredKey(k))
		}
		t = a.Elem
	}
	v.Type = c.typ(t)
	v.userland = ast.InUserland(t) && types.IsPointer(v.Type)
	v.User = v.userland
	if c.reserved(n, v) {
		return
	}
	if !c.declarable(n, v.Type) {
		v.Type, v.Keys = types.Bad, nil // known, so that its uses are not complained about
	}
	if old := c.vars[varKey{v.Scope, v.Name}]; old != nil {
		c.redeclared(n, v, old)
		return
	}
	c.addVar(v)
}

// declaredKey checks the type of a key in a declaration.
func (c *checker) declaredKey(k *ast.Param) types.Type {
	t := c.typ(k.Type)
	switch types.Resolve(t).(type) {
	case *types.Void, *types.Func:
		c.errorf(k, diag.DeclProtoType, "%s cannot be a key", t)
		return types.Bad
	}
	return t
}

func scopeOf(storage string) ast.Scope {
	switch storage {
	case "self":
		return ast.Self
	case "this":
		return ast.This
	}
	return ast.Global
}

// reserved complains if v takes a name that is not free.
func (c *checker) reserved(n *ast.Declarator, v *Var) bool {
	if v.Scope != ast.Global {
		return false
	}
	_, isInline := c.inlines[v.Name]
	switch {
	case builtinTable[v.Name] != nil && c.library == nil:
		c.errorf(n.Name, diag.DeclRedef, "%s is a built-in variable", v.Name).Suggest("choose another name")
	case takesName(v.Name):
		c.errorf(n.Name, diag.DeclRedef, "%s is a function of D", v.Name).Suggest("choose another name")
	case c.funcs[v.Name] != nil:
		c.errorf(n.Name, diag.DeclRedef, "%s is a function already", v.Name).Note(c.funcs[v.Name].AST.Decl.Names[0].Name.Span(), "here")
	case c.typedefs[v.Name] != nil || typedefTable[v.Name] != nil:
		c.errorf(n.Name, diag.DeclRedef, "%s is a type", v.Name).Suggest("choose another name")
	case isInline:
		c.errorf(n.Name, diag.DeclRedef, "%s is an inline already", v.Name)
	default:
		return false
	}
	return true
}

// declarable complains unless a variable can be of type t.
func (c *checker) declarable(n *ast.Declarator, t types.Type) bool {
	switch r := types.Resolve(t).(type) {
	case *types.Invalid:
		return true // the name is known, so that its uses are not complained about
	case *types.Void:
		c.errorf(n, diag.DeclVoid, "a variable cannot be void")
		return false
	case *types.Struct:
		if !r.Complete() {
			c.errorf(n, diag.DeclIncomplete, "nothing tells what is inside %s", t)
			return false
		}
	case *types.Array:
		if r.Len == 0 {
			c.errorf(n, diag.DeclArrayNull, "this array needs a length, or the types of its keys").
				Suggest("%s %s[int] is an associative array", r.Elem, n.Name.Text)
			return false
		}
	}
	return true
}

// redeclared complains unless a second declaration agrees with the first.
func (c *checker) redeclared(n *ast.Declarator, v, old *Var) {
	same := types.Identical(v.Type, old.Type) && len(v.Keys) == len(old.Keys)
	for i := range v.Keys {
		same = same && types.Identical(v.Keys[i], old.Keys[i])
	}
	if same || types.IsInvalid(v.Type) || types.IsInvalid(old.Type) {
		return
	}
	c.errorf(n, diag.DeclRedef, "%s is declared again, and differently", shownName(old)).
		Note(old.First, "it was %s here", article(old.Type))
}
