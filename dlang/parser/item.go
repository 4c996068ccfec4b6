package parser

import (
	"slices"
	"strconv"
	"strings"

	"dscope.dev/dlang/ast"
	"dscope.dev/dlang/diag"
	"dscope.dev/dlang/token"
)

// item parses one item and adds it to the script, after the control lines that
// stand inside of it.
func (p *parser) item() {
	first := p.next
	item := p.parseItem()
	if p.next == first { // what can't begin an item must not stop the parser
		p.advance()
	}
	if p.silent {
		p.skipItem()
	}
	p.depth, p.predicate = 0, false
	for len(p.lines) > 0 && p.lines[0].before < p.next-1 {
		p.script.Items = append(p.script.Items, p.lines[0].pragma)
		p.lines = p.lines[1:]
	}
	if item != nil {
		p.script.Items = append(p.script.Items, item)
	}
}

func (p *parser) parseItem() ast.Item {
	start := p.tok.Span.From
	switch p.tok.Kind {
	case token.Semicolon:
		p.advance()
		return nil
	case token.Probe:
		return p.clause()
	case token.KwInline:
		if p.isCFunction() {
			p.tok.Kind = token.KwStatic
			return p.declItem()
		}
		return p.inline()
	case token.KwTranslator:
		return p.translator()
	case token.KwProvider:
		return p.provider()
	}
	if p.staticAssert() {
		return nil
	}
	if p.startsDecl() {
		return p.declItem()
	}
	switch p.tok.Kind {
	case token.LBrace, token.Slash:
		p.expected("a probe description", "before "+p.text()).
			Suggest("say where to probe: BEGIN { … } or syscall::read:entry { … }")
	case token.RBrace:
		p.expected("a probe description or a declaration", "").Suggest("no { is open for this }")
		p.silent = false
		p.advance()
		return &ast.BadItem{At: p.from(start)}
	default:
		p.expected("a probe description or a declaration", "")
	}
	p.skipItem()
	return &ast.BadItem{At: p.from(start)}
}

// clause parses probe descriptions, a predicate and a body.
func (p *parser) clause() ast.Item {
	start := p.tok.Span
	c := &ast.Clause{}
	c.Probes = append(c.Probes, p.probeDesc())
	for p.got(token.Comma) {
		if p.tok.Kind != token.Probe {
			p.expected("a probe description", "after the comma")
			break
		}
		c.Probes = append(c.Probes, p.probeDesc())
	}
	if p.tok.Kind == token.Slash {
		c.Pred = p.pred()
	}
	switch {
	case p.tok.Kind == token.LBrace:
		if p.silent { // the predicate is broken, the body need not be
			p.silent = false
		}
		c.Body = p.body(start)
	case p.silent:
	case c.Pred != nil:
		p.expected("actions { … }", "after the predicate").Suggest("write { } for the default action")
		p.bodiless()
	default:
		p.bodiless()
	}
	c.At = p.from(start.From)
	return c
}

// bodiless reads the end of a clause without braces.
func (p *parser) bodiless() {
	switch p.tok.Kind {
	case token.Semicolon:
		p.silent = false
		p.advance()
	case token.EOF:
		p.silent = false
	case token.Probe:
		p.expected("a comma, a predicate or actions", "after the probe description").
			Suggest("put a comma between probes that share their actions")
		p.silent = false
	default:
		p.expected("a comma, a predicate or actions", "after the probe description").
			Suggest("a predicate stands between slashes and actions between braces: probe /pid == 1/ { … }")
	}
}

// probeDesc parses a probe description, which is one token.
func (p *parser) probeDesc() *ast.ProbeDesc {
	d := &ast.ProbeDesc{Text: p.text(), At: ast.At(p.tok.Span)}
	p.advance()
	if d.Text[0] >= '0' && d.Text[0] <= '9' {
		id, err := strconv.ParseUint(d.Text, 0, 32)
		if err != nil || id == 0 {
			p.complain(d.Span(), diag.ProbeInvalid, "invalid probe identifier %s: Unknown probe identifier", d.Text)
		}
		d.ID = uint32(id)
		return d
	}
	parts := strings.Split(d.Text, ":")
	if len(parts) > 4 {
		p.complain(d.Span(), diag.ProbeInvalid, "the probe description %s has %d parts", d.Text, len(parts)).
			Suggest("a probe is provider:module:function:name")
		parts = parts[:4]
	}
	slices.Reverse(parts) // the last is the name, whatever their number
	for i, field := range []*string{&d.Name, &d.Function, &d.Module, &d.Provider} {
		if i < len(parts) {
			*field = parts[i]
		}
	}
	return d
}

