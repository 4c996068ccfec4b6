package parser

import (
	"dscope.dev/dlang/ast"
	"dscope.dev/dlang/diag"
	"dscope.dev/dlang/token"
)

// tag reads the tag of a struct, union or enum, if there is one.
func (p *parser) tag() (module, name string) {
	if p.tok.Kind != token.Ident && p.tok.Kind != token.KSym {
		return "", ""
	}
	module, name = splitSym(p.text())
	if module != "" && p.peek(1) == token.LBrace {
		p.complain(p.tok.Span, diag.Syntax, "a script cannot define types of the module %s", module).Suggest("leave the module out: %s", name)
		module = ""
	}
	p.advance()
	return module, name
}

func (p *parser) structType() ast.Type {
	start := p.tok.Span.From
	s := &ast.Struct{Union: p.tok.Kind == token.KwUnion}
	word := p.text()
	p.advance()
	p.attributes(&s.Attrs)
	s.Module, s.Tag = p.tag()
	if p.tok.Kind != token.LBrace {
		if s.Tag == "" {
			p.expected("a tag or {", "after "+word)
		}
		s.At = p.from(start)
		return s
	}
	s.Defined = true
	if !p.enter() {
		s.At = p.from(start)
		return s
	}
	defer p.leave()
	p.advance()
	for p.tok.Kind != token.RBrace && p.tok.Kind != token.EOF && p.tok.Kind != token.Probe {
		first := p.next
		if !p.got(token.Semicolon) && !p.staticAssert() {
			m := p.decl(true)
			p.endAction("after the member")
			m.To = max(m.To, p.last.Span.To)
			s.Members = append(s.Members, m)
		}
		if p.next == first {
			p.advance()
		}
	}
	s.Pack = p.packing()
	p.want(token.RBrace, "to end the "+word)
	p.attributes(&s.Attrs)
	s.At = p.from(start)
	return s
}

func (p *parser) enumType() ast.Type {
	start := p.tok.Span.From
	p.advance()
	e := &ast.Enum{}
	p.attributes(&e.Attrs)
	e.Module, e.Tag = p.tag()
	if !p.got(token.LBrace) {
		if e.Tag == "" {
			p.expected("a tag or {", "after enum")
		}
		e.At = p.from(start)
		return e
	}
	e.Defined = true
	for !p.silent && p.tok.Kind != token.RBrace {
		v := &ast.Enumerator{Name: p.name("the name of an enumerator")}
		p.attributes(&ast.Attrs{})
		if !p.silent && p.got(token.Assign) {
			v.Value = p.cond()
		}
		v.At = p.from(v.Name.From)
		e.Values = append(e.Values, v)
		if !p.got(token.Comma) {
			break
		}
	}
	p.want(token.RBrace, "to end the enum")
	p.attributes(&e.Attrs)
	e.At = p.from(start)
	return e
}
