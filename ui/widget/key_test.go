package widget

import (
	"reflect"
	"testing"

	tea "github.com/charmbracelet/bubbletea"

	"dscope.dev/ui/keymap"
)

type pane struct {
	done string
	busy bool
}

var acts = Table[pane]{Context: "live", Acts: []Act[pane]{
	{Name: "live.freeze", Off: (*pane).off, Do: func(p *pane) tea.Cmd { p.done = "freeze"; return tea.Quit }},
	{Name: "live.up", Do: func(p *pane) tea.Cmd { p.done = "up"; return nil }},
}}

func (p *pane) off() string {
	if p.busy {
		return "busy"
	}
	return ""
}

func TestTable(t *testing.T) {
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
		{"space", space, false, "freeze", "", true},
		{"off says why", space, true, "", "busy", false},
		{"not done here", tea.KeyMsg{Type: tea.KeyDown}, false, "", "", false},
		{"unknown", tea.KeyMsg{Type: tea.KeyF20}, false, "", "", false},
		{"pasted text is no command", tea.KeyMsg{Type: tea.KeyRunes, Runes: []rune{'k'}, Paste: true}, false, "", "", false},
	} {
		p := pane{busy: tt.busy}
		cmd, why := acts.Find(keymap.Default(), tt.msg).Try(&p)
		if p.done != tt.done || why != tt.why || (cmd != nil) != tt.cmd {
			t.Errorf("%s: did %q, why %q, cmd %v", tt.name, p.done, why, cmd != nil)
		}
	}
}

// TestHelps holds that help has the words of the keymap, in its order.
func TestHelps(t *testing.T) {
	got := acts.Helps(&pane{busy: true}, keymap.Default())
	want := []Help{
		{"live.up", []string{"up", "k"}, "previous key", "", ""},
		{"live.freeze", []string{"space", "z"}, "freeze the picture; the run goes on", "freeze", "busy"},
	}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("Helps = %+v, want %+v", got, want)
	}
}
