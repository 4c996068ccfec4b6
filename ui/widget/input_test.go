package widget

import (
	"testing"

	tea "github.com/charmbracelet/bubbletea"

	"dscope.dev/ui/ink"
	"dscope.dev/ui/keymap"
)

func typed(s string) tea.KeyMsg { return tea.KeyMsg{Type: tea.KeyRunes, Runes: []rune(s)} }

func TestInput(t *testing.T) {
	var in Input
	for _, tt := range []struct {
		msg  tea.KeyMsg
		want string
		used bool
	}{
		{typed("read entry"), "read entry", true},
		{tea.KeyMsg{Type: tea.KeyCtrlW}, "read ", true},
		{tea.KeyMsg{Type: tea.KeyHome}, "read ", true},
		{tea.KeyMsg{Type: tea.KeyDelete}, "ead ", true},
		{tea.KeyMsg{Type: tea.KeyBackspace}, "ead ", true},
		{typed("h"), "head ", true},
		{tea.KeyMsg{Type: tea.KeyEnd}, "head ", true},
		{tea.KeyMsg{Type: tea.KeyLeft}, "head ", true},
		{tea.KeyMsg{Type: tea.KeyBackspace}, "hea ", true},
		{tea.KeyMsg{Type: tea.KeyRunes, Runes: []rune("a\nb\x1b"), Paste: true}, "heaa b  ", true},
		{tea.KeyMsg{Type: tea.KeyCtrlU}, " ", true},
		{tea.KeyMsg{Type: tea.KeyTab}, " ", false},
		{tea.KeyMsg{Type: tea.KeyEnter}, " ", false},
	} {
		if used := in.Press(keymap.Default(), tt.msg); used != tt.used || in.Value() != tt.want {
			t.Errorf("%v gives %q, %v; want %q, %v", tt.msg, in.Value(), used, tt.want, tt.used)
		}
	}
}

func TestInputCopiesAreApart(t *testing.T) {
	a := NewInput("abc")
	b := a
	b.Press(keymap.Default(), tea.KeyMsg{Type: tea.KeyBackspace})
	b.Press(keymap.Default(), typed("X"))
	if a.Value() != "abc" || b.Value() != "abX" {
		t.Errorf("changing a copy gives %q and %q", a.Value(), b.Value())
	}
}

func TestInputDraw(t *testing.T) {
	for _, tt := range []struct {
		in   string
		left int
		w    int
		want string
	}{
		{"abc", 0, 6, "abc   "},
		{"abcdef", 0, 4, "def "},
		{"abcdef", 6, 4, "abcd"},
		{"漢字漢", 0, 4, "漢  "},
		{"", 0, 2, "  "},
		{"a\u202eb", 0, 10, `a\u202eb  `},
	} {
		in := NewInput(tt.in)
		for range tt.left {
			in.Press(keymap.Default(), tea.KeyMsg{Type: tea.KeyLeft})
		}
		var l ink.Line
		l.Reset(tt.w, ink.Ink{})
		in.Draw(&l, tt.w, ink.Ink{}, ink.Ink{})
		if got := l.String(); got != tt.want {
			t.Errorf("%q with the cursor %d from the end in %d cells is %q, want %q", tt.in, tt.left, tt.w, got, tt.want)
		}
	}
}

// TestInputSelected replaces, deletes or keeps what was there when it is opened again.
func TestInputSelected(t *testing.T) {
	for _, tt := range []struct {
		msg  tea.KeyMsg
		want string
	}{
		{typed("x"), "x"},
		{tea.KeyMsg{Type: tea.KeyBackspace}, ""},
		{tea.KeyMsg{Type: tea.KeyCtrlW}, ""},
		{tea.KeyMsg{Type: tea.KeyLeft}, "old texXt"},
		{tea.KeyMsg{Type: tea.KeyEnd}, "old textX"},
		{tea.KeyMsg{Type: tea.KeyTab}, "X"},
	} {
		in := NewInput("old text")
		in.SelectAll()
		in.Press(keymap.Default(), tt.msg)
		if in.Value() == "old text" {
			in.Press(keymap.Default(), typed("X"))
		}
		if in.Value() != tt.want {
			t.Errorf("%v gives %q, want %q", tt.msg, in.Value(), tt.want)
		}
	}
}
