package cpp

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"dscope.dev/dlang/diag"
)

// A macro is a name that stands for tokens.
type macro struct {
	name     string
	function bool     // it takes arguments
	params   []string // their names
	variadic bool     // the last parameter takes all arguments that are left
	body     []tok
	special  string // what computes it, if it has no body; see processor.special
	at       place  // of its name where it is defined
	busy     int    // how many lists that it gave are being read
}

// param returns the number of the parameter that t names, or -1.
func (m *macro) param(t *tok) int {
	if t.kind != ident || !m.function {
		return -1
	}
	return slices.Index(m.params, t.text)
}

// stringizes reports whether body[i] is a # that makes a string of the parameter
// behind it.
func (m *macro) stringizes(i int) bool {
	return m.function && m.body[i].is("#") && i+1 < len(m.body) && m.param(&m.body[i+1]) >= 0
}

// paste reports whether t is the operator ##.
func (t *tok) paste() bool { return t.is("##") }

// same reports whether two definitions say the same, as far as C cares.
func (m *macro) same(o *macro) bool {
	return m.function == o.function && m.variadic == o.variadic && m.special == o.special &&
		slices.Equal(m.params, o.params) &&
		slices.EqualFunc(m.body, o.body, func(a, b tok) bool { return a.text == b.text && a.space == b.space })
}

// define is #define.
func (p *processor) define() {
	name, ok := p.macroName("#define")
	if !ok {
		return
	}
	m := &macro{name: name.text, at: name.at}
	if p.lex.peek(0) == '(' {
		m.function = true
		p.lex.off++
		if !p.params(m) {
			return
		}
	}
	m.body = p.rest()
	if len(m.body) > 0 {
		m.body[0].space = false
	}
	if !p.sound(m) || m.name == "__attribute__" {
		return // for compilers that have none; here a struct would get gaps that its header denies it
	}
	if old := p.macros[m.name]; old != nil && !old.same(m) && old.at.src.name != builtin {
		d := p.errorf(m.at, diag.Preprocess, "%s is defined a second time, and differently", m.name)
		d.Severity = diag.Warning
		d.Note(p.anchor(old.at), "it was defined here").Suggest("write #undef %s before", m.name)
	}
	p.macros[m.name] = m
}

// macroName reads the name that a directive is about.
func (p *processor) macroName(directive string) (tok, bool) {
	t := p.lex.next()
	switch {
	case t.kind == newline || t.kind == eof:
		p.unread(&t)
		p.errorf(p.lex.before(), diag.Preprocess, "%s lacks the name of a macro", directive)
		return t, false
	case t.kind != ident:
		p.errorf(t.at, diag.Preprocess, "%s is no name for a macro", t.text)
		return t, false
	case t.text == "defined":
		p.errorf(t.at, diag.Preprocess, "defined cannot be the name of a macro")
		return t, false
	}
	return t, true
}

// params reads the parameters of m after their parenthesis.
func (p *processor) params(m *macro) bool {
	for first := true; ; first = false {
		t := p.lex.next()
		switch {
		case t.is(")") && first:
			return true
		case t.is("..."):
			m.variadic = true
			m.params = append(m.params, "__VA_ARGS__")
		case t.kind == ident && slices.Contains(m.params, t.text):
			p.errorf(t.at, diag.Preprocess, "%s has two parameters %s", m.name, t.text)
			return false
		case t.kind == ident:
			m.params = append(m.params, t.text)
		default:
			p.unread(&t)
			p.errorf(t.at, diag.Preprocess, "expected the name of a parameter of %s", m.name)
			return false
		}
		t = p.lex.next()
		if t.is("...") && !m.variadic { // name..., as the compilers have it
			m.variadic = true
			t = p.lex.next()
		}
		switch {
		case t.is(")"):
			return true
		case t.is(",") && !m.variadic:
		default:
			p.unread(&t)
			p.errorf(t.at, diag.Preprocess, "expected ) after the parameters of %s", m.name)
			return false
		}
	}
}

// sound checks the operators in the body of m.
func (p *processor) sound(m *macro) bool {
	n := len(m.body)
	for i := range m.body {
		switch t := &m.body[i]; {
		case t.paste() && (i == 0 || i == n-1):
			p.errorf(t.at, diag.Preprocess, "## needs something on both of its sides")
			return false
		case t.paste() && m.body[i-1].paste():
			m.body[i].text = "" // a second ## joins nothing more
		case t.is("#") && m.function && !m.stringizes(i):
			p.errorf(t.at, diag.Preprocess, "# needs the name of a parameter of %s behind it", m.name)
			return false
		}
	}
	m.body = slices.DeleteFunc(m.body, func(t tok) bool { return t.text == "" })
	return true
}

// listMacros puts a #define for each macro in the place of the text.
func (p *processor) listMacros() {
	p.out = output{}
	for _, name := range slices.Sorted(maps.Keys(p.macros)) {
		m := p.macros[name]
		if m.special != "" {
			continue
		}
		p.out.run(m.at, max(m.at.len, 1), origin{})
		p.out.text = fmt.Appendf(p.out.text, "#define %s", name)
		if m.function {
			params := strings.Join(m.params, ",")
			if m.variadic {
				params = strings.TrimSuffix(params, "__VA_ARGS__") + "..."
			}
			p.out.text = fmt.Appendf(p.out.text, "(%s)", params)
		}
		for i, t := range m.body {
			if i == 0 || t.space {
				p.out.text = append(p.out.text, ' ')
			}
			p.out.text = append(p.out.text, t.text...)
		}
		p.out.text = append(p.out.text, '\n')
	}
}

// undef is #undef.
func (p *processor) undef() {
	if name, ok := p.macroName("#undef"); ok {
		delete(p.macros, name.text)
	}
}
