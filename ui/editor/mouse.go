package editor

import (
	tea "github.com/charmbracelet/bubbletea"

	"dscope.dev/ui/document/text"
	"dscope.dev/ui/widget"
)

// mouse answers a mouse message whose place counts from the corner of the pane.
func (m *Model) mouse(msg tea.MouseMsg) tea.Cmd {
	if by := widget.Wheel(msg); by != 0 {
		return m.roll(msg, by)
	}
	switch {
	case msg.Button == tea.MouseButtonWheelLeft:
		m.left = max(m.left-widget.WheelStep, 0)
	case msg.Button == tea.MouseButtonWheelRight:
		m.left += widget.WheelStep
	case msg.Action == tea.MouseActionRelease:
		m.drag = false
	case msg.Action == tea.MouseActionMotion && m.drag:
		return m.place(text.Sel{Anchor: m.doc.Sel.Anchor, Head: m.spot(msg.X, msg.Y)})
	case widget.Clicked(msg):
		return m.click(msg)
	}
	return nil
}

// roll scrolls the list of completions, or the text; the cursor stays where
// it is, even out of view.
func (m *Model) roll(msg tea.MouseMsg, by int) tea.Cmd {
	if m.comp.open && m.popup().holds(msg.X, msg.Y) {
		return m.choose(by / widget.WheelStep)
	}
	m.comp.close()
	m.top = min(max(m.top+by, 0), max(m.doc.Buf.Lines()-m.rows(), 0))
	return nil
}

// click puts the cursor under the mouse; on the number of a line it selects
// the line, in the list of completions it takes one.
func (m *Model) click(msg tea.MouseMsg) tea.Cmd {
	if m.comp.open {
		if p := m.popup(); p.holds(msg.X, msg.Y) {
			m.comp.row = m.comp.top + msg.Y - p.y
			return m.accept()
		}
		m.comp.close()
	}
	if msg.Y >= m.rows() {
		return nil // the message or the question below the text
	}
	off := m.spot(msg.X, msg.Y)
	switch {
	case msg.X < m.gutter():
		n := m.doc.Buf.Pos(off).Line
		_, end := m.whole(n, n)
		return m.place(text.Sel{Anchor: m.doc.Buf.Start(n), Head: end})
	case msg.Shift:
		return m.place(text.Sel{Anchor: m.doc.Sel.Anchor, Head: off})
	}
	m.drag = true
	return m.place(text.At(off))
}

// spot returns the offset of the character at a place of the pane; beyond the
// text it is the nearest.
func (m *Model) spot(x, y int) int {
	n := m.top + y
	switch {
	case n < 0:
		return 0
	case n >= m.doc.Buf.Lines():
		return m.doc.Buf.Size()
	}
	return m.doc.Buf.Start(n) + text.AtColumn(m.doc.Buf.Line(n), m.left+max(x-m.gutter(), 0), m.opts.Tab)
}
