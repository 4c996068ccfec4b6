// Package parser turns the text of a D script into a tree.
//
// It is a parser by recursive descent with one function for each rule of the
// grammar, and binary operators by precedence. It always returns a tree and
// every mistake: after a complaint it is silent until it has found a place to go
// on from (the end of the action, of the clause or of the declaration), so that
// one mistake is one complaint.
//
// Two things in D's grammar depend on more than the grammar:
//
//   - (name) may be a cast or an expression in parentheses, as in C. The parser
//     keeps the names that the script declares, asks Config.IsType about others,
//     and looks at what follows; see isTypeName.
//   - A slash inside a predicate may divide or close it. It closes where a brace,
//     a semicolon or the end of the script follows, as in DTrace.
//
// Control lines may stand anywhere, also inside of a clause. The tree has them as
// items, before the item in which they stand.
//
// Who parses a script after each key has a Keeper: items that did not change are not
// parsed again.
package parser

import (
	"fmt"
	"strings"
	"unicode/utf8"

	"dscope.dev/dlang/ast"
	"dscope.dev/dlang/diag"
	"dscope.dev/dlang/scanner"
	"dscope.dev/dlang/token"
)

// maxDepth bounds how deep expressions, blocks and declarators may nest, and
// maxChain how long a chain such as a.b.c or 1+1+1 may be: those who walk the
// tree do so recursively.
const (
	maxDepth = 400
	maxChain = 4000
)

// A Config says how to parse. Its zero value is ready for use.
type Config struct {
	// IsType reports whether name is a type of the traced system; module is ""
	// unless the script names one. Without it the parser goes by how names look.
	IsType func(module, name string) bool
}

// Parse returns the tree of f and all complaints about its words and grammar, in
// order of place.
func Parse(f *token.File) (*ast.Script, diag.List) {
	return Config{}.Parse(f)
}

// Parse does what the function Parse does, with the settings of c.
func (c Config) Parse(f *token.File) (s *ast.Script, list diag.List) {
	p := c.parser(f)
	return p.parse()
}

func (c Config) parser(f *token.File) *parser {
	p := &parser{file: f, names: names{known: map[string]bool{}, isType: c.IsType}, preprocessed: f.HasHeaders()}
	p.script = &ast.Script{File: f, At: ast.At{From: f.Base() + 1, To: f.Base() + token.Pos(len(f.Src)+1)}}
	p.scanner = scanner.New(f, &p.errs)
	return p
}

func (p *parser) parse() (s *ast.Script, list diag.List) {
	defer func() {
		if why := recover(); why != nil {
			s, list = p.script, append(p.errs, diag.Mishap("the parser", p.tok.Span, why))
		}
	}()
	if p.preprocessed {
		p.scanAll()
		p.readPacks()
	}
	p.advance()
	for {
		p.controls()
		p.between()
		if p.tok.Kind == token.EOF {
			break
		}
		p.item()
	}
	p.errs.Sort()
	return p.script, p.errs
}

type parser struct {
	file    *token.File
	scanner *scanner.Scanner
	script  *ast.Script
	errs    diag.List
	keeping *keeping // nil unless the tree will be kept

	toks []token.Token // that were scanned, from the item on: without comments and control lines, with EOF
	next int           // index in toks of the token after tok
	tok  token.Token
	last token.Token // the token before tok

	lines []control // control lines that are not in the tree yet
	// preprocessed says that the text may hold headers of C.
	preprocessed bool
	packs        []pack // from the one that holds at the last struct on

	names names
	local bool // whether a declaration inside of a block is being read: it may give values

	depth     int  // of recursion
	predicate bool // whether this is a predicate, where a slash may be a fence
	unended   bool // after a complaint that a declaration does not end
	silent    bool // after a complaint, until a place to go on from is found
}

// A control is a control line and the index of the token before which it stands.
type control struct {
	pragma *ast.Pragma
	before int
}

// scan reads one token more and sets comments and control lines aside. It returns false
// behind the EOF.
func (p *parser) scan() bool {
	if n := len(p.toks); n > 0 && p.toks[n-1].Kind == token.EOF {
		return false
	}
	for {
		switch t := p.scanner.Next(); t.Kind {
		case token.Comment:
			p.script.Comments = append(p.script.Comments, ast.Comment{Text: p.file.Text(t.Span), At: ast.At(t.Span)})
		case token.Control:
			text := strings.TrimRight(p.file.Text(t.Span), " \t\v\f\r")
			p.lines = append(p.lines, control{&ast.Pragma{Text: text, At: ast.At(t.Span)}, len(p.toks)})
		default:
			if t.Kind == token.EOF || !p.preprocessed || p.spell(&t) {
				p.toks = append(p.toks, t)
				return true
			}
		}
	}
}

func (p *parser) scanAll() {
	for p.scan() {
	}
}

// between is called between items. What was scanned before is not needed any more, unless a
// word farther on was looked at: then the border is none.
func (p *parser) between() {
	if p.preprocessed || p.next < len(p.toks) {
		return
	}
	p.toks, p.next = append(p.toks[:0], p.tok), 1
	if p.keeping != nil {
		p.border()
	}
}

// controls puts the control lines that stand before the current token in the tree.
func (p *parser) controls() {
	for len(p.lines) > 0 && p.lines[0].before < p.next {
		p.script.Items = append(p.script.Items, p.lines[0].pragma)
		p.lines = p.lines[1:]
	}
}

// advance makes the next token the current one. At the end it stays there.
func (p *parser) advance() {
	p.last = p.tok
	if p.next < len(p.toks) || p.scan() {
		p.tok = p.toks[p.next]
		p.next++
	}
}

