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

// A motion is where keys go. ok is false if there is no such place; then nothing is done.
type motion struct {
	to   func(m *Machine, c command) (target, bool)
	help string
}

// motions are by their keys. Those that go up and down are in vertical.
var motions map[string]motion

func init() { motions = allMotions() } // a table that its functions look up again

func allMotions() map[string]motion {
	return map[string]motion{
		"h":         {left, "left"},
		"l":         {right, "right"},
		"backspace": {goBack, "a character back, over lines"},
		"space":     {goAhead, "a character on, over lines"},
		"0":         {func(m *Machine, _ command) (target, bool) { return target{m.start(m.at), exclusive}, true }, "the start of the line"},
		"^": {func(m *Machine, _ command) (target, bool) { return target{m.firstWord(m.line(m.at)), exclusive}, true },
			"the first word of the line"},
		"$":  {toEnd, "the end of the line"},
		"g_": {toLastWord, "the last character of the line that is no blank"},
		"|":  {toColumn, "a column"},
		"w":  {func(m *Machine, c command) (target, bool) { return m.word(c, false) }, "the next word"},
		"W":  {func(m *Machine, c command) (target, bool) { return m.word(c, true) }, "the next word of all signs"},
		"e":  {func(m *Machine, c command) (target, bool) { return m.wordTo(c, false) }, "the end of the word"},
		"E":  {func(m *Machine, c command) (target, bool) { return m.wordTo(c, true) }, "the end of the word of all signs"},
		"b":  {func(m *Machine, c command) (target, bool) { return m.backTo(c, m.wordBack, false) }, "the start of the word"},
		"B":  {func(m *Machine, c command) (target, bool) { return m.backTo(c, m.wordBack, true) }, "the start of the word of all signs"},
		"ge": {func(m *Machine, c command) (target, bool) { return on(m.wordEndBack(m.at, c.times(), false)) }, "the end of the word before"},
		"gE": {func(m *Machine, c command) (target, bool) { return on(m.wordEndBack(m.at, c.times(), true)) }, "the end of the word of all signs before"},
		"j":  {func(m *Machine, c command) (target, bool) { return m.vertical(c.times()) }, "down"},
		"k":  {func(m *Machine, c command) (target, bool) { return m.vertical(-c.times()) }, "up"},
		"gj": {func(m *Machine, c command) (target, bool) { return m.vertical(c.times()) }, "down"},
		"gk": {func(m *Machine, c command) (target, bool) { return m.vertical(-c.times()) }, "up"},
		"+":  {func(m *Machine, c command) (target, bool) { return m.lineBelow(c.times()) }, "the first word of the next line"},
		"-":  {func(m *Machine, c command) (target, bool) { return m.lineBelow(-c.times()) }, "the first word of the line above"},
		"_":  {func(m *Machine, c command) (target, bool) { return m.lineBelow(c.times() - 1) }, "the first word of the line, or of one below"},
		"gg": {func(m *Machine, c command) (target, bool) { return m.toLine(c.times()), true }, "the first line, or that of a number"},
		"G":  {lastLine, "the last line, or that of a number"},
		"H":  {func(m *Machine, c command) (target, bool) { return m.inWindow(c, 0) }, "the first line in view"},
		"M":  {func(m *Machine, c command) (target, bool) { return m.inWindow(c, 1) }, "the line in the middle"},
		"L":  {func(m *Machine, c command) (target, bool) { return m.inWindow(c, 2) }, "the last line in view"},
		"{":  {func(m *Machine, c command) (target, bool) { return m.paragraph(-1, c.times()) }, "the empty line before the paragraph"},
		"}":  {func(m *Machine, c command) (target, bool) { return m.paragraph(+1, c.times()) }, "the empty line behind the paragraph"},
		"%":  {toPartner, "the partner of the bracket; with a count that percentage of the text"},
		"[(": {func(m *Machine, c command) (target, bool) { return m.enclosing('(', c.times()) }, "the bracket that is open"},
		"[{": {func(m *Machine, c command) (target, bool) { return m.enclosing('{', c.times()) }, "the brace that is open"},
		"])": {func(m *Machine, c command) (target, bool) { return m.enclosing(')', c.times()) }, "the bracket that closes"},
		"]}": {func(m *Machine, c command) (target, bool) { return m.enclosing('}', c.times()) }, "the brace that closes"},
		"f":  {seekChar, "a character of the line"},
		"F":  {seekChar, "a character before"},
		"t":  {seekChar, "up to a character of the line"},
		"T":  {seekChar, "up to a character before"},
		";":  {func(m *Machine, c command) (target, bool) { return m.seekAgain(c, false) }, "the same character again"},
		",":  {func(m *Machine, c command) (target, bool) { return m.seekAgain(c, true) }, "the same character the other way"},
		"n":  {func(m *Machine, c command) (target, bool) { return at(m.findNext(c.times(), false)) }, "the next place found"},
		"N":  {func(m *Machine, c command) (target, bool) { return at(m.findNext(c.times(), true)) }, "the place found before"},
		"*":  {func(m *Machine, c command) (target, bool) { return m.wordUnder(c, true, true) }, "the same word again"},
		"#":  {func(m *Machine, c command) (target, bool) { return m.wordUnder(c, false, true) }, "the same word before"},
		"g*": {func(m *Machine, c command) (target, bool) { return m.wordUnder(c, true, false) }, "the same letters again"},
		"g#": {func(m *Machine, c command) (target, bool) { return m.wordUnder(c, false, false) }, "the same letters before"},
		"/":  {askPattern, "what is found"},
		"?":  {askPattern, "what is found before"},
	}
}

