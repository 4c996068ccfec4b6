package cpp

import (
	"strings"

	"dscope.dev/dlang/token"
)

// NewFile returns the file of a script that is not preprocessed, whose lines are
// called as its #line lines say: a program that wrote the script may have left them
// there, another preprocessor for instance. A script without any is a plain file.
func NewFile(name, src string) *token.File {
	if !numbered(src) {
		return token.NewFile(name, src)
	}
	p := &processor{macros: map[string]*macro{}}
	s := newSource(name, src)
	p.lex = &lexer{p: p, src: s, start: true}
	for p.lex.off < len(s.text) && !p.dead {
		p.lex.space()
		if p.lex.peek(0) == '#' {
			p.lex.off++
			p.number()
		}
		p.lex.skipLine()
	}
	return token.NewSource(name, src, s.labels, nil)
}

// mostPragma is how far a control line is searched for a word, in bytes. One that is
// longer may have it.
const mostPragma = 4096

// numbered reports whether src may have a line that names lines.
func numbered(src string) bool {
	for rest := src; ; {
		i := strings.IndexByte(rest, '#')
		if i < 0 {
			return false
		}
		rest = strings.TrimLeft(rest[i+1:], " \t")
		line, _, _ := strings.Cut(rest[:min(len(rest), mostPragma)], "\n")
		if strings.HasPrefix(line, "line") || strings.HasPrefix(line, "pragma") && (strings.Contains(line, "line") || strings.HasSuffix(line, "\\") || len(line) == mostPragma) ||
			line != "" && isDigit(line[0]) {
			return true
		}
	}
}

// number reads a directive and obeys it if it names lines.
func (p *processor) number() {
	toks := p.rest()
	switch {
	case len(toks) == 0:
	case toks[0].kind == number:
		p.renumber(toks[0].at, toks)
	case toks[0].text == "line":
		p.renumber(toks[0].at, toks[1:])
	case toks[0].text == "pragma":
		p.pragmaLine(toks[1:])
	}
}

// pragmaLine is #pragma line and #pragma D line, other spellings of #line.
func (p *processor) pragmaLine(toks []tok) {
	if len(toks) > 0 && toks[0].text == "D" {
		toks = toks[1:]
	}
	if len(toks) > 0 && toks[0].text == "line" {
		p.renumber(toks[0].at, toks[1:])
	}
}