// peek returns the kind of the token n after the current one.
func (p *parser) peek(n int) token.Kind {
	for p.next-1+n >= len(p.toks) {
		if !p.scan() {
			return token.EOF
		}
	}
	return p.toks[p.next-1+n].Kind
}

// got reads the token if it is of kind k. After a complaint nothing is read until
// there is a place to go on from, lest a token is taken that shows that place.
func (p *parser) got(k token.Kind) bool {
	if p.tok.Kind != k || p.silent {
		return false
	}
	p.advance()
	return true
}

// want reads a token of kind k, or complains that it is not there. where ends
// the sentence: "after the action".
func (p *parser) want(k token.Kind, where string) bool {
	if p.got(k) {
		return true
	}
	d := p.expected(k.String(), where)
	if before, next := p.newLine(); k == token.Semicolon && next {
		d.Suggest("end line %d with a semicolon", before).Insert(p.last.Span.To, ";")
	}
	return false
}

// newLine returns the line of the token before the current one, and whether the
// current one stands in a later line.
func (p *parser) newLine() (before int, next bool) {
	before, _ = p.file.Position(p.last.Span.From)
	here, _ := p.file.Position(p.tok.Span.From)
	return before, here > before && p.tok.Kind != token.EOF
}

// expected complains that something else stands at the current token. What is
// missing at the end of the script is missing behind its last word.
func (p *parser) expected(what, where string) *diag.Diagnostic {
	if where != "" {
		what += " " + where
	}
	at := p.tok.Span
	if p.tok.Kind == token.EOF && p.last.Span.IsValid() {
		at = token.Span{From: p.last.Span.To, To: p.last.Span.To}
	}
	return p.fail(at, diag.Syntax, "expected %s, found %s", what, p.found())
}

// expectedName complains where a name may stand. Many a script calls a variable
// counter before it learns that this is a keyword.
func (p *parser) expectedName(what, where string) {
	d := p.expected(what, where)
	if p.tok.Kind.IsKeyword() && !isStorage(p.tok.Kind) {
		d.Suggest("%s is a word of the language; choose another name", p.found())
	}
}

// found describes the current token.
func (p *parser) found() string {
	const limit = 32
	if p.tok.Kind == token.EOF {
		return "the end of the script"
	}
	text := p.text()
	if len(text) > limit {
		cut := limit
		for cut > 0 && !utf8.RuneStart(text[cut]) {
			cut--
		}
		text = text[:cut] + "…"
	}
	return text
}

// text returns the source of the current token.
func (p *parser) text() string { return p.file.Text(p.tok.Span) }

// fail complains and is silent from there on, until there is a place to go on
// from. What follows from a mistake of the scanner's is no mistake of its own.
func (p *parser) fail(at token.Span, code diag.Code, format string, args ...any) *diag.Diagnostic {
	if p.silent || p.isBroken(p.tok) || p.isBroken(p.last) {
		p.silent = true
		return &diag.Diagnostic{}
	}
	p.silent = true
	return p.errs.Add(at, code, format, args...)
}

// isBroken reports whether the scanner has complained that t is no word or
// does not end.
func (p *parser) isBroken(t token.Token) bool {
	switch t.Kind {
	case token.Bad:
		return true
	case token.String, token.Char:
		text := p.file.Text(t.Span)
		return len(text) < 2 || text[len(text)-1] != text[0]
	}
	return false
}

// complain complains about something that does not stop the parser.
func (p *parser) complain(at token.Span, code diag.Code, format string, args ...any) *diag.Diagnostic {
	if p.silent {
		return &diag.Diagnostic{}
	}
	return p.errs.Add(at, code, format, args...)
}

// enter counts a level of nesting; leave takes it back. When the levels are too
// many the rest of the script is given up.
func (p *parser) enter() bool {
	p.depth++
	if p.depth > maxDepth {
		p.giveUp(fmt.Sprintf("this is nested more than %d levels deep", maxDepth))
		return false
	}
	return true
}

func (p *parser) leave() { p.depth-- }

// link counts a link of a chain.
func (p *parser) link(n *int) bool {
	*n++
	if *n > maxChain {
		p.giveUp(fmt.Sprintf("this expression has more than %d parts in a row", maxChain))
		return false
	}
	return true
}

func (p *parser) giveUp(why string) {
	p.fail(p.tok.Span, diag.Syntax, "%s", why)
	p.scanAll()
	p.next = len(p.toks) - 1
	p.advance()
}

// from returns the place of what begins at start and ends with the last token read.
func (p *parser) from(start token.Pos) ast.At {
	return ast.At{From: start, To: max(p.last.Span.To, start)}
}

// skipAction moves to the end of an action: beyond its semicolon, or before the
// brace or the clause that ends it for want of one.
func (p *parser) skipAction() {
	p.silent = false
	for depth := 0; ; p.advance() {
		switch p.tok.Kind {
		case token.EOF, token.Probe:
			return
		case token.LBrace:
			depth++
		case token.RBrace:
			if depth == 0 {
				return
			}
			depth--
		case token.Semicolon:
			if depth == 0 {
				p.advance()
				return
			}
		}
	}
}

// skipItem moves to where the next item may begin.
func (p *parser) skipItem() {
	p.silent = false
	for depth := 0; ; p.advance() {
		switch p.tok.Kind {
		case token.EOF, token.Probe:
			return
		case token.LBrace:
			depth++
		case token.RBrace:
			if depth--; depth <= 0 {
				p.advance()
				p.got(token.Semicolon)
				return
			}
		case token.Semicolon:
			if depth == 0 {
				p.advance()
				return
			}
		}
	}
}
