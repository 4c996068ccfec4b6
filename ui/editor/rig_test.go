package editor

import (
	"fmt"
	"strings"
	"testing"
	"time"

	tea "github.com/charmbracelet/bubbletea"
	"github.com/charmbracelet/x/ansi"

	"dscope.dev/themes"
	"dscope.dev/ui/document/text"
	"dscope.dev/ui/keymap"
	"dscope.dev/ui/widget"
)

// A rig is an editor with somebody at its keys, who also keeps what it sends.
type rig struct {
	testing.TB
	m    *Model
	sent []tea.Msg
}

// newRig returns an editor of 80 by 24 that holds script; a | in it is the
// cursor, two are a selection.
func newRig(t testing.TB, script string) *rig {
	t.Helper()
	th, err := themes.Load("dark", themes.Options{Depth: themes.Plain})
	if err != nil {
		t.Fatal(err)
	}
	r := &rig{TB: t, m: New(th, Options{KeepEvery: time.Millisecond})}
	r.m.SetSize(80, 24)
	r.m.SetFocus(true)
	body := strings.ReplaceAll(script, "|", "")
	r.m.doc.Buf = text.New(body)
	r.m.doc.Code.Set(body)
	r.m.sent = r.m.doc.Ref()
	if i := strings.Index(script, "|"); i >= 0 {
		r.m.doc.Sel = text.At(i)
		if j := strings.LastIndex(script, "|"); j > i {
			r.m.doc.Sel.Head = j - 1
		}
	}
	r.m.reveal()
	return r
}

// run runs a command and what it brings about, as bubbletea does, but in order
// and at once.
func (r *rig) run(cmd tea.Cmd) {
	if cmd == nil {
		return
	}
	switch msg := cmd().(type) {
	case nil:
	case tea.BatchMsg:
		for _, c := range msg {
			r.run(c)
		}
	case Msg:
		r.update(msg)
	default:
		r.sent = append(r.sent, msg)
	}
}

func (r *rig) update(msg tea.Msg) {
	r.run(r.m.Update(msg))
}

// keyMsg returns the message of a key by its name, such as alt+n.
func keyMsg(t testing.TB, name string) tea.KeyMsg {
	t.Helper()
	msg, ok := keymap.ParseKey(name)
	if !ok {
		t.Fatalf("no key is called %s", name)
	}
	return msg
}

// press presses keys: names with blanks between, and words in quotes that are
// typed letter by letter.
func (r *rig) press(keys string) *rig {
	r.Helper()
	for keys = strings.TrimSpace(keys); keys != ""; keys = strings.TrimSpace(keys) {
		if keys[0] == '\'' {
			var word string
			word, keys, _ = strings.Cut(keys[1:], "'")
			for _, c := range word {
				r.update(tea.KeyMsg{Type: tea.KeyRunes, Runes: []rune{c}})
			}
			continue
		}
		var name string
		name, keys, _ = strings.Cut(keys, " ")
		r.update(keyMsg(r, name))
	}
	return r
}

// state is the script with | at the ends of the selection.
func (r *rig) state() string {
	from, to := r.m.doc.Sel.Range()
	s := r.m.doc.Text()
	if from == to {
		return s[:from] + "|" + s[from:]
	}
	return s[:from] + "|" + s[from:to] + "|" + s[to:]
}

// frame is the pane as it looks, each line ended by a bar, and what the status
// line would take from it.
func (r *rig) frame(w, h int) string {
	r.m.SetSize(w, h)
	var b strings.Builder
	lines := r.m.Rows()
	if len(lines) != h {
		r.Errorf("a pane of %d lines has %d", h, len(lines))
	}
	for i, line := range lines {
		if n := ansi.StringWidth(line); n != w {
			r.Errorf("line %d of %d columns has %d: %q", i, w, n, line)
		}
		b.WriteString(line + "|\n")
	}
	line, col := r.m.Cursor()
	fmt.Fprintf(&b, "%s at %d:%d", r.m.Title(), line, col)
	if s := r.message(); s != "" {
		b.WriteString(" " + s)
	}
	return b.String()
}

// message returns the complaint at the cursor in one line; "" if there is none.
func (r *rig) message() string {
	d := r.m.doc.Here()
	if d == nil {
		return ""
	}
	s := widget.Safe(d.Msg) + " [" + string(d.Code) + "]"
	if d.Hint != "" {
		s += "; " + widget.Safe(d.Hint)
	}
	return s
}
