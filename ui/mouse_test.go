package ui

import (
	"strings"
	"testing"
	"testing/synctest"

	tea "github.com/charmbracelet/bubbletea"
)

func TestFocusByKeysAndMouse(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := start(t, &fake{}, Options{})
		defer b.end()
		for _, tt := range []struct {
			key  string
			want slot
		}{{"alt+3", liveSlot}, {"tab", outputSlot}, {"tab", browserSlot}, {"shift+tab", outputSlot}, {"1", browserSlot},
			{"alt+2", editorSlot}, {"esc", browserSlot}, {"4", outputSlot}} {
			b.keys(tt.key)
			if got := b.model().focus; got != tt.want {
				t.Errorf("%s goes to %v, want %v", tt.key, got, tt.want)
			}
		}
		for p := range slots {
			m := b.model()
			l := m.layout()
			r := l.body[p]
			b.send(tea.MouseMsg{X: r.x + 2, Y: r.y + 1, Button: tea.MouseButtonLeft, Action: tea.MouseActionPress})
			b.send(tea.MouseMsg{X: r.x + 2, Y: r.y + 1, Action: tea.MouseActionRelease})
			if got := b.model().focus; got != p {
				t.Errorf("a click into %v goes to %v", p, got)
			}
		}
		b.keys("alt+3", "+")
		b.shows("━ 3 Live")
		if strings.Contains(b.view(), "1 Probes") {
			t.Error("enlarged, the pane does not have the screen")
		}
		b.keys("esc")
		b.shows("1 Probes")
	})
}

func TestDragABorder(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := start(t, &fake{}, Options{})
		defer b.end()
		m := b.model()
		l := m.layout()
		at := l.borders[0]
		b.send(tea.MouseMsg{X: at.x, Y: 20, Button: tea.MouseButtonLeft, Action: tea.MouseActionPress})
		b.send(tea.MouseMsg{X: at.x + 9, Y: 21, Button: tea.MouseButtonLeft, Action: tea.MouseActionMotion})
		b.send(tea.MouseMsg{X: at.x + 9, Y: 21, Action: tea.MouseActionRelease})
		b.send(tea.MouseMsg{X: at.x + 30, Y: 21, Action: tea.MouseActionMotion})
		m = b.model()
		if l := m.layout(); l.borders[0].x != at.x+9 {
			t.Errorf("the border is at %d, dragged from %d to %d", l.borders[0].x, at.x, at.x+9)
		}
	})
}

func TestHintsAreClickable(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := &fake{}
		b := start(t, f, Options{})
		defer b.end()
		m := b.model()
		b.send(tea.MouseMsg{X: m.hints()[0].x, Y: 39, Button: tea.MouseButtonLeft, Action: tea.MouseActionPress})
		if len(f.runs) != 1 {
			t.Error("a click on the hint of run does not run")
		}
	})
}

// A click in a box is its own: on a command it does it. One beside the box closes it.
func TestClicksInABox(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := start(t, &fake{}, Options{})
		defer b.end()
		click := func(at string) {
			t.Helper()
			for y, line := range strings.Split(b.view(), "\n") {
				if x := strings.Index(line, at); x >= 0 {
					b.send(tea.MouseMsg{X: len([]rune(line[:x])) + 1, Y: y, Action: tea.MouseActionPress, Button: tea.MouseButtonLeft})
					return
				}
			}
			t.Fatalf("%q is nowhere:\n%s", at, b.view())
		}
		b.keys("f1")
		if click("go to a line"); b.model().overlay == nil {
			t.Error("a click in the help closes it")
		}
		if b.send(tea.MouseMsg{Action: tea.MouseActionPress, Button: tea.MouseButtonLeft}); b.model().overlay != nil {
			t.Error("a click beside the help leaves it open")
		}
		b.keys("ctrl+p")
		if click("enlarge the pane"); b.model().overlay != nil || !b.model().shape.zoom {
			t.Error("a click on a row does not do what it says")
		}
	})
}
