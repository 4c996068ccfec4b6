package editor

import (
	"strings"

	tea "github.com/charmbracelet/bubbletea"

	"dscope.dev/ui/document"
	"dscope.dev/ui/document/text"
)

// A motion says where the cursor goes from where it is.
type motion func(*Model) int

func left(m *Model) int {
	p := m.doc.At()
	if p.Col == 0 {
		return m.doc.Buf.End(max(p.Line-1, 0)) * min(p.Line, 1)
	}
	return m.doc.Buf.Offset(text.Pos{Line: p.Line, Col: text.Prev(m.doc.Buf.Line(p.Line), p.Col)})
}

func right(m *Model) int {
	p := m.doc.At()
	line := m.doc.Buf.Line(p.Line)
	if p.Col < len(line) {
		return m.doc.Buf.Offset(text.Pos{Line: p.Line, Col: text.Next(line, p.Col)})
	}
	if p.Line+1 < m.doc.Buf.Lines() {
		return m.doc.Buf.Start(p.Line + 1)
	}
	return m.doc.Sel.Head
}

func prevWord(m *Model) int  { return m.doc.Buf.PrevWord(m.doc.Sel.Head) }
func nextWord(m *Model) int  { return m.doc.Buf.NextWord(m.doc.Sel.Head) }
func lineStart(m *Model) int { return m.doc.Buf.Start(m.doc.At().Line) }
func lineEnd(m *Model) int   { return m.doc.Buf.End(m.doc.At().Line) }
func textStart(*Model) int   { return 0 }
func textEnd(m *Model) int   { return m.doc.Buf.Size() }

// lineHome goes to the first character of the line that is no blank, and from
// there to the start of the line.
func lineHome(m *Model) int {
	p := m.doc.At()
	if n := len(indentOf(m.doc.Buf.Line(p.Line))); p.Col != n {
		return m.doc.Buf.Start(p.Line) + n
	}
	return m.doc.Buf.Start(p.Line)
}

func up(m *Model) int       { return m.vertical(-1) }
func down(m *Model) int     { return m.vertical(+1) }
func pageUp(m *Model) int   { return m.vertical(-max(m.rows()-1, 1)) }
func pageDown(m *Model) int { return m.vertical(max(m.rows()-1, 1)) }

// vertical returns the place by lines below, in the column that the cursor
// came from, even over shorter lines.
func (m *Model) vertical(by int) int {
	p := m.doc.At()
	if m.goal < 0 {
		m.goal = text.Column(m.doc.Buf.Line(p.Line), p.Col, m.opts.Tab)
	}
	n := p.Line + by
	switch {
	case n < 0 && p.Line == 0:
		return 0
	case n >= m.doc.Buf.Lines() && p.Line == m.doc.Buf.Lines()-1:
		return m.doc.Buf.Size()
	}
	n = min(max(n, 0), m.doc.Buf.Lines()-1)
	return m.doc.Buf.Start(n) + text.AtColumn(m.doc.Buf.Line(n), m.goal, m.opts.Tab)
}

// collapseLeft is left, but out of a selection it goes to its start.
func collapseLeft(m *Model) int {
	if from, _ := m.doc.Sel.Range(); !m.doc.Sel.Empty() {
		return from
	}
	return left(m)
}

// collapseRight is right, but out of a selection it goes to its end.
func collapseRight(m *Model) int {
	if _, end := m.doc.Sel.Range(); !m.doc.Sel.Empty() {
		return end
	}
	return right(m)
}

// move puts the cursor where to says.
func (m *Model) move(to motion) tea.Cmd { return m.place(text.At(to(m))) }

// extend selects up to where to says.
func (m *Model) extend(to motion) tea.Cmd {
	return m.place(text.Sel{Anchor: m.doc.Sel.Anchor, Head: to(m)})
}

// place puts the selection at s and brings the cursor into view.
func (m *Model) place(s text.Sel) tea.Cmd {
	m.goal = -1
	return m.placeBelow(s)
}

// placeBelow is place for moves up and down, which keep to their column.
func (m *Model) placeBelow(s text.Sel) tea.Cmd {
	m.doc.Sel = s
	m.doc.Buf.Seal()
	m.reveal()
	return nil
}

func (m *Model) selectAll() tea.Cmd {
	m.doc.Sel = text.Sel{Anchor: 0, Head: m.doc.Buf.Size()}
	m.doc.Buf.Seal()
	return nil
}

// GoTo puts the cursor at a line and column, as Cursor has them.
func (m *Model) GoTo(line, col int) { m.goTo(line, col) }

// goTo puts the cursor at a line and column, counted from one.
func (m *Model) goTo(line, col int) {
	m.place(text.At(m.offset(m.doc, line, col)))
}

// offset returns where a line and column of a script lie, counted from one, or what is nearest.
func (m *Model) offset(d *document.Document, line, col int) int {
	n := min(max(line-1, 0), d.Buf.Lines()-1)
	return d.Buf.Start(n) + text.AtColumn(d.Buf.Line(n), max(col-1, 0), m.opts.Tab)
}

// bracket returns the bracket at the cursor, or before it, and its partner.
func (m *Model) bracket() (at, other int, ok bool) {
	if at, other, ok = m.doc.Code.Match(m.doc.Sel.Head); ok {
		return at, other, true
	}
	return m.doc.Code.Match(m.doc.Sel.Head - 1)
}

func (m *Model) toBracket() tea.Cmd {
	_, other, _ := m.bracket()
	return m.place(text.At(other))
}

// margin is how many lines stay in view above and below the cursor.
const margin = 2

// reveal scrolls as little as possible to have the cursor in view.
func (m *Model) reveal() {
	p := m.doc.Buf.Pos(m.cursor())
	rows := m.rows()
	gap := min(margin, max((rows-1)/2, 0))
	m.top = min(m.top, max(p.Line-gap, 0))
	m.top = max(m.top, p.Line+gap-rows+1)
	m.top = min(m.top, max(m.doc.Buf.Lines()-rows, 0))
	m.top = max(min(m.top, p.Line), 0)
	col, width := text.Column(m.doc.Buf.Line(p.Line), p.Col, m.opts.Tab), m.textWidth()
	if col < m.left {
		m.left = max(col-width/4, 0)
	}
	if col >= m.left+width {
		m.left = col - width + 1 + width/4
	}
}

// indentOf returns the blanks that line begins with.
func indentOf(line string) string {
	return line[:len(line)-len(strings.TrimLeft(line, " \t"))]
}
