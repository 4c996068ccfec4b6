package editor

import (
	tea "github.com/charmbracelet/bubbletea"

	"dscope.dev/ui/document"
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

// Again shows a script as it ran before, with what it was run with: the file that it is still,
// or else its text as a script without a file. done is delivered when it is there.
func (m *Model) Again(path, script string, call document.Call, done tea.Msg) tea.Cmd {
	show := func(f disk.File) tea.Cmd {
		put := m.show(f)
		m.doc.Call = call
		m.notice = ""
		return tea.Batch(m.changed(), put, func() tea.Msg { return CalledMsg{} }, func() tea.Msg { return done })
	}
	for _, d := range m.desk.All() {
		if d.Text() == script {
			m.desk.Bring(d)
			return show(disk.File{Path: d.Path(), Text: script})
		}
	}
	if path == "" {
		return show(disk.File{Text: script})
	}
	return func() tea.Msg {
		f, err := disk.Read(path)
		if err != nil || f.Text != script {
			f = disk.File{Text: script}
		}
		return againMsg{func() tea.Cmd { return show(f) }}
	}
}

// againMsg brings the file of a script that is shown again.
type againMsg struct{ show func() tea.Cmd }

func (againMsg) editorMsg() {}
