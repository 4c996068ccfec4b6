package widget

import (
	"testing"

	tea "github.com/charmbracelet/bubbletea"
)

type pane struct {
	done string
	busy bool
}

var keys = []Key[pane]{
	{On: "up k", Help: "previous row", Hint: "up", Do: func(p *pane) tea.Cmd { p.done = "up"; return nil }},
	{On: "space", Help: "hold", Off: (*pane).off, Do: func(p *pane) tea.Cmd { p.done = "hold"; return tea.Quit }},
	{On: "f9", Do: func(p *pane) tea.Cmd { p.done = "f9"; return nil }},
}

func (p *pane) off() string {
	if p.busy {
		return "busy"
	}
	return ""
}

func TestPress(t *testing.T) {
	space := tea.KeyMsg{Type: tea.KeySpace, Runes: []rune{' '}}
	for _, tt := range []struct {
		name string
		msg  tea.KeyMsg
		busy bool
		done string
		why  string
		cmd  bool
	}{
		{"alias", tea.KeyMsg{Type: tea.KeyRunes, Runes: []rune{'k'}}, false, "up", "", false},
		{"named", tea.KeyMsg{Type: tea.KeyUp}, false, "up", "", false},
		{"space", space, false, "hold", "", true},
		{"off says why", space, true, "", "busy", false},
		{"unknown", tea.KeyMsg{Type: tea.KeyTab}, false, "", "", false},
		{"pasted text is no command", tea.KeyMsg{Type: tea.KeyRunes, Runes: []rune{'k'}, Paste: true}, false, "", "", false},
	} {
		p := pane{busy: tt.busy}
		cmd, why := Press(&p, keys, tt.msg)
		if p.done != tt.done || why != tt.why || (cmd != nil) != tt.cmd {
			t.Errorf("%s: did %q, why %q, cmd %v", tt.name, p.done, why, cmd != nil)
		}
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

func TestHelps(t *testing.T) {
	got := Helps(&pane{busy: true}, keys)
	want := []Help{{On: "up k", Text: "previous row", Hint: "up"}, {On: "space", Text: "hold", Off: "busy"}}
	if len(got) != len(want) || got[0] != want[0] || got[1] != want[1] {
		t.Errorf("Helps = %+v, want %+v", got, want)
	}
}

func TestKeyLabel(t *testing.T) {
	for on, want := range map[string]string{"ctrl+r f5": "^R", "up k": "↑", "pgup": "pgup", "shift+tab": "shift+tab", "?": "?"} {
		if got := KeyLabel(on, false); got != want {
			t.Errorf("KeyLabel(%q) = %q, want %q", on, got, want)
		}
	}
	if got := KeyLabels("f15  alt+p"); got != "shift+f3 alt+p" {
		t.Errorf("KeyLabels gives %q", got)
	}
	if got := KeyLabel("up k", true); got != "up" {
		t.Errorf("without glyphs up is %q", got)
	}
}
