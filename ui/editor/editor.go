// Package editor is the pane in which scripts are written.
//
// A Model holds a text.Buffer (lines, undo), a syntax.Script (colours by the
// compiler's own scanner) and what was said about the text: complaints and
// completions. It draws only the lines in view, and a keystroke scans only the
// clause that it changes, so that long scripts feel like short ones.
//
// The pane knows no compiler. After each change it sends ChangedMsg; whoever
// checks the script hands the complaints to SetDiagnostics with the version
// that they are about, and those about an older text are ignored. Completion
// goes the same way: CompleteMsg out, SetCompletions in. Complaints move along
// with the text while newer ones are awaited.
//
// What waits for the disk (package disk) happens in commands. Their results
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
	"io"
	"time"

	tea "github.com/charmbracelet/bubbletea"

	"dscope.dev/themes"
	"dscope.dev/ui/editor/disk"
	"dscope.dev/ui/editor/syntax"
	"dscope.dev/ui/editor/text"
	"dscope.dev/ui/keymap"
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

	buf  *text.Buffer
	code *syntax.Script
	sel  text.Sel
	goal int // column that up and down keep to; -1 if none
	top  int // first line in view
	left int // first column in view

	file   file
	find   finder
	ask    prompt
	asides asides
	comp   completion
	marks  []mark
	clip   string // what was cut or copied last
	drag   bool   // the left button is down on the text

	notice string // a word to the user, until the next key
	why    string // why the last key did nothing
	sent   int    // version of the text that was last sent out
}

// A Msg is meant for the editor, whatever pane has the focus.
type Msg interface{ editorMsg() }

// ChangedMsg says that the text is another. It goes to the root.
type ChangedMsg struct {
	Version int
	Text    string
}

// New returns an empty editor.
func New(t *themes.Theme, o Options) *Model {
	if o.Tab <= 0 {
		o.Tab = 8
	}
	if o.KeepEvery <= 0 {
		o.KeepEvery = time.Second
	}
	m := &Model{look: newLooks(t), keys: keymap.Default(), opts: o, goal: -1, buf: text.New(""), code: &syntax.Script{}}
	m.sent = m.buf.Version()
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

// Text returns the script.
func (m *Model) Text() string { return m.buf.Text() }

// Version returns the version of the script. It grows with each change.
func (m *Model) Version() int { return m.buf.Version() }

// SetText takes a new script in place of the old one. Undo brings that back.
func (m *Model) SetText(s string) tea.Cmd {
	m.change(text.Other, func() text.Sel {
		m.buf.Replace(0, m.buf.Size(), s)
		return text.At(min(m.sel.Head, m.buf.Size()))
	})
	return m.changed()
}

// modified reports whether the script differs from its file.
func (m *Model) modified() bool { return m.buf.Modified() }

// Unsaved says what would be lost by leaving now; "" if nothing.
func (m *Model) Unsaved() string {
	switch {
	case !m.buf.Modified() || m.file.path == "" && m.buf.Size() == 0:
		return ""
	case m.file.path == "":
		return "the script has not been saved to a file"
	}
	return m.file.name() + " has changes that are not saved"
}

// Title returns the name of the script and whether it is modified, for the
// frame.
func (m *Model) Title() string {
	name := m.file.name()
	if m.modified() && (m.file.path != "" || m.buf.Size() > 0) {
		name += " *"
	}
	return name
}

// Held reports that what is shown is the newest text.
func (m *Model) Held() string { return "" }

// Cursor returns line and column of the cursor, counted from one; the column
// is that of the screen.
func (m *Model) Cursor() (line, col int) {
	p := m.buf.Pos(m.sel.Head)
	return p.Line + 1, text.Column(m.buf.Line(p.Line), p.Col, m.opts.Tab) + 1
}

// selected returns the selected text.
func (m *Model) selected() string { return m.buf.Slice(m.sel.Range()) }

// Why says why the last key did nothing; "" if it did something.
func (m *Model) Why() string { return m.why }

// change makes the replacements of f one step of undo and puts the selection
// where f says. The text never grows beyond text.MaxSize by what is inserted:
// see insert.
func (m *Model) change(kind text.Kind, f func() text.Sel) {
	m.sel = m.buf.Change(kind, m.sel, f)
	m.goal = -1
	m.find.shown = false
	m.sync()
	m.reveal()
}

// sync moves what holds offsets along with the text.
func (m *Model) sync() {
	shifts := m.buf.TakeShifts()
	if len(shifts) == 0 {
		return
	}
	m.moveMarks(shifts)
	src := m.buf.Text()
	switch {
	case len(src) > colourLimit:
		m.code.Set("")
	case m.code.Text() == "":
		m.code.Set(src)
	default:
		from, oldTo, newTo := text.Hull(shifts)
		m.code.Edit(src, from, oldTo, newTo)
	}
}

// colourLimit is the size of a text, in bytes, above which it is drawn without
// colours: the words of a larger one would take more memory than it is worth.
const colourLimit = 2 << 20

// changed tells the world of a new text, if there is one.
func (m *Model) changed() tea.Cmd {
	v := m.buf.Version()
	if v == m.sent {
		return nil
	}
	m.sync()
	m.sent = v
	msg := ChangedMsg{v, m.buf.Text()}
	return tea.Batch(func() tea.Msg { return msg }, m.keepSoon(), m.completeAfter())
}

// compile-time list of the messages that Update takes from commands.
var _ = []Msg{startedMsg{}, openedMsg{}, savedMsg{}, keepMsg{}, keptMsg{}}

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
	case startedMsg:
		cmd = m.started(msg)
	case openedMsg:
		cmd = m.opened(msg)
	case savedMsg:
		cmd = m.saved(msg)
	case keepMsg:
		cmd = m.keepNow()
	case keptMsg:
		m.kept(msg)
	}
	return tea.Batch(cmd, m.changed())
}

// Path returns where the script is saved; "" if it is not.
func (m *Model) Path() string { return m.file.path }

// Start reads the script at path, or begins an empty one if path is "", and
// takes over what a crashed editor left of it.
func (m *Model) Start(path string) tea.Cmd {
	state := m.opts.State
	return func() tea.Msg {
		var s startedMsg
		if state != "" {
			s.keeper, s.err = disk.NewKeeper(state)
		}
		s.open = read(state, path)
		return s
	}
}
