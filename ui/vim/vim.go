// Package vim gives the script the hands of Vim: modes, counts, operators with motions and
// text objects, registers, one change that can be made again, and a command line.
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
package vim

import (
	"math"
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
	Tab() int                   // distance of tab stops
	Window() (top, rows int)    // the lines in view
	Scroll(top int)             // has other lines in view
	Fresh(line int) string      // the blanks that a line opened behind this one begins with
	Indent(from, to int)        // lays the indentation of lines out, as a change of the text
	Clipboard() string          // what was copied, here or by other programs if that can be known
	Copy(s string)              // puts it there
	Ask(prompt, answer string)  // asks for a line of text; Answered brings it
	Found(q text.Query)         // marks what is looked for; the zero Query nothing
	Do(action, argument string) // asks for an action of the workbench
	Say(s string)               // a word to the user
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
	last      change     // what . makes again
	again     *insertion // what is typed by itself: . is at work
	session   session    // of insert mode
	once      bool       // one command, then insert mode again
	char      sought     // what ; looks for
	pattern   pattern    // what n looks for
	seen      selection  // the selection before: gv
	asked     *command   // waits for what is looked for
	put       put        // what :s put in place of what
	macro     macro
}

// Mode returns what keys mean.
func (m *Machine) Mode() Mode { return m.mode }

// Pending returns the keys of a command that is not complete, as they were pressed.
func (m *Machine) Pending() string { return strings.Join(m.keys, "") }

// Typing reports whether letters are text.
func (m *Machine) Typing() bool { return m.mode == Insert || m.mode == Replace }

// Cursor returns where the cursor is shown, which in a selection is on the last character of it.
func (m *Machine) Cursor(sel text.Sel) int {
	if (m.mode == Visual || m.mode == Lines) && sel == m.selection() {
		return m.at
	}
	return sel.Head
}

// Wants reports whether a key would be taken now. Of those of Vim the workbench keeps esc with
// nothing to give up, and all that no table here has: function keys, those with alt.
func (m *Machine) Wants(key string) bool {
	switch {
	case m.session.waits || len(m.keys) > 0 || key == "ctrl+c":
		return true
	case m.Typing():
		switch key {
		case "esc", "ctrl+r", "ctrl+o", "ctrl+t", "ctrl+d":
			return true
		}
		return m.mode == Replace && (character(key) != "" || key == "backspace")
	case key == "esc":
		return m.mode != Normal || m.once
	case isText(key):
		return true
	}
	_, state := parse([]string{key}, m.mode != Normal)
	return state != unknown
}

// Turn tells that another text is in front: keys mean commands again.
func (m *Machine) Turn() {
	m.mode, m.keys, m.once, m.asked = Normal, nil, false, nil
	m.session, m.seen, m.goalSet = session{}, selection{}, false
	m.buf = nil
}

// Title returns what the screen shows of the machine: the mode, a macro that is recorded, keys
// that make no command yet.
func (m *Machine) Title() string {
	s := m.mode.String()
	if m.macro.into != 0 {
		s += " recording @" + string(m.macro.into)
	}
	if p := m.Pending(); p != "" {
		s += " " + p
	}
	return s
}

// Key does what a key asks for, and returns the selection after it; ok is false if the key
// is not Vim's. The selection before may be another than the one that was returned last:
// somebody has clicked, or the text is another one.
func (m *Machine) Key(h Host, sel text.Sel, key string) (now text.Sel, ok bool) {
	m.enter(h, sel)
	if m.macro.into != 0 {
		m.macro.keys = append(m.macro.keys, key)
	}
	ok = m.key(key)
	return m.leave(), ok
}

// Answered takes the line that was asked for; ok is false if it was refused.
func (m *Machine) Answered(h Host, sel text.Sel, prompt, line string, ok bool) text.Sel {
	m.enter(h, sel)
	m.answered(prompt, line, ok)
	return m.leave()
}

