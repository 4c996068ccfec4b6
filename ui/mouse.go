package ui

import (
	tea "github.com/charmbracelet/bubbletea"

	"dscope.dev/ui/icicle"
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
	if m.overlay.kind != noOverlay {
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

// overlayMouse scrolls what lies over the panes; a click beside it closes it.
func (m *Model) overlayMouse(msg tea.MouseMsg) tea.Cmd {
	if m.overlay.kind == whyOverlay {
		return m.boxMouse(msg)
	}
	if m.overlay.kind.wide() && widget.Clicked(msg) {
		return m.clickBox(msg)
	}
	up, down := "list.up", "list.down"
	if m.overlay.kind == compareOverlay && m.overlay.icicle() {
		up, down = "stacks.up", "stacks.down"
	}
	switch msg.Button {
	case tea.MouseButtonWheelUp:
		return m.act(m.overlay.table().Named(up))
	case tea.MouseButtonWheelDown:
		return m.act(m.overlay.table().Named(down))
	case tea.MouseButtonLeft:
		if msg.Action == tea.MouseActionPress {
			return m.closeOverlay()
		}
	}
	return nil
}

// clickBox chooses what a click in a list is on; one in the bottom line is that key, and
// one beside the box closes it.
func (m *Model) clickBox(msg tea.MouseMsg) tea.Cmd {
	l := m.layout()
	head, height := 1, m.fitsRuns() // lines above the list, and of the box
	switch m.overlay.kind {
	case compareOverlay:
		head, height = contrastHead, m.boxHeight()
	case runOverlay:
		head, height = 0, m.ledgerHeight()+whyHeight+3
	}
	x, y := (m.w-m.boxWidth())/2, max((m.h-height)/3, 0)
	row := msg.Y - y - 1 - head
	switch {
	case l.footer.holds(msg.X, msg.Y):
		return m.pressHint(msg.X)
	case msg.X < x || msg.X >= x+m.boxWidth() || msg.Y < y || msg.Y >= y+height:
		return m.closeOverlay()
	case m.overlay.kind == compareOverlay && m.overlay.icicle():
		return onContrast(func(v *icicle.View) { v.Click(msg.Y-y-1-icicleHead, msg.X-x-2) })(m)
	case row < 0:
	case m.overlay.kind == compareOverlay && row < m.contrastHeight():
		return m.toDifference(m.overlay.top + row - m.overlay.row)
	case m.overlay.kind == runOverlay && row < m.ledgerHeight():
		return m.toEntry(m.overlay.top + row - m.overlay.row)
	case m.overlay.kind == shelfOverlay && row < m.shelfHeight():
		return m.toRun(m.overlay.top + row - m.overlay.row)
	}
	return nil
}
