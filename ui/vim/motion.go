package vim

import (
	"strings"
	"unicode/utf8"

	"dscope.dev/ui/document/text"
)

// A kind says what of the text an operator takes up to where a motion goes.
type kind uint8

const (
	exclusive kind = iota // up to the place
	inclusive             // and the character there
	linewise              // whole lines
)

// A target is where a motion goes.
type target struct {
	to   int
	kind kind
}

// A motion says where keys go. ok is false if there is no such place; then nothing is done.
type motion func(m *Machine, c command) (t target, ok bool)

// motions are by their keys.
var motions = map[string]motion{
	"h": left,
	"l": right,
	"j": func(m *Machine, c command) (target, bool) { return m.vertical(c.times()) },
	"k": func(m *Machine, c command) (target, bool) { return m.vertical(-c.times()) },
	"+": func(m *Machine, c command) (target, bool) { return m.lineBelow(c.times()) },
	"-": func(m *Machine, c command) (target, bool) { return m.lineBelow(-c.times()) },
	"_": func(m *Machine, c command) (target, bool) {
		t, ok := m.lineBelow(c.times() - 1)
		return t, ok || c.times() == 1
	},
	"0":  func(m *Machine, _ command) (target, bool) { return at(m.start(m.at), true) },
	"^":  func(m *Machine, _ command) (target, bool) { return at(m.firstWord(m.line(m.at)), true) },
	"$":  toEnd,
	"w":  func(m *Machine, c command) (target, bool) { return m.word(c, false) },
	"W":  func(m *Machine, c command) (target, bool) { return m.word(c, true) },
	"e":  func(m *Machine, c command) (target, bool) { return m.wordTo(c, false) },
	"E":  func(m *Machine, c command) (target, bool) { return m.wordTo(c, true) },
	"b":  func(m *Machine, c command) (target, bool) { return m.wordFrom(c, false) },
	"B":  func(m *Machine, c command) (target, bool) { return m.wordFrom(c, true) },
	"ge": func(m *Machine, c command) (target, bool) { return on(m.wordEndBack(m.at, c.times(), false)) },
	"gE": func(m *Machine, c command) (target, bool) { return on(m.wordEndBack(m.at, c.times(), true)) },
	"gg": func(m *Machine, c command) (target, bool) { return m.toLine(c.times()), true },
	"G":  toLast,
	"{":  func(m *Machine, c command) (target, bool) { return m.paragraph(-1, c.times()) },
	"}":  func(m *Machine, c command) (target, bool) { return m.paragraph(+1, c.times()) },
	"%":  toPartner,
	"f":  seekChar,
	"F":  seekChar,
	"t":  seekChar,
	"T":  seekChar,
	";":  func(m *Machine, c command) (target, bool) { return m.seekAgain(c, false) },
	",":  func(m *Machine, c command) (target, bool) { return m.seekAgain(c, true) },
	"n":  func(m *Machine, c command) (target, bool) { return at(m.findNext(c.times(), false)) },
	"N":  func(m *Machine, c command) (target, bool) { return at(m.findNext(c.times(), true)) },
	"*":  func(m *Machine, c command) (target, bool) { return m.wordUnder(c, true) },
	"#":  func(m *Machine, c command) (target, bool) { return m.wordUnder(c, false) },
	"/":  askPattern,
	"?":  askPattern,
	"`":  func(m *Machine, c command) (target, bool) { return at(m.marked(c)) },
	"'": func(m *Machine, c command) (target, bool) {
		off, ok := m.marked(c)
		return target{m.firstWord(m.line(off)), linewise}, ok
	},
}

// jumps are motions after which ” comes back.
const jumps = "gg G { } % n N * # / ? ` '"

func isMotion(name string) bool { return motions[name] != nil }

func at(to int, ok bool) (target, bool) { return target{to, exclusive}, ok }
func on(to int, ok bool) (target, bool) { return target{to, inclusive}, ok }

// move goes where a motion goes.
func (m *Machine) move(c command) {
	was := m.at
	t, ok := motions[c.name](m, c)
	if !ok {
		m.at, m.failed = was, m.asked == nil
		return
	}
	if strings.Contains(" "+jumps+" ", " "+c.name+" ") {
		m.host.Keep('\'', was)
	}
	m.at = t.to
	switch c.name {
	case "j", "k":
	case "$":
		m.goal, m.goalSet = lineEnd, true
	default:
		m.goalSet = false
	}
}

// marked returns the place of a mark. The one before the last jump has two names.
func (m *Machine) marked(c command) (int, bool) {
	off, ok := m.host.Place([]rune(strings.Replace(c.arg, "`", "'", 1))[0])
	if !ok {
		m.host.Say("there is no mark " + c.arg)
	}
	return min(off, m.buf.Size()), ok
}

func left(m *Machine, c command) (target, bool) {
	to := m.at
	for n := c.times(); n > 0 && to > m.start(to); n-- {
		to = m.prev(to)
	}
	return target{to, exclusive}, to != m.at || c.op != ""
}

func right(m *Machine, c command) (target, bool) {
	to, end := m.at, m.end(m.at)
	if c.op == "" && m.mode == Normal {
		end = m.prev(end)
	}
	for n := c.times(); n > 0 && to < end; n-- {
		to = m.next(to)
	}
	return target{to, exclusive}, to != m.at || c.op != ""
}

