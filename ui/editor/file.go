package editor

import (
	"fmt"
	"time"

	tea "github.com/charmbracelet/bubbletea"

	"dscope.dev/ui/document"
	"dscope.dev/ui/document/disk"
	"dscope.dev/ui/document/text"
)

type (
	// openedMsg is a script that was read.
	openedMsg struct {
		document.Opened
		behind       bool // the script in front stays there
		line, column int  // where the cursor goes, from 1; 0 leaves it
	}

	// savedMsg is the end of a save.
	savedMsg struct {
		of document.Ref
		document.Saved
	}

	// keepMsg says that a copy of the unsaved text of a document is due.
	keepMsg struct{ of document.Ref }

	// keptMsg is the end of an attempt to keep a copy.
	keptMsg struct{ err error }
)

func (openedMsg) editorMsg() {}
func (savedMsg) editorMsg()  {}
func (keepMsg) editorMsg()   {}
func (keptMsg) editorMsg()   {}

// Open reads the script at path and shows it beside those that are open; without a path it
// looks for what crashed editors left.
func (m *Model) Open(path string) tea.Cmd {
	state := m.opts.State
	return func() tea.Msg { return openedMsg{Opened: document.Open(state, path)} }
}

// OpenBehind reads the script at path and puts it beside those that are open, with the cursor
// at a line and column as Cursor has them. The one in front stays there.
func (m *Model) OpenBehind(path string, line, column int) tea.Cmd {
	state := m.opts.State
	return func() tea.Msg {
		return openedMsg{Opened: document.Open(state, path), behind: true, line: line, column: column}
	}
}

// opened shows a script that was read, and offers what a crashed editor left of it.
func (m *Model) opened(msg openedMsg) tea.Cmd {
	if msg.Err != nil {
		m.notice = msg.Err.Error()
		return nil
	}
	if msg.behind {
		return m.openedBehind(msg)
	}
	m.notice = ""
	var put tea.Cmd
	if msg.File.Path != "" {
		put = m.show(msg.File)
	}
	if msg.Call != "" && m.doc.Call.Line == "" && msg.File.Path != "" {
		m.doc.Call, _ = document.ParseCall(msg.Call) // it was right when it was typed
	}
	if msg.File.New {
		m.notice = "new file " + m.doc.Name()
	}
	offered := tea.Batch(kept(m.desk.Offer(msg.Orphans)), m.remember())
	m.tellLeft()
	return tea.Batch(put, offered)
}

// openedBehind puts a script that was read beside the one in front.
func (m *Model) openedBehind(msg openedMsg) tea.Cmd {
	was := m.doc
	put := kept(m.desk.Put(msg.File))
	d := m.desk.Front()
	d.Sel = text.At(m.offset(d, msg.line, msg.column))
	if msg.Call != "" {
		d.Call, _ = document.ParseCall(msg.Call)
	}
	m.desk.Bring(was)
	m.turn()
	return tea.Batch(put, kept(m.desk.Offer(msg.Orphans)))
}

// remember has the script in front found again among those that were opened last. Where that cannot be
// kept, nothing is lost by it.
func (m *Model) remember() tea.Cmd {
	state, k := m.opts.State, disk.Known{Path: m.doc.Path(), Call: m.doc.Call.Line}
	if state == "" || k.Path == "" {
		return nil
	}
	return func() tea.Msg {
		disk.Remember(state, k)
		return nil
	}
}

// tellLeft says what crashed editors left and can be recovered.
func (m *Model) tellLeft() {
	left := m.desk.Left()
	if len(left) == 0 {
		return
	}
	key, first := m.keys.Key("file.recover"), left[0]
	switch when := first.Time.Format("2 Jan 15:04"); {
	case first.Path != "" && first.Path == m.doc.Path():
		m.notice = fmt.Sprintf("text of %s was never saved: %s shows it, undo drops it", when, key)
	case len(left) == 1:
		m.notice = fmt.Sprintf("%s of %s was never saved: %s shows it", first.Name(), when, key)
	default:
		m.notice = fmt.Sprintf("%d scripts were never saved, the last %s of %s: %s shows that", len(left), first.Name(), when, key)
	}
}

// noLeft says why there is nothing to recover.
func (m *Model) noLeft() string {
	if len(m.desk.Left()) == 0 {
		return "no unsaved text was left behind"
	}
	return ""
}

// recover takes over what was left of the script in front, or else of that which was written
// last.
func (m *Model) recover() tea.Cmd { return m.Recover(m.desk.Left()[0]) }

// Recover shows what was left of a script over its file.
func (m *Model) Recover(o disk.Orphan) tea.Cmd {
	if i := m.desk.Find(o.Path); i >= 0 {
		return m.recovered(o, disk.File{Path: o.Path})
	}
	if o.Path == "" {
		return m.recovered(o, disk.File{})
	}
	return func() tea.Msg {
		f, err := disk.Read(o.Path)
		if err != nil { // the text is what matters: it may be saved elsewhere
			f = disk.File{}
		}
		return recoveredMsg{o, f}
	}
}