func isMotion(name string) bool { return motions[name].to != nil }

// takesCharacter reports whether a command is followed by a character.
func takesCharacter(name string) bool { return len(name) == 1 && strings.Contains("fFtTr", name) }

func at(to int, ok bool) (target, bool) { return target{to, exclusive}, ok }
func on(to int, ok bool) (target, bool) { return target{to, inclusive}, ok }

// move goes where a motion goes.
func (m *Machine) move(c command) bool {
	t, ok := motions[c.name].to(m, c)
	if !ok {
		return false
	}
	m.at = t.to
	switch c.name {
	case "j", "k", "gj", "gk":
	case "$":
		m.goal, m.goalSet = lineEnd, true
	default:
		m.goalSet = false
	}
	return true
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

func goBack(m *Machine, c command) (target, bool) {
	to := m.at
	for range c.times() {
		s := within
		if to, s = m.back(to); s == nextLine && !m.emptyLine(to) {
			to = m.prev(to)
		}
	}
	return target{to, exclusive}, to != m.at
}

func goAhead(m *Machine, c command) (target, bool) {
	to := m.at
	for n := c.times(); n > 0; n-- {
		next, s := m.ahead(to)
		if s == atEnd && (c.op == "" || n > 1) {
			if next, s = m.ahead(next); s == stuck && c.op == "" {
				break
			}
		}
		to = next
	}
	return target{to, exclusive}, to != m.at
}

func toEnd(m *Machine, c command) (target, bool) {
	n := m.line(m.at) + c.times() - 1
	if n > m.lastLine() && m.line(m.at) == m.lastLine() && c.times() > 1 {
		return target{}, false
	}
	n = min(n, m.lastLine())
	if m.mode == Visual || m.mode == Lines {
		return target{m.buf.End(n), inclusive}, true
	}
	s := m.buf.Line(n)
	return target{m.buf.Start(n) + text.Prev(s, len(s)), inclusive}, true
}

func toLastWord(m *Machine, c command) (target, bool) {
	n := min(m.line(m.at)+c.times()-1, m.lastLine())
	s := strings.TrimRight(m.buf.Line(n), " \t")
	return target{m.buf.Start(n) + text.Prev(s, len(s)), inclusive}, true
}

func toColumn(m *Machine, c command) (target, bool) {
	s := m.text(m.at)
	to := text.AtColumn(s, c.times()-1, m.host.Tab())
	if to == len(s) && c.op == "" {
		to = text.Prev(s, to)
	}
	return target{m.start(m.at) + to, exclusive}, true
}

func (m *Machine) word(c command, big bool) (target, bool) {
	if c.op == "c" && m.class(m.at, big) != blank { // what is behind a word stays
		return on(m.wordEndOrEnd(c.times(), big))
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

// backTo goes back by words, as far as there are any.
func (m *Machine) backTo(c command, words func(off, count int, big bool) (int, bool), big bool) (target, bool) {
	to, ok := words(m.at, c.times(), big)
	return target{to, exclusive}, ok || c.op == "" && to != m.at
}

// wordEndOrEnd is wordEnd that takes the end of the text if there is no word.
func (m *Machine) wordEndOrEnd(count int, big bool) (int, bool) {
	to, _ := m.wordEnd(m.at, count, big, true, false)
	if to == m.end(to) && to > m.start(to) {
		to = m.prev(to)
	}
	return to, true
}

func (m *Machine) wordTo(c command, big bool) (target, bool) {
	to, ok := m.wordEnd(m.at, c.times(), big, false, false)
	if !ok && to > m.start(to) && to == m.end(to) {
		to = m.prev(to)
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
	return target{m.firstWord(to), linewise}, to != n || by == 0
}

// toLine goes to the first word of a line by its number.
func (m *Machine) toLine(n int) target {
	return target{m.firstWord(min(max(n-1, 0), m.lastLine())), linewise}
}

func lastLine(m *Machine, c command) (target, bool) {
	if c.count == 0 {
		c.count = m.lastLine() + 1
	}
	return m.toLine(c.count), true
}

// inWindow goes to a line in view: above, in the middle, below.
func (m *Machine) inWindow(c command, where int) (target, bool) {
	top, rows := m.host.Window()
	last := min(top+rows-1, m.lastLine())
	n := min(top+c.times()-1, last)
	switch where {
	case 1:
		n = (top + last) / 2
	case 2:
		n = max(last-c.times()+1, top)
	}
	return m.toLine(n + 1), true
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
	if end := m.buf.End(n); by > 0 && n == last && end > m.buf.Start(n) {
		return target{m.prev(end), inclusive}, true
	}
	return target{m.buf.Start(n), exclusive}, true
}

// A sought character is one that f, F, t or T looked for.
type sought struct{ how, what string }

func seekChar(m *Machine, c command) (target, bool) {
	m.char = sought{c.name, c.arg}
	return m.seek(m.char, c.times(), false)
}

// seekAgain looks for the same character again, or the other way.
func (m *Machine) seekAgain(c command, other bool) (target, bool) {
	s := m.char
	if s.how == "" {
		return target{}, false
	}
	if other {
		s.how = map[string]string{"f": "F", "F": "f", "t": "T", "T": "t"}[s.how]
	}
	return m.seek(s, c.times(), true)
}

// seek looks for a character in the line. again passes one that is next to the cursor, at
// which t would stay.
func (m *Machine) seek(s sought, count int, again bool) (target, bool) {
	line, from := m.text(m.at), m.start(m.at)
	col, forth, short := m.at-from, s.how == "f" || s.how == "t", s.how == "t" || s.how == "T"
	if again && short && count == 1 {
		count++
		if near := m.beside(line, col, forth); near < 0 || !strings.HasPrefix(line[near:], s.what) {
			count--
		}
	}
	found := col
	for ; count > 0; count-- {
		if forth {
			step := text.Next(line, found)
			i := strings.Index(line[min(step, len(line)):], s.what)
			if i < 0 {
				return target{}, false
			}
			found = step + i
		} else {
			i := strings.LastIndex(line[:found], s.what)
			if i < 0 {
				return target{}, false
			}
			found = i
		}
	}
	switch {
	case short && forth:
		found = text.Prev(line, found)
	case short:
		_, n := utf8.DecodeRuneInString(line[found:])
		found += n
	}
	if forth {
		return target{from + found, inclusive}, true
	}
	return target{from + found, exclusive}, true
}

// beside returns where the character beside a place of a line begins; -1 if there is none.
func (m *Machine) beside(line string, col int, forth bool) int {
	if forth {
		if n := text.Next(line, col); n < len(line) {
			return n
		}
		return -1
	}
	if col == 0 {
		return -1
	}
	return text.Prev(line, col)
}
