package editor

import (
	"errors"
	"fmt"
	"path/filepath"
	"time"

	tea "github.com/charmbracelet/bubbletea"

	"dscope.dev/ui/editor/disk"
	"dscope.dev/ui/editor/text"
)

// file is where the script rests.
type file struct {
	path   string // absolute; "" if it has none yet
	stamp  disk.Stamp
	clash  bool // the last save was refused because the file has changed
	keeper *disk.Keeper
	ticks  bool // a copy of unsaved text is due
}

// name returns what the frame calls the script.
func (f file) name() string {
	if f.path == "" {
		return "untitled"
	}
	return filepath.Base(f.path)
}

// dir returns the folder of the script with a slash, to begin a path with.
func (f file) dir() string {
	if f.path == "" {
		return ""
	}
	return filepath.Dir(f.path) + string(filepath.Separator)
}

type (
	// startedMsg is the end of Start.
	startedMsg struct {
		keeper *disk.Keeper
		err    error // of the keeper
		open   openedMsg
	}

	// openedMsg is a script that was read.
	openedMsg struct {
		file    disk.File
		orphans []disk.Orphan
		err     error
	}

	// savedMsg is the end of a save.
	savedMsg struct {
		path    string
		mark    int // of the text that was saved
		version int
		lines   int
		stamp   disk.Stamp
		err     error
	}

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

// read reads a script and what a crashed editor left of it.
func read(state, path string) openedMsg {
	var o openedMsg
	if path != "" {
		if o.file, o.err = disk.Read(path); o.err != nil {
			return o
		}
	}
	if state != "" {
		o.orphans, _ = disk.Orphans(state, o.file.Path) // none to be had is none
	}
	return o
}

// Open reads the script at path in place of the one at hand, whose unsaved
// changes are lost: ask Unsaved first.
func (m *Model) Open(path string) tea.Cmd {
	state := m.opts.State
	return func() tea.Msg { return read(state, path) }
}

// openSafely asks before unsaved changes are lost.
func (m *Model) openSafely(path string) tea.Cmd {
	if m.Unsaved() == "" {
		return m.Open(path)
	}
	m.openPrompt(askDrop, "")
	m.ask.then = func(m *Model) tea.Cmd { return m.Open(path) }
	return nil
}

func (m *Model) started(msg startedMsg) tea.Cmd {
	m.file.keeper = msg.keeper
	cmd := m.opened(msg.open)
	if msg.err != nil {
		m.notice = "unsaved text will not outlive a crash: " + msg.err.Error()
	}
	return cmd
}

// opened takes a script that was read, and over it what a crashed editor left,
// as a change that undo takes back.
func (m *Model) opened(msg openedMsg) tea.Cmd {
	if msg.err != nil {
		m.notice = msg.err.Error()
		return nil
	}
	m.show(msg.file)
	m.notice = ""
	if msg.file.New {
		m.notice = "new file " + m.file.name()
	}
	return m.recover(msg.orphans)
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
		if o.Text == m.buf.Text() {
			cmds = append(cmds, func() tea.Msg { return keptMsg{o.Discard()} })
			continue
		}
		taken = true
		m.buf.Change(text.Other, text.At(0), func() text.Sel {
			m.buf.Replace(0, m.buf.Size(), o.Text)
			return text.At(0)
		})
		m.sync()
		m.notice = "recovered text of " + o.Time.Format("2 Jan 15:04") + " that was never saved; undo drops it"
		cmds = append(cmds, m.keepOver(o))
	}
	return tea.Batch(cmds...)
}

// keepOver makes the text of an orphan a copy of our own and then drops the
// orphan.
func (m *Model) keepOver(o disk.Orphan) tea.Cmd {
	k, v, path, s := m.file.keeper, m.buf.Version(), m.file.path, m.buf.Text()
	if k == nil {
		return nil
	}
	return func() tea.Msg {
		if err := k.Keep(v, path, s); err != nil {
			return keptMsg{err}
		}
		return keptMsg{o.Discard()}
	}
}

// save writes the script to its file, or asks for a name.
func (m *Model) save() tea.Cmd {
	if m.file.path == "" {
		return m.askSave()
	}
	return m.saveTo(m.file.path)
}

// Save is ctrl+s, for a palette of commands.
func (m *Model) Save() tea.Cmd { return m.save() }

// saveTo writes the script to path. A file that somebody else has changed is
// overwritten only when asked for twice.
func (m *Model) saveTo(path string) tea.Cmd {
	stamp := m.file.stamp
	if path != m.file.path || m.file.clash {
		stamp = disk.Stamp{}
	}
	msg := savedMsg{mark: m.buf.Mark(), version: m.buf.Version(), lines: m.buf.Lines()}
	s := m.buf.Text()
	return func() tea.Msg {
		if msg.path, msg.err = filepath.Abs(disk.Expand(path)); msg.err == nil {
			msg.stamp, msg.err = disk.Write(msg.path, s, stamp)
		}
		return msg
	}
}

func (m *Model) saved(msg savedMsg) tea.Cmd {
	m.file.clash = false
	switch {
	case errors.Is(msg.err, disk.ErrChanged):
		m.file.clash = true
		m.notice = msg.err.Error() + "; save again to overwrite it"
		return nil
	case msg.err != nil:
		m.notice = msg.err.Error()
		return nil
	}
	m.file.path, m.file.stamp = msg.path, msg.stamp
	m.buf.SaveAs(msg.mark)
	m.notice = fmt.Sprintf("saved %s, %d lines", m.file.name(), msg.lines)
	k := m.file.keeper
	if k == nil {
		return nil
	}
	return func() tea.Msg { return keptMsg{k.Drop(msg.version)} }
}

// keepSoon sees to it that a copy of the text is written within
// Options.KeepEvery.
func (m *Model) keepSoon() tea.Cmd {
	if m.file.keeper == nil || m.file.ticks || !m.buf.Modified() {
		return nil
	}
	m.file.ticks = true
	return tea.Tick(m.opts.KeepEvery, func(time.Time) tea.Msg { return keepMsg{} })
}

// keepNow writes the copy that is due, unless the text was saved meanwhile.
func (m *Model) keepNow() tea.Cmd {
	m.file.ticks = false
	k, v, path, s := m.file.keeper, m.buf.Version(), m.file.path, m.buf.Text()
	switch {
	case k == nil:
		return nil
	case !m.buf.Modified():
		return func() tea.Msg { return keptMsg{k.Drop(v)} }
	}
	return func() tea.Msg { return keptMsg{k.Keep(v, path, s)} }
}

func (m *Model) kept(msg keptMsg) {
	if msg.err != nil {
		m.notice = "unsaved text is not safe from a crash: " + msg.err.Error()
	}
}

// Flush returns what writes the copy of the text as it is now, and waits for the disk;
// nil if there is nothing to write. It is for a program that is being ended from outside.
func (m *Model) Flush() func() error {
	if m.file.keeper == nil || !m.buf.Modified() {
		return nil
	}
	k, v, path, s := m.file.keeper, m.buf.Version(), m.file.path, m.buf.Text()
	return func() error { return k.Keep(v, path, s) }
}

// Close removes the copy of unsaved text: the user leaves and knows what is
// lost. Run it last, before the program ends.
func (m *Model) Close() tea.Cmd {
	k := m.file.keeper
	if k == nil {
		return nil
	}
	return func() tea.Msg { return keptMsg{k.Close()} }
}
