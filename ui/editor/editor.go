// Package editor is the pane in which scripts are written.
//
// A Model shows the document.Document in front of a desk (text with undo, words, complaints,
// file) and lets people write it. It draws only the lines in view, and a keystroke scans only the
// clause that it changes, so that long scripts feel like short ones.
//
// The pane knows no compiler. After each change it sends ChangedMsg; whoever
// checks the script hands the complaints to SetDiagnostics with the document.Ref
// that they are about, and those about an older text are ignored. Completion
// goes the same way: CompleteMsg out, SetCompletions in. Complaints move along
// with the text while newer ones are awaited.
//
// What waits for the disk happens in commands. Their results
// come back as messages of type Msg, which the root hands to Update whatever
// pane has the focus. A copy of unsaved text is written at most a second after
// a change, and found by the next editor if this one dies.
//
// Mouse messages count from the upper left corner of the pane.
//
// One table of acts (keys.go) feeds dispatch and help. Takes says which keys
// the pane needs now, so that tab and esc mean something to the root as well.
package editor

import (
	"fmt"
	"io"
	"time"

	tea "github.com/charmbracelet/bubbletea"

	"dscope.dev/themes"
	"dscope.dev/ui/document"
	"dscope.dev/ui/document/text"
	"dscope.dev/ui/keymap"
	"dscope.dev/ui/vim"
	"dscope.dev/ui/widget"
)

// Options are what does not change while an editor lives.
type Options struct {
	Tab       int           // distance of tab stops; 8 if 0
	Clipboard io.Writer     // the terminal, for OSC 52; nil keeps copies inside
	State     string        // folder for copies of unsaved text; "" keeps none
	KeepEvery time.Duration // how much typing a crash may cost; a second if 0
}

// A Model is the editor. Its parent sizes it, passes it keys while it has the
// focus, and Msgs always.
type Model struct {
	look    *looks
	keys    *keymap.Map
	opts    Options
	w, h    int
	focused bool

	desk    *document.Desk
	doc     *document.Document            // the one in front
	windows map[*document.Document]window // of the others
	goal    int                           // column that up and down keep to; -1 if none
	top     int                           // first line in view
	left    int                           // first column in view

	find   finder
	ask    prompt
	asides asides
	comp   completion
	fixes  remedies
	hint   hint
	clip   string // what was cut or copied last
	grip   grip
	hands  vim.Machine // used if the keys are modal
	macros macros

	leaving *document.Document // is closed when it has been saved: :wq

	notice string       // a word to the user, until the next key
	why    string       // why the last key did nothing
	swept  int          // for how many keys more it is said that the whole script was replaced
	sent   document.Ref // the text that was last sent out
}

// A Msg is meant for the editor, whatever pane has the focus.
type Msg interface{ editorMsg() }

// ChangedMsg says that the text is another. It goes to the root.
type ChangedMsg struct {
	document.Ref
	Text string
}

// New returns an empty editor.
func New(t *themes.Theme, o Options) *Model {
	if o.Tab <= 0 {
		o.Tab = 8
	}
	if o.KeepEvery <= 0 {
		o.KeepEvery = time.Second
	}
	m := &Model{look: newLooks(t), keys: keymap.Default(), opts: o, goal: -1, desk: document.NewDesk(o.State), windows: map[*document.Document]window{}}
	m.doc = m.desk.Front()
	m.sent = m.doc.Ref()
	return m
}

// SetTheme changes the looks.
func (m *Model) SetTheme(t *themes.Theme) { m.look = newLooks(t) }

// SetKeys says which keys ask for what.
func (m *Model) SetKeys(k *keymap.Map) { m.keys = k }

// SetSize fits the pane into w columns and h lines. A pane that grows shows
// the beginnings of lines again.
func (m *Model) SetSize(w, h int) {
	if w, h = max(w, 0), max(h, 0); w == m.w && h == m.h {
		return
	}
	m.w, m.h, m.left = w, h, 0
	m.reveal()
}

