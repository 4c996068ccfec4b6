package editor

import (
	tea "github.com/charmbracelet/bubbletea"

	"dscope.dev/ui/editor/disk"
	"dscope.dev/ui/editor/text"
)

// New begins a script without a file in place of the one at hand; it asks first if changes
// would be lost. It counts as unsaved only once it is changed. done is delivered when the
// script is there, and not if it is refused.
func (m *Model) New(s string, done tea.Msg) tea.Cmd {
	then := func(m *Model) tea.Cmd { return m.fresh(s, done) }
	if m.Unsaved() == "" {
		return then(m)
	}
	m.openPrompt(askDrop, "")
	m.ask.then = then
	return nil
}

// fresh shows a script without a file, and drops the copy of the one before: whoever was
// asked knows what is lost.
func (m *Model) fresh(s string, done tea.Msg) tea.Cmd {
	m.show(disk.File{Text: s})
	m.notice = ""
	v := m.buf.Version()
	cmds := []tea.Cmd{m.changed(), func() tea.Msg { return done }}
	if k := m.file.keeper; k != nil {
		cmds = append(cmds, func() tea.Msg { return keptMsg{k.Drop(v)} })
	}
	return tea.Batch(cmds...)
}

// show puts a script in the place of the one at hand.
func (m *Model) show(f disk.File) {
	m.buf = text.After(m.buf.Version(), f.Text)
	m.sel, m.goal, m.top, m.left = text.At(0), -1, 0, 0
	m.marks, m.find.shown = nil, false
	m.comp.close()
	m.file.path, m.file.stamp, m.file.clash = f.Path, f.Stamp, false
	m.code.Set("")
	if m.buf.Size() <= colourLimit {
		m.code.Set(m.buf.Text())
	}
}
