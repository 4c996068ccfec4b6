package vim

import (
	"math"
	"strings"

	"dscope.dev/ui/document/text"
)

// lastLine returns the number of the last line.
func (m *Machine) lastLine() int {
	n := m.buf.Lines() - 1
	if m.ended() {
		return n - 1
	}
	return n
}

// line returns the number of the line of an offset.
func (m *Machine) line(off int) int { return m.buf.Pos(off).Line }

// text returns the line of an offset.
func (m *Machine) text(off int) string { return m.buf.Line(m.line(off)) }

func (m *Machine) start(off int) int { return m.buf.Start(m.line(off)) }
func (m *Machine) end(off int) int   { return m.buf.End(m.line(off)) }

// emptyLine reports whether a place is all of its line.
func (m *Machine) emptyLine(off int) bool { return m.text(off) == "" }

// behind returns where what follows a line begins.
func (m *Machine) behind(line int) int {
	if line+1 < m.buf.Lines() {
		return m.buf.Start(line + 1)
	}
	return m.buf.End(line)
}

// next returns the place behind a character; behind the end of a line the next begins.
func (m *Machine) next(off int) int {
	if off == m.end(off) {
		return m.behind(m.line(off))
	}
	return m.behindCharacter(off)
}

// behindCharacter returns the place behind a character of the line, or the end of the line.
func (m *Machine) behindCharacter(off int) int {
	start := m.start(off)
	return start + text.Next(m.text(off), off-start)
}

// prev returns the place before one; before a line is the end of the one above.
func (m *Machine) prev(off int) int {
	n := m.line(off)
	if off > m.buf.Start(n) {
		return m.buf.Start(n) + text.Prev(m.buf.Line(n), off-m.buf.Start(n))
	}
	if n == 0 {
		return 0
	}
	return m.buf.End(n - 1)
}

// blanks returns the blanks that a line begins with.
func blanks(s string) string { return s[:len(s)-len(strings.TrimLeft(s, " \t"))] }

// firstWord returns where the first character of a line is that is no blank; at the last
// blank if there is none.
func (m *Machine) firstWord(line int) int {
	s := m.buf.Line(line)
	n := len(blanks(s))
	if n == len(s) && n > 0 {
		n--
	}
	return m.buf.Start(line) + n
}

// inIndent reports whether nothing but blanks stands before a place in its line.
func (m *Machine) inIndent(off int) bool { return off-m.start(off) <= len(blanks(m.text(off))) }

// column returns the column that up and down keep to: a tab has its last.
func (m *Machine) column() int {
	if m.goalSet {
		return m.goal
	}
	s, col := m.text(m.at), m.at-m.start(m.at)
	m.goal, m.goalSet = text.Column(s, col, m.host.Tab()), true
	if col < len(s) && s[col] == '\t' {
		m.goal = text.Column(s, col+1, m.host.Tab()) - 1
	}
	return m.goal
}

// lineEnd is the column of those that keep to the ends of lines.
const lineEnd = math.MaxInt

// atColumn returns the place in a line at a column.
func (m *Machine) atColumn(line, col int) int {
	s := m.buf.Line(line)
	if col == lineEnd {
		if m.mode == Normal {
			return m.buf.Start(line) + text.Prev(s, len(s))
		}
		return m.buf.End(line)
	}
	n := text.AtColumn(s, col, m.host.Tab())
	if n == len(s) {
		n = text.Prev(s, n)
	}
	return m.buf.Start(line) + n
}

// An area is a part of the text: [from, to), or the lines that it touches.
type area struct {
	from, to int
	lines    bool
}

// span returns the first and last line of an area.
func (m *Machine) span(a area) (first, last int) { return m.line(a.from), m.line(a.to) }

// inner returns the offsets of an area, of whole lines without the last newline.
func (m *Machine) inner(a area) (from, to int) {
	if !a.lines {
		return a.from, a.to
	}
	return m.start(a.from), m.end(a.to)
}

// whole returns the offsets of all lines of an area, with the newline behind them or else
// the one before.
func (m *Machine) whole(a area) (from, to int) {
	first, last := m.span(a)
	if last+1 == m.buf.Lines() && first > 0 {
		return m.buf.End(first - 1), m.buf.End(last)
	}
	return m.buf.Start(first), m.behind(last)
}

// change makes the replacements of f one step of undo, which brings the cursor back to
// where it is, as redo does.
func (m *Machine) change(f func()) {
	place := m.buf.Pos(m.at)
	m.buf.Change(text.Other, text.At(m.at), func() text.Sel {
		ended := m.ended()
		f()
		m.endLast(ended)
		m.session.ended = m.ended()
		return text.At(m.buf.Offset(place))
	})
}

// ended reports whether the text ends with a newline.
func (m *Machine) ended() bool {
	n := m.buf.Lines() - 1
	return n > 0 && m.buf.Line(n) == ""
}

// endLast ends an empty last line with a newline if the text had none at its end before: without
// it would be no line.
func (m *Machine) endLast(before bool) {
	if !before && m.ended() {
		m.replace(m.buf.Size(), m.buf.Size(), "\n")
	}
}

// replace puts s, whose lines end as those of the text do, in the place of [from, to).
func (m *Machine) replace(from, to int, s string) {
	if nl := m.buf.Newline(m.line(from)); nl != "\n" {
		s = strings.ReplaceAll(s, "\n", nl)
	}
	m.buf.Replace(from, to, s)
}

// slice returns [from, to) with the line ends of a register.
func (m *Machine) slice(from, to int) string {
	return strings.ReplaceAll(m.buf.Slice(from, to), "\r\n", "\n")
}

// added returns the length that s has in the text at a line.
func (m *Machine) added(s string, line int) int {
	return len(s) + strings.Count(s, "\n")*(len(m.buf.Newline(line))-1)
}