// SetFocus says whether keys go to this pane, which the cursor shows.
func (m *Model) SetFocus(on bool) {
	m.focused = on
	if !on {
		m.comp.close()
	}
}

// Document returns what is being written. Its text changes through the pane alone.
func (m *Model) Document() *document.Document { return m.doc }

// SetText takes a new script in place of the old one. Undo brings that back.
func (m *Model) SetText(s string) tea.Cmd {
	m.change(text.Other, func() text.Sel {
		m.doc.Buf.Replace(0, m.doc.Buf.Size(), s)
		return text.At(min(m.doc.Sel.Head, m.doc.Buf.Size()))
	})
	return m.changed()
}

// Title returns the name of the script and whether it is modified, and which it is of those
// that are open, for the frame.
func (m *Model) Title() string {
	title := m.doc.Name()
	if m.doc.Modified() {
		title += " *"
	}
	if c := m.doc.Call.Line; c != "" {
		title += "  " + widget.Cut(widget.Safe(c), 30)
	}
	if m.modal() {
		title += "  " + m.hands.Title()
	}
	if i, n := m.desk.Place(); n > 1 {
		title += fmt.Sprintf("  %d of %d", i+1, n)
	}
	return title
}

// Held reports that what is shown is the newest text.
func (m *Model) Held() string { return "" }

// Cursor returns line and column of the cursor, counted from one; the column
// is that of the screen.
func (m *Model) Cursor() (line, col int) { return m.CursorOf(m.doc) }

// CursorOf is Cursor of any of the scripts.
func (m *Model) CursorOf(d *document.Document) (line, col int) {
	p := d.At()
	if d == m.doc {
		p = d.Buf.Pos(m.cursor())
	}
	return p.Line + 1, text.Column(d.Buf.Line(p.Line), p.Col, m.opts.Tab) + 1
}

// Why says why the last key did nothing; "" if it did something.
func (m *Model) Why() string { return m.why }

// change makes the replacements of f one step of undo and puts the selection
// where f says. The text never grows beyond text.MaxSize by what is inserted:
// see insert.
func (m *Model) change(kind text.Kind, f func() text.Sel) {
	m.doc.Change(kind, f)
	m.goal = -1
	m.find.shown = false
	m.reveal()
}

// InsertClause puts a clause where one belongs: see document.InsertClause.
func (m *Model) InsertClause(clause string) tea.Cmd {
	m.comp.close()
	m.doc.InsertClause(clause)
	m.goal = -1
	m.find.shown = false
	m.reveal()
	return m.changed()
}

// changed tells the world of a new text, if there is one.
func (m *Model) changed() tea.Cmd {
	ref := m.doc.Ref()
	if ref == m.sent {
		return nil
	}
	m.doc.Sync()
	m.sent = ref
	msg := ChangedMsg{ref, m.doc.Text()}
	return tea.Batch(func() tea.Msg { return msg }, m.keepSoon(), m.completeAfter())
}

// compile-time list of the messages that Update takes from commands.
var _ = []Msg{openedMsg{}, savedMsg{}, recoveredMsg{}, againMsg{}, keepMsg{}, keptMsg{}}

// Update handles keys, the mouse and Msgs; sizes and data come through the
// setters.
func (m *Model) Update(msg tea.Msg) tea.Cmd {
	var cmd tea.Cmd
	switch msg := msg.(type) {
	case tea.KeyMsg:
		cmd = m.key(msg)
	case widget.DoMsg:
		m.notice, m.why = "", ""
		if a := m.table().Named(msg.Action); a != nil {
			cmd = m.do(a)
		}
	case tea.MouseMsg:
		cmd = m.mouse(msg)
	case openedMsg:
		cmd = m.opened(msg)
	case savedMsg:
		cmd = m.saved(msg)
	case pathMsg:
		m.pathCompleted(msg)
	case recoveredMsg:
		cmd = m.recovered(msg.orphan, msg.file)
	case againMsg:
		cmd = msg.show()
	case keepMsg:
		cmd = m.keep(msg)
	case keptMsg:
		m.kept(msg)
	}
	return tea.Batch(cmd, m.changed())
}
