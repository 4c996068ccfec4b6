package parser

import (
	"dscope.dev/dlang/ast"
	"dscope.dev/dlang/diag"
	"dscope.dev/dlang/token"
)

// body parses the braces of a clause that begins at start.
func (p *parser) body(start token.Span) *ast.Block {
	return p.block("the clause", start)
}

// block parses { action; action }. of says in a complaint what the braces
// belong to, and begin where that begins.
func (p *parser) block(of string, begin token.Span) *ast.Block {
	open := p.tok.Span.From
	b := &ast.Block{At: p.from(open)}
	if !p.enter() {
		return b
	}
	defer p.leave()
	defer p.names.forget(len(p.names.locals))
	p.want(token.LBrace, "to begin "+of)
	for p.tok.Kind != token.RBrace && p.tok.Kind != token.EOF && p.tok.Kind != token.Probe {
		first := p.next
		if !p.got(token.Semicolon) { // more of them than needed do no harm
			b.Stmts = p.stmt(b.Stmts)
		}
		if p.next == first {
			p.advance()
		}
	}
	if !p.got(token.RBrace) {
		p.expected("}", "to end "+of).Note(begin, "it begins here")
		p.silent = false
	}
	b.At = p.from(open)
	return b
}

// stmt parses one action, with its semicolon, and adds it to list. Actions that
// the comma operator joins, one of them filling an aggregation, are added one
// by one, which means the same.
func (p *parser) stmt(list []ast.Stmt) []ast.Stmt {
	start := p.tok.Span.From
	n := len(list)
	list = p.parseStmt(list)
	if p.silent {
		p.skipAction()
		if len(list) == n {
			list = append(list, &ast.BadStmt{At: p.from(start)})
		}
	}
	return list
}

func (p *parser) parseStmt(list []ast.Stmt) []ast.Stmt {
	switch p.tok.Kind {
	case token.LBrace:
		return append(list, p.block("the block", p.tok.Span))
	case token.KwIf:
		return append(list, p.ifStmt())
	case token.KwElse:
		p.fail(p.tok.Span, diag.Syntax, "this else has no if before it")
		return list
	}
	if p.startsLocal() {
		return append(list, p.localDecl())
	}
	if s := p.loop(); s != nil {
		return append(list, s)
	}
	if what := unsupported(p.tok.Kind); what != "" {
		return append(list, p.unsupported(what))
	}
	return p.action(list)
}

// unsupported returns what the statement that begins with k is, if it is one of
// C's that D does without.
func unsupported(k token.Kind) string {
	switch k {
	case token.KwSwitch, token.KwCase, token.KwDefault:
		return "switch"
	case token.KwGoto:
		return "goto"
	}
	return ""
}

// unsupported refuses a statement of C and skips the whole of it.
func (p *parser) unsupported(what string) ast.Stmt {
	start, kind := p.tok.Span, p.tok.Kind
	d := p.complain(start, diag.Unsupported, "dscope does not have %s yet", what)
	if kind == token.KwSwitch {
		d.Suggest("use if and else")
	}
	p.skipStmt()
	return &ast.BadStmt{At: p.from(start.From)}
}

// skipStmt skips a whole statement of C, with the statements that it governs.
func (p *parser) skipStmt() {
	if !p.enter() {
		return
	}
	defer p.leave()
	switch p.tok.Kind {
	case token.LBrace:
		p.skipBraces()
	case token.KwIf, token.KwFor, token.KwWhile, token.KwSwitch:
		isIf := p.tok.Kind == token.KwIf
		p.advance()
		p.skipParens()
		p.skipStmt()
		if isIf && p.got(token.KwElse) {
			p.skipStmt()
		}
	case token.KwDo:
		p.advance()
		p.skipStmt()
		if p.got(token.KwWhile) {
			p.skipParens()
			p.got(token.Semicolon)
		}
	default:
		p.skipAction()
	}
}

// skipParens skips a pair of parentheses with all between, if one begins here.
func (p *parser) skipParens() {
	for depth := 0; ; p.advance() {
		switch p.tok.Kind {
		case token.LParen:
			depth++
		case token.RParen:
			if depth--; depth <= 0 {
				if depth == 0 {
					p.advance()
				}
				return
			}
		case token.EOF, token.Probe, token.LBrace, token.RBrace:
			return
		}
		if depth == 0 {
			return
		}
	}
}

// skipBraces skips a pair of braces with all between.
func (p *parser) skipBraces() {
	for depth := 0; ; p.advance() {
		switch p.tok.Kind {
		case token.LBrace:
			depth++
		case token.RBrace:
			if depth--; depth == 0 {
				p.advance()
				return
			}
		case token.EOF, token.Probe:
			return
		}
	}
}

// ifStmt parses if (cond) then else otherwise.
func (p *parser) ifStmt() ast.Stmt {
	start := p.tok.Span
	s := &ast.If{}
	if !p.enter() {
		return &ast.BadStmt{At: p.from(start.From)}
	}
	defer p.leave()
	p.advance()
	if p.want(token.LParen, "after if") {
		s.Cond = p.expr()
		p.want(token.RParen, "after the condition")
	} else {
		s.Cond = p.badExpr()
	}
	if p.silent {
		p.skipCond()
	}
	s.Then = p.branch("if")
	if p.got(token.KwElse) {
		s.Else = p.branch("else")
	}
	s.At = p.from(start.From)
	return s
}

