package why

import (
	"strconv"
	"strings"

	"github.com/charmbracelet/x/ansi"

	"dscope.dev/ui/ink"
	"dscope.dev/ui/widget"
)

func width(s string) int { return ink.Width(s) }

func count(n int) string { return strconv.Itoa(n) }

// Rows draws the upmost page: m.h lines of m.w cells, the last of which reads out what
// the cursor is on.
func (m *Model) Rows() []string {
	rows := make([]string, 0, m.h)
	var l ink.Line
	if len(m.pages) > 0 {
		p := m.page()
		names := m.names(p.head)
		for i := range p.head {
			m.draw(&l, &p.head[i], names, false)
			rows = append(rows, l.String())
		}
		rows = m.drawLines(rows, &l, p)
		for len(rows) < m.h-1 {
			rows = append(rows, m.blank(&l))
		}
		m.drawFoot(&l, p)
		rows = append(rows, l.String())
	}
	for len(rows) < m.h {
		rows = append(rows, m.blank(&l))
	}
	return rows[:m.h]
}

func (m *Model) blank(l *ink.Line) string {
	l.Reset(m.w, m.looks.of[asText])
	return l.String()
}

// drawLines draws what is in view. What is too long to be read and is no list takes
// several lines.
func (m *Model) drawLines(rows []string, l *ink.Line, p *page) []string {
	last, names := max(m.h-1, 0), m.names(p.lines)
	for i := min(p.top, len(p.lines)); i < len(p.lines) && len(rows) < last; i++ {
		at := &p.lines[i]
		if at.look.wraps() && m.w > 20 {
			for n, part := range strings.Split(ansi.Wordwrap(at.text, m.w-8, " "), "\n") {
				if n > 0 && at.look != asWarning {
					part = "      " + strings.TrimLeft(part, " ")
				}
				if len(rows) < last {
					m.draw(l, &line{look: at.look, text: part, example: -1}, names, false)
					rows = append(rows, l.String())
				}
			}
			continue
		}
		m.draw(l, at, names, i == p.row && at.chosen())
		rows = append(rows, l.String())
	}
	return rows
}

// wraps reports whether a line that is too long goes on below: one that has to be read
// to its end.
func (k look) wraps() bool { return k == asWarning || k == asAdded || k == asRemoved }

// names is how wide the column of names is beside lines: as the longest of them, but what is
// said of them has the most of the line.
func (m *Model) names(list []line) int {
	most := 10
	for i := range list {
		most = max(most, width(list[i].name))
	}
	return min(most, max(m.w*2/5, 10))
}

// draw draws a line, with so many cells for its name.
func (m *Model) draw(l *ink.Line, at *line, names int, cursor bool) {
	k := m.looks
	base, mark := k.of[asText], " "
	if cursor {
		base, mark = k.Cursor, k.Glyph("▌", ">")
	}
	l.Reset(m.w, base)
	l.Put(k.of[asHeading], mark)
	switch {
	case at.value != nil:
		m.drawValue(l, at)
	case at.name != "" || at.look == asMuted && at.text == "" || m.isFact():
		l.Fit(k.Key, at.name, names)
		l.Skip(1)
		l.Fit(k.of[at.look], at.text, l.Left())
	default:
		l.Put(k.of[at.look], widget.Cut(at.text, l.Left()))
	}
}

// isFact reports whether lines have a column for names: those of stacks have none of
// their own behind the first.
func (m *Model) isFact() bool { return m.page().kind == examplePage }

// drawValue draws a value with its two shares, a bar each.
func (m *Model) drawValue(l *ink.Line, at *line) {
	k := m.looks
	name := max((m.w-4)*2/5, 8)
	l.Skip(1)
	l.Fit(k.Key, at.text, min(name, l.Left()))
	bar := max((l.Left()-2*7)/2, 0)
	for i, s := range []float64{at.value.Inside.Part, at.value.Outside.Part} {
		l.Right(k.Value, percent(s), min(6, l.Left()))
		l.Skip(1)
		if i == 0 {
			k.Bar(l, int64(s*1000), 0, 1000, bar)
		} else {
			k.Bar(l, 0, 0, 1000, 0)
			m.drawOutside(l, s, bar)
		}
	}
}

// drawOutside draws the share outside in the other tone.
func (m *Model) drawOutside(l *ink.Line, s float64, w int) {
	k := m.looks
	n := int(s*float64(w) + 0.5)
	if n == 0 && s > 0 {
		n = 1
	}
	l.Rep(k.Axis, k.Glyph("▒", "-"), min(n, l.Left()))
}

// drawFoot reads out what the cursor is on, or says what can be done.
func (m *Model) drawFoot(l *ink.Line, p *page) {
	l.Reset(m.w, m.looks.of[asText])
	l.Skip(1)
	text := ""
	switch {
	case m.why != "":
		text = m.why
	case p.kind == changePage && p.taken():
		text = m.keys.Key("why.open") + " takes it as one step of undo and runs it, " + m.keys.KeyIn("why", "list.close") + " goes back"
	case p.row < len(p.lines) && p.lines[p.row].value != nil:
		text = reading(p.lines[p.row].value)
	case p.kind == followPage && p.choice() && m.recorded == "":
		text = m.keys.Key("why.open") + " shows the question as a script"
	case p.kind == examplesPage && m.none == "":
		text = widget.Count(len(p.lines), "example") + ", " + m.keys.Key("why.open") + " opens one, " + m.keys.Key("why.order") + " lists them by time or value"
	}
	l.Put(m.looks.of[asMuted], widget.Cut(text, l.Left()))
}
