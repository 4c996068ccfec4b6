package editor

import (
	"time"

	tea "github.com/charmbracelet/bubbletea"

	"dscope.dev/ui/document"
	"dscope.dev/ui/document/disk"
	"dscope.dev/ui/document/text"
)

type (
	// startedMsg is the end of Start.
	startedMsg struct {
		keeper *disk.Keeper
		err    error // of the keeper
		open   openedMsg
	}

	// openedMsg is a script that was read.
	openedMsg struct {
		asked document.Ref // what was shown when it was asked for
		document.Opened
	}

	// savedMsg is the end of a save.
	savedMsg struct{ document.Saved }

	// keepMsg says that a copy of unsaved text is due.
	keepMsg struct{}

	// keptMsg is the end of an attempt to keep a copy.
	keptMsg struct{ err error }
)

func (startedMsg) editorMsg() {}
func (openedMsg) editorMsg()  {}
func (savedMsg) editorMsg()   {}
func (keepMsg) editorMsg()    {}
func (keptMsg) editorMsg()    {}

// Start reads the script at path, or begins an empty one if path is "", and
// takes over what a crashed editor left of it.
func (m *Model) Start(path string) tea.Cmd {
	state, asked := m.opts.State, m.doc.Ref()
	return func() tea.Msg {
		var s startedMsg
		if state != "" {
			s.keeper, s.err = disk.NewKeeper(state)
		}
		s.open = openedMsg{asked, document.Open(state, path)}
		return s
	}
}

// Open reads the script at path in place of the one at hand, whose unsaved
// changes are lost: ask Unsaved first.
func (m *Model) Open(path string) tea.Cmd {
	state, asked := m.opts.State, m.doc.Ref()
	return func() tea.Msg { return openedMsg{asked, document.Open(state, path)} }
}

// openSafely asks before unsaved changes are lost.
func (m *Model) openSafely(path string) tea.Cmd {
	return m.safely(func(m *Model) tea.Cmd { return m.Open(path) })
}

// safely does what takes the place of the script at hand; it asks first if changes would be
// lost.
func (m *Model) safely(then func(*Model) tea.Cmd) tea.Cmd {
	if m.doc.Unsaved() == "" {
		return then(m)
	}
	m.openPrompt(askDrop, "")
	m.ask.then = then
	return nil
}

func (m *Model) started(msg startedMsg) tea.Cmd {
	m.doc.Keeps(msg.keeper)
	cmd := m.opened(msg.open)
	if msg.err != nil {
		m.notice = "unsaved text will not outlive a crash: " + msg.err.Error()
	}
	return cmd
}

// opened takes a script that was read, and over it what a crashed editor left,
// as a change that undo takes back.
func (m *Model) opened(msg openedMsg) tea.Cmd {
	switch {
	case msg.Err != nil:
		m.notice = msg.Err.Error()
		return nil
	case msg.asked != m.doc.Ref() && m.doc.Unsaved() != "": // typed while the disk was slow
		m.notice = "not opened: the script has changed since it was asked for; open it again"
		return nil
	}
	dropped := m.show(msg.File)
	m.notice = ""
	if msg.File.New {
		m.notice = "new file " + m.doc.Name()
	}
	return tea.Batch(dropped, m.recover(msg.Orphans))
}

// show puts a script in the place of the one at hand, and drops the copy of that: whoever
// was asked knows what is lost.
func (m *Model) show(f disk.File) tea.Cmd {
	dropped := kept(m.doc.Drop())
	m.doc = m.doc.Next(f)
	m.goal, m.top, m.left = -1, 0, 0
	m.find.shown = false
	m.comp.close()
	return dropped
}

// recover takes over the newest orphan that says something new. The others go
// only once that one is safe; those with nothing new go at once.
func (m *Model) recover(orphans []disk.Orphan) tea.Cmd {
	var cmds []tea.Cmd
	taken := false
	for _, o := range orphans {
		if taken {
			continue // an older one: the next editor will find it
		}
		if o.Text == m.doc.Text() {
			cmds = append(cmds, kept(o.Discard))
			continue
		}
		taken = true
		m.doc.Change(text.Other, func() text.Sel {
			m.doc.Buf.Replace(0, m.doc.Buf.Size(), o.Text)
			return text.At(0)
		})
		m.notice = "recovered text of " + o.Time.Format("2 Jan 15:04") + " that was never saved; undo drops it"
		cmds = append(cmds, kept(m.doc.Adopt(o)))
	}
	return tea.Batch(cmds...)
}

// save writes the script to its file, or asks for a name.
func (m *Model) save() tea.Cmd {
	if m.doc.Path() == "" {
		return m.askSave()
	}
	return m.saveTo(m.doc.Path())
}

// Save is ctrl+s, for a palette of commands.
func (m *Model) Save() tea.Cmd { return m.save() }

// saveTo writes the script to path.
func (m *Model) saveTo(path string) tea.Cmd {
	save := m.doc.Save(path)
	return func() tea.Msg { return savedMsg{save()} }
}

func (m *Model) saved(msg savedMsg) tea.Cmd {
	said, then := m.doc.Saved(msg.Saved)
	m.notice = said
	return kept(then)
}

// kept does what waits for the disk.
func kept(job document.Job) tea.Cmd {
	if job == nil {
		return nil
	}
	return func() tea.Msg { return keptMsg{job()} }
}

// keepSoon sees to it that a copy of the text is written within
// Options.KeepEvery.
func (m *Model) keepSoon() tea.Cmd {
	if !m.doc.WantsCopy() {
		return nil
	}
	return tea.Tick(m.opts.KeepEvery, func(time.Time) tea.Msg { return keepMsg{} })
}

func (m *Model) kept(msg keptMsg) {
	if msg.err != nil {
		m.notice = "unsaved text is not safe from a crash: " + msg.err.Error()
	}
}

// Close removes the copy of unsaved text: the user leaves and knows what is
// lost. Run it last, before the program ends.
func (m *Model) Close() tea.Cmd { return kept(m.doc.Close()) }
