package ui

import (
	tea "github.com/charmbracelet/bubbletea"

	"dscope.dev/ui/widget"
)

// mouse is what the root remembers of the mouse.
type mouse struct {
	on   bool
	drag edge // the border that is being dragged
	text bool // the editor has the button
}

// wheelStep is how many lines a step of the wheel scrolls.
const wheelStep = 3

// click routes a message of the mouse by where it happened.
func (m *Model) click(msg tea.MouseMsg) tea.Cmd {
	l := m.layout()
	if l.small {
		return nil
	}
	if m.overlay.kind != noOverlay {
		return m.overlayMouse(msg)
	}
	switch {
	case msg.Action == tea.MouseActionRelease:
		m.mouse.drag = noEdge
		if m.mouse.text {
			m.mouse.text = false
			return m.editorMouse(&l, msg)
		}
	case m.mouse.drag != noEdge:
		m.shape = l.drag(m.shape, m.mouse.drag, msg.X, msg.Y)
		m.place()
	case m.mouse.text:
		return m.editorMouse(&l, msg)
	case tea.MouseEvent(msg).IsWheel():
		return m.wheel(&l, msg)
	case msg.Action == tea.MouseActionPress && msg.Button == tea.MouseButtonLeft:
		return m.press(&l, msg)
	}
	return nil
}

// press acts on the left button.
func (m *Model) press(l *layout, msg tea.MouseMsg) tea.Cmd {
	m.notice = notice{}
	if l.footer.holds(msg.X, msg.Y) {
		return m.pressHint(msg.X)
	}
	p, ok := l.at(msg.X, msg.Y)
	if e, on := l.border(msg.X, msg.Y); on {
		m.mouse.drag = e
		if ok {
			m.setFocus(p)
		}
		return nil
	}
	if !ok {
		return nil
	}
	m.setFocus(p)
	x, y := msg.X-l.body[p].x, msg.Y-l.body[p].y
	if y < 0 {
		return nil
	}
	switch p {
	case browserPane:
		return m.browser.Click(x, y)
	case editorPane:
		m.mouse.text = true
		return m.editorMouse(l, msg)
	case livePane:
		m.live.Click(x, y)
	case outputPane:
		m.output.Click(x, y)
	}
	return nil
}

// pressHint does what the key in the bottom line would.
func (m *Model) pressHint(x int) tea.Cmd {
	for _, h := range m.hints() {
		if x >= h.x && x < h.x+h.w {
			if msg, ok := widget.ParseKey(h.on); ok {
				return m.key(msg)
			}
		}
	}
	return nil
}

// editorMouse hands the editor a message in its own coordinates.
func (m *Model) editorMouse(l *layout, msg tea.MouseMsg) tea.Cmd {
	msg.X -= l.body[editorPane].x
	msg.Y -= l.body[editorPane].y
	var cmd tea.Cmd
	m.editor, cmd = m.editor.Update(msg)
	return cmd
}

// wheel scrolls the pane under the pointer, wherever the focus is.
func (m *Model) wheel(l *layout, msg tea.MouseMsg) tea.Cmd {
	p, ok := l.at(msg.X, msg.Y)
	if !ok {
		return nil
	}
	by := wheelStep
	if msg.Button == tea.MouseButtonWheelUp {
		by = -wheelStep
	}
	switch p {
	case browserPane:
		return m.browser.Wheel(by)
	case editorPane:
		return m.editorMouse(l, msg)
	case livePane:
		m.live.Wheel(by)
	case outputPane:
		m.output.Wheel(by)
	}
	return nil
}

// overlayMouse scrolls what lies over the panes; a click beside it closes it.
func (m *Model) overlayMouse(msg tea.MouseMsg) tea.Cmd {
	switch msg.Button {
	case tea.MouseButtonWheelUp:
		return m.overlayKey(tea.KeyMsg{Type: tea.KeyUp})
	case tea.MouseButtonWheelDown:
		return m.overlayKey(tea.KeyMsg{Type: tea.KeyDown})
	case tea.MouseButtonLeft:
		if msg.Action == tea.MouseActionPress {
			return m.overlayKey(tea.KeyMsg{Type: tea.KeyEsc})
		}
	}
	return nil
}
