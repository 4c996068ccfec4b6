package cpp

import (
	"strings"

	"dscope.dev/dlang/diag"
)

// substitute returns the body of m with its arguments in place.
func (p *processor) substitute(m *macro, args [][]tok, u *use) []tok {
	if m.special != "" {
		return []tok{p.special(m, u)}
	}
	s := substitution{p: p, m: m, args: args, use: u, expanded: make([][]tok, len(args))}
	for i := 0; i < len(m.body) && !p.dead; i++ {
		b := &m.body[i]
		pastes := i+1 < len(m.body) && m.body[i+1].paste()
		if b.paste() {
			i++
			s.paste(b, &m.body[i-2], i)
			if m.stringizes(i) {
				i++
			}
			continue
		}
		s.mark = len(s.out)
		switch n := m.param(b); {
		case m.stringizes(i):
			i++
			s.add(s.stringize(i))
		case n >= 0 && pastes:
			s.argument(b, s.arg(n))
		case n >= 0:
			s.argument(b, s.expand(n))
		default:
			s.add(s.own(b))
		}
	}
	return s.out
}

// A substitution is the body of a macro while it takes its arguments.
type substitution struct {
	p        *processor
	m        *macro
	args     [][]tok
	use      *use
	expanded [][]tok
	out      []tok
	mark     int // where the tokens of the last operand begin
}

func (s *substitution) add(t tok) {
	if s.p.charge(t.where(), len(t.text)) {
		s.out = append(s.out, t)
	}
}

// own returns a token of the body.
func (s *substitution) own(b *tok) tok {
	t := *b
	t.via = s.use
	return t
}

// argument adds what stands for the parameter b.
func (s *substitution) argument(b *tok, toks []tok) {
	for i, t := range toks {
		if i == 0 {
			t.space = b.space
		}
		s.add(t)
	}
}

// arg returns an argument as it was written; one that is missing is empty.
func (s *substitution) arg(n int) []tok {
	if n < len(s.args) {
		return s.args[n]
	}
	return nil
}

// expand returns an argument after expansion.
func (s *substitution) expand(n int) []tok {
	if len(s.arg(n)) == 0 {
		return nil
	}
	if s.expanded[n] == nil {
		s.expanded[n] = s.p.expand(s.args[n])
	}
	return s.expanded[n]
}

// stringize returns the argument for the parameter body[i] as a string.
func (s *substitution) stringize(i int) tok {
	var b strings.Builder
	b.WriteByte('"')
	for j, t := range s.arg(s.m.param(&s.m.body[i])) {
		if j > 0 && t.space {
			b.WriteByte(' ')
		}
		if t.kind != str && t.kind != char {
			b.WriteString(t.text)
			continue
		}
		for k := range len(t.text) {
			if t.text[k] == '"' || t.text[k] == '\\' {
				b.WriteByte('\\')
			}
			b.WriteByte(t.text[k])
		}
	}
	b.WriteByte('"')
	hash := s.m.body[i-1]
	return tok{kind: str, space: hash.space, text: b.String(), at: hash.at, via: s.use}
}

// paste joins the last operand and body[i]. left is the operand before the ##.
func (s *substitution) paste(op, left *tok, i int) {
	var right []tok
	b := &s.m.body[i]
	switch n := s.m.param(b); {
	case s.m.stringizes(i):
		right = []tok{s.stringize(i + 1)}
	case n >= 0 && s.m.variadic && n == len(s.m.params)-1 && left.is(","):
		s.rest(b, n)
		return
	case n >= 0:
		right = s.arg(n)
	default:
		right = []tok{s.own(b)}
	}
	if len(right) == 0 {
		return
	}
	if len(s.out) == s.mark { // nothing on the left
		s.argument(b, right)
		return
	}
	last := &s.out[len(s.out)-1]
	if t, ok := s.p.joined(last, &right[0]); ok {
		t.at, t.via = op.at, s.use
		t.space = last.space
		*last = t
		right = right[1:]
		s.p.charge(op.at, len(t.text))
	} else {
		s.p.errorf(s.use.at, diag.Preprocess, "%s and %s do not make one token", last.text, right[0].text).
			Note(s.p.anchor(op.at), "they are put together here")
	}
	for _, t := range right {
		s.add(t)
	}
}

// rest is , ## __VA_ARGS__: without an argument the comma goes too. This is an
// extension of the compilers that headers rely on.
func (s *substitution) rest(b *tok, n int) {
	if len(s.arg(n)) == 0 {
		s.out = s.out[:len(s.out)-1]
		return
	}
	s.argument(b, s.expand(n))
}

// joined returns the token that two make together.
func (p *processor) joined(a, b *tok) (tok, bool) {
	text := a.text + b.text
	l := lexer{p: p, src: &source{text: text}}
	if strings.HasPrefix(text, "//") || strings.HasPrefix(text, "/*") {
		return tok{}, false
	}
	k := l.token()
	return tok{kind: k, text: text}, l.off == len(text) && k != newline
}
