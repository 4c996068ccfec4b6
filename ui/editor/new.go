package editor

import (
	tea "github.com/charmbracelet/bubbletea"

	"dscope.dev/ui/document/disk"
)

// New begins a script without a file in place of the one at hand; it asks first if changes
// would be lost. It counts as unsaved only once it is changed. done is delivered when the
// script is there, and not if it is refused.
func (m *Model) New(s string, done tea.Msg) tea.Cmd {
	return m.safely(func(m *Model) tea.Cmd {
		dropped := m.show(disk.File{Text: s})
		m.notice = ""
		return tea.Batch(m.changed(), dropped, func() tea.Msg { return done })
	})
}
