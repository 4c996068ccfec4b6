package editor

import (
	"slices"
	"strings"
	"testing"

	tea "github.com/charmbracelet/bubbletea"

	"dscope.dev/engine/trace"
	"dscope.dev/ui/document/syntax"
)

// fuzzKeys are the keys that change or move something, one a byte; the byte
// picks one. Saving and opening are left out: they would touch the disk.
var fuzzKeys = strings.Fields(`left right up down home end pgup pgdown ctrl+left ctrl+right ctrl+home ctrl+end
	shift+left shift+right shift+up shift+down shift+home shift+end ctrl+shift+left ctrl+shift+right
	enter tab shift+tab backspace delete ctrl+w alt+d ctrl+u ctrl+k alt+up alt+down ctrl+x ctrl+c ctrl+v ctrl+a ctrl+_
	ctrl+z ctrl+y ctrl+] f8 f3 alt+p ctrl+f ctrl+g esc ctrl+space`)

// FuzzKeys presses keys at random, with complaints, completions and the mouse
// between. Whatever happens, nothing panics, the frame keeps its measures, the
// colours are those of a script scanned whole, the selection is inside the
// text, and undoing everything gives the first text back.
func FuzzKeys(f *testing.F) {
	f.Add("BEGIN\n{\n\tx = 1;\n}\n", []byte("\x14abc\x80\x16\x16\x18{}\x90"))
	f.Add("a\r\nb\xff\x1b漢e\u0301\r\n", []byte{200, 3, 7, 20, 21, 30, 29, 36, 36, 37, 250, 40, 22, 128, 35, 34, 33})
	f.Add("", []byte("{}{}ex\xf0\x15"))
	f.Fuzz(func(t *testing.T, script string, ops []byte) {
		if len(script) > 4096 || len(ops) > 256 {
			return
		}
		r := newRig(t, "")
		r.run(r.m.SetText(script))
		r.m.doc.Buf.Seal()
		base := r.m.doc.Buf.Text()
		for i, op := range ops {
			r.op(op, i)
			r.check()
		}
		r.m.closePrompt()
		for r.m.doc.Buf.CanUndo() {
			r.press("ctrl+z")
		}
		if base != script || r.m.doc.Text() != "" {
			t.Fatalf("undoing everything gives %q, want nothing", r.m.doc.Text())
		}
	})
}

// op does what a byte stands for.
func (r *rig) op(op byte, i int) {
	switch {
	case int(op) < len(fuzzKeys):
		r.update(keyMsg(r, fuzzKeys[op]))
	case op < 128:
		r.update(tea.KeyMsg{Type: tea.KeyRunes, Runes: []rune{rune(op)}})
	case op < 160:
		r.update(tea.KeyMsg{Type: tea.KeyRunes, Runes: []rune("漢e\u0301\x1b\u202e")[:1+i%5], Paste: op%2 == 0})
	case op < 200:
		a := [...]tea.MouseAction{tea.MouseActionPress, tea.MouseActionMotion, tea.MouseActionRelease}[i%3]
		b := tea.MouseButton(op % 8)
		r.update(tea.MouseMsg{X: int(op) % 80, Y: i % 24, Action: a, Button: b, Shift: op%5 == 0})
	case op < 220:
		r.m.SetDiagnostics(r.m.doc.Ref(), complain(r.m.doc.Text()+"x", "x"))
	case op < 240:
		r.press("ctrl+space")
		r.m.SetCompletions(r.m.doc.Ref(), r.m.doc.Sel.Head-int(op%3), []trace.Completion{{Text: "execname"}, {Text: "x\ny"}})
	case op < 250:
		r.run(r.m.InsertClause("syscall::read:entry"))
	default:
		r.m.SetSize(int(op)%7*9, i%13)
	}
}

// check holds the editor to what is always so.
func (r *rig) check() {
	r.Helper()
	s := r.m.doc.Text()
	if from, to := r.m.doc.Sel.Range(); from < 0 || to > len(s) {
		r.Fatalf("the selection %v is outside of %d bytes", r.m.doc.Sel, len(s))
	}
	if w, h := r.m.w, r.m.h; w > 0 && h > 0 {
		if f := r.frame(w, h); strings.ContainsAny(f, "\x1b\r\u202e") {
			r.Fatalf("a control code reaches the screen: %q", f)
		}
	}
	if r.m.doc.Code.Text() != s || !slices.Equal(r.m.doc.Code.Words(), syntax.Words(s)) {
		r.Fatalf("the colours of %q are %v", s, r.m.doc.Code.Words())
	}
}
