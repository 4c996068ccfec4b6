// Package vim gives the script the hands of Vim: modes, counts, operators with motions and
// text objects, registers, marks, one change that can be made again, and a command line.
//
// A Machine turns keys into changes of a text.Buffer. It knows no pane and no screen: a
// Host says where the cursor is and does what is not done to the text, by the names of
// actions. So the tests drive it with a few lines, and the same keys are given to a real
// Neovim, whose text and cursor they compare (nvim_test.go).
//
// Keys come one at a time. Those of a command are kept until parse.go finds that they make
// one: a register, a count, an operator, and one name of the tables in motion.go, object.go
// and command.go. In insert mode all keys but a few go by: what was typed is what the text
// shows at the end (insert.go), so that completion, closing brackets and indenting are the
// Host's, and are repeated like letters.
//
// Lines are those of Vim: a newline at the end of the text begins no line of its own. A
// place is a byte offset, and the end of a line a place that only insert mode, and a
// selection, can be at.
//
// What few hands miss is not here: blocks, folds, windows, sentences, the registers that
// count, settings. A key that means nothing does nothing.
package vim

import (
	"slices"
	"strings"

	"dscope.dev/ui/document/text"
)

// A Mode is what keys mean now.
type Mode uint8

// The modes.
const (
	Normal Mode = iota
	Insert
	Replace
	Visual
	Lines // selects whole lines
)

// String returns the mode as Vim shows it.
func (m Mode) String() string {
	return [...]string{"NORMAL", "INSERT", "REPLACE", "VISUAL", "V-LINE"}[m]
}

// A Host is what holds the text.
type Host interface {
	Buffer() *text.Buffer
	Tab() int                           // distance of tab stops
	Window() (top, rows int)            // the lines in view
	Scroll(top int)                     // has other lines in view
	Fresh(line int) string              // the blanks that a line opened behind this one begins with
	Indent(from, to int)                // lays the indentation of lines out, as a change of the text
	Place(name rune) (off int, ok bool) // a place that was kept, and has moved along with the text
	Keep(name rune, off int)            // keeps it
	Clipboard() string                  // what was copied, here or by other programs if that can be known
	Copy(s string)                      // puts it there
	Record(name rune)                   // keeps the keys that are pressed; 0 no longer
	Play(name rune, times int)          // presses them again, when this key is done
	Ask(prompt, answer string)          // asks for a line of text; Answered brings it
	Found(q text.Query)                 // marks what is looked for; the zero Query nothing
	Do(action, argument string)         // asks for an action of the workbench
	Say(s string)                       // a word to the user
}

// A Machine is the hands. The zero Machine is in normal mode.
type Machine struct {
	host Host
	buf  *text.Buffer // of host, while a key is handled
	mode Mode
	at   int // the cursor, while a key is handled
	from int // where the selection began

	keys    []string // of the command that is not complete yet
	goal    int      // the column that up and down keep to
	goalSet bool

	registers map[rune]register
	recording rune       // the name under which the host keeps keys; 0 if it does not
	last      change     // what . makes again
	about     extent     // what was selected for the command at work
	again     *insertion // what is typed by itself: . is at work
	session   session    // of insert mode
	char      sought     // what ; looks for
	pattern   pattern    // what n looks for
	asked     *command   // waits for what is looked for
	failed    bool       // the last key could not do what it should
}

// Typing reports whether letters are text.
func (m *Machine) Typing() bool { return m.mode == Insert || m.mode == Replace }

// selecting reports whether there is a selection.
func (m *Machine) selecting() bool { return m.mode == Visual || m.mode == Lines }

// Cursor returns where the cursor is shown, which in a selection is on the last character of it.
func (m *Machine) Cursor(sel text.Sel) int {
	if m.selecting() && sel == m.selection() {
		return m.at
	}
	return sel.Head
}

// Wants reports whether a key would be taken now. Of those of Vim the workbench keeps esc with
// nothing to give up, and all that no table here has: function keys, those with alt.
func (m *Machine) Wants(key string) bool {
	switch {
	case m.session.waits || len(m.keys) > 0:
		return true
	case isEscape(key):
		return m.mode != Normal || key == "ctrl+c"
	case m.Typing():
		return key == "ctrl+r" || m.mode == Replace && (character(key) != "" || key == "backspace")
	}
	_, state := parse([]string{key}, m.mode != Normal)
	return state != unknown || character(key) != ""
}

// Failed reports whether the last key asked for something that cannot be: a place where there
// is none. A macro ends there.
func (m *Machine) Failed() bool { return m.failed }

// Turn tells that another text is in front: keys mean commands again.
func (m *Machine) Turn() {
	m.mode, m.keys, m.asked, m.buf = Normal, nil, nil, nil
	m.session, m.goalSet = session{}, false
}

