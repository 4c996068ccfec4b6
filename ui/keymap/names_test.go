package keymap

import (
	"testing"

	tea "github.com/charmbracelet/bubbletea"
)

func TestParseKeyIsTheInverseOfKeyName(t *testing.T) {
	for _, name := range []string{"a", "G", "?", "[", "space", "enter", "esc", "tab", "shift+tab", "ctrl+r", "ctrl+a",
		"ctrl+space", "f1", "f12", "up", "pgdown", "ctrl+left", "alt+1", "alt+up", "alt+space", "delete", "backspace", "ctrl+]", "ä"} {
		msg, ok := ParseKey(name)
		if !ok || KeyName(msg) != name {
			t.Errorf("ParseKey(%q) = %q, %v", name, KeyName(msg), ok)
		}
	}
	if _, ok := ParseKey("ctrl+nothing"); ok {
		t.Error("a name that is none is a key")
	}
}

func TestKeyName(t *testing.T) {
	for _, tt := range []struct {
		msg  tea.KeyMsg
		want string
	}{
		{tea.KeyMsg{Type: tea.KeySpace, Runes: []rune{' '}}, "space"},
		{tea.KeyMsg{Type: tea.KeySpace, Runes: []rune{' '}, Alt: true}, "alt+space"},
		{tea.KeyMsg{Type: tea.KeyCtrlR}, "ctrl+r"},
		{tea.KeyMsg{Type: tea.KeyCtrlAt}, "ctrl+space"},
		{tea.KeyMsg{Type: tea.KeyRunes, Runes: []rune{'é'}}, "é"},
	} {
		if got := KeyName(tt.msg); got != tt.want {
			t.Errorf("KeyName(%v) = %q, want %q", tt.msg, got, tt.want)
		}
	}
}

func TestLabel(t *testing.T) {
	for key, want := range map[string]string{"ctrl+r": "^R", "up": "↑", "pgup": "pgup", "shift+tab": "shift+tab", "?": "?", "f15": "shift+f3"} {
		if got := Label(key, false); got != want {
			t.Errorf("Label(%q) = %q, want %q", key, got, want)
		}
	}
	if got := Labels([]string{"f15", "alt+p"}); got != "shift+f3 alt+p" {
		t.Errorf("Labels gives %q", got)
	}
	if got := Label("up", true); got != "up" {
		t.Errorf("without glyphs up is %q", got)
	}
}
