package vim

import (
	"strings"
	"unicode"

	"dscope.dev/ui/document/text"
)

// operators do something with a part of the text.
var operators = map[string]struct {
	do   func(m *Machine, a area, c command)
	help string
}{
	"d":  {(*Machine).delete, "delete"},
	"c":  {(*Machine).changeArea, "change: delete, and type something else"},
	"y":  {(*Machine).yank, "copy"},
	">":  {func(m *Machine, a area, _ command) { m.shift(a, +1) }, "indent lines"},
	"<":  {func(m *Machine, a area, _ command) { m.shift(a, -1) }, "indent lines less"},
	"=":  {(*Machine).indent, "lay out the indentation of lines"},
	"gu": {func(m *Machine, a area, _ command) { m.recase(a, unicode.ToLower) }, "make small letters"},
	"gU": {func(m *Machine, a area, _ command) { m.recase(a, unicode.ToUpper) }, "make capitals"},
	"g~": {func(m *Machine, a area, _ command) { m.recase(a, otherCase) }, "make capitals of small letters, and the other way"},
	"gc": {(*Machine).comment, "comment lines out, or in again"},
}

func isOperator(name string) bool { return operators[name].do != nil }

// operate does what a command with an operator says.
func (m *Machine) operate(c command) bool {
	a, ok := m.areaOf(c)
	if !ok {
		return false
	}
	m.apply(c, a)
	return true
}

func (m *Machine) apply(c command, a area) {
	m.goalSet = false
	operators[c.op].do(m, a, c)
}

// delete deletes an area. One of several lines with nothing but blanks around it is whole
// lines.
func (m *Machine) delete(a area, c command) {
	if !a.lines && m.mode == Normal && m.line(a.from) < m.line(a.to) && m.inIndent(a.from) &&
		strings.Trim(m.buf.Slice(a.to, m.end(a.to)), " \t") == "" && a.to != m.start(a.to) {
		a.lines = true
	}
	m.drop()
	if a.lines {
		m.deleteLines(a, c)
		return
	}
	if a.from == a.to {
		m.at = a.from
		return
	}
	m.keep(c, m.slice(a.from, a.to), false, true)
	m.change(func() { m.buf.Replace(a.from, a.to, "") })
	m.at = a.from
}

func (m *Machine) deleteLines(a area, c command) {
	m.keep(c, m.contents(a), true, true)
	first, _ := m.span(a)
	from, to := m.whole(a)
	m.at = min(m.at, max(a.from, m.buf.Start(first)))
	m.change(func() { m.buf.Replace(from, to, "") })
	m.at = m.firstWord(min(first, m.lastLine()))
}

// changeArea deletes an area, of whole lines all but the indentation of the first, and goes
// on in insert mode.
func (m *Machine) changeArea(a area, c command) {
	m.drop()
	m.begin(c)
	if a.lines {
		first, last := m.span(a)
		m.keep(c, m.contents(a), true, true)
		s := m.buf.Line(first)
		from := m.buf.Start(first) + len(s) - len(strings.TrimLeft(s, " \t"))
		if strings.Trim(s, " \t") == "" {
			from = m.buf.End(first)
		}
		m.change(func() { m.buf.Replace(from, m.buf.End(last), "") })
		m.session.indented = true
		m.insertAt(from, 1)
		return
	}
	if a.from < a.to {
		m.keep(c, m.slice(a.from, a.to), false, true)
		m.change(func() { m.buf.Replace(a.from, a.to, "") })
	}
	m.insertAt(a.from, 1)
}

func (m *Machine) yank(a area, c command) {
	m.drop()
	if a.lines {
		m.keep(c, m.contents(a), true, false)
		m.at = a.from
		return
	}
	m.keep(c, m.slice(a.from, a.to), false, false)
	m.at = a.from
}

// tabStop is how far > indents: a tab, wherever its stops are.
func (m *Machine) shift(a area, by int) {
	first, last := m.span(a)
	m.eachLine(first, last, func(s string) string {
		rest := strings.TrimLeft(s, " \t")
		if s == "" {
			return s
		}
		tab := m.host.Tab()
		width := max(text.Width(s[:len(s)-len(rest)], tab)+by*tab, 0)
		return strings.Repeat("\t", width/tab) + strings.Repeat(" ", width%tab) + rest
	})
	m.drop()
	m.at = m.firstWord(first)
}

// eachLine replaces lines by what f makes of them, as one step of undo.
func (m *Machine) eachLine(first, last int, f func(string) string) {
	m.change(func() {
		for n := last; n >= first; n-- {
			if s := m.buf.Line(n); f(s) != s {
				m.buf.Replace(m.buf.Start(n), m.buf.End(n), f(s))
			}
		}
	})
}

func (m *Machine) indent(a area, _ command) {
	first, last := m.span(a)
	m.change(func() { m.host.Indent(first, last) })
	m.drop()
	m.at = m.firstWord(first)
}

func (m *Machine) recase(a area, f func(rune) rune) {
	if a.lines {
		first, last := m.span(a)
		m.change(func() {
			from, to := m.buf.Start(first), m.buf.End(last)
			m.buf.Replace(from, to, strings.Map(f, m.buf.Slice(from, to)))
		})
		m.drop()
		m.at = a.from
		return
	}
	m.change(func() { m.buf.Replace(a.from, a.to, strings.Map(f, m.buf.Slice(a.from, a.to))) })
	m.drop()
	m.at = a.from
}

func otherCase(r rune) rune {
	if unicode.IsUpper(r) {
		return unicode.ToLower(r)
	}
	return unicode.ToUpper(r)
}

// comment has the host comment lines out, or in again, as its own key does.
func (m *Machine) comment(a area, _ command) {
	first, last := m.span(a)
	s := func(n int) string { return strings.TrimLeft(m.buf.Line(n), " \t") }
	all, width := true, -1
	for n := first; n <= last; n++ {
		if s(n) != "" {
			all = all && strings.HasPrefix(s(n), "//")
			if w := len(m.buf.Line(n)) - len(s(n)); width < 0 || w < width {
				width = w
			}
		}
	}
	m.eachLine(first, last, func(line string) string {
		rest := strings.TrimLeft(line, " \t")
		switch {
		case rest == "":
			return line
		case all:
			return line[:len(line)-len(rest)] + strings.TrimPrefix(rest[2:], " ")
		}
		return line[:width] + "// " + line[width:]
	})
	m.drop()
	m.at = m.firstWord(first)
}
