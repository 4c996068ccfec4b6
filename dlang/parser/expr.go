package parser

import (
	"dscope.dev/dlang/ast"
	"dscope.dev/dlang/diag"
	"dscope.dev/dlang/scanner"
	"dscope.dev/dlang/token"
)

// precedence gives the binding strength of binary operators; 0 is none. It is
// C's table with ^^ between && and ||.
var precedence = [...]uint8{
	token.OrOr: 1, token.XorXor: 2, token.AndAnd: 3, token.Pipe: 4, token.Caret: 5, token.Amp: 6,
	token.Eq: 7, token.Ne: 7, token.Lt: 8, token.Le: 8, token.Gt: 8, token.Ge: 8,
	token.Shl: 9, token.Shr: 9, token.Plus: 10, token.Minus: 10,
	token.Star: 11, token.Slash: 11, token.Percent: 11,
}

func prec(k token.Kind) uint8 {
	if int(k) < len(precedence) {
		return precedence[k]
	}
	return 0
}

// badExpr stands where an expression should.
func (p *parser) badExpr() ast.Expr {
	return &ast.BadExpr{At: p.from(p.tok.Span.From)}
}

// expr parses an expression, comma operators included.
func (p *parser) expr() ast.Expr {
	x := p.assignment()
	for links := 0; !p.silent && p.tok.Kind == token.Comma && p.link(&links); {
		x = p.binaryRest(x, p.assignment)
	}
	return x
}

// binaryRest parses an operator and its right side.
func (p *parser) binaryRest(x ast.Expr, right func() ast.Expr) ast.Expr {
	op := p.tok
	p.advance()
	y := right()
	return &ast.Binary{Op: op.Kind, OpPos: op.Span, X: x, Y: y, At: ast.At(x.Span().Join(y.Span()))}
}

// assignment parses x = y, or what binds tighter.
func (p *parser) assignment() ast.Expr {
	if !p.enter() {
		return p.badExpr()
	}
	defer p.leave()
	x := p.cond()
	if p.silent || !p.tok.Kind.IsAssign() {
		return x
	}
	if id, ok := x.(*ast.Ident); ok {
		p.names.assign(id.Name)
	}
	op := p.tok
	p.advance()
	y := p.assignment()
	return &ast.Assign{Op: op.Kind, OpPos: op.Span, X: x, Y: y, At: ast.At(x.Span().Join(y.Span()))}
}

// cond parses cond ? then : otherwise, or what binds tighter.
func (p *parser) cond() ast.Expr {
	if !p.enter() {
		return p.badExpr()
	}
	defer p.leave()
	x := p.binary(1)
	if p.silent || p.tok.Kind != token.Question {
		return x
	}
	open := p.tok.Span
	p.advance()
	c := &ast.Cond{Cond: x, Then: p.expr()}
	if !p.silent && p.tok.Kind != token.Colon {
		p.expected(":", "in the conditional expression").Note(open, "its ? is here")
	}
	if p.silent {
		c.Else = p.badExpr()
	} else {
		p.advance()
		c.Else = p.cond()
	}
	c.At = ast.At(x.Span().Join(c.Else.Span()))
	return c
}

// binary parses operators that bind at least as tight as least.
func (p *parser) binary(least uint8) ast.Expr {
	x := p.unary()
	for links := 0; !p.silent && p.link(&links); {
		n := prec(p.tok.Kind)
		if n < least || n == 0 || p.predicate && p.closesPredicate() {
			return x
		}
		x = p.binaryRest(x, func() ast.Expr { return p.binary(n + 1) })
	}
	return x
}