// recoveredMsg brings the file of a script that is recovered.
type recoveredMsg struct {
	orphan disk.Orphan
	file   disk.File
}

func (recoveredMsg) editorMsg() {}

func (m *Model) recovered(o disk.Orphan, f disk.File) tea.Cmd {
	job := m.desk.Recover(o, f)
	m.turn()
	m.notice = "text of " + o.Time.Format("2 Jan 15:04") + " that was never saved; undo drops it"
	return tea.Batch(m.changed(), kept(job))
}

// show puts a script on the desk and in front.
func (m *Model) show(f disk.File) tea.Cmd {
	put := kept(m.desk.Put(f))
	m.turn()
	return put
}

// A window is which part of a document is in view.
type window struct{ top, left int }

// turn shows the document that is in front now.
func (m *Model) turn() {
	front := m.desk.Front()
	if front == m.doc {
		return
	}
	m.windows[m.doc] = window{m.top, m.left}
	m.hands.Turn()
	for d := range m.windows {
		if m.desk.About(d.Ref()) == nil {
			delete(m.windows, d)
		}
	}
	m.doc = front
	m.goal, m.top, m.left = -1, m.windows[front].top, m.windows[front].left
	m.find.shown = false
	m.comp.close()
	m.reveal()
}

// step shows the next document, or with by -1 the previous one.
func (m *Model) step(by int) tea.Cmd {
	m.desk.Step(by)
	m.turn()
	return m.changed()
}

// ShowDocument shows the document that r is about, if it is still open.
func (m *Model) ShowDocument(r document.Ref) tea.Cmd {
	if d := m.desk.About(r); d != nil {
		m.desk.Bring(d)
	}
	m.turn()
	return m.changed()
}

// alone says why there is no other document to go to.
func (m *Model) alone() string {
	if len(m.desk.All()) == 1 {
		return "no other script is open"
	}
	return ""
}

// close closes the document; it asks first if changes would be lost.
func (m *Model) close() tea.Cmd {
	if m.doc.Unsaved() != "" {
		return m.openPrompt(askDrop, "")
	}
	return m.drop()
}

// drop closes the document whatever is lost.
func (m *Model) drop() tea.Cmd {
	job := kept(m.desk.Close())
	m.turn()
	return tea.Batch(job, m.changed())
}

// save writes the script to its file, or asks for a name.
func (m *Model) save() tea.Cmd {
	if m.doc.Path() == "" {
		return m.askSave()
	}
	return m.saveTo(m.doc.Path())
}

// Save saves the script in front, or if that has nothing unsaved the first that has, which it
// shows.
func (m *Model) Save() tea.Cmd {
	for _, d := range m.desk.All() {
		if m.doc.Unsaved() != "" {
			break
		}
		if d.Unsaved() != "" {
			m.desk.Bring(d)
			m.turn()
		}
	}
	return m.save()
}

// saveTo writes the script to path.
func (m *Model) saveTo(path string) tea.Cmd {
	save, of := m.doc.Save(path), m.doc.Ref()
	return func() tea.Msg { return savedMsg{of, save()} }
}

// saved tells the document how its save ended. One that is closed by now has nobody to tell.
func (m *Model) saved(msg savedMsg) tea.Cmd {
	d := m.desk.About(msg.of)
	if d == nil {
		d = m.doc
	}
	said, then := d.Saved(msg.Saved)
	m.notice = said
	if d.Modified() || d != m.doc {
		return kept(then)
	}
	if m.leaving == d {
		return tea.Batch(kept(then), m.remember(), m.quit(false))
	}
	return tea.Batch(kept(then), m.remember(), func() tea.Msg { return SavedMsg{} })
}

// SavedMsg says that the script in front has been saved. It goes to the root.
type SavedMsg struct{}

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
	of := m.doc.Ref()
	return tea.Tick(m.opts.KeepEvery, func(time.Time) tea.Msg { return keepMsg{of} })
}

// keep writes the copy that is due, of a document that is still open.
func (m *Model) keep(msg keepMsg) tea.Cmd {
	if d := m.desk.About(msg.of); d != nil {
		return kept(d.Copy())
	}
	return nil
}

func (m *Model) kept(msg keptMsg) {
	if msg.err != nil {
		m.notice = "unsaved text is not safe from a crash: " + msg.err.Error()
	}
}

// Desk returns the scripts that are open. It changes through the pane alone.
func (m *Model) Desk() *document.Desk { return m.desk }

// Unsaved says what would be lost if the program ended now, a sentence each.
func (m *Model) Unsaved() []string { return m.desk.Unsaved() }

// Close removes the copies of unsaved text: the user leaves and knows what is
// lost. Run it last, before the program ends.
func (m *Model) Close() tea.Cmd { return kept(m.desk.End()) }
