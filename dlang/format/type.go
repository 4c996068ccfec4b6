package format

import (
	"strings"

	"dscope.dev/dlang/ast"
)

// join puts a blank between two words, either of which may be empty.
func join(a, b string) string {
	if a == "" || b == "" {
		return a + b
	}
	return a + " " + b
}

// decl prints a declaration with its semicolon. The members of a struct that it
// defines have a line each.
func (p *printer) decl(d *ast.Decl) {
	if d.Storage != "" {
		p.text(d.Storage + " ")
	}
	switch t := d.Base.(type) {
	case *ast.Struct:
		p.text(p.head(t))
		if t.Defined {
			p.text(" ")
			p.open(p.braceAfter(t.From))
			for _, m := range t.Members {
				p.lead(m.From, false)
				p.decl(m)
				p.trail(m.To)
			}
			p.close(t.To)
		}
	case *ast.Enum:
		p.text(p.head(t))
		if t.Defined {
			p.text(" ")
			p.open(p.braceAfter(t.From))
			for i, v := range t.Values {
				p.lead(v.From, false)
				p.text(p.enumerator(v))
				if i < len(t.Values)-1 {
					p.text(",")
				}
				p.trail(v.To)
			}
			p.close(t.To)
		}
	default:
		p.text(p.base(d.Base))
	}
	for i, n := range d.Names {
		if i > 0 {
			p.text(",")
		}
		p.text(" " + p.declared(n))
		if n.Init != nil {
			p.text(" = ")
			p.expr(n.Init)
		}
	}
	p.text(";")
}

// declared returns one name of a declaration as it is declared.
func (p *printer) declared(n *ast.Declarator) string {
	name := ""
	if n.Name != nil {
		name = n.Name.Text
		if n.KSym && !strings.Contains(name, "`") {
			name = "`" + name
		}
	}
	_, text := p.declarator(n.Type, name)
	if n.Bits != nil {
		text += ":" + p.flatExpr(n.Bits)
	}
	return text
}

// head returns what stands before the braces of a struct, union or enum.
func (p *printer) head(t ast.Type) string {
	word, module, tag, quals := "struct", "", "", ast.Quals(0)
	switch t := t.(type) {
	case *ast.Struct:
		module, tag, quals = t.Module, t.Tag, t.Quals
		if t.Union {
			word = "union"
		}
	case *ast.Enum:
		word, module, tag, quals = "enum", t.Module, t.Tag, t.Quals
	}
	return join(quals.String(), join(word, scoped(module, tag)))
}

func scoped(module, name string) string {
	if module == "" {
		return name
	}
	return module + "`" + name
}

func (p *printer) enumerator(v *ast.Enumerator) string {
	if v.Value == nil {
		return v.Name.Text
	}
	return v.Name.Text + " = " + p.flatExpr(v.Value)
}

// base returns a type that is no pointer, array or function, in one line.
func (p *printer) base(t ast.Type) string {
	switch t := t.(type) {
	case *ast.Basic:
		return join(t.Quals.String(), strings.Join(t.Words, " "))
	case *ast.Named:
		return join(t.Quals.String(), scoped(t.Module, t.Name))
	case *ast.Typeof:
		return join(t.Quals.String(), p.typeof(t))
	case *ast.Struct:
		if !t.Defined {
			return p.head(t)
		}
		sub := &printer{file: p.file, flat: true}
		sub.text(p.head(t) + " {")
		for _, m := range t.Members {
			sub.text(" " + p.flatDecl(m))
		}
		return sub.out.String() + " }"
	case *ast.Enum:
		if !t.Defined {
			return p.head(t)
		}
		var values []string
		for _, v := range t.Values {
			values = append(values, p.enumerator(v))
		}
		return p.head(t) + " { " + strings.Join(values, ", ") + " }"
	case *ast.BadType:
		return strings.TrimSpace(p.file.Text(t.Span()))
	default:
		panic("format: unknown type")
	}
}

// flatDecl returns a declaration in one line.
func (p *printer) flatDecl(d *ast.Decl) string {
	var names []string
	for _, n := range d.Names {
		names = append(names, p.declared(n))
	}
	return join(d.Storage, join(p.base(d.Base), strings.Join(names, ", "))) + ";"
}

// declarator returns the type with which a declaration of t begins, and what
// follows it to declare inner as t: C writes types inside out.
func (p *printer) declarator(t ast.Type, inner string) (base ast.Type, text string) {
	for {
		switch n := t.(type) {
		case *ast.Pointer:
			inner = "*" + join(n.Quals.String(), inner)
			switch n.Elem.(type) {
			case *ast.Array, *ast.Assoc, *ast.Func:
				inner = "(" + inner + ")"
			}
			t = n.Elem
		case *ast.Array:
			length := ""
			if n.Len != nil {
				length = p.flatExpr(n.Len)
			}
			inner, t = inner+"["+length+"]", n.Elem
		case *ast.Assoc:
			inner, t = inner+"["+p.params(n.Keys, false)+"]", n.Elem
		case *ast.Func:
			inner, t = inner+"("+p.params(n.Params, n.Variadic)+")", n.Result
		default:
			return t, inner
		}
	}
}

// typ returns a type without a name, as in a cast.
func (p *printer) typ(t ast.Type) string {
	base, text := p.declarator(t, "")
	return join(p.base(base), text)
}

// params returns the parameters of a function or the keys of an array.
func (p *printer) params(list []*ast.Param, variadic bool) string {
	var words []string
	for _, param := range list {
		name := ""
		if param.Name != nil {
			name = param.Name.Text
		}
		base, text := p.declarator(param.Type, name)
		words = append(words, join(p.base(base), text))
	}
	if variadic {
		words = append(words, "...")
	}
	return strings.Join(words, ", ")
}

// flatExpr returns an expression in one line, without its comments.
func (p *printer) flatExpr(x ast.Expr) string {
	sub := &printer{file: p.file, flat: true}
	sub.expr(x)
	return sub.out.String()
}

func (p *printer) typeof(t *ast.Typeof) string {
	if t.X == nil {
		return "typeof(" + p.typ(t.Type) + ")"
	}
	return "typeof(" + p.flatExpr(t.X) + ")"
}
