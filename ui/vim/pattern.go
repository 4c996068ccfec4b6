package vim

import (
	"regexp"
	"strings"
	"unicode"
	"unicode/utf8"

	"dscope.dev/ui/document/text"
)

// A pattern is what is looked for.
type pattern struct {
	re    *regexp.Regexp // nil if nothing was looked for yet
	typed string
	back  bool // n goes back
}

// askPattern asks for what is looked for; the command goes on when it is known.
func askPattern(m *Machine, c command) (target, bool) {
	if c.arg == "" {
		m.asked = &c
		m.host.Ask(c.name, "")
		return target{}, false
	}
	if !m.lookFor(c.arg[1:], c.name == "?") {
		return target{}, false
	}
	return at(m.findNext(c.times(), false))
}

// lookFor takes up a pattern; without one the last stands. It reports whether there is one.
func (m *Machine) lookFor(typed string, back bool) bool {
	m.pattern.back = back
	if typed != "" {
		re, err := Pattern(typed)
		if err != nil {
			m.host.Say(err.Error())
			return false
		}
		m.pattern.re, m.pattern.typed = re, typed
	}
	if m.pattern.re == nil {
		m.host.Say("nothing was searched for yet")
	}
	return m.pattern.re != nil
}

// findNext returns the count-th place found from the cursor on, around the ends of the text.
func (m *Machine) findNext(count int, other bool) (int, bool) {
	if !m.lookFor("", m.pattern.back) {
		return 0, false
	}
	m.host.Found(text.RegexpQuery(m.pattern.re))
	off := m.at
	for range min(count, 1000) {
		to, ok := m.find(off, m.pattern.back != other)
		if !ok {
			m.host.Say("not found: " + m.pattern.typed)
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
		start, s := m.buf.Start(line), m.buf.Line(line)
		best := -1
		for _, p := range m.pattern.re.FindAllStringIndex(s, -1) {
			to := start + p[0]
			if p[0] == len(s) && s != "" || i == 0 && (back && to >= off || !back && to <= off) {
				continue
			}
			if best = to; !back {
				break
			}
		}
		if best >= 0 {
			return best, true
		}
	}
	return 0, false
}

// wordUnder looks for the word at the cursor, or the next one of the line.
func (m *Machine) wordUnder(c command, forth bool) (target, bool) {
	line, start := m.text(m.at), m.start(m.at)
	from, to := wordAt(line, m.at-start)
	if from == to {
		return target{}, false
	}
	what := `\V` + strings.ReplaceAll(line[from:to], `\`, `\\`)
	if r, _ := utf8.DecodeRuneInString(line[from:]); isName(r) {
		what = `\<` + line[from:to] + `\>`
	}
	m.at = start + from
	if !m.lookFor(what, !forth) {
		return target{}, false
	}
	return at(m.findNext(c.times(), false))
}

// wordAt returns the name at a column or behind it, else the signs there.
func wordAt(line string, col int) (from, to int) {
	for _, is := range []func(rune) bool{isName, func(r rune) bool { return !isName(r) && !unicode.IsSpace(r) }} {
		switch i := strings.IndexFunc(line[col:], is); {
		case i < 0:
			continue
		case i == 0:
			from = len(strings.TrimRightFunc(line[:col], is))
		default:
			from = col + i
		}
		return from, len(line) - len(strings.TrimLeftFunc(line[from:], is))
	}
	return 0, 0
}

// Pattern reads a pattern as Vim has it: brackets, bars, + and ? stand for themselves unless a
// \ is before them, or behind "very magic" \v; \V has nothing mean more than itself. \< and \>
// are the edges of words; \c and \C say whether case counts.
func Pattern(s string) (*regexp.Regexp, error) {
	var b strings.Builder
	flags, very, none := "", false, false
	for i := 0; i < len(s); i++ {
		c, escaped := s[i], s[i] == '\\' && i+1 < len(s)
		if escaped {
			i++
			c = s[i]
		}
		special := escaped && !none
		if !none && very {
			special = !escaped
		}
		begins := b.Len() == 0 || strings.HasSuffix(b.String(), "(") || strings.HasSuffix(b.String(), "|")
		behind := s[i+1:]
		ends := behind == "" || strings.HasPrefix(behind, `\)`) || strings.HasPrefix(behind, `\|`) || very
		switch {
		case escaped && (c == 'v' || c == 'V'):
			very, none = c == 'v', c == 'V'
		case escaped && (c == 'c' || c == 'C'):
			flags = map[byte]string{'c': "(?i)"}[c]
		case escaped && (c == '<' || c == '>'), special && (c == '<' || c == '>'):
			b.WriteString(`\b`)
		case escaped && strings.IndexByte("sSdDwWtnr", c) >= 0:
			b.WriteString(`\` + s[i:i+1])
		case special && c == '=':
			b.WriteByte('?')
		case special && c == '{' && strings.Contains(behind, "}"):
			times, _, _ := strings.Cut(behind, "}") // \{2,3} ends as it stands, or with \}
			b.WriteString("{" + strings.TrimSuffix(times, `\`) + "}")
			i += len(times) + 1
		case special && strings.IndexByte("()|+?", c) >= 0:
			b.WriteByte(c)
		case !escaped && !none && c == '[' && strings.Contains(behind[min(1, len(behind)):], "]"):
			end := 2 + strings.IndexByte(behind[1:], ']')
			b.WriteString(s[i : i+end+1])
			i += end
		case !escaped && !none && (c == '.' || c == '*' && !begins || c == '^' && begins || c == '$' && ends):
			b.WriteByte(c)
		default:
			b.WriteString(regexp.QuoteMeta(s[i : i+1]))
		}
	}
	return regexp.Compile(flags + b.String())
}
