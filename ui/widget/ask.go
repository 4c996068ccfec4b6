package widget

import tea "github.com/charmbracelet/bubbletea"

// A CopyMsg asks the root to put Text on the user's clipboard: only the root
// knows which terminal it draws to.
type CopyMsg struct{ Text string }

// AskCopy returns the command by which a pane asks for it.
func AskCopy(text string) tea.Cmd {
	return func() tea.Msg { return CopyMsg{text} }
}
