package check

import (
	"dscope.dev/dlang/ast"
	"dscope.dev/dlang/diag"
	"dscope.dev/dlang/types"
)

// A hiding is a local variable, and what its name meant before.
type hiding struct {
	local *Var
	was   *Var // nil if the name meant no variable
}

// bindLocal lets a name mean v until its block ends.
func (c *checker) bindLocal(v *Var) {
	key := varKey{ast.Global, v.Name}
	c.hidden = append(c.hidden, hiding{v, c.vars[key]})
	v.Index = len(c.prog.Vars)
	c.prog.Vars = append(c.prog.Vars, v)
	c.vars[key] = v
}

// scope begins a block, and returns what ends it: names then mean again what
// they did before.
func (c *checker) scope() func() {
	outer := c.scopeFrom
	c.scopeFrom = len(c.hidden)
	return func() {
		for len(c.hidden) > c.scopeFrom {
			h := c.hidden[len(c.hidden)-1]
			c.hidden = c.hidden[:len(c.hidden)-1]
			if h.was == nil {
				delete(c.vars, varKey{ast.Global, h.local.Name})
			} else {
				c.vars[varKey{ast.Global, h.local.Name}] = h.was
			}
		}
		c.scopeFrom = outer
	}
}

// localDecl checks a declaration of variables that live until their block ends.
func (c *checker) localDecl(d *ast.Decl) {
	base := c.typ(d.Base)
	if len(d.Names) == 0 {
		c.bare(d, base)
		return
	}
	for _, n := range d.Names {
		if n.Name != nil {
			c.localVar(n)
		}
	}
}

// localVar checks one local variable. Its first value is checked before its
// name is known.
func (c *checker) localVar(n *ast.Declarator) {
	v := &Var{Name: n.Name.Text, Scope: ast.Local, First: n.Name.Span(), Declared: true}
	if _, ok := n.Type.(*ast.Assoc); ok {
		c.errorf(n, diag.DeclLocalAssoc, "%s cannot be an associative array: local variables live until their block ends", v.Name).
			Suggest("declare it before the clause")
		v.Type = types.Bad
	} else if v.Type = c.typ(n.Type); !c.declarable(n, v.Type) {
		v.Type = types.Bad
	}
	rt := types.Type(types.Bad)
	if n.Init != nil {
		rt = c.value(n.Init)
	}
	c.prog.Locals[n] = v
	if !c.localName(n, v) {
		return
	}
	if n.Init == nil || types.IsInvalid(v.Type) || types.IsInvalid(rt) {
		return
	}
	if !c.converts(v.Type, rt, nil, n.Init) {
		c.errorf(n.Init, diag.OpIncompat, "%s cannot hold %s: it is %s", v.Name, rt, article(v.Type))
		return
	}
	c.pointAt(v, n, n.Init)
	c.squeezed(n.Init, v.Type, v.Name)
}

// localName gives v its name, if that is free in its block. It may hide a variable
// of the script, but not what the language has there, which old hands expect; a
// function is told from a variable by its parentheses.
func (c *checker) localName(n *ast.Declarator, v *Var) bool {
	switch {
	case v.Name == "":
		return false
	case builtinTable[v.Name] != nil:
		c.errorf(n.Name, diag.DeclRedef, "%s is a built-in variable", v.Name).Suggest("choose another name")
		return false
	case c.typedefs[v.Name] != nil || typedefTable[v.Name] != nil:
		c.errorf(n.Name, diag.DeclRedef, "%s is a type", v.Name).Suggest("choose another name")
		return false
	}
	for _, h := range c.hidden[c.scopeFrom:] {
		if h.local.Name == v.Name {
			c.errorf(n.Name, diag.DeclRedef, "%s is declared twice in this block", v.Name).Note(h.local.First, "here first")
			return false
		}
	}
	c.bindLocal(v)
	return true
}