// unary parses prefix operators, casts and sizeof, or what binds tighter.
func (p *parser) unary() ast.Expr {
	if p.silent || !p.enter() {
		return p.badExpr()
	}
	defer p.leave()
	start, op := p.tok.Span.From, p.tok.Kind
	switch op {
	case token.Minus, token.Plus, token.Not, token.Tilde, token.Star, token.Amp, token.Inc, token.Dec,
		token.KwStringof:
		p.advance()
		x := p.unary()
		return &ast.Unary{Op: op, X: x, At: p.from(start)}
	case token.KwSizeof:
		return p.sizeof()
	case token.LParen:
		if p.isCast() {
			p.advance()
			c := &ast.Cast{Type: p.typeName()}
			if p.want(token.RParen, "after the type of the cast") {
				c.X = p.unary()
			} else {
				c.X = p.badExpr()
			}
			c.At = p.from(start)
			return c
		}
	}
	return p.postfix(p.primary())
}

func (p *parser) sizeof() ast.Expr {
	s := &ast.Sizeof{}
	start := p.tok.Span.From
	p.advance()
	if p.tok.Kind == token.LParen && p.isSizeofType() {
		p.advance()
		s.Type = p.typeName()
		p.want(token.RParen, "after the type")
	} else {
		s.X = p.unary()
	}
	s.At = p.from(start)
	return s
}

// postfix parses what may follow an operand: members, indexes, ++ and --.
func (p *parser) postfix(x ast.Expr) ast.Expr {
	for links := 0; !p.silent && p.link(&links); {
		start := x.Span().From
		switch p.tok.Kind {
		case token.Dot, token.Arrow:
			arrow := p.tok.Kind == token.Arrow
			p.advance()
			x = &ast.Member{X: x, Arrow: arrow, Name: p.memberName()}
			x.(*ast.Member).At = p.from(start)
		case token.LBracket:
			p.advance()
			n := &ast.Index{X: x, Args: p.args(token.RBracket)}
			if len(n.Args) == 0 {
				p.complain(token.Span{From: start, To: p.last.Span.To}, diag.Syntax, "expected an index between the brackets")
			}
			n.At = p.from(start)
			x = n
		case token.Inc, token.Dec:
			op := p.tok.Kind
			p.advance()
			x = &ast.Postfix{Op: op, X: x, At: p.from(start)}
		case token.LParen:
			say := p.fail(x.Span(), diag.Syntax, "only a function can be called")
			if agg, ok := x.(*ast.AggRef); ok && agg.Keys == nil {
				say.Suggest("an aggregation is filled by one: @ = %s()", agg.Name)
			}
			return x
		default:
			return x
		}
	}
	return x
}

// memberName reads the name of a member, which may be a macro argument.
func (p *parser) memberName() *ast.Name {
	if p.tok.Kind == token.Macro {
		n := &ast.Name{Text: p.text(), At: ast.At(p.tok.Span)}
		p.advance()
		return n
	}
	if p.preprocessed && isOwnWord(p.tok.Kind) {
		p.tok.Kind = token.Ident // a member of a struct of C
	}
	return p.name("the name of a member")
}

// args parses expressions with commas between up to and including the token that
// closes them.
func (p *parser) args(closing token.Kind) []ast.Expr {
	var list []ast.Expr
	for n := 0; !p.silent && p.tok.Kind != closing; {
		if !p.link(&n) {
			break
		}
		list = append(list, p.assignment())
		if p.silent || !p.got(token.Comma) {
			break
		}
		if p.tok.Kind == closing {
			p.expected("another value", "after the comma")
		}
	}
	if !p.got(closing) {
		d := p.expected(", or "+closing.String(), "after the value")
		if p.last.Kind == token.String && p.tok.Kind == token.String {
			d.Suggest("D does not join strings that stand side by side; make them one")
		}
	}
	return list
}

