package browser

import (
	tea "github.com/charmbracelet/bubbletea"

	"dscope.dev/ui/widget"
)

// mouse answers a message whose place counts from the corner of the pane.
func (m *Model) mouse(msg tea.MouseMsg) tea.Cmd {
	if by := widget.Wheel(msg); by != 0 {
		return m.wheel(by)
	}
	if widget.Clicked(msg) {
		return m.click(msg.Y)
	}
	return nil
}

// click acts on line y: a click selects it, a click on the selected one does what
// enter does.
func (m *Model) click(y int) tea.Cmd {
	y -= m.listTop()
	if m.picker.open {
		return m.clickPicker(y)
	}
	if m.catalog == nil {
		return nil
	}
	switch {
	case y == -1:
		return m.startSearch()
	case y < 0 || y >= m.listHeight():
		return nil
	}
	var cmd tea.Cmd
	switch {
	case m.Searching():
		cmd = m.pick(&m.hit, m.hitTop+y, m.hits())
	default:
		cmd = m.pick(&m.at, m.top+y, len(m.tree))
	}
	m.settle()
	return tea.Batch(cmd, m.ask())
}

// clickPicker selects a process, or opens the one that is selected.
func (m *Model) clickPicker(y int) tea.Cmd {
	p := &m.picker
	n := p.top + y
	switch {
	case y < 0 || y >= m.listHeight() || n >= len(p.found):
		return nil
	case n == p.at:
		return m.pickProcess()
	}
	p.at = n
	m.settle()
	return nil
}

func (m *Model) hits() int {
	if m.result == nil {
		return 0
	}
	return len(m.result.found)
}

// pick selects line n of total, or acts on it if it is selected already.
func (m *Model) pick(cursor *int, n, total int) tea.Cmd {
	switch {
	case n >= total:
		return nil
	case *cursor == n:
		return m.enter()
	}
	*cursor = n
	return nil
}

// wheel moves the window, and the cursor with it.
func (m *Model) wheel(by int) tea.Cmd {
	if m.picker.open {
		m.picker.move(by)
	} else {
		m.move(by)
	}
	m.settle()
	return m.ask()
}
