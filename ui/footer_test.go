package ui

import (
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	tea "github.com/charmbracelet/bubbletea"

	"dscope.dev/engine/trace"
	"dscope.dev/ui/ink"
)

// bottom returns the last line of the screen.
func (b *bench) bottom() string {
	lines := strings.Split(b.view(), "\n")
	return strings.TrimSpace(lines[len(lines)-1])
}

// The bottom line has the keys of what lies over the panes or is typed into, each once, and
// else always the one for help, whatever the width.
func TestBottomLineHasWhatKeysDo(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := &fake{probes: []trace.Probe{{Provider: "syscall", Module: "vmlinux", Function: "read", Name: "entry"}}}
		b := start(t, f, Options{State: t.TempDir()})
		b.text("x")
		b.send(tea.WindowSizeMsg{Width: 80, Height: 24})
		for _, tt := range []struct{ keys, want string }{
			{"ctrl+p", "⏎ take  esc close"},
			{"f1", "/ search  esc close"},
			{"f1 /", "⏎ go on  esc all"},
			{"alt+o", "⏎ go  esc close"},
			{"alt+g", "esc close"},
			{"ctrl+q", "s save  y leave  esc stay"},
			{"ctrl+f", "^R run  ⏎ ok  esc close  tab replace  ^P commands  f1 help"},
			{"alt+1 /", "^R run  ⏎ insert  tab results  esc back  ^P commands  f1 help"},
		} {
			b.keys("alt+2")
			b.keys(strings.Fields(tt.keys)...)
			if got := b.bottom(); got != tt.want {
				t.Errorf("%s: %q, want %q", tt.keys, got, tt.want)
			}
			b.keys("esc", "esc")
		}
		for w := 24; w <= 200; w += 8 {
			b.send(tea.WindowSizeMsg{Width: w, Height: 24})
			for _, pane := range []string{"alt+1", "alt+2", "alt+3", "alt+4"} {
				b.keys(pane)
				if got := b.bottom(); !strings.HasSuffix(got, " help") || ink.Width(got) >= w {
					t.Errorf("%s at %d: %q", pane, w, got)
				}
			}
		}
		b.end()
	})
}

// What there is to say has its room before what is counted, but not before what was lost.
func TestWordsBeforeCounts(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := &fake{}
		b := start(t, f, Options{})
		defer b.end()
		b.send(tea.WindowSizeMsg{Width: 80, Height: 24})
		b.text("x")
		b.keys("ctrl+r")
		status := trace.Status{State: trace.Running, Elapsed: time.Second, Rate: 1234, Events: 99}
		f.runs[0].status <- status
		b.wait(100 * time.Millisecond)
		b.shows("running  1.0s  1.23k/s  99 events  0 drops")
		b.keys("alt+r")
		b.shows("no other run: each is kept when the next begins", "running  1.0s ")
		b.keys("right") // and is gone with the next key
		b.shows("running  1.0s  1.23k/s  99 events  0 drops")
		status.Drops = []trace.Drop{{CPU: 1, Count: 5}}
		f.runs[0].status <- status
		b.wait(100 * time.Millisecond)
		b.keys("alt+r")
		b.shows("▲ 5 drops", "no other run: each is kept when the next begins")
		f.runs[0].events <- []trace.Event{{Kind: trace.FaultEvent, Fault: trace.Fault{Line: 3}}}
		b.wait(100 * time.Millisecond)
		b.keys("right")
		b.send(tea.WindowSizeMsg{Width: 88, Height: 24})
		b.shows("▲ 5 records on CPU 1 lost (alt+i)  1 failed") // where there is room beside what was lost
	})
}

func TestPartsAreNotCut(t *testing.T) {
	const text = "9,780 lines, 13,465 let go, times of reading  mark at 3.0s"
	for w, want := range map[int]string{80: text, 50: "9,780 lines, 13,465 let go, times of reading", 30: "9,780 lines, 13,465 let go", 11: "9,780 lines", 8: "9,780 l…"} {
		if got := parts(text, w); got != want {
			t.Errorf("%d cells: %q, want %q", w, got, want)
		}
	}
}

// No sentence of the help is cut, nor are keys, and every context has its place in it.
func TestHelpIsWhole(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := start(t, &fake{}, Options{})
		defer b.end()
		for _, w := range []int{56, 80, 200} {
			b.send(tea.WindowSizeMsg{Width: w, Height: 24})
			b.keys("f1")
			m := b.model()
			h := opened[*help](&m)
			for range h.count(&m) / 10 {
				if view := b.view(); strings.Contains(view[:strings.Index(view, "╰")], "…│") {
					t.Fatalf("a line is cut at %d:\n%s", w, view)
				}
				b.keys("pgdown")
			}
			b.keys("esc")
		}
		m := b.model()
		var told []string
		for _, h := range m.helpLines() {
			if h.Action != "" && !slices.Contains(told, h.Action) {
				told = append(told, h.Action)
			}
		}
		for _, action := range m.keys.Actions() {
			if !slices.Contains(told, action) {
				t.Errorf("the help does not have %s", action)
			}
		}
	})
}
