package keymap

import "testing"

// TestNamed holds that no key of any set means two things, and that each set changes
// something.
func TestNamed(t *testing.T) {
	for _, name := range Names() {
		m, ok := Named(name)
		if !ok {
			t.Fatalf("%s is named and is not there", name)
		}
		for _, err := range m.Check() {
			t.Errorf("%s: %v", name, err)
		}
	}
	for _, tt := range []struct{ set, context, key, want string }{
		{"default", "script", "ctrl+z", "edit.undo"},
		{"default", "always", "alt+ctrl+z", "suspend"},
		{"default", "calm", "ctrl+z", "suspend"},
		{"readline", "script", "ctrl+a", "go.home"},
		{"readline", "script", "ctrl+z", ""},
		{"readline", "always", "ctrl+z", "suspend"},
		{"readline", "script", "ctrl+k", "delete.lineend"},
		{"nano", "script", "ctrl+o", "file.save"},
		{"nano", "always", "ctrl+x", "quit"},
		{"vim", "always", "f5", "run.start"},
		{"vim", "always", "ctrl+p", "palette.open"},
	} {
		m, _ := Named(tt.set)
		if got := m.Action(tt.context, tt.key); got != tt.want {
			t.Errorf("%s: %s in [%s] asks for %q, want %q", tt.set, tt.key, tt.context, got, tt.want)
		}
	}
	for _, name := range Names() {
		if m, _ := Named(name); m.Modal("script") != (name == "vim") {
			t.Errorf("%s: a script is written with modes: %v", name, m.Modal("script"))
		}
	}
	if m, _ := Named("vim"); m.Modal("live") {
		t.Error("vim: there are modes outside the script")
	}
}
