package parser

import (
	"dscope.dev/dlang/ast"
	"dscope.dev/dlang/diag"
	"dscope.dev/dlang/token"
)

// A naming says whether a declarator names something.
type naming uint8

const (
	named   naming = iota // a variable, a member, …: it must
	unnamed               // the name of a type: it must not
	perhaps               // a parameter
)

// A declr is a declarator. C writes types inside out: what is read first applies
// last. So a declarator is kept as the function that makes the whole type of
// the type to which it is applied.
type declr struct {
	name *ast.Name // nil if there is none
	ksym bool
	wrap func(ast.Type) ast.Type
}

// nameOr returns the name, or an empty one where the declarator has none, which
// has been complained about.
func (d declr) nameOr(p *parser) *ast.Name {
	if d.name == nil {
		return &ast.Name{At: p.from(p.tok.Span.From)}
	}
	return d.name
}

// declarator parses * const name[3](int) and the like.
func (p *parser) declarator(n naming) declr {
	if !p.enter() {
		return declr{wrap: func(t ast.Type) ast.Type { return t }}
	}
	defer p.leave()
	var pointers []*ast.Pointer
	links := 0
	for p.tok.Kind == token.Star && p.link(&links) {
		ptr := &ast.Pointer{At: ast.At(p.tok.Span)}
		p.advance()
		for q := qualifier(p.tok.Kind); q != 0; q = qualifier(p.tok.Kind) {
			ptr.Quals |= q
			p.advance()
		}
		p.attributes(&ast.Attrs{})
		pointers = append(pointers, ptr)
	}
	d := p.directDeclarator(n)
	inner, suffixes := d.wrap, p.suffixes()
	d.wrap = func(t ast.Type) ast.Type {
		for _, ptr := range pointers {
			ptr.Elem, ptr.At = t, ast.At(t.Span().Join(ptr.Span()))
			t = ptr
		}
		for i := len(suffixes) - 1; i >= 0; i-- {
			t = suffixes[i](t)
		}
		return inner(t)
	}
	return d
}

// directDeclarator parses a name or a declarator in parentheses.
func (p *parser) directDeclarator(n naming) declr {
	d := declr{wrap: func(t ast.Type) ast.Type { return t }}
	switch {
	case n != unnamed && (p.tok.Kind == token.Ident || p.tok.Kind == token.KSym):
		_, name := splitSym(p.text())
		d.name = &ast.Name{Text: name, At: ast.At(p.tok.Span)}
		d.ksym = p.tok.Kind == token.KSym
		if d.ksym {
			d.name.Text = p.text()
			if d.name.Text[0] == '`' {
				d.name.Text = name
			}
		}
		p.advance()
	case p.tok.Kind == token.LParen && p.nestsDeclarator(n):
		p.advance()
		d = p.declarator(n)
		p.want(token.RParen, "to close the declarator")
	case n == named:
		p.expectedName("a name", "to declare")
	}
	return d
}

// nestsDeclarator reports whether the parenthesis here holds a declarator, not
// the parameters of a function that has no name.
func (p *parser) nestsDeclarator(n naming) bool {
	if n == named {
		return true
	}
	switch k := p.peek(1); k {
	case token.Star, token.LParen, token.LBracket:
		return true
	case token.Ident:
		return n == perhaps && !p.names.typeNamed(p.file.Text(p.toks[p.next].Span))
	}
	return false
}

// suffixes parses the [ ] and ( ) that follow the name of a declarator.
func (p *parser) suffixes() []func(ast.Type) ast.Type {
	var list []func(ast.Type) ast.Type
	for links := 0; !p.silent && p.link(&links); {
		start := p.tok.Span.From
		switch p.tok.Kind {
		case token.LBracket:
			list = append(list, p.arraySuffix(start))
		case token.LParen:
			p.advance()
			params, variadic := p.params(token.RParen)
			at := p.from(start)
			list = append(list, func(t ast.Type) ast.Type {
				return &ast.Func{Result: t, Params: params, Variadic: variadic, At: ast.At(t.Span().Join(token.Span(at)))}
			})
		default:
			return list
		}
	}
	return list
}

// arraySuffix parses [], [length] or [key type, key type].
func (p *parser) arraySuffix(start token.Pos) func(ast.Type) ast.Type {
	p.advance()
	p.foreignLength()
	if p.keysFollow() {
		keys, _ := p.params(token.RBracket)
		at := p.from(start)
		return func(t ast.Type) ast.Type {
			return &ast.Assoc{Elem: t, Keys: keys, At: ast.At(t.Span().Join(token.Span(at)))}
		}
	}
	var length ast.Expr
	if p.tok.Kind == token.Ellipsis {
		p.variableKeys()
	} else if p.tok.Kind != token.RBracket {
		length = p.cond()
	}
	p.want(token.RBracket, "after the length of the array")
	at := p.from(start)
	return func(t ast.Type) ast.Type {
		return &ast.Array{Elem: t, Len: length, At: ast.At(t.Span().Join(token.Span(at)))}
	}
}

// keysFollow tells the types of an associative array from the length of an array.
func (p *parser) keysFollow() bool {
	switch k := p.tok.Kind; k {
	case token.Ident, token.KSym:
		switch p.peek(1) {
		case token.LParen:
			return p.isTypeof(0)
		case token.Comma, token.Ident:
			return true
		case token.Star:
			return p.isTypeShape(0)
		}
		return p.names.typeNamed(p.text())
	default:
		return isTypeWord(k)
	}
}

// params parses parameters up to and including the token that closes them.
// (void) has none.
func (p *parser) params(closing token.Kind) (list []*ast.Param, variadic bool) {
	if p.got(closing) {
		return nil, false
	}
	if closing == token.RParen && p.tok.Kind == token.KwVoid && p.peek(1) == closing {
		p.advance()
		p.advance()
		return nil, false
	}
	if !p.enter() {
		return nil, false
	}
	defer p.leave()
	for !p.silent {
		if closing == token.RParen && p.got(token.Ellipsis) {
			variadic = true
			break
		}
		if p.tok.Kind == token.Ellipsis {
			p.variableKeys()
			break
		}
		list = append(list, p.param())
		if !p.got(token.Comma) {
			break
		}
	}
	p.want(closing, "after the types")
	return list, variadic
}

// variableKeys complains about ... among the keys of an array.
func (p *parser) variableKeys() {
	p.complain(p.tok.Span, diag.DeclVarKeys, "an array has as many keys as its declaration says").
		Suggest("name the types of the keys: [int, string]")
	p.advance()
}

func (p *parser) param() *ast.Param {
	start := p.tok.Span.From
	spec := p.declSpec()
	if spec.storage != "" {
		p.complain(token.Span{From: start, To: p.last.Span.To}, diag.DeclParamClass, "a parameter has no storage class %s", spec.storage)
	}
	d := p.declarator(perhaps)
	p.attributes(&ast.Attrs{})
	return &ast.Param{Type: d.wrap(spec.base), Name: d.name, At: p.from(start)}
}

// typeName parses a type without a name, as in a cast.
func (p *parser) typeName() ast.Type {
	spec := p.declSpec()
	if spec.storage != "" {
		p.complain(p.last.Span, diag.DeclClass, "the storage class %s has no meaning here", spec.storage)
	}
	return p.declarator(unnamed).wrap(spec.base)
}