// skipCond moves from a broken condition to where its branch may begin.
func (p *parser) skipCond() {
	p.silent = false
	for ; ; p.advance() {
		switch p.tok.Kind {
		case token.EOF, token.Probe, token.LBrace, token.RBrace, token.Semicolon:
			return
		case token.RParen:
			if p.peek(1) == token.LBrace {
				p.advance()
				return
			}
		}
	}
}

// branch parses what an if or else does: a block or a single action.
func (p *parser) branch(of string) ast.Stmt {
	start := p.tok.Span.From
	switch p.tok.Kind {
	case token.LBrace:
		return p.block("the "+of, p.tok.Span)
	case token.Semicolon:
		p.advance()
		return &ast.Empty{At: p.from(start)}
	case token.RBrace, token.EOF, token.Probe:
		p.expected("an action", "after the "+of)
		p.silent = false
		return &ast.BadStmt{At: p.from(start)}
	}
	list := p.stmt(nil)
	if len(list) == 1 {
		return list[0]
	}
	return &ast.Block{Stmts: list, At: p.from(start)}
}

// action parses the expressions of one action and its semicolon.
func (p *parser) action(list []ast.Stmt) []ast.Stmt {
	start := p.tok.Span.From
	n := len(list)
	var pending ast.Expr // joined by commas so far
	flush := func() {
		if pending != nil {
			list = append(list, &ast.ExprStmt{X: pending, At: ast.At(pending.Span())})
			pending = nil
		}
	}
	for links := 0; ; {
		var comma token.Span
		if pending != nil {
			comma = p.last.Span
		}
		if s := p.aggAssign(); s != nil {
			flush()
			list = append(list, s)
		} else if x := p.assignment(); pending == nil {
			pending = x
		} else {
			at := ast.At(pending.Span().Join(x.Span()))
			pending = &ast.Binary{Op: token.Comma, OpPos: comma, X: pending, Y: x, At: at}
		}
		if p.silent || !p.got(token.Comma) || !p.link(&links) {
			break
		}
	}
	flush()
	p.endStmt(start)
	if len(list) == n+1 { // the semicolon is part of the action
		setEnd(list[n], p.last.Span.To)
	}
	return list
}

// setEnd moves the end of an action.
func setEnd(s ast.Stmt, to token.Pos) {
	switch s := s.(type) {
	case *ast.ExprStmt:
		s.To = max(s.To, to)
	case *ast.AggAssign:
		s.To = max(s.To, to)
	}
}

// endStmt reads what ends an action. The last one needs no semicolon.
func (p *parser) endStmt(start token.Pos) {
	if p.silent || p.tok.Kind == token.RBrace || p.got(token.Semicolon) {
		return
	}
	if p.tok.Kind == token.EOF || p.tok.Kind == token.Probe {
		return // the missing brace is worth the complaint
	}
	p.want(token.Semicolon, "after the action")
	if _, next := p.newLine(); next {
		p.silent = false // the next action begins here
	}
}

// aggAssign parses @name[keys] = fn(args), or returns nil and reads nothing if
// what stands here is something else.
func (p *parser) aggAssign() ast.Stmt {
	if p.tok.Kind != token.Agg {
		return nil
	}
	if at := p.assignsAgg(); at == 0 || p.choosesFn(at+1) {
		return nil
	}
	start := p.tok.Span.From
	s := &ast.AggAssign{Agg: p.aggRef()}
	p.want(token.Assign, "after the aggregation")
	if k := p.tok.Kind; k != token.Ident && k != token.Macro || p.peek(1) != token.LParen {
		code := diag.AggFunc
		if k == token.Ident && p.peek(1) == token.Minus { // a call of what is no name, such as tick-1()
			code = diag.FuncName
		}
		p.fail(p.tok.Span, code, "an aggregation takes an aggregating function, found %s", p.found()).
			Suggest("write %s = count() or sum(…), min(…), max(…), avg(…), quantize(…)", p.file.Text(s.Agg.Span()))
		s.Fn = &ast.Name{At: p.from(p.tok.Span.From)}
		s.At = p.from(start)
		return s
	}
	s.Fn = &ast.Name{Text: p.text(), At: ast.At(p.tok.Span)}
	p.advance()
	p.advance()
	s.Args = p.args(token.RParen)
	s.At = p.from(start)
	return s
}

// assignsAgg returns how many tokens on the = is that follows the aggregation which
// begins here, or 0.
func (p *parser) assignsAgg() int {
	i := 1
	if p.peek(1) == token.LBracket {
		depth := 0
		for ; ; i++ {
			switch p.peek(i) {
			case token.LBracket:
				depth++
			case token.RBracket:
				depth--
			case token.EOF, token.Semicolon, token.LBrace, token.RBrace, token.Probe:
				return 0
			}
			if depth == 0 {
				i++
				break
			}
		}
	}
	if p.peek(i) != token.Assign {
		return 0
	}
	return i
}

// choosesFn reports whether what begins so many tokens on is a ?: between aggregating
// functions, and no call of one. The checker knows which it is.
func (p *parser) choosesFn(i int) bool {
	if p.peek(i) == token.Ident && p.peek(i+1) == token.LParen {
		return false
	}
	for ; ; i++ {
		switch p.peek(i) {
		case token.Question:
			return true
		case token.EOF, token.Semicolon, token.Comma, token.LBrace, token.RBrace, token.Probe:
			return false
		}
	}
}
