package cpp

import (
	"fmt"
	"strconv"
	"strings"

	"dscope.dev/dlang/diag"
)

// A context is a list of tokens that is read before the file goes on.
type context struct {
	toks  []tok
	next  int
	macro *macro // is off while the list is read; nil for an argument
	fence bool   // nothing is read beyond the end: the list is an argument or a directive
}

// A use is where the body of a macro stands for something.
type use struct {
	macro *macro
	at    place // in a file: of the outermost use, if this one is in the body of another macro
}

func (p *processor) push(c context) {
	if c.macro != nil {
		c.macro.busy++
	}
	p.contexts = append(p.contexts, c)
}

func (p *processor) pop() {
	last := len(p.contexts) - 1
	if m := p.contexts[last].macro; m != nil {
		m.busy--
	}
	p.contexts = p.contexts[:last]
}

// read returns the next token as it is.
func (p *processor) read() tok {
	for !p.dead && len(p.contexts) > 0 {
		c := &p.contexts[len(p.contexts)-1]
		if c.next < len(c.toks) {
			t := c.toks[c.next]
			c.next++
			if t.kind == ident {
				if m := p.macros[t.text]; m != nil && m.busy > 0 {
					t.off = true
				}
			}
			p.charge(t.where(), len(t.text))
			return t
		}
		if c.fence {
			return tok{kind: eof}
		}
		p.pop()
	}
	if p.dead {
		return tok{kind: eof}
	}
	return p.lex.next()
}

// next returns the next token after expansion.
func (p *processor) next() tok {
	for {
		t := p.read()
		if t.kind != ident || t.off {
			return t
		}
		if m := p.macros[t.text]; m == nil || p.reserved(m, &t) || !p.enter(m, &t) {
			return t
		}
	}
}

// reserved reports whether t keeps its meaning of D: it stands in the script, and m
// is a macro of a header of the system, as errno is one.
func (p *processor) reserved(m *macro, t *tok) bool {
	return p.cfg.Reserved != nil && p.isSystem(m.at.src) && !p.isSystem(t.at.src) && p.cfg.Reserved(t.text)
}

// isSystem reports whether s is a header that neither the script nor -I has brought.
func (p *processor) isSystem(s *source) bool { return s.parent != nil && s.dir > len(p.cfg.Include) }

// enter makes the expansion of m, whose name was just read, the next to be read.
// It reports whether the name was a use of the macro.
func (p *processor) enter(m *macro, name *tok) bool {
	u := &use{m, name.at}
	if name.via != nil {
		u.at = name.via.at
	}
	var args [][]tok
	if m.function {
		if !p.opens() {
			return false
		}
		for t := p.read(); t.kind == newline; t = p.read() {
		}
		list, end, ok := p.arguments(m, name)
		if !ok {
			return false
		}
		args = list
		if name.via == nil && end.via == nil && end.at.src == u.at.src && end.at.off > u.at.off {
			u.at.len = end.at.off + end.at.len - u.at.off
		}
	}
	toks := p.substitute(m, args, u)
	if len(toks) > 0 {
		toks[0].space = name.space
	}
	p.push(context{toks: toks, macro: m})
	return true
}

// opens reports whether the next token is an opening parenthesis, and forgets the
// lists that end before it.
func (p *processor) opens() bool {
	for i := len(p.contexts) - 1; i >= 0; i-- {
		c := &p.contexts[i]
		switch {
		case c.next < len(c.toks):
			if !c.toks[c.next].is("(") {
				return false
			}
			for len(p.contexts) > i+1 {
				p.pop()
			}
			return true
		case c.fence:
			return false
		}
	}
	return p.lex.opens()
}

// arguments reads the arguments of m and the parenthesis that ends them.
func (p *processor) arguments(m *macro, name *tok) (args [][]tok, end tok, ok bool) {
	var arg []tok
	depth, space := 0, false
	for {
		t := p.read()
		t.space = t.space || space
		space = false
		switch {
		case t.kind == eof:
			p.errorf(name.where(), diag.Preprocess, "the arguments of %s do not end", m.name).Suggest("close them with )")
			return nil, end, false
		case t.kind == newline:
			space = true
			p.directives(true)
			continue
		case t.is("("):
			depth++
		case t.is(")") && depth > 0:
			depth--
		case t.is(")"):
			args = append(args, arg)
			return args, t, p.counts(m, args, name)
		case t.is(",") && depth == 0 && !(m.variadic && len(args) == len(m.params)-1):
			args, arg = append(args, arg), nil
			continue
		}
		arg = append(arg, t)
	}
}

// counts checks the number of arguments.
func (p *processor) counts(m *macro, args [][]tok, name *tok) bool {
	got, want := len(args), len(m.params)
	switch {
	case got == want, want == 0 && got == 1 && len(args[0]) == 0, m.variadic && got == want-1:
		return true
	}
	p.errorf(name.where(), diag.Preprocess, "the macro %s takes %d argument%s, not %d", m.name, want, plural(want), got).
		Note(p.anchor(m.at), "%s is defined here", m.name)
	return false
}

func plural(n int) string {
	if n == 1 {
		return ""
	}
	return "s"
}

// expand returns the full expansion of an argument.
func (p *processor) expand(toks []tok) []tok {
	if p.nesting++; p.nesting > maxDepth {
		p.fatal(toks[0].where(), "uses of macros are nested too deeply here")
	}
	p.push(context{toks: toks, fence: true})
	floor := len(p.contexts)
	var out []tok
	for t := p.next(); t.kind != eof; t = p.next() {
		out = append(out, t)
	}
	for len(p.contexts) >= floor {
		p.pop()
	}
	p.nesting--
	return out
}

// special returns what a macro that the preprocessor computes stands for.
func (p *processor) special(m *macro, u *use) tok {
	t := tok{kind: number, at: m.at, via: u}
	name, line := u.at.presumed()
	switch m.special {
	case "line":
		t.text = strconv.Itoa(line)
	case "file":
		t.kind, t.text = str, quote(name)
	case "counter":
		t.text = strconv.Itoa(p.counter)
		p.counter++
	case "header":
		t.text = "0" // outside of a condition it means nothing
	case "level":
		t.text = strconv.Itoa(p.depth())
	default:
		panic("cpp: unknown special macro " + m.special)
	}
	return t
}

// quote returns text as a string constant.
func quote(text string) string {
	var b strings.Builder
	b.WriteByte('"')
	for i := range len(text) {
		switch c := text[i]; {
		case c == '"' || c == '\\':
			b.WriteByte('\\')
			b.WriteByte(c)
		case c < ' ':
			fmt.Fprintf(&b, `\%03o`, c)
		default:
			b.WriteByte(c)
		}
	}
	b.WriteByte('"')
	return b.String()
}