// enter takes up the text and where its cursor is.
func (m *Machine) enter(h Host, sel text.Sel) {
	m.host, m.buf = h, h.Buffer()
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
	m.at = min(max(m.at, 0), m.buf.Size())
	m.from = min(max(m.from, 0), m.buf.Size())
	if m.Typing() {
		return
	}
	if last := m.lastLine(); m.line(m.at) > last {
		m.at = m.buf.Start(last)
	}
	if m.mode == Normal && m.at == m.end(m.at) {
		m.at = max(m.start(m.at), m.buf.Start(m.line(m.at))+text.Prev(m.text(m.at), len(m.text(m.at))))
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
	if key == "esc" || key == "ctrl+c" || key == "ctrl+[" {
		m.escape(key)
		return true
	}
	if key == "q" && len(m.keys) == 0 && m.macro.into != 0 {
		m.stopRecording()
		return true
	}
	m.keys = append(m.keys, key)
	c, state := parse(m.keys, m.mode != Normal)
	switch state {
	case incomplete:
		return true
	case unknown:
		first := len(m.keys) == 1
		m.keys = nil
		return !first || isText(key)
	}
	m.keys = nil
	m.run(c)
	return true
}

// escape gives up what is not complete, or the selection.
func (m *Machine) escape(key string) {
	idle := len(m.keys) == 0 && m.mode == Normal && !m.once
	m.keys, m.once = nil, false
	if m.mode != Normal {
		m.drop()
	}
	if idle {
		m.host.Found(text.Query{})
		if key == "ctrl+c" {
			m.host.Say(":q and enter leaves dscope")
		}
	}
}

// drop ends a selection.
func (m *Machine) drop() {
	if m.mode == Visual || m.mode == Lines {
		m.seen = selection{m.mode, m.from, m.at}
		m.mode = Normal
	}
}

// A selection is one that gv brings back.
type selection struct {
	mode     Mode
	from, at int
}

// isText reports whether a key is a letter, or what moves like one.
func isText(key string) bool {
	return len([]rune(key)) == 1 || key == "space" || key == "enter" || key == "backspace" || key == "tab"
}

// lastLine returns the number of the last line.
func (m *Machine) lastLine() int {
	n := m.buf.Lines() - 1
	if n > 0 && m.buf.Line(n) == "" {
		return n - 1
	}
	return n
}

// line returns the number of the line of an offset.
func (m *Machine) line(off int) int { return m.buf.Pos(off).Line }

// text returns the line of an offset.
func (m *Machine) text(off int) string { return m.buf.Line(m.line(off)) }

func (m *Machine) start(off int) int { return m.buf.Start(m.line(off)) }
func (m *Machine) end(off int) int   { return m.buf.End(m.line(off)) }

// behind returns where what follows a line begins.
func (m *Machine) behind(line int) int {
	if line+1 < m.buf.Lines() {
		return m.buf.Start(line + 1)
	}
	return m.buf.End(line)
}

// next returns the place behind a character; behind the end of a line the next begins.
func (m *Machine) next(off int) int {
	n := m.line(off)
	if off < m.buf.End(n) {
		return m.buf.Start(n) + text.Next(m.buf.Line(n), off-m.buf.Start(n))
	}
	return m.behind(n)
}

// prev returns the place before one; before a line is the end of the one above.
func (m *Machine) prev(off int) int {
	n := m.line(off)
	if off > m.buf.Start(n) {
		return m.buf.Start(n) + text.Prev(m.buf.Line(n), off-m.buf.Start(n))
	}
	if n == 0 {
		return 0
	}
	return m.buf.End(n - 1)
}

// firstWord returns where the first character of a line is that is no blank; at the last
// blank if there is none.
func (m *Machine) firstWord(line int) int {
	s := m.buf.Line(line)
	n := len(s) - len(strings.TrimLeft(s, " \t"))
	if n == len(s) && n > 0 {
		n--
	}
	return m.buf.Start(line) + n
}

// column returns the column that up and down keep to: a tab has its last.
func (m *Machine) column() int {
	if m.goalSet {
		return m.goal
	}
	s, col := m.text(m.at), m.at-m.start(m.at)
	m.goal, m.goalSet = text.Column(s, col, m.host.Tab()), true
	if col < len(s) && s[col] == '\t' {
		m.goal = text.Column(s, col+1, m.host.Tab()) - 1
	}
	return m.goal
}

// lineEnd is the column of those that keep to the ends of lines.
const lineEnd = math.MaxInt

// atColumn returns the place in a line at a column.
func (m *Machine) atColumn(line, col int) int {
	s := m.buf.Line(line)
	if col == lineEnd {
		if m.mode == Normal {
			return m.buf.Start(line) + text.Prev(s, len(s))
		}
		return m.buf.End(line)
	}
	n := text.AtColumn(s, col, m.host.Tab())
	if n == len(s) {
		n = text.Prev(s, n)
	}
	return m.buf.Start(line) + n
}

// change makes the replacements of f one step of undo, which brings the cursor back to
// where it is, as redo does.
func (m *Machine) change(f func()) {
	was := text.At(m.at)
	place := m.buf.Pos(m.at)
	m.buf.Change(text.Other, was, func() text.Sel {
		f()
		return text.At(m.buf.Offset(place))
	})
}

// replace puts s, whose lines end as those of the text do, in the place of [from, to).
func (m *Machine) replace(from, to int, s string) {
	if nl := m.buf.Newline(m.line(from)); nl != "\n" {
		s = strings.ReplaceAll(s, "\n", nl)
	}
	m.buf.Replace(from, to, s)
}

// slice returns [from, to) with the line ends of a register.
func (m *Machine) slice(from, to int) string {
	return strings.ReplaceAll(m.buf.Slice(from, to), "\r\n", "\n")
}
