package editor

import (
	tea "github.com/charmbracelet/bubbletea"

	"dscope.dev/ui/document/disk"
)

// New begins a script without a file beside those that are open. It counts as unsaved only once
// it is changed. done is delivered when the script is there.
func (m *Model) New(s string, done tea.Msg) tea.Cmd {
	put := m.show(disk.File{Text: s})
	m.notice = ""
	return tea.Batch(m.changed(), put, func() tea.Msg { return done })
}

// empty begins an empty script.
func (m *Model) empty() tea.Cmd { return m.New("", nil) }
