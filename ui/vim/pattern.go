package vim

import (
	"regexp"
	"strings"
	"unicode/utf8"

	"dscope.dev/ui/document/text"
)

// A pattern is what is looked for.
type pattern struct {
	re   *regexp.Regexp // nil if nothing was looked for yet
	back bool           // n goes back
}

// askPattern asks for what is looked for; the command goes on when it is known.
func askPattern(m *Machine, c command) (target, bool) {
	if c.arg == "" {
		m.asked = &c
		m.host.Ask(c.name, "")
		return target{}, false
	}
	m.pattern.back = c.name == "?"
	if c.arg != c.name { // else the same once more
		re, err := Pattern(strings.TrimPrefix(c.arg, c.name))
		if err != nil {
			m.host.Say(err.Error())
			return target{}, false
		}
		m.pattern.re = re
	}
	to, ok := m.findNext(c.times(), false)
	return target{to, exclusive}, ok
}

// findNext returns the count-th place found from the cursor on, around the ends of the text.
func (m *Machine) findNext(count int, other bool) (int, bool) {
	if m.pattern.re == nil {
		m.host.Say("nothing was searched for yet")
		return 0, false
	}
	m.host.Found(text.RegexpQuery(m.pattern.re))
	off := m.at
	for range min(count, 1000) {
		to, ok := m.find(off, m.pattern.back != other)
		if !ok {
			m.host.Say("not found: " + m.pattern.re.String())
			return 0, false
		}
		off = to
	}
	return off, true
}

// find returns the place found next to an offset, which is not at it unless it is the only one.
func (m *Machine) find(off int, back bool) (int, bool) {
	n, count, by := m.line(off), m.lastLine()+1, 1
	if back {
		by = -1
	}
	for i := range count + 1 {
		line := ((n+by*i)%count + count) % count
		start := m.buf.Start(line)
		places := m.places(m.buf.Line(line))
		for j := range places {
			p := places[j]
			if back {
				p = places[len(places)-1-j]
			}
			if i == 0 && (back && start+p >= off || !back && start+p <= off) {
				continue
			}
			return start + p, true
		}
	}
	return 0, false
}

// places returns where in a line something is found.
func (m *Machine) places(line string) (out []int) {
	for _, p := range m.pattern.re.FindAllStringIndex(line, -1) {
		if p[0] < len(line) || line == "" {
			out = append(out, p[0])
		}
	}
	return out
}

// wordUnder looks for the word at the cursor, or the next one of the line.
func (m *Machine) wordUnder(c command, forth, whole bool) (target, bool) {
	line, start := m.text(m.at), m.start(m.at)
	from, to := wordAt(line, m.at-start)
	if from == to {
		return target{}, false
	}
	what := regexp.QuoteMeta(line[from:to])
	if r, _ := utf8.DecodeRuneInString(line[from:]); whole && isName(r) {
		what = `\b` + what + `\b`
	}
	m.pattern = pattern{regexp.MustCompile(what), !forth}
	m.at = start + from
	found, ok := m.findNext(c.times(), false)
	return target{found, exclusive}, ok
}

// wordAt returns the name at a column or behind it, else the signs there.
func wordAt(line string, col int) (from, to int) {
	names := func(i int) bool {
		r, _ := utf8.DecodeRuneInString(line[i:])
		return i < len(line) && isName(r)
	}
	from = col
	if from < len(line) && names(from) {
		for from > 0 && names(text.Prev(line, from)) {
			from = text.Prev(line, from)
		}
	} else {
		for from < len(line) && !names(from) {
			from = text.Next(line, from)
		}
	}
	if from < len(line) {
		for to = from; to < len(line) && names(to); {
			to = text.Next(line, to)
		}
		return from, to
	}
	signs := func(i int) bool { return i < len(line) && line[i] != ' ' && line[i] != '\t' }
	for from = col; from < len(line) && !signs(from); {
		from++
	}
	for from > 0 && signs(from-1) && from < len(line) && !names(from-1) {
		from--
	}
	for to = from; signs(to); {
		to++
	}
	return from, to
}

// Pattern reads a pattern as Vim has it: without "very magic" brackets, bars, + and ? stand
// for themselves unless a \ is before them; \< and \> are the edges of words; \c and \C say
// whether case counts.
func Pattern(s string) (*regexp.Regexp, error) {
	var b strings.Builder
	fold, magic := false, true
	for i := 0; i < len(s); i++ {
		c := s[i]
		if c != '\\' || i+1 == len(s) {
			if magic && strings.IndexByte("()|+?{}", c) >= 0 || c == '\\' || magic && (c == '*' && b.Len() == 0 || c == '$' && !endsBranch(s[i+1:]) || c == '^' && !beginsBranch(s[:i])) {
				b.WriteByte('\\')
			}
			b.WriteByte(c)
			continue
		}
		i++
		switch c = s[i]; {
		case c == 'v':
			magic = false
		case c == 'c' || c == 'C':
			fold = c == 'c'
		case c == '<' || c == '>':
			b.WriteString(`\b`)
		case c == '=':
			b.WriteByte('?')
		case c == 'a':
			b.WriteString("[A-Za-z]")
		case c == 'h':
			b.WriteString("[A-Za-z_]")
		case c == 'x':
			b.WriteString("[0-9A-Fa-f]")
		case c == 'l' || c == 'u':
			b.WriteString(map[byte]string{'l': "[a-z]", 'u': "[A-Z]"}[c])
		case magic && strings.IndexByte("()|+?{", c) >= 0:
			b.WriteByte(c)
		case strings.IndexByte("sSdDwWtnbr", c) >= 0:
			b.WriteByte('\\')
			b.WriteByte(c)
		default:
			b.WriteString(regexp.QuoteMeta(string(c)))
		}
		if magic && c == '{' {
			if n := strings.IndexAny(s[i:], `}`); n > 0 { // \{2,3} ends as it stands
				b.WriteString(strings.TrimSuffix(s[i+1:i+n], `\`) + "}")
				i += n
			}
		}
	}
	flags := ""
	if fold {
		flags = "(?i)"
	}
	return regexp.Compile(flags + b.String())
}

func beginsBranch(s string) bool {
	return s == "" || strings.HasSuffix(s, `\(`) || strings.HasSuffix(s, `\|`)
}
func endsBranch(s string) bool {
	return s == "" || strings.HasPrefix(s, `\)`) || strings.HasPrefix(s, `\|`)
}
