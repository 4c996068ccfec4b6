package ui

import (
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	tea "github.com/charmbracelet/bubbletea"

	"dscope.dev/engine/trace"
)

// plays has a script run and delivers a snapshot a second, whose values grow by so much.
func (b *bench) plays(f *fake, script string, by ...int) {
	b.t.Helper()
	b.keys("alt+2", "ctrl+a")
	b.text(script)
	b.keys("ctrl+r", "alt+3")
	r, began, sum := f.runs[len(f.runs)-1], time.Now(), 0
	for i, n := range by {
		sum += n
		elapsed := time.Duration(i+1) * time.Second
		tab := table("calls", 2)
		for j := range tab.Rows {
			tab.Rows[j].Value, tab.Rows[j].Count = int64(sum*(j+1)), uint64(sum*(j+1))
		}
		b.wait(time.Second)
		r.events <- []trace.Event{{Time: began.Add(elapsed), Items: []trace.Item{{Kind: trace.PrintfItem, Text: fmt.Sprintf("%s, second %d\n", script, i+1)}}}}
		r.snaps <- trace.Snapshot{Seq: uint64(i + 1), Elapsed: elapsed, Aggs: []trace.Table{tab}}
		r.status <- trace.Status{State: trace.Running, Elapsed: elapsed}
		b.wait(100 * time.Millisecond)
	}
}

// TestShelf looks at a run while another goes on: its pictures, stepping, its output, its
// script; and goes back.
func TestShelf(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := &fake{}
		b := start(t, f, Options{})
		defer b.end()
		b.keys("alt+r")
		b.shows("nothing has been run yet")
		b.plays(f, "one", 1111, 1111, 1111)
		b.keys("R")
		b.shows("each is kept when the next begins")
		b.plays(f, "two", 5, 5)
		b.keys("R")
		b.shows("two for one", "the first", "2.0s+", "of 128 MB")
		b.keys("down", "enter")
		b.shows("run 1", "6666", "0 goes back to run 2", "0 now", "one, second 3")
		b.keys(",")
		b.shows("run 1 at 2.0s", "4444", "held at line 2")
		b.keys(".", ".")
		b.shows("6666")
		f.runs[1].snaps <- trace.Snapshot{Seq: 3, Elapsed: 3 * time.Second, Aggs: []trace.Table{table("calls", 3)}}
		b.wait(100 * time.Millisecond)
		if v := b.view(); strings.Contains(v, "process-2") || !strings.Contains(v, "6666") {
			t.Errorf("the run that goes on is shown in place of the one that is visited:\n%s", v)
		}
		b.keys("space")
		b.shows("run 1 at 3.0s")
		b.keys("0")
		if v := b.view(); strings.Contains(v, "run 1 ") || !strings.Contains(v, "process-2") {
			t.Errorf("this is not what comes:\n%s", v)
		}
		b.keys("0")
		b.shows("what is shown is what comes")
		b.keys("R", "end", "e")
		b.shows("ctrl+z brings yours back")
		if got := b.model(); got.editor.Document().Text() != "one" {
			t.Errorf("the script is %q", got.editor.Document().Text())
		}
		b.keys("ctrl+z")
		if got := b.model(); got.editor.Document().Text() != "two" {
			t.Errorf("one step of undo gives %q", got.editor.Document().Text())
		}
		b.keys("alt+r", "end", "enter", "alt+2", "ctrl+r") // who runs a script sees what comes
		if v := b.view(); strings.Contains(v, "0 now") {
			t.Errorf("a run that has begun is not shown:\n%s", v)
		}
		b.keys("alt+3", "R", "=")
		b.shows("run 3 has aggregated nothing")
	})
}

// TestCompare compares two runs of unequal length, one that was picked, and before and
// after marks; what has come since is compared when that is asked for again.
func TestCompare(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := &fake{}
		b := start(t, f, Options{})
		defer b.end()
		b.keys("alt+3", "=", "m")
		b.shows("no aggregation has arrived yet")
		b.plays(f, "one", 1000, 1000, 1000, 1000)
		b.keys("=")
		b.shows("m sets one")
		b.plays(f, "two", 4000, 4000)
		b.keys("=")
		b.shows("A ▀▀▀  run 1, 4.0s long", "B ▄▄▄  run 2, 2.0s long", "[@calls count()]", "changed  process-1", "2.00k", "8.00k", "+6.00k", "4.00")
		b.keys("]")
		b.shows("there is one aggregation only")
		b.keys("esc")
		b.plays(f, "three", 1000, 1000)
		b.keys("R", "end", "space", "=")
		b.shows("this is the run that is picked")
		b.keys("home", "=")
		b.shows("run 1, 4.0s long", "run 3, 2.0s long", "same     process-1")
		b.keys("esc", ",", "m")
		b.shows("mark at 1.0s; = compares before and after it", "mark at 1.0s")
		b.keys(".", ".")
		f.runs[2].snaps <- trace.Snapshot{Seq: 3, Elapsed: 4 * time.Second, Aggs: []trace.Table{table("calls", 2)}}
		b.wait(100 * time.Millisecond)
		b.keys("=")
		b.shows("the start to 1.0s, 1.0s long", "1.0s to the end, 3.0s long", "cleared meanwhile")
		tab := table("calls", 1)
		f.runs[2].snaps <- trace.Snapshot{Seq: 4, Elapsed: 6 * time.Second, Aggs: []trace.Table{tab}}
		b.wait(100 * time.Millisecond)
		b.keys("=")
		b.shows("1.0s to the end, 5.0s long")
		b.keys("esc", "m", "=")
		b.shows("nothing has come after the mark at 6.0s yet")
		b.keys("m", "=", "esc", "<", "m", "m")
		b.shows("mark at 1.0s;")
	})
}

// TestClicksInTheListOfRuns chooses with the mouse, and closes beside the box.
func TestClicksInTheListOfRuns(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := &fake{}
		b := start(t, f, Options{})
		defer b.end()
		b.plays(f, "one", 1)
		b.plays(f, "two", 1)
		b.keys("R")
		for y, line := range strings.Split(b.view(), "\n") {
			if strings.Contains(line, "the first") {
				b.send(tea.MouseMsg{X: 20, Y: y, Action: tea.MouseActionPress, Button: tea.MouseButtonLeft})
			}
		}
		if m := b.model(); m.overlay.(*shelfBox).row != 1 {
			t.Errorf("a click on the second run chooses number %d", m.overlay.(*shelfBox).row)
		}
		b.send(tea.MouseMsg{Action: tea.MouseActionPress, Button: tea.MouseButtonLeft})
		if m := b.model(); m.overlay != nil {
			t.Error("a click beside the box leaves it open")
		}
	})
}