// pred parses a predicate with its fences.
func (p *parser) pred() ast.Expr {
	open := p.tok.Span
	p.advance()
	p.predicate = true
	x := p.expr()
	p.predicate = false
	if !p.silent && p.tok.Kind != token.Slash {
		p.expected("/", "to close the predicate").Note(open, "the predicate begins here")
	}
	if p.silent {
		p.skipPred()
	}
	if p.tok.Kind == token.Slash {
		p.advance()
	}
	return x
}

// skipPred moves to the closing fence of a broken predicate, or to what follows
// in its absence.
func (p *parser) skipPred() {
	for ; ; p.advance() {
		switch p.tok.Kind {
		case token.EOF, token.Probe, token.LBrace, token.RBrace, token.Semicolon:
			return
		case token.Slash:
			if p.closesPredicate() {
				return
			}
		}
	}
}

// closesPredicate reports whether the current token is a slash that can't divide.
func (p *parser) closesPredicate() bool {
	if p.tok.Kind != token.Slash {
		return false
	}
	switch p.peek(1) {
	case token.LBrace, token.Semicolon, token.EOF, token.Probe:
		return true
	}
	return false
}

// inline parses inline type name = value;
func (p *parser) inline() ast.Item {
	start := p.tok.Span.From
	p.advance()
	n := &ast.Inline{}
	spec := p.declSpec()
	d := p.declarator(named)
	n.Name, n.Type = d.nameOr(p), d.wrap(spec.base)
	p.names.declare(n.Name.Text, false)
	if p.want(token.Assign, "after the name of the inline") {
		n.Value = p.assignment()
		p.want(token.Semicolon, "after the inline")
	} else {
		n.Value = p.badExpr()
	}
	n.At = p.from(start)
	return n
}

// translator parses translator out < in name > { member = value; … };
func (p *parser) translator() ast.Item {
	start := p.tok.Span.From
	p.advance()
	n := &ast.Translator{Out: p.typeName()}
	p.want(token.Lt, "after the output type of the translator")
	spec := p.declSpec()
	d := p.declarator(named)
	n.Name, n.In = d.nameOr(p), d.wrap(spec.base)
	p.names.declare(n.Name.Text, false)
	p.want(token.Gt, "after the input of the translator")
	if p.want(token.LBrace, "before the members of the translator") {
		for p.tok.Kind != token.RBrace && p.tok.Kind != token.EOF && p.tok.Kind != token.Probe {
			n.Members = append(n.Members, p.translatorMember())
		}
		p.want(token.RBrace, "to end the translator")
		p.want(token.Semicolon, "after the translator")
	}
	n.At = p.from(start)
	return n
}

func (p *parser) translatorMember() *ast.TranslatorMember {
	start := p.tok.Span.From
	m := &ast.TranslatorMember{Name: p.name("the name of a member")}
	if p.want(token.Assign, "after the name of the member") {
		m.Value = p.assignment()
	} else {
		m.Value = p.badExpr()
	}
	p.endAction("after the value of the member")
	m.At = p.from(start)
	return m
}

// provider parses provider name { probe p(args) : (args); … };
func (p *parser) provider() ast.Item {
	start := p.tok.Span.From
	p.advance()
	n := &ast.Provider{Name: p.name("the name of the provider")}
	if p.want(token.LBrace, "before the probes of the provider") {
		for p.tok.Kind != token.RBrace && p.tok.Kind != token.EOF && p.tok.Kind != token.Probe {
			n.Probes = append(n.Probes, p.probeDecl())
		}
		p.want(token.RBrace, "to end the provider")
		p.want(token.Semicolon, "after the provider")
	}
	n.At = p.from(start)
	return n
}

func (p *parser) probeDecl() *ast.ProbeDecl {
	start := p.tok.Span.From
	p.want(token.KwProbe, "to declare a probe of the provider")
	d := &ast.ProbeDecl{Name: p.name("the name of the probe")}
	if p.want(token.LParen, "before the arguments of the probe") {
		d.In, _ = p.params(token.RParen)
	}
	if !p.silent && p.got(token.Colon) && p.want(token.LParen, "before the translated arguments") {
		d.Out, _ = p.params(token.RParen)
		if d.Out == nil {
			d.Out = []*ast.Param{}
		}
	}
	p.endAction("after the probe")
	d.At = p.from(start)
	return d
}

// endAction reads the semicolon that ends a part of an item, and finds the next
// part if there has been a complaint.
func (p *parser) endAction(where string) {
	if !p.silent && !p.unended {
		p.want(token.Semicolon, where)
	}
	p.unended = false
	if p.silent {
		p.skipAction()
	}
}

// name reads an identifier where one is declared or selected. For want of one
// the name is empty.
func (p *parser) name(what string) *ast.Name {
	n := &ast.Name{At: ast.At(p.tok.Span)}
	if p.tok.Kind != token.Ident {
		p.expectedName(what, "")
		n.At = p.from(p.tok.Span.From)
		return n
	}
	n.Text = p.text()
	p.advance()
	return n
}