// primary parses an operand.
func (p *parser) primary() ast.Expr {
	at, text := ast.At(p.tok.Span), p.text()
	switch p.tok.Kind {
	case token.Ident, token.Macro:
		if p.isAlignof() {
			return p.alignof()
		}
		if p.peek(1) == token.LParen {
			return p.call()
		}
		p.advance()
		return identOrMacro(text, at)
	case token.KSym:
		p.advance()
		module, name := splitSym(text)
		return &ast.KSym{Module: module, Name: name, At: at}
	case token.Agg:
		return p.aggRef()
	case token.KwSelf, token.KwThis:
		return p.variable()
	case token.Int:
		p.advance()
		lit, _ := scanner.Int(text) // the scanner has complained
		return &ast.Int{Text: text, Value: lit.Value, Unsigned: lit.Unsigned, Longs: lit.Longs, At: at}
	case token.Char:
		p.advance()
		v, _ := scanner.Char(text)
		return &ast.Char{Text: text, Value: v, At: at}
	case token.String:
		p.advance()
		return &ast.String{Text: text, Value: scanner.String(text), At: at}
	case token.Float, token.Bad:
		p.advance()
		return &ast.BadExpr{At: at}
	case token.LParen:
		p.advance()
		x := &ast.Paren{X: p.expr()}
		if !p.silent && p.tok.Kind != token.RParen {
			p.expected(")", "to close the parenthesis").Note(token.Span{From: at.From, To: at.To}, "it opens here")
		}
		p.got(token.RParen)
		x.At = p.from(at.From)
		return x
	case token.KwOffsetof:
		return p.offsetof()
	case token.KwXlate:
		return p.xlate()
	}
	p.noOperand()
	return p.badExpr()
}

// noOperand complains that an expression should begin here.
func (p *parser) noOperand() {
	switch {
	case isTypeWord(p.tok.Kind):
		p.expected("an expression", "").Suggest("a type stands in parentheses: (type)x, sizeof (type)")
	default:
		p.expectedName("an expression", "")
	}
}

func identOrMacro(text string, at ast.At) ast.Expr {
	switch {
	case text[0] != '$':
		return &ast.Ident{Name: text, At: at}
	case text[1] == '$':
		return &ast.Macro{Name: text[2:], Quoted: true, At: at}
	}
	return &ast.Macro{Name: text[1:], At: at}
}

// call parses f(args).
func (p *parser) call() ast.Expr {
	c := &ast.Call{Fn: &ast.Name{Text: p.text(), At: ast.At(p.tok.Span)}}
	p.advance()
	p.advance()
	c.Args = p.args(token.RParen)
	c.At = p.from(c.Fn.From)
	return c
}

// aggRef parses @name or @name[keys].
func (p *parser) aggRef() *ast.AggRef {
	a := &ast.AggRef{Name: p.text()[1:]}
	start := p.tok.Span.From
	p.advance()
	if p.got(token.LBracket) {
		a.Keys = p.args(token.RBracket)
		if len(a.Keys) == 0 {
			p.complain(token.Span{From: start, To: p.last.Span.To}, diag.Syntax, "expected a key between the brackets").
				Suggest("an aggregation without keys has no brackets: @%s", a.Name)
		}
	}
	a.At = p.from(start)
	return a
}

// variable parses self->name or this->name.
func (p *parser) variable() ast.Expr {
	v := &ast.Var{Scope: ast.Self}
	if p.tok.Kind == token.KwThis {
		v.Scope = ast.This
	}
	start, word := p.tok.Span.From, p.text()
	p.advance()
	if p.tok.Kind == token.Dot || p.tok.Kind == token.Minus {
		p.expected("->", "after "+word).Suggest("write %s->name", word)
	} else if p.want(token.Arrow, "after "+word) {
		v.Name = p.name("the name of a variable").Text
	}
	v.At = p.from(start)
	return v
}

func (p *parser) offsetof() ast.Expr {
	start := p.tok.Span.From
	n := &ast.Offsetof{}
	p.advance()
	p.want(token.LParen, "after offsetof")
	n.Type = p.typeName()
	p.want(token.Comma, "after the type")
	n.Member = p.memberName()
	p.want(token.RParen, "after the member")
	n.At = p.from(start)
	return n
}

func (p *parser) xlate() ast.Expr {
	start := p.tok.Span.From
	n := &ast.Xlate{}
	p.advance()
	p.want(token.Lt, "after xlate")
	n.Type = p.typeName()
	p.want(token.Gt, "after the type")
	if p.want(token.LParen, "before what is translated") {
		n.X = p.expr()
		p.want(token.RParen, "after what is translated")
	} else {
		n.X = p.badExpr()
	}
	n.At = p.from(start)
	return n
}
