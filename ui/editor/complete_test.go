package editor

import (
	"slices"
	"strings"
	"testing"

	tea "github.com/charmbracelet/bubbletea"

	"dscope.dev/engine/trace"
)

// names is what the tests complete from.
var names = []string{"execname", "exit", "printf", "probefunc", "probename", "self", "ts", "timestamp"}

// answer answers the last question for completions, as the root would.
func (r *rig) answer() {
	r.Helper()
	i := slices.IndexFunc(r.sent, func(m tea.Msg) bool { _, ok := m.(CompleteMsg); return ok })
	if i < 0 {
		return
	}
	msg := r.sent[len(r.sent)-1].(CompleteMsg)
	r.sent = nil
	from := msg.Offset
	for from > 0 && msg.Text[from-1] >= 'a' && msg.Text[from-1] <= 'z' {
		from--
	}
	var list []trace.Completion
	for _, n := range names {
		if strings.HasPrefix(n, msg.Text[from:msg.Offset]) {
			list = append(list, trace.Completion{Text: n, Detail: "int", Kind: trace.CompleteVariable})
		}
	}
	r.m.SetCompletions(msg.Ref, from, list)
}

func TestCompletion(t *testing.T) {
	for _, tt := range []struct{ name, before, typed, keys, after string }{
		{"the first is chosen", "BEGIN { |", "'ex'", "tab", "BEGIN { execname|"},
		{"down and enter", "BEGIN { |", "'ex'", "down enter", "BEGIN { exit|"},
		{"up goes around", "BEGIN { |", "'pr'", "up enter", "BEGIN { probename|"},
		{"after an arrow", "BEGIN { self-|", "'>'", "down down down down down down tab", "BEGIN { self->ts|"},
		{"by key", "BEGIN { e|", "ctrl+space", "tab", "BEGIN { execname|"},
		{"esc closes it", "BEGIN { |", "'ex'", "esc tab", "BEGIN { ex\t|"},
		{"enter on a complete word is a new line", "BEGIN { |", "'exit' ctrl+space", "enter", "BEGIN { exit\n|"},
		{"one letter is too few", "BEGIN { |", "'e'", "tab", "BEGIN { e\t|"},
		{"not in a string", "BEGIN { trace(\"|", "'ex'", "tab", "BEGIN { trace(\"ex\t|"},
		{"not in a comment", "/* |", "'ex'", "tab", "/* ex\t|"},
		{"not in a number", "BEGIN { x = 1|", "'2'", "tab", "BEGIN { x = 12\t|"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			r := newRig(t, tt.before)
			r.press(tt.typed)
			r.answer()
			if got := r.press(tt.keys).state(); got != tt.after {
				t.Errorf("%q gives %q, want %q", tt.before, got, tt.after)
			}
		})
	}
}

func TestCompletionsFollowTyping(t *testing.T) {
	r := newRig(t, "BEGIN { |")
	r.press("'pr'")
	r.answer()
	if !r.m.comp.open || len(r.m.comp.list) != 3 {
		t.Fatalf("pr gives %v", r.m.comp.list)
	}
	r.press("'o'") // no answer yet: what is known is narrowed
	if !r.m.comp.open || len(r.m.comp.list) != 2 {
		t.Errorf("pro gives %v", r.m.comp.list)
	}
	r.answer()
	r.press("backspace")
	r.answer()
	if !r.m.comp.open || len(r.m.comp.list) != 3 {
		t.Errorf("back at pr the list is %v", r.m.comp.list)
	}
	r.press("'x'")
	if r.m.comp.open {
		t.Errorf("prx still has %v", r.m.comp.list)
	}
	r.press("backspace 'i'")
	r.answer()
	r.press("';'")
	if r.m.comp.open {
		t.Error("the list is open behind a semicolon")
	}
}

func TestStaleCompletionsAreIgnored(t *testing.T) {
	list := []trace.Completion{{Text: "execname"}}
	r := newRig(t, "BEGIN { |")
	r.press("'ex'")
	v := r.m.doc.Ref()
	r.press("'e'")
	if r.m.SetCompletions(v, 8, list); r.m.comp.open {
		t.Error("completions of an older text are shown")
	}
	r.press("left")
	if r.m.SetCompletions(r.m.doc.Ref(), 8, list); r.m.comp.open {
		t.Error("completions of another place are shown")
	}
	r.press("right ctrl+space")
	if r.m.SetCompletions(r.m.doc.Ref(), 8, nil); r.m.comp.open || r.m.notice == "" {
		t.Error("nothing is said where nothing fits")
	}
}

func TestCompletionByMouse(t *testing.T) {
	r := newRig(t, "BEGIN { |")
	r.press("'ex'")
	r.answer()
	p := r.m.popup()
	r.update(tea.MouseMsg{X: p.x + 1, Y: p.y + 1, Action: tea.MouseActionPress, Button: tea.MouseButtonLeft})
	if got := r.state(); got != "BEGIN { exit|" {
		t.Errorf("a click takes %q", got)
	}
}