// Title returns what the screen shows of the machine: the mode, a macro that is recorded, keys
// that make no command yet.
func (m *Machine) Title() string {
	s := m.mode.String()
	if m.recording != 0 {
		s += " recording @" + string(m.recording)
	}
	if len(m.keys) > 0 {
		s += " " + strings.Join(m.keys, "")
	}
	return s
}

// Key does what a key asks for, and returns the selection after it; ok is false if the key
// is not Vim's. The selection before may be another than the one that was returned last:
// somebody has clicked, or the text is another one.
func (m *Machine) Key(h Host, sel text.Sel, key string) (now text.Sel, ok bool) {
	m.enter(h, sel)
	ok = m.key(key)
	return m.leave(), ok
}

// Answered takes the line that was asked for; ok is false if it was refused.
func (m *Machine) Answered(h Host, sel text.Sel, prompt, line string, ok bool) text.Sel {
	m.enter(h, sel)
	c := m.asked
	m.asked = nil
	switch {
	case prompt == ":" && ok:
		m.execute(line)
	case c != nil && ok:
		c.arg = c.name + line
		m.run(*c)
	}
	return m.leave()
}

// enter takes up the text and where its cursor is.
func (m *Machine) enter(h Host, sel text.Sel) {
	m.host, m.buf, m.failed = h, h.Buffer(), false
	switch shown := m.selection(); {
	case sel == shown:
	case m.Typing():
		m.at = sel.Head
	case sel.Empty():
		m.mode, m.at, m.goalSet = Normal, sel.Head, false
	default: // with the mouse, or a place that was found
		m.mode, m.goalSet = Visual, false
		from, to := sel.Range()
		m.from, m.at = from, m.prev(to)
		if sel.Head < sel.Anchor {
			m.from, m.at = m.at, m.from
		}
	}
	m.clamp()
}

// leave returns what is selected.
func (m *Machine) leave() text.Sel {
	m.clamp()
	return m.selection()
}

// clamp keeps the cursor off places where it cannot be.
func (m *Machine) clamp() {
	m.at, m.from = m.buf.Offset(m.buf.Pos(m.at)), m.buf.Offset(m.buf.Pos(m.from))
	if m.Typing() {
		return
	}
	if last := m.lastLine(); m.line(m.at) > last {
		m.at = m.buf.Start(last)
	}
	if m.mode == Normal && m.at == m.end(m.at) {
		m.at = max(m.prev(m.at), m.start(m.at))
	}
}

// selection returns what is selected, as panes have it.
func (m *Machine) selection() text.Sel {
	if m.buf == nil {
		return text.Sel{}
	}
	switch m.mode {
	case Visual:
		if m.at < m.from {
			return text.Sel{Anchor: m.next(m.from), Head: m.at}
		}
		return text.Sel{Anchor: m.from, Head: m.next(m.at)}
	case Lines:
		a, b := m.line(m.from), m.line(m.at)
		if b < a {
			return text.Sel{Anchor: m.behind(a), Head: m.buf.Start(b)}
		}
		return text.Sel{Anchor: m.buf.Start(a), Head: m.behind(b)}
	}
	return text.At(m.at)
}

// key is Key inside.
func (m *Machine) key(key string) bool {
	if m.Typing() {
		return m.insertKey(key)
	}
	if isEscape(key) {
		m.escape(key)
		return true
	}
	if key == "q" && len(m.keys) == 0 && m.recording != 0 {
		m.recording = 0
		m.host.Record(0)
		return true
	}
	m.keys = append(m.keys, key)
	c, state := parse(m.keys, m.mode != Normal)
	if state == incomplete {
		return true
	}
	taken := state == complete || len(m.keys) > 1 || character(key) != ""
	m.keys = nil
	if m.failed = state != complete; !m.failed {
		m.run(c)
	}
	return taken
}

// isEscape reports whether a key goes back to normal mode.
func isEscape(key string) bool { return slices.Contains([]string{"esc", "ctrl+c", "ctrl+["}, key) }

// escape gives up what is not complete, or the selection.
func (m *Machine) escape(key string) {
	if len(m.keys) == 0 && m.mode == Normal {
		m.host.Found(text.Query{})
		if key == "ctrl+c" {
			m.host.Say(":q and enter leaves dscope")
		}
	}
	m.keys = nil
	m.drop()
}

// drop ends a selection, whose lines a command line names '<,'>.
func (m *Machine) drop() {
	if !m.selecting() {
		return
	}
	m.host.Keep('<', min(m.from, m.at))
	m.host.Keep('>', max(m.from, m.at))
	m.mode = Normal
}
