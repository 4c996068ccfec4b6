package editor

import (
	tea "github.com/charmbracelet/bubbletea"

	"dscope.dev/ui/document"
)

// CalledMsg says that the script is run with something else from now on. It goes to the root.
type CalledMsg struct{}

// askCall asks what the script is run with.
func (m *Model) askCall() tea.Cmd {
	m.openPrompt(askCall, m.doc.Call.Line)
	m.notice = "options and arguments as for dscope trace: -x bufsize=8m -p 123 'first argument' 2"
	return nil
}

// setCall takes what the script is run with. What cannot be is asked for again.
func (m *Model) setCall(line string) tea.Cmd {
	c, err := document.ParseCall(line)
	if err != nil {
		m.openPrompt(askCall, line)
		m.notice = err.Error()
		return nil
	}
	m.doc.Call = c
	return tea.Batch(func() tea.Msg { return CalledMsg{} }, m.remember())
}
