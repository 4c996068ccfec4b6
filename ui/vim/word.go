package vim

import (
	"unicode"
	"unicode/utf8"
)

// What a character is to the motions by words. The end of a line is a blank.
const (
	blank = iota
	sign
	letter
)

// class returns what the character at a place is; to big words all but blanks are alike.
func (m *Machine) class(off int, big bool) int {
	s, col := m.text(off), off-m.start(off)
	if col >= len(s) || s[col] == ' ' || s[col] == '\t' {
		return blank
	}
	r, _ := utf8.DecodeRuneInString(s[col:])
	switch {
	case unicode.IsSpace(r):
		return blank
	case big || isName(r):
		return letter
	}
	return sign
}

// isName reports whether a character is one of names.
func isName(r rune) bool {
	return r == '_' || unicode.IsLetter(r) || unicode.IsDigit(r) || unicode.IsMark(r)
}

// A step is where a walk through the text has come to.
type step uint8

const (
	within step = iota
	border      // at the end of a line, or over it
	stuck       // the text has an end here
)

// ahead goes one place on.
func (m *Machine) ahead(off int) (int, step) {
	switch to, end := m.next(off), m.end(off); {
	case off == end && m.line(off) == m.lastLine():
		return off, stuck
	case off == end || to == end:
		return to, border
	default:
		return to, within
	}
}

// back goes one place back.
func (m *Machine) back(off int) (int, step) {
	switch to := m.prev(off); {
	case to == off:
		return off, stuck
	case off == m.start(off):
		return to, border
	default:
		return to, within
	}
}

// wordAhead returns where the count-th word behind a place begins. An operator stops at the
// end of the line of the last. An empty line is a word.
func (m *Machine) wordAhead(off, count int, big, operator bool) (int, bool) {
	for ; count > 0; count-- {
		last, was := m.line(off) == m.lastLine(), m.class(off, big)
		to, s := m.ahead(off)
		if s == stuck || s != within && last {
			return to, s != stuck && operator
		}
		off = to
		stop := operator && count == 1
		if s != within && stop {
			return off, true
		}
		for was != blank && m.class(off, big) == was {
			if off, s = m.ahead(off); s == stuck || s != within && stop {
				return off, true
			}
		}
		for m.class(off, big) == blank && !m.emptyLine(off) {
			if off, s = m.ahead(off); s == stuck || s != within && last {
				return off, true
			}
		}
	}
	return off, true
}

// wordBack returns where the count-th word before a place begins.
func (m *Machine) wordBack(off, count int, big bool) (int, bool) {
words:
	for ; count > 0; count-- {
		to, s := m.back(off)
		if s == stuck {
			return off, false
		}
		off = to
		for m.class(off, big) == blank {
			if m.emptyLine(off) {
				continue words
			}
			if off, s = m.back(off); s == stuck {
				return off, true
			}
		}
		is := m.class(off, big)
		for off > m.start(off) && m.class(m.prev(off), big) == is {
			off = m.prev(off)
		}
	}
	return off, true
}

// wordEnd returns the last character of the count-th word that ends behind a place. stay
// takes the end of the word that the place is in for one, even if that is the place.
func (m *Machine) wordEnd(off, count int, big, stay bool) (int, bool) {
	for ; count > 0; count-- {
		was := m.class(off, big)
		to, s := m.ahead(off)
		if s == stuck {
			return off, false
		}
		off = to
		if m.class(off, big) != was || was == blank {
			if stay && was != blank { // it was the end of its word
				off, stay = m.prev(off), false
				continue
			}
			for m.class(off, big) == blank {
				if off, s = m.ahead(off); s == stuck {
					return off, false
				}
			}
		}
		is := m.class(off, big)
		for m.class(off, big) == is {
			if off, s = m.ahead(off); s == stuck {
				return off, false
			}
		}
		off, _ = m.back(off)
		stay = false
	}
	return off, true
}

// wordEndBack returns the last character of the count-th word that ends before a place.
func (m *Machine) wordEndBack(off, count int, big bool) (int, bool) {
	for ; count > 0; count-- {
		was := m.class(off, big)
		to, s := m.back(off)
		if s == stuck {
			return off, false
		}
		off = to
		for was != blank && m.class(off, big) == was {
			if off, s = m.back(off); s == stuck {
				return off, true
			}
		}
		for m.class(off, big) == blank && !m.emptyLine(off) {
			if off, s = m.back(off); s == stuck {
				return off, true
			}
		}
	}
	return off, true
}
