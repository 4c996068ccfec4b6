package ui

import (
	tea "github.com/charmbracelet/bubbletea"

	"dscope.dev/ui/keymap"
	"dscope.dev/ui/widget"
)

// mouse is what the root remembers of the mouse.
type mouse struct {
	on      bool
	drags   bool // a border is being dragged
	border  edge
	grabbed bool // a pane has the button: what happens until it is released is the pane's
	by      slot
}

// click routes a message of the mouse by where it happened.
func (m *Model) click(msg tea.MouseMsg) tea.Cmd {
	l := m.layout()
	if l.small {
		return nil
	}
	if m.overlay != nil {
		return m.overlayMouse(msg)
	}
	switch {
	case msg.Action == tea.MouseActionRelease:
		m.mouse.drags = false
		if m.mouse.grabbed {
			m.mouse.grabbed = false
			return m.paneMouse(&l, m.mouse.by, msg)
		}
	case m.mouse.drags:
		m.shape = l.drag(m.shape, m.mouse.border, msg.X, msg.Y)
		m.place()
	case m.mouse.grabbed:
		return m.paneMouse(&l, m.mouse.by, msg)
	case tea.MouseEvent(msg).IsWheel(): // of the pane under the pointer, wherever the focus is
		if s, ok := l.at(msg.X, msg.Y); ok {
			return m.paneMouse(&l, s, msg)
		}
	case widget.Clicked(msg):
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
	s, ok := l.at(msg.X, msg.Y)
	if b, on := l.border(msg.X, msg.Y); on {
		m.mouse.drags, m.mouse.border = true, b.edge
		if ok {
			m.setFocus(s)
		}
		return nil
	}
	if !ok {
		return nil
	}
	m.setFocus(s)
	if !l.body[s].holds(msg.X, msg.Y) {
		return nil
	}
	m.mouse.grabbed, m.mouse.by = true, s
	return m.paneMouse(l, s, msg)
}

// paneMouse hands a pane a message in its own coordinates.
func (m *Model) paneMouse(l *layout, s slot, msg tea.MouseMsg) tea.Cmd {
	msg.X -= l.body[s].x
	msg.Y -= l.body[s].y
	return m.in(s).Update(msg)
}

// pressHint does what the key in the bottom line would.
func (m *Model) pressHint(x int) tea.Cmd {
	for _, h := range m.hints() {
		if x >= h.x && x < h.x+h.w {
			if msg, ok := keymap.ParseKey(h.on); ok {
				return m.key(msg)
			}
		}
	}
	return nil
}
