package cpp

import (
	"slices"
	"strconv"
	"strings"

	"dscope.dev/dlang/diag"
	"dscope.dev/dlang/token"
)

// file reads one source to its end.
func (p *processor) file(s *source) {
	outer := p.lex
	p.lex = &lexer{p: p, src: s, start: true}
	defer func() { p.lex = outer }()
	if strings.HasPrefix(s.text, "#!") {
		p.lex.while(func(c byte) bool { return c != '\n' })
	}
	for done := 0; !p.dead && p.lex.off < len(s.text); {
		if begin := s.rawAt(p.lex.off); !p.directives(false) {
			p.out.begin(place{s, begin, 0})
			p.line()
		}
		now := min(s.rawAt(p.lex.off), len(s.raw))
		p.out.newlines(s, done, now)
		done = now
		if len(p.out.text) > maxOutput {
			p.fatal(place{s, now, 0}, "what is included here makes the text longer than %d bytes", maxOutput)
		}
	}
	for _, c := range p.lex.conds {
		p.errorf(c.at, diag.Preprocess, "this %s does not end", c.word).Suggest("close it with #endif")
	}
}

// line writes a line that is no directive.
func (p *processor) line() {
	for {
		t := p.next()
		if t.kind == newline || t.kind == eof {
			return
		}
		p.out.put(&t)
	}
}

// directives reads the directives that come next, if any, with the line ends
// behind them. Within the arguments of a macro it reads all that come in a row.
func (p *processor) directives(within bool) bool {
	found := false
	for !p.dead {
		p.lex.space()
		if p.lex.peek(0) != '#' || !p.lex.start {
			return found
		}
		p.lex.off++
		p.directive(within)
		p.lex.skipLine()
		p.lex.start = true
		if found = true; !within {
			return true
		}
	}
	return found
}

// before returns the place of the last byte that was read.
func (l *lexer) before() place { return l.src.place(max(l.off-1, 0), l.off) }

// unread gives the end of a line back, so that it is there for skipLine.
func (p *processor) unread(t *tok) {
	if t.kind == newline {
		p.lex.off--
	}
}

// rest reads the tokens that are left of a directive.
func (p *processor) rest() []tok {
	var list []tok
	for {
		t := p.lex.next()
		if t.kind == newline || t.kind == eof {
			p.unread(&t)
			return list
		}
		list = append(list, t)
	}
}

// directive obeys the directive whose # was just read.
func (p *processor) directive(within bool) {
	hash := p.lex.before()
	from := p.lex.off - 1
	name := p.lex.next()
	switch {
	case name.kind == newline || name.kind == eof:
		p.unread(&name)
		return // a # alone says nothing
	case name.kind == number:
		p.renumber(name.at, append([]tok{name}, p.rest()...))
		return
	}
	switch name.text {
	case "define":
		p.define()
	case "undef":
		p.undef()
	case "include", "include_next", "import":
		if within {
			p.errorf(name.at, diag.Preprocess, "#%s cannot stand in the arguments of a macro", name.text)
			return
		}
		p.include(name.text)
	case "if", "ifdef", "ifndef":
		p.open(name)
	case "elif", "else":
		p.orElse(name)
	case "endif":
		p.endif(name)
	case "line":
		p.renumber(name.at, p.expandLine())
	case "error", "warning":
		p.say(name)
	case "pragma", "ident":
		p.pragma(name, from, within)
	default:
		at := hash
		if name.at.off+name.at.len > at.off {
			at.len = name.at.off + name.at.len - at.off
		}
		p.errorf(at, diag.ControlLine, "the preprocessor has no directive #%s", name.text)
	}
}

// text returns the rest of the line as it was written, without comments.
func (p *processor) text() string {
	var b strings.Builder
	for i, t := range p.rest() {
		if i > 0 && t.space {
			b.WriteByte(' ')
		}
		b.WriteString(t.text)
	}
	return b.String()
}

// say is #error and #warning.
func (p *processor) say(name tok) {
	text := p.text()
	if text == "" {
		text = "#" + name.text
	}
	d := p.errorf(name.at, diag.Preprocess, "%s", text)
	if name.text == "warning" {
		d.Severity = diag.Warning
	}
}

// pragma hands a #pragma or #ident through, on a line of its own.
func (p *processor) pragma(name tok, from int, within bool) {
	s := p.lex.src
	end := p.lex.off
	toks := p.rest()
	switch {
	case len(toks) > 0 && toks[0].text == "once" && name.text == "pragma":
		p.once[s.name] = true
		return
	case within:
		p.errorf(name.at, diag.Preprocess, "#%s cannot stand in the arguments of a macro", name.text)
		return
	}
	head := tok{kind: other, text: "#" + name.text, at: s.place(from, end)}
	p.out.begin(place{s, head.at.off, 0})
	p.out.put(&head)
	for i := range toks {
		p.out.put(&toks[i])
	}
	if name.text == "pragma" {
		p.pragmaLine(toks)
	}
}

// renumber is #line 12 "file", and # 12 "file" as preprocessors leave it behind.
func (p *processor) renumber(at place, toks []tok) {
	if len(toks) == 0 {
		p.errorf(at, diag.Preprocess, "#line lacks the number of a line")
		return
	}
	n, err := strconv.ParseInt(toks[0].text, 10, 32)
	if err != nil || n < 0 {
		p.errorf(toks[0].at, diag.Preprocess, "%s is no number of a line", toks[0].text)
		return
	}
	l := token.Label{Line: p.lineOf(p.lex.off) + 1, As: int(n)}
	if len(toks) > 1 {
		if toks[1].kind != str {
			p.errorf(toks[1].at, diag.Preprocess, "%s is no name of a file", toks[1].text)
			return
		}
		l.Name = unquote(toks[1].text)
		l.System = slices.ContainsFunc(toks[2:], func(t tok) bool { return t.text == "3" })
	}
	s := p.lex.src
	s.labels = append(s.labels, l)
}

// lineOf returns the line of the file that holds an offset of the text.
func (p *processor) lineOf(off int) int {
	return p.lex.src.place(off, off).line()
}

// unquote returns what a string constant with simple escapes says.
func unquote(text string) string {
	_, body, _ := strings.Cut(text[:len(text)-1], `"`)
	if !strings.Contains(body, `\`) {
		return body
	}
	return strings.NewReplacer(`\\`, `\`, `\"`, `"`).Replace(body)
}
