package live

import (
	tea "github.com/charmbracelet/bubbletea"

	"dscope.dev/ui/ink"
	"dscope.dev/ui/widget"
)

// mouse answers a message whose place counts from the corner of the pane.
func (m *Model) mouse(msg tea.MouseMsg) {
	switch by := widget.Wheel(msg); {
	case by != 0:
		m.move(by)
	case widget.Clicked(msg):
		m.click(msg.X, msg.Y)
		m.grab(msg.X, msg.Y)
	case msg.Action == tea.MouseActionMotion:
		m.drag(msg.X, msg.Y)
	case msg.Action == tea.MouseActionRelease:
		m.grabbed = nil
	}
}

// click acts on cell x, y of the pane: a header orders, a row is selected, and
// a selected row opens or closes.
func (m *Model) click(x, y int) {
	places, tabs := m.layout(nil)
	if tabs && y == 0 {
		at := 0
		for _, t := range m.tabs() {
			if at += ink.Width(t.text); x < at {
				m.toSection(t.n)
				return
			}
		}
		return
	}
	for _, p := range places {
		if y >= p.y && y < p.y+p.h {
			m.toSection(p.n)
			p.v.figure.click(m, p, x, y-p.y-1)
			return
		}
	}
}

// clickHeader orders by the column c of the table, if it has an order.
func (m *Model) clickHeader(p place, kinds []column, c int) {
	if kinds[c] == keyColumn {
		p.v.sortBy(p.a, c)
		return
	}
	for i, k := range sortable(p.a) {
		if k == kinds[c] {
			p.v.sortBy(p.a, i)
			return
		}
	}
}
