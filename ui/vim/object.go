package vim

import "strings"

// An area is a part of the text: [from, to), or the lines that it touches.
type area struct {
	from, to int
	lines    bool
}

// An object is a part of the text around the cursor.
type object struct {
	find func(m *Machine, c command) (area, bool)
	help string
}

var objects = map[string]object{
	"w": {func(m *Machine, c command) (area, bool) { return m.wordObject(c, false) }, "word"},
	"W": {func(m *Machine, c command) (area, bool) { return m.wordObject(c, true) }, "word of all signs"},
	"p": {(*Machine).paragraphObject, "paragraph"},
	"(": {func(m *Machine, c command) (area, bool) { return m.block(c, '(') }, "brackets"},
	"[": {func(m *Machine, c command) (area, bool) { return m.block(c, '[') }, "brackets"},
	"{": {func(m *Machine, c command) (area, bool) { return m.block(c, '{') }, "braces"},
	"<": {func(m *Machine, c command) (area, bool) { return m.block(c, '<') }, "angles"},
	`"`: {func(m *Machine, c command) (area, bool) { return m.quotes(c, '"') }, "string"},
	"'": {func(m *Machine, c command) (area, bool) { return m.quotes(c, '\'') }, "character"},
	"`": {func(m *Machine, c command) (area, bool) { return m.quotes(c, '`') }, "quotes"},
}

// sameObjects are other names.
var sameObjects = map[string]string{")": "(", "b": "(", "]": "[", "}": "{", "B": "{", ">": "<"}

// objectOf returns what a name such as i( is of.
func objectOf(name string) (object, bool) {
	if len(name) != 2 || name[0] != 'i' && name[0] != 'a' {
		return object{}, false
	}
	key := name[1:]
	if same, ok := sameObjects[key]; ok {
		key = same
	}
	o, ok := objects[key]
	return o, ok
}

func isObject(name string) bool { _, ok := objectOf(name); return ok }

// all reports whether an object is meant with what is around it.
func (c command) all() bool { return c.name[0] == 'a' }

// wordObject is a word, or the blanks between two. With all, words have the blanks behind
// them, or else those before.
func (m *Machine) wordObject(c command, big bool) (area, bool) {
	from := m.at
	for from > m.start(from) && m.class(m.prev(from), big) == m.class(m.at, big) && m.at < m.end(m.at) {
		from = m.prev(from)
	}
	last, count, startsBlank := m.lastLine(), c.times(), m.class(m.at, big) == blank
	to, behind := from, false // behind: the last thing taken were the blanks behind a word
	for i := range count {
		if i > 0 && to == m.end(to) { // goes on with the next line
			if m.line(to) == last {
				return area{}, false
			}
			to = m.behind(m.line(to))
		}
		is := m.class(to, big)
		to = m.runEnd(to, big)
		behind = false
		if !c.all() {
			continue
		}
		switch {
		case is == blank && to < m.end(to):
			to = m.runEnd(to, big)
		case is == blank && m.line(to) < last:
			to = m.behind(m.line(to))
			for m.class(to, big) == blank && to < m.end(to) {
				to = m.next(to)
			}
			to = m.runEnd(to, big)
		case is == blank:
			return area{}, false
		case to < m.end(to) && m.class(to, big) == blank:
			to, behind = m.runEnd(to, big), true
		}
	}
	if c.all() && !behind && !startsBlank {
		before := from
		for before > m.start(before) && m.class(m.prev(before), big) == blank {
			before = m.prev(before)
		}
		if before > m.start(before) { // an indentation stays
			from = before
		}
	}
	return area{from: from, to: to}, true
}

// runEnd returns where the characters of one class end that begin at a place.
func (m *Machine) runEnd(off int, big bool) int {
	is := m.class(off, big)
	for off < m.end(off) && m.class(off, big) == is {
		off = m.next(off)
	}
	return off
}

// paragraphObject is lines between empty ones, or those; with all, both.
func (m *Machine) paragraphObject(c command) (area, bool) {
	first, last := m.line(m.at), m.lastLine()
	white := func(n int) bool { return strings.Trim(m.buf.Line(n), " \t") == "" }
	for first > 0 && white(first-1) == white(m.line(m.at)) {
		first--
	}
	end, startsWhite := first, white(first) // end is behind the last line
	run := func() bool {
		if end > last {
			return false
		}
		is := white(end)
		for end <= last && white(end) == is {
			end++
		}
		return true
	}
	whiteAtEnd := false
	for range c.times() {
		if !run() {
			return area{}, false
		}
		if c.all() {
			whiteAtEnd = !startsWhite && run()
			if startsWhite && !run() {
				return area{}, false
			}
		}
	}
	if c.all() && !startsWhite && !whiteAtEnd {
		for first > 0 && white(first-1) {
			first--
		}
	}
	return area{m.buf.Start(first), m.buf.Start(end - 1), true}, true
}

