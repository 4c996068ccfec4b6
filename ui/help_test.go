package ui

import (
	"strings"
	"testing"
	"testing/synctest"
)

// TestHelpIsSearched narrows the help by words as they are typed, keeps what was found, goes
// back to all of it, and says where nothing is found. The box stands still.
func TestHelpIsSearched(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := start(t, &fake{}, Options{})
		b.keys("f1")
		frame := func() string { // the box without what is in it
			var out []string
			for _, line := range strings.Split(b.view(), "\n") {
				if strings.Contains(line, "╭") || strings.Contains(line, "╰") {
					out = append(out, line[strings.IndexAny(line, "╭╰"):][:3])
				} else {
					out = append(out, "")
				}
			}
			return strings.Join(out, "\n")
		}
		before := frame()
		b.keys("/")
		b.text("heat map")
		b.shows("over time: heat map", "Live")
		if view := b.view(); strings.Contains(view, "save under another name") {
			t.Errorf("what does not have the words is shown:\n%s", view)
		}
		if frame() != before {
			t.Error("the box jumps while one types")
		}
		b.keys("enter", "down") // keys are keys again
		b.shows("/ heat map", "searches")
		b.keys("/")
		b.text("q") // takes the place of what was typed
		b.text("uit")
		b.shows("ctrl+q")
		b.keys("ctrl+u")
		b.text("nosuchthing")
		b.shows("nothing in the help has that")
		b.keys("esc")
		b.shows("save under another name")
		b.keys("esc")
		if b.model().overlay != nil {
			t.Error("the help is still open")
		}
		b.end()
	})
}

// TestPalette finds by words, by letters, by the names that the configuration has, and says
// of what is not to be had why. The box stands still.
func TestPalette(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := start(t, &fake{}, Options{})
		b.keys("ctrl+p")
		height := func() (n int) {
			for _, line := range strings.Split(b.view(), "\n") {
				if strings.Contains(line, "╭") || strings.Contains(line, "╰") {
					n++
				} else if n == 1 {
					n += 100
				}
			}
			return n
		}
		before := height()
		for _, tt := range []struct{ typed, want string }{
			{"stop run", "stop the run"}, // words
			{"nthme", "next theme"},      // letters
			{"theme.next", "next theme"}, // the name
			{"drwscrn", "draw the screen anew"},
		} {
			b.keys("ctrl+u")
			b.text(tt.typed)
			m := b.model()
			if len(m.commands()) == 0 || m.underBar().Text != tt.want {
				t.Errorf("%q finds %q, want %q", tt.typed, m.underBar().Text, tt.want)
			}
			if height() != before {
				t.Errorf("%q makes the box jump", tt.typed)
			}
		}
		b.keys("ctrl+u")
		b.text("export.open")
		b.shows("Chrome trace, SVG, HTML") // all of it below the list, which has the beginning
		b.keys("ctrl+u")
		b.text("stop the run")
		b.shows("not now: nothing is running", "keys ctrl+t f6", "in the configuration run.stop")
		b.keys("ctrl+u")
		b.text("zzzzqqq")
		b.shows("no command and no question matches")
		b.keys("esc")
		b.end()
	})
}
