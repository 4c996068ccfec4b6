package vim

import "strings"

// pairs are the brackets that have partners.
var pairs = map[byte]byte{'(': ')', '[': ']', '{': '}', '<': '>'}

func toPartner(m *Machine, c command) (target, bool) {
	if c.count > 0 {
		if c.count > 100 {
			return target{}, false
		}
		t := m.toLine((c.count*(m.lastLine()+1) + 99) / 100)
		return t, true
	}
	line, from := m.text(m.at), m.start(m.at)
	for i := m.at - from; i < len(line); i++ {
		if strings.IndexByte("([{)]}", line[i]) >= 0 {
			to, ok := m.partner(from + i)
			return target{to, inclusive}, ok
		}
	}
	return target{}, false
}

// partner returns where the partner of the bracket at a place is.
func (m *Machine) partner(off int) (int, bool) {
	b := m.text(off)[off-m.start(off)]
	for open, shut := range pairs {
		switch b {
		case open:
			return m.balance(off, +1, open, shut)
		case shut:
			return m.balance(off, -1, shut, open)
		}
	}
	return 0, false
}

// balance walks from a bracket, or from where one is looked for, to the partner that
// closes it. Brackets in strings count for those alone that begin in one.
func (m *Machine) balance(off, by int, same, partner byte) (int, bool) {
	n := m.line(off)
	return m.walk(off, by, same, partner, func(line string) []bool { return inStrings(line) }, quoted(m.buf.Line(n), off-m.buf.Start(n)))
}

// walk is balance; only brackets count where strings, which tells what of a line is in one,
// says the same as inString.
func (m *Machine) walk(off, by int, same, partner byte, strings func(line string) []bool, inString bool) (int, bool) {
	n, depth := m.line(off), 0
	col := off - m.buf.Start(n)
	for ; n >= 0 && n < m.buf.Lines(); n += by {
		line := m.buf.Line(n)
		if col == behindLine {
			col = len(line)
			if by > 0 {
				col = -1
			}
		}
		in := strings(line)
		for i := col + by; i >= 0 && i < len(line); i += by {
			if in != nil && in[i] != inString {
				continue
			}
			switch line[i] {
			case same:
				depth++
			case partner:
				if depth == 0 {
					return m.buf.Start(n) + i, true
				}
				depth--
			}
		}
		col = behindLine
	}
	return 0, false
}

// behindLine is a column before the first of a line that is walked through.
const behindLine = -2

// inStrings returns which bytes of a line are in strings; nil if quotes do not come in
// pairs, and so tell nothing.
func inStrings(line string) []bool {
	in, open := make([]bool, len(line)), false
	for i := 0; i < len(line); i++ {
		in[i] = open
		switch {
		case line[i] == '\\':
			if i++; i < len(line) {
				in[i] = open
			}
		case line[i] == '"' && !(i > 0 && i+1 < len(line) && line[i-1] == '\'' && line[i+1] == '\''):
			open = !open
		}
	}
	if open {
		return nil
	}
	return in
}

// quoted reports whether a column is in a string.
func quoted(line string, col int) bool {
	in := inStrings(line)
	return in != nil && col < len(in) && in[col]
}

// enclosing goes to a bracket around the cursor.
func (m *Machine) enclosing(b byte, count int) (target, bool) {
	to := m.at
	for range count {
		var ok bool
		if to, ok = m.around(to, b); !ok {
			return target{}, false
		}
	}
	return target{to, exclusive}, true
}

// opener returns the bracket that is open at a place; where none is, the next one. Strings do
// not count.
func (m *Machine) opener(off int, open byte) (int, bool) {
	plain := func(string) []bool { return nil }
	if to, ok := m.walk(off, -1, pairs[open], open, plain, false); ok {
		return to, true
	}
	return m.walk(off, +1, pairs[open], open, plain, false)
}

// around returns the next bracket before a place that is open there, or behind it the one
// that closes.
func (m *Machine) around(off int, b byte) (int, bool) {
	for open, shut := range pairs {
		switch b {
		case open:
			return m.balance(off, -1, shut, open)
		case shut:
			return m.balance(off, +1, open, shut)
		}
	}
	return 0, false
}
