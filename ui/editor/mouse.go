package editor

import (
	"time"

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
		m.grip.held = false
	case msg.Action == tea.MouseActionMotion && m.grip.held:
		return m.pull(m.spot(msg.X, msg.Y))
	case msg.Action == tea.MouseActionPress && msg.Button == tea.MouseButtonMiddle && msg.Y < m.rows() && m.clip != "":
		m.place(text.At(m.spot(msg.X, msg.Y)))
		return m.paste()
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

// click puts the cursor under the mouse; twice it selects the word there, three times or on the
// number of a line the line; in the list of completions it takes one.
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
	off, again := m.spot(msg.X, msg.Y), time.Since(m.grip.at) < doubleClick && m.grip.x == msg.X && m.grip.y == msg.Y
	times := 1
	if again {
		times = m.grip.times%3 + 1
	}
	m.grip = grip{x: msg.X, y: msg.Y, at: time.Now(), times: times, held: true}
	switch {
	case msg.X < m.gutter():
		m.grip.times = 3
	case msg.Shift:
		m.grip.from, m.grip.to = m.doc.Sel.Anchor, m.doc.Sel.Anchor
		return m.pull(off)
	}
	m.grip.from, m.grip.to = m.around(off)
	return m.pull(off)
}

// doubleClick is how soon a second press in the same place belongs to the first.
const doubleClick = 400 * time.Millisecond

// A grip is where the left button went down last, and what it selected there.
type grip struct {
	x, y     int
	at       time.Time
	times    int // in the same place: 1 goes there, 2 takes words, 3 lines
	held     bool
	from, to int
}

// around returns what the button takes at an offset: nothing, a word or a line.
func (m *Model) around(off int) (from, to int) {
	switch m.grip.times {
	case 2:
		return m.doc.Buf.WordAt(off)
	case 3:
		n := m.doc.Buf.Pos(off).Line
		_, end := m.whole(n, n)
		return m.doc.Buf.Start(n), end
	}
	return off, off
}

// pull selects from where the button went down up to an offset, by words or lines.
func (m *Model) pull(off int) tea.Cmd {
	from, to := m.around(off)
	if g := m.grip; from < g.from {
		return m.place(text.Sel{Anchor: g.to, Head: from})
	} else {
		return m.place(text.Sel{Anchor: g.from, Head: max(to, g.to)})
	}
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
