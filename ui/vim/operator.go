package vim

import (
	"strings"
	"unicode"

	"dscope.dev/ui/document/text"
)

// operators do something with a part of the text.
var operators = map[string]func(m *Machine, a area, c command){
	"d":  (*Machine).delete,
	"c":  (*Machine).changeArea,
	"y":  (*Machine).yank,
	">":  func(m *Machine, a area, _ command) { m.shift(a, +1) },
	"<":  func(m *Machine, a area, _ command) { m.shift(a, -1) },
	"=":  (*Machine).indent,
	"gu": func(m *Machine, a area, _ command) { m.recase(a, unicode.ToLower) },
	"gU": func(m *Machine, a area, _ command) { m.recase(a, unicode.ToUpper) },
	"g~": func(m *Machine, a area, _ command) { m.recase(a, otherCase) },
}

func isOperator(name string) bool { return operators[name] != nil }

// shorthands are operators with motions.
var shorthands = map[string][2]string{
	"x": {"d", "l"}, "X": {"d", "h"}, "D": {"d", "$"},
	"s": {"c", "l"}, "S": {"c", "line"}, "C": {"c", "$"}, "Y": {"y", "line"},
}

// operate does what a command with an operator says, and reports whether it did anything.
func (m *Machine) operate(c command) bool {
	a, ok := m.areaOf(c)
	if !ok {
		m.failed = m.asked == nil
		return false
	}
	if c.op == "d" && a.from == a.to && !a.lines {
		m.at, m.failed = a.from, true
		return false
	}
	m.apply(c, a)
	return true
}

func (m *Machine) apply(c command, a area) {
	m.goalSet = false
	operators[c.op](m, a, c)
}

// delete deletes an area. One of several lines with nothing but blanks around it is whole
// lines.
func (m *Machine) delete(a area, c command) {
	if !a.lines && m.mode == Normal && m.line(a.from) < m.line(a.to) && m.inIndent(a.from) &&
		strings.Trim(m.buf.Slice(a.to, m.end(a.to)), " \t") == "" && a.to != m.start(a.to) {
		a.lines = true
	}
	m.drop()
	if m.buf.Size() == 0 { // there is no line
		return
	}
	m.keep(c, a, true)
	from, to := a.from, a.to
	m.at = a.from // where undo goes
	if a.lines {
		from, to = m.whole(a)
	}
	first := m.line(a.from)
	m.change(func() { m.buf.Replace(from, to, "") })
	if m.at = a.from; a.lines {
		m.at = m.firstWord(min(first, m.lastLine()))
	}
}

// changeArea deletes an area, of whole lines all but the indentation of the first, and goes
// on in insert mode.
func (m *Machine) changeArea(a area, c command) {
	m.drop()
	m.begin(c)
	from, to := m.inner(a)
	if a.lines {
		from += len(blanks(m.text(from)))
		m.session.indented = true
	}
	if from < to || a.lines {
		m.keep(c, a, true)
		m.change(func() { m.buf.Replace(from, to, "") })
	}
	m.insertAt(from, 1)
}

func (m *Machine) yank(a area, c command) {
	m.drop()
	m.keep(c, a, false)
	m.at = a.from
}

// shift indents lines by a tab, wherever its stops are.
func (m *Machine) shift(a area, by int) {
	m.drop()
	first, last := m.span(a)
	tab := m.host.Tab()
	m.change(func() {
		for n := first; n <= last; n++ {
			if s := blanks(m.buf.Line(n)); m.buf.Line(n) != "" {
				width := max(text.Width(s, tab)+by*tab, 0)
				m.buf.Replace(m.buf.Start(n), m.buf.Start(n)+len(s), strings.Repeat("\t", width/tab)+strings.Repeat(" ", width%tab))
			}
		}
	})
	m.at = m.firstWord(first)
}

func (m *Machine) indent(a area, _ command) {
	m.drop()
	first, last := m.span(a)
	m.change(func() { m.host.Indent(first, last) })
	m.at = m.firstWord(first)
}

func (m *Machine) recase(a area, f func(rune) rune) {
	m.drop()
	from, to := m.inner(a)
	m.change(func() { m.buf.Replace(from, to, strings.Map(f, m.buf.Slice(from, to))) })
	m.at = a.from
}

func otherCase(r rune) rune {
	if unicode.IsUpper(r) {
		return unicode.ToLower(r)
	}
	return unicode.ToUpper(r)
}
