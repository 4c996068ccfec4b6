package browser

import tea "github.com/charmbracelet/bubbletea"

// Click acts on cell x, y: a click selects a line, a click on the selected one
// does what enter does.
func (m *Model) Click(_, y int) tea.Cmd {
	if m.catalog == nil {
		return nil
	}
	y -= m.listTop()
	switch {
	case y == -1:
		m.typing = true
		return nil
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

// Wheel moves the window, and the cursor with it.
func (m *Model) Wheel(by int) tea.Cmd {
	m.move(by)
	m.settle()
	return m.ask()
}
