package vim

import "strings"

// pairs are the brackets that have partners.
var pairs = map[byte]byte{'(': ')', '[': ']', '{': '}', '<': '>'}

func toPartner(m *Machine, c command) (target, bool) {
	line, start := m.text(m.at), m.start(m.at)
	col := m.at - start
	i := strings.IndexAny(line[col:], "([{)]}")
	if i < 0 || c.count > 0 {
		return target{}, false
	}
	to, ok := m.partner(start + col + i)
	return target{to, inclusive}, ok
}

// partner returns where the partner of the bracket at a place is. Brackets in strings count for
// those alone that stand in one.
func (m *Machine) partner(off int) (int, bool) {
	b := m.text(off)[off-m.start(off)]
	for open, shut := range pairs {
		switch b {
		case open:
			return m.walk(off, +1, open, shut, true)
		case shut:
			return m.walk(off, -1, shut, open, true)
		}
	}
	return 0, false
}

// opener returns the bracket that is open at a place, in a string or not; where none is, the
// next one.
func (m *Machine) opener(off int, open byte) (int, bool) {
	if to, ok := m.walk(off, -1, pairs[open], open, false); ok {
		return to, true
	}
	return m.walk(off, +1, pairs[open], open, false)
}

// walk goes from a place to the first partner that has no bracket of its own on the way, by +1
// or -1. With strict, strings count for a walk that begins in one, and nothing else for that.
func (m *Machine) walk(off, by int, same, partner byte, strict bool) (int, bool) {
	first, depth, inside := m.line(off), 0, false
	for n := first; n >= 0 && n < m.buf.Lines(); n += by {
		line := m.buf.Line(n)
		quoted, i := inStrings(line), 0
		if by < 0 {
			i = len(line) - 1
		}
		if n == first {
			i = off - m.buf.Start(n)
			inside = quoted != nil && i < len(quoted) && quoted[i]
			i += by
		}
		for ; i >= 0 && i < len(line); i += by {
			switch {
			case strict && quoted != nil && quoted[i] != inside:
			case line[i] == same:
				depth++
			case line[i] == partner && depth == 0:
				return m.buf.Start(n) + i, true
			case line[i] == partner:
				depth--
			}
		}
	}
	return 0, false
}

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
