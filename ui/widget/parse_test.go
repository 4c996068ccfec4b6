package widget

import "testing"

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