func toEnd(m *Machine, c command) (target, bool) {
	n := m.line(m.at) + c.times() - 1
	if n > m.lastLine() && m.line(m.at) == m.lastLine() {
		return target{}, false
	}
	n = min(n, m.lastLine())
	if m.selecting() {
		return target{m.buf.End(n), inclusive}, true
	}
	s := m.buf.Line(n)
	return target{m.buf.Start(n) + text.Prev(s, len(s)), inclusive}, true
}

func (m *Machine) word(c command, big bool) (target, bool) {
	if c.op == "c" && m.class(m.at, big) != blank { // what is behind a word stays
		to, _ := m.wordEnd(m.at, c.times(), big, true)
		if to == m.end(to) {
			to = max(m.prev(to), m.start(to))
		}
		return on(to, true)
	}
	to, ok := m.wordAhead(m.at, c.times(), big, c.op != "")
	if c.op != "" { // blanks at the end of a line do not bring the next one along
		last := to
		for last > m.at && m.class(m.prev(last), big) == blank && !m.emptyLine(m.prev(last)) {
			last = m.prev(last)
		}
		if m.line(last) < m.line(to) {
			to = m.end(last)
		}
	}
	if c.op == "" && m.mode == Normal && to > m.at && to == m.end(to) && !m.emptyLine(to) {
		to = m.prev(to)
	}
	return target{to, exclusive}, ok || c.op != ""
}

// wordFrom goes back by words, as far as there are any.
func (m *Machine) wordFrom(c command, big bool) (target, bool) {
	to, ok := m.wordBack(m.at, c.times(), big)
	return target{to, exclusive}, ok || c.op == "" && to != m.at
}

func (m *Machine) wordTo(c command, big bool) (target, bool) {
	to, ok := m.wordEnd(m.at, c.times(), big, false)
	if !ok && to == m.end(to) {
		to = max(m.prev(to), m.start(to))
	}
	return target{to, inclusive}, ok || c.op != "" || to != m.at
}

// vertical goes lines down, or up.
func (m *Machine) vertical(by int) (target, bool) {
	n, col := m.line(m.at), m.column()
	to := min(max(n+by, 0), m.lastLine())
	return target{m.atColumn(to, col), linewise}, to != n
}

// lineBelow goes to the first word of a line below, or above.
func (m *Machine) lineBelow(by int) (target, bool) {
	n := m.line(m.at)
	to := min(max(n+by, 0), m.lastLine())
	return target{m.firstWord(to), linewise}, to != n
}

// toLine goes to the first word of a line by its number.
func (m *Machine) toLine(n int) target {
	return target{m.firstWord(min(max(n-1, 0), m.lastLine())), linewise}
}

func toLast(m *Machine, c command) (target, bool) {
	if c.count == 0 {
		c.count = m.lastLine() + 1
	}
	return m.toLine(c.count), true
}

// paragraph goes to empty lines behind paragraphs, or before them; at last to the end of
// the text.
func (m *Machine) paragraph(by, count int) (target, bool) {
	n, last := m.line(m.at), m.lastLine()
	for ; count > 0; count-- {
		filled := m.buf.Line(n) != "" // a line since the last empty one
		for n += by; n >= 0 && n <= last && (m.buf.Line(n) != "" || !filled); n += by {
			filled = filled || m.buf.Line(n) != ""
		}
		if n < 0 || n > last {
			if count > 1 {
				return target{}, false
			}
			n -= by
		}
	}
	if end := m.buf.End(n); n == last && end > m.buf.Start(n) {
		return target{m.prev(end), inclusive}, true
	}
	return target{m.buf.Start(n), exclusive}, true
}

// A sought character is one that f, F, t or T looked for.
type sought struct{ how, what string }

func seekChar(m *Machine, c command) (target, bool) {
	m.char = sought{c.name, c.arg}
	return m.seek(m.char, c.times())
}

// seekAgain looks for the same character again, or the other way. One that is next to the
// cursor, at which t would stay, is passed.
func (m *Machine) seekAgain(c command, other bool) (target, bool) {
	s, line, col := m.char, m.text(m.at), m.at-m.start(m.at)
	if s.how == "" {
		return target{}, false
	}
	if other {
		s.how = map[string]string{"f": "F", "F": "f", "t": "T", "T": "t"}[s.how]
	}
	near := s.how == "t" && strings.HasPrefix(line[min(text.Next(line, col), len(line)):], s.what) ||
		s.how == "T" && strings.HasSuffix(line[:col], s.what)
	if near && c.times() == 1 {
		c.count = 2
	}
	return m.seek(s, c.times())
}

// seek looks for a character in the line.
func (m *Machine) seek(s sought, count int) (target, bool) {
	line, start := m.text(m.at), m.start(m.at)
	found, forth, short := m.at-start, s.how == "f" || s.how == "t", s.how == "t" || s.how == "T"
	for ; count > 0; count-- {
		i, by := strings.LastIndex(line[:found], s.what), 0
		if forth {
			by = text.Next(line, found)
			i = strings.Index(line[min(by, len(line)):], s.what)
		}
		if i < 0 {
			return target{}, false
		}
		found = by + i
	}
	switch {
	case short && forth:
		found = text.Prev(line, found)
	case short:
		_, n := utf8.DecodeRuneInString(line[found:])
		found += n
	}
	if forth {
		return target{start + found, inclusive}, true
	}
	return target{start + found, exclusive}, true
}
