package parser

import (
	"dscope.dev/dlang/ast"
	"dscope.dev/dlang/token"
)

// isCast reports whether the parenthesis at the current token begins a cast.
func (p *parser) isCast() bool { return p.isTypeInParens(true) }

// isSizeofType reports whether that parenthesis, after sizeof, holds a type.
func (p *parser) isSizeofType() bool { return p.isTypeInParens(false) }

// isTypeInParens reports whether the parenthesis at the current token holds a
// type. operand says whether an operand must follow, as for a cast and not
// for sizeof.
func (p *parser) isTypeInParens(operand bool) bool {
	k := p.peek(1)
	if isTypeWord(k) {
		return true
	}
	if k != token.Ident && k != token.KSym {
		return false
	}
	if p.isTypeof(1) {
		return true
	}
	text := p.file.Text(p.toks[p.next].Span)
	if p.peek(2) != token.RParen {
		// (name *) is no expression; (name * x) and (name (*)(int)) ask for the name.
		return p.isTypeShape(1) || p.peek(2) == token.LParen && p.peek(3) == token.Star &&
			p.names.typeNamed(text)
	}
	if !operand {
		return p.names.typeNamed(text)
	}
	switch p.peek(3) {
	case token.Ident, token.KSym, token.Agg, token.Macro, token.Int, token.Float, token.Char, token.String,
		token.KwSelf, token.KwThis, token.KwSizeof, token.KwStringof, token.KwXlate, token.KwOffsetof,
		token.Tilde, token.Not:
		return true // no expression goes on like this after its parenthesis
	case token.LParen, token.Minus, token.Plus, token.Star, token.Amp, token.Inc, token.Dec:
		return p.names.typeNamed(text)
	}
	return false
}

// isTypeShape reports whether the name that is n tokens away has stars and then
// a parenthesis, bracket or comma after it, as only a type has.
func (p *parser) isTypeShape(n int) bool {
	i := n + 1
	for p.peek(i) == token.Star || qualifier(p.peek(i)) != 0 {
		i++
	}
	if i == n+1 {
		return false
	}
	switch p.peek(i) {
	case token.RParen, token.RBracket, token.Comma:
		return true
	}
	return false
}

// isTypeof reports whether the token that is n tokens away begins typeof(…). The
// word is none that D reserves: a script may call a variable so.
func (p *parser) isTypeof(n int) bool {
	if p.peek(n+1) != token.LParen || p.peek(n) != token.Ident {
		return false
	}
	switch p.file.Text(p.toks[p.next+n-1].Span) {
	case "typeof":
		return true
	case "__typeof__", "__typeof":
		return p.preprocessed
	}
	return false
}

// typeofType parses typeof(expression) or typeof(type).
func (p *parser) typeofType() ast.Type {
	start := p.tok.Span.From
	p.advance()
	t := &ast.Typeof{}
	if p.isSizeofType() {
		p.advance()
		t.Type = p.typeName()
	} else {
		p.advance()
		t.X = p.expr()
	}
	p.want(token.RParen, "to close typeof(")
	t.At = p.from(start)
	return t
}
