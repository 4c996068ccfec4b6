package widget

import tea "github.com/charmbracelet/bubbletea"

// A CopyMsg asks the root to put Text on the user's clipboard.
type CopyMsg struct{ Text string }

// Copy returns the command that asks for it.
func Copy(text string) tea.Cmd {
	return func() tea.Msg { return CopyMsg{text} }
}
