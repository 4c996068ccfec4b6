package parser

import (
	"dscope.dev/dlang/ast"
	"dscope.dev/dlang/token"
)

// loop parses a loop, or an action that leaves one or a function. It returns nil
// and reads nothing if something else stands here.
func (p *parser) loop() ast.Stmt {
	start := p.tok.Span
	switch p.tok.Kind {
	case token.KwFor, token.KwWhile, token.KwDo:
		if !p.enter() {
			return &ast.BadStmt{At: p.from(start.From)}
		}
		defer p.leave()
	}
	switch p.tok.Kind {
	case token.KwFor:
		return p.forStmt(start.From)
	case token.KwWhile:
		return p.whileStmt(start.From)
	case token.KwDo:
		return p.doStmt(start.From)
	case token.KwBreak, token.KwContinue:
		s := &ast.Jump{Op: p.tok.Kind}
		p.advance()
		p.endStmt(start.From)
		s.At = p.from(start.From)
		return s
	case token.KwReturn:
		s := &ast.Return{}
		p.advance()
		if p.tok.Kind != token.Semicolon && p.tok.Kind != token.RBrace {
			s.X = p.expr()
		}
		p.endStmt(start.From)
		s.At = p.from(start.From)
		return s
	}
	return nil
}

// forStmt parses for (init; cond; step; max rounds) body.
func (p *parser) forStmt(start token.Pos) ast.Stmt {
	s := &ast.For{}
	p.advance()
	defer p.names.forget(len(p.names.locals))
	if p.want(token.LParen, "after for") {
		s.Init = p.forInit()
		if !p.silent && p.tok.Kind != token.Semicolon {
			s.Cond = p.expr()
		}
		if p.want(token.Semicolon, "after the condition") && p.tok.Kind != token.RParen && p.tok.Kind != token.Semicolon {
			s.Step = p.expr()
		}
		s.Max = p.bound()
		p.want(token.RParen, "to end what for depends on")
	}
	if p.silent {
		p.skipCond()
	}
	s.Body = p.branch("for")
	s.At = p.from(start)
	return s
}

// forInit parses what a for begins with, and its semicolon.
func (p *parser) forInit() ast.Stmt {
	start := p.tok.Span.From
	switch {
	case p.got(token.Semicolon):
		return nil
	case p.startsLocal():
		return p.localDecl()
	}
	s := &ast.ExprStmt{X: p.expr()}
	p.want(token.Semicolon, "after what for begins with")
	s.At = p.from(start)
	return s
}

func (p *parser) whileStmt(start token.Pos) ast.Stmt {
	s := &ast.While{}
	p.advance()
	s.Cond, s.Max = p.loopCond()
	if p.silent {
		p.skipCond()
	}
	s.Body = p.branch("while")
	s.At = p.from(start)
	return s
}

func (p *parser) doStmt(start token.Pos) ast.Stmt {
	s := &ast.DoWhile{}
	p.advance()
	s.Body = p.branch("do")
	if p.want(token.KwWhile, "after what do repeats") {
		s.Cond, s.Max = p.loopCond()
		p.endStmt(start)
	} else {
		s.Cond = p.badExpr()
	}
	s.At = p.from(start)
	return s
}

// loopCond parses (cond; max rounds).
func (p *parser) loopCond() (cond, most ast.Expr) {
	if !p.want(token.LParen, "after while") {
		return p.badExpr(), nil
	}
	cond = p.expr()
	most = p.bound()
	p.want(token.RParen, "after the condition")
	return cond, most
}

// bound parses ; max rounds, which states the most rounds of a loop. max is no
// word of the language elsewhere: an aggregating function is called so.
func (p *parser) bound() ast.Expr {
	if p.silent || !p.got(token.Semicolon) {
		return nil
	}
	if p.tok.Kind != token.Ident || p.text() != "max" {
		p.expected("max and a number", "where the loop states its bound").Suggest("while (condition; max 100) { … }")
		return nil
	}
	p.advance()
	return p.cond()
}
