package vim

import "strings"

// An object finds a part of the text around the cursor.
type object func(m *Machine, c command) (area, bool)

// objects are by the keys behind i and a.
var objects = map[string]object{
	"w": func(m *Machine, c command) (area, bool) { return m.wordObject(c, false) },
	"W": func(m *Machine, c command) (area, bool) { return m.wordObject(c, true) },
	"p": (*Machine).paragraphObject,
	"(": block, ")": block, "b": block, "[": block, "]": block, "{": block, "}": block, "B": block, "<": block, ">": block,
	`"`: quotes, "'": quotes, "`": quotes,
}

// objectOf returns what a name such as i( is of; nil if it is no object.
func objectOf(name string) object {
	if len(name) != 2 || name[0] != 'i' && name[0] != 'a' {
		return nil
	}
	return objects[name[1:]]
}

func isObject(name string) bool { return objectOf(name) != nil }

// all reports whether an object is meant with what is around it.
func (c command) all() bool { return c.name[0] == 'a' }

// wordObject is a word, or the blanks between two. With all, words have the blanks behind
// them, or else those before.
func (m *Machine) wordObject(c command, big bool) (area, bool) {
	from, startsBlank := m.at, m.class(m.at, big) == blank
	for from > m.start(from) && m.class(m.prev(from), big) == m.class(m.at, big) && m.at < m.end(m.at) {
		from = m.prev(from)
	}
	to, behind := from, false // behind: the last thing taken were the blanks behind a word
	for i := range c.times() {
		if i > 0 && to == m.end(to) { // goes on with the next line
			if m.line(to) == m.lastLine() {
				return area{}, false
			}
			to = m.next(to)
		}
		is := m.class(to, big)
		to, behind = m.runEnd(to, big), false
		switch {
		case !c.all():
		case is != blank:
			if to < m.end(to) && m.class(to, big) == blank {
				to, behind = m.runEnd(to, big), true
			}
		case to < m.end(to):
			to = m.runEnd(to, big)
		case m.line(to) < m.lastLine():
			to = m.next(to)
			if m.class(to, big) == blank && !m.emptyLine(to) {
				to = m.runEnd(to, big)
			}
			to = m.runEnd(to, big)
		default:
			return area{}, false
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

// paragraphObject is lines between blank ones, or those; with all, both.
func (m *Machine) paragraphObject(c command) (area, bool) {
	white := func(n int) bool { return strings.Trim(m.buf.Line(n), " \t") == "" }
	first, last, runs := m.line(m.at), m.lastLine(), c.times()
	startsWhite := white(first)
	for first > 0 && white(first-1) == startsWhite {
		first--
	}
	if c.all() {
		runs *= 2
	}
	end := first // behind the last line
	for i := range runs {
		if end > last {
			if i < runs-1 || !c.all() || startsWhite {
				return area{}, false
			}
			for first > 0 && white(first-1) { // nothing behind: what is before
				first--
			}
			break
		}
		for is := white(end); end <= last && white(end) == is; {
			end++
		}
	}
	return area{m.buf.Start(first), m.buf.Start(end - 1), true}, true
}

// block is what stands between brackets, without line breaks next to braces; with all, the
// brackets too.
func block(m *Machine, c command) (area, bool) {
	open := strings.NewReplacer(")", "(", "b", "(", "]", "[", "}", "{", "B", "{", ">", "<").Replace(c.name[1:])[0]
	from, count, ok := m.at, c.times(), true
	if m.at < m.end(m.at) {
		switch m.text(m.at)[m.at-m.start(m.at)] {
		case open:
			count--
		case pairs[open]:
			from, ok = m.partner(m.at)
			count--
		}
	}
	for ; ok && count > 0; count-- {
		from, ok = m.opener(from, open)
	}
	if !ok {
		return area{}, false
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
		from = m.next(from)
	}
	if line := m.start(to); open == '{' && m.inIndent(to) && line >= from {
		if from == m.start(from) {
			return area{from, max(line-1, from), line > from}, line > from
		}
		to = line - 1
	}
	return area{from: from, to: to}, true
}

// quotes is a string in the line, at the cursor or behind it; with all, its quotes and the
// blanks behind it, or else before. Between two strings counts as in one.
func quotes(m *Machine, c command) (area, bool) {
	line, start := m.text(m.at), m.start(m.at)
	var at []int // of the quotes
	before := 0  // how many of them are before the cursor
	for i := 0; i < len(line); i++ {
		switch line[i] {
		case '\\':
			i++
		case c.name[1]:
			if at = append(at, i); start+i < m.at {
				before++
			}
		}
	}
	first := max(before-1, 0)
	if before < len(at) && start+at[before] == m.at {
		first = before &^ 1
	}
	if first+1 >= len(at) {
		return area{}, false
	}
	from, to := at[first], at[first+1]
	switch blank := blanks(line[to+1:]); {
	case !c.all() && c.times() > 1: // the quotes without blanks
		to++
	case !c.all():
		from++
	case blank != "":
		to += 1 + len(blank)
	default:
		from, to = len(strings.TrimRight(line[:from], " \t")), to+1
	}
	return area{from: start + from, to: start + to}, true
}

// areaOf returns what an operator takes: an object, lines, or up to where a motion goes.
func (m *Machine) areaOf(c command) (area, bool) {
	if c.name == "line" {
		n := m.line(m.at)
		last := min(n+c.times()-1, m.lastLine())
		from := m.at
		if last == n && c.op != "y" {
			from = min(from, m.firstWord(n))
		}
		return area{from, m.buf.Start(last), true}, n < m.lastLine() || c.times() == 1
	}
	if o := objectOf(c.name); o != nil {
		return o(m, c)
	}
	was := m.at
	t, ok := motions[c.name](m, c)
	m.at = was // * goes to the start of the word first
	a := area{from: min(was, t.to), to: max(was, t.to)}
	switch t.kind {
	case linewise:
		a.lines = true
	case inclusive:
		a.to = m.behindCharacter(a.to)
	case exclusive:
		a = m.shortened(a)
	}
	return a, ok
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
