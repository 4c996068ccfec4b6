package editor

import (
	"strings"
	"testing"

	tea "github.com/charmbracelet/bubbletea"
)

func mouse(x, y int, a tea.MouseAction, b tea.MouseButton) tea.MouseMsg {
	return tea.MouseMsg{X: x, Y: y, Action: a, Button: b}
}

func TestMouse(t *testing.T) {
	const press, move, release, left = tea.MouseActionPress, tea.MouseActionMotion, tea.MouseActionRelease, tea.MouseButtonLeft
	for _, tt := range []struct {
		name  string
		msgs  []tea.MouseMsg
		after string
	}{
		{"click", []tea.MouseMsg{mouse(6, 1, press, left)}, "abc\n|\t漢字\ndef\n"},
		{"click on the right half of a wide character", []tea.MouseMsg{mouse(5+8+3, 1, press, left)}, "abc\n\t漢|字\ndef\n"},
		{"click behind the line", []tea.MouseMsg{mouse(40, 0, press, left)}, "abc|\n\t漢字\ndef\n"},
		{"click below the text", []tea.MouseMsg{mouse(10, 20, press, left)}, "abc\n\t漢字\ndef\n|"},
		{"click on a number takes the line", []tea.MouseMsg{mouse(1, 0, press, left)}, "|abc\n|\t漢字\ndef\n"},
		{"drag", []tea.MouseMsg{mouse(6, 0, press, left), mouse(7, 2, move, left), mouse(7, 2, release, left)}, "a|bc\n\t漢字\nde|f\n"},
		{"motion without a button", []tea.MouseMsg{mouse(6, 0, press, left), mouse(6, 0, release, left), mouse(8, 2, move, tea.MouseButtonNone)}, "a|bc\n\t漢字\ndef\n"},
		{"shift and click extend", []tea.MouseMsg{mouse(6, 0, press, left), mouse(6, 0, release, left), {X: 6, Y: 2, Shift: true, Action: press, Button: left}}, "a|bc\n\t漢字\nd|ef\n"},
		{"twice takes a word", twice(mouse(6, 0, press, left)), "|abc|\n\t漢字\ndef\n"},
		{"twice and drag takes words", append(twice(mouse(6, 2, press, left)), mouse(7, 0, move, left)), "|abc\n\t漢字\ndef|\n"},
		{"three times takes the line", append(twice(mouse(6, 2, press, left)), mouse(6, 2, press, left)), "abc\n\t漢字\n|def\n|"},
		{"four times goes there", append(twice(mouse(6, 2, press, left)), twice(mouse(6, 2, press, left))...), "abc\n\t漢字\nd|ef\n"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			r := newRig(t, "abc\n\t漢字\ndef\n")
			for _, msg := range tt.msgs {
				r.update(msg)
			}
			if got := r.state(); got != tt.after {
				t.Errorf("the script is %q, want %q", got, tt.after)
			}
		})
	}
}

// twice presses twice.
func twice(msg tea.MouseMsg) []tea.MouseMsg { return []tea.MouseMsg{msg, msg} }

// The middle button pastes what was copied here, where it is pressed.
func TestMiddleButton(t *testing.T) {
	r := newRig(t, "|abc|\ndef\n")
	r.press("alt+c")
	r.update(mouse(6, 1, tea.MouseActionPress, tea.MouseButtonMiddle))
	if got := r.state(); got != "abc\ndabc|ef\n" {
		t.Errorf("the script is %q", got)
	}
}

func TestWheel(t *testing.T) {
	r := newRig(t, strings.Repeat("x\n", 100))
	down := mouse(10, 10, tea.MouseActionPress, tea.MouseButtonWheelDown)
	r.update(down)
	r.update(down)
	if r.m.top != 6 || r.m.doc.Sel.Head != 0 {
		t.Errorf("two steps go to line %d with the cursor at %d", r.m.top, r.m.doc.Sel.Head)
	}
	for range 100 {
		r.update(down)
	}
	if want := r.m.doc.Buf.Lines() - r.m.rows(); r.m.top != want {
		t.Errorf("the wheel goes to line %d, want %d", r.m.top, want)
	}
	r.press("'y'") // typing brings the cursor back into view
	if r.m.top != 0 {
		t.Errorf("typing leaves line %d on top", r.m.top)
	}
}