// block is what stands between brackets, without line breaks next to them; with all, the
// brackets too.
func (m *Machine) block(c command, open byte) (area, bool) {
	from := m.at
	count := c.times()
	if m.at < m.end(m.at) {
		switch m.text(m.at)[m.at-m.start(m.at)] {
		case open:
			count--
		case pairs[open]:
			var ok bool
			if from, ok = m.partner(m.at); !ok {
				return area{}, false
			}
			count--
		}
	}
	for range count {
		var ok bool
		if from, ok = m.opener(from, open); !ok {
			return area{}, false
		}
	}
	to, ok := m.partner(from)
	if !ok {
		return area{}, false
	}
	if c.all() {
		return area{from: from, to: to + 1}, true
	}
	from++
	if open == '{' && from == m.end(from) && m.line(from) < m.line(to) {
		from = m.behind(m.line(from))
	}
	if line := m.start(to); open == '{' && strings.Trim(m.buf.Slice(line, to), " \t") == "" && line >= from {
		if from == m.start(from) {
			return area{from, max(line-1, from), line > from}, line > from
		}
		to = line - 1
	}
	return area{from: from, to: to}, true
}

// quotes is a string in the line, at the cursor or behind it; with all, its quotes and the
// blanks behind it, or else before.
func (m *Machine) quotes(c command, quote byte) (area, bool) {
	line, start := m.text(m.at), m.start(m.at)
	col := m.at - start
	next := func(i int) int { // the next quote from i on
		for ; i < len(line); i++ {
			switch line[i] {
			case '\\':
				i++
			case quote:
				return i
			}
		}
		return -1
	}
	from, to := -1, -1
	for i := 0; ; i = to + 1 {
		if from = next(i); from < 0 {
			return area{}, false
		}
		if to = next(from + 1); to < 0 {
			return area{}, false
		}
		if to >= col {
			break
		}
		if col < len(line) && line[col] != quote { // between two strings counts as in one
			if end := next(to + 1); from < col && (end < 0 || col < end) && end >= 0 {
				from, to = to, end
				break
			}
		}
	}
	if !c.all() {
		if c.times() > 1 { // the quotes without blanks
			return area{from: start + from, to: start + to + 1}, true
		}
		return area{from: start + from + 1, to: start + to}, true
	}
	to++
	if blanks := len(line[to:]) - len(strings.TrimLeft(line[to:], " \t")); blanks > 0 {
		to += blanks
	} else {
		from = len(strings.TrimRight(line[:from], " \t"))
	}
	return area{from: start + from, to: start + to}, true
}

// areaOf returns what an operator takes: an object, lines, or up to where a motion goes.
func (m *Machine) areaOf(c command) (area, bool) {
	if c.name == "line" {
		n := m.line(m.at)
		last := min(n+c.times()-1, m.lastLine())
		if n == m.lastLine() && c.times() > 1 {
			return area{}, false
		}
		from := m.at
		if last == n && c.op != "y" {
			from = min(from, m.firstWord(n))
		}
		return area{from, m.buf.Start(last), true}, true
	}
	if o, ok := objectOf(c.name); ok {
		return o.find(m, c)
	}
	was := m.at
	t, ok := motions[c.name].to(m, c)
	m.at = was // * goes to the start of the word first
	if !ok {
		return area{}, false
	}
	a := area{from: min(was, t.to), to: max(was, t.to)}
	switch t.kind {
	case linewise:
		a.lines = true
	case inclusive:
		a.to = m.behindCharacter(a.to)
	case exclusive:
		a = m.shortened(a)
	}
	return a, true
}

// behindCharacter returns the place behind a character of the line, or the end of the line.
func (m *Machine) behindCharacter(off int) int {
	if off == m.end(off) {
		return off
	}
	return m.next(off)
}

// shortened has an area that ends where a line begins end with the line before; it is whole
// lines if it begins before all words too.
func (m *Machine) shortened(a area) area {
	last := m.line(a.to)
	if last == m.line(a.from) || a.to != m.buf.Start(last) {
		return a
	}
	a.to = m.buf.End(last - 1)
	if m.inIndent(a.from) {
		return area{a.from, m.buf.Start(last - 1), true}
	}
	return a
}

// inIndent reports whether nothing but blanks stands before a place in its line.
func (m *Machine) inIndent(off int) bool {
	return strings.Trim(m.buf.Slice(m.start(off), off), " \t") == ""
}

// span returns the first and last line of an area.
func (m *Machine) span(a area) (first, last int) { return m.line(a.from), m.line(a.to) }

// whole returns the offsets of all lines of an area, with the newline behind them or else
// the one before.
func (m *Machine) whole(a area) (from, to int) {
	first, last := m.span(a)
	if last+1 < m.buf.Lines() {
		return m.buf.Start(first), m.buf.Start(last + 1)
	}
	if first > 0 {
		return m.buf.End(first - 1), m.buf.End(last)
	}
	return m.buf.Start(first), m.buf.End(last)
}

// contents returns the text of whole lines, each with its newline.
func (m *Machine) contents(a area) string {
	first, last := m.span(a)
	return m.slice(m.buf.Start(first), m.buf.End(last)) + "\n"
}
