package parser

import (
	"dscope.dev/dlang/ast"
	"dscope.dev/dlang/diag"
	"dscope.dev/dlang/token"
)

// startsLocal reports whether a declaration begins here, inside of a clause.
func (p *parser) startsLocal() bool {
	switch k := p.tok.Kind; k {
	case token.KwSelf, token.KwThis:
		next := p.peek(1)
		return isTypeWord(next) || next == token.Ident
	case token.KwTypedef, token.KwExtern, token.KwStatic, token.KwAuto, token.KwRegister, token.KwInline:
		return true
	case token.Ident, token.KSym:
		if p.isTypeof(0) {
			return true
		}
		return p.namesType() && p.names.typeNamed(p.text())
	default:
		return isTypeWord(k)
	}
}

// namesType reports whether the name here is followed by what it would be the
// type of: another name in the same line, perhaps after stars. Multiplying for
// nothing is no action that anybody writes.
func (p *parser) namesType() bool {
	i := 1
	for p.peek(i) == token.Star {
		i++
	}
	if p.peek(i) != token.Ident {
		return false
	}
	here, _ := p.file.Position(p.tok.Span.From)
	there, _ := p.file.Position(p.toks[p.next-1+i].Span.From)
	if i == 1 {
		return here == there && p.tok.Span.To < p.toks[p.next].Span.From
	}
	switch p.peek(i + 1) {
	case token.Assign, token.Semicolon, token.Comma:
		return here == there
	}
	return false
}

// localDecl parses a declaration of variables that live in the block.
func (p *parser) localDecl() ast.Stmt {
	start := p.tok.Span
	if k := p.tok.Kind; isStorage(k) || k == token.KwInline {
		d := p.complain(start, diag.Syntax, "%s cannot stand inside of a clause or function", p.text())
		if k == token.KwSelf || k == token.KwThis {
			d.Suggest("declare the variable before the clause, or just assign to it: %s->x = …", p.text())
		} else {
			d.Suggest("declare it before the clause")
		}
		p.skipAction()
		return &ast.BadStmt{At: p.from(start.From)}
	}
	s := &ast.DeclStmt{}
	p.local = true
	s.Decl = p.decl(false)
	p.local = false
	if !p.silent {
		p.want(token.Semicolon, "after the declaration")
	}
	s.At = p.from(start.From)
	s.Decl.At = s.At
	return s
}
