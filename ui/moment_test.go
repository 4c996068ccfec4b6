package ui

import (
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"dscope.dev/engine/trace"
)

// TestStepThroughTheRun goes back and forth through a run that goes on: tables and
// output are those of the moment, and what arrives meanwhile is there at the end.
func TestStepThroughTheRun(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := &fake{}
		b := start(t, f, Options{})
		defer b.end()
		b.keys("alt+3", ",")
		b.shows("no aggregation has arrived yet")
		b.keys("alt+2")
		b.text("one")
		b.keys("ctrl+r", "alt+3")
		r, began := f.runs[0], time.Now()
		at := func(n int) {
			tab := table("calls", 1)
			tab.Rows[0].Value, tab.Rows[0].Count = int64(n*1111), uint64(n*1111)
			elapsed := time.Duration(n) * time.Second
			r.events <- []trace.Event{{Time: began.Add(elapsed), Items: []trace.Item{{Kind: trace.PrintfItem, Text: fmt.Sprintf("line of second %d\n", n)}}}}
			r.snaps <- trace.Snapshot{Seq: uint64(n), Elapsed: elapsed, Aggs: []trace.Table{tab}}
			b.wait(100 * time.Millisecond)
		}
		for n := 1; n <= 5; n++ {
			at(n)
		}
		b.keys(",", ",")
		b.shows("3333", "at 3.0s", "held at line 3")
		at(6)
		b.shows("3333")
		b.keys(".")
		b.shows("4444", "at 4.0s")
		b.keys("<")
		b.shows("1111", "at 1.0s")
		b.keys(",")
		b.shows("nothing is kept of what was before")
		b.keys(">")
		b.shows("6666", "line of second 6")
		if v := b.view(); strings.Contains(v, "at 6.0s") || strings.Contains(v, "held") {
			t.Errorf("at the end the screen is held:\n%s", v)
		}
		b.keys(",", "space")
		b.shows("6666")
		b.keys(",", "ctrl+r") // the next run is shown from its beginning
		if v := b.view(); strings.Contains(v, "held") || strings.Contains(v, "at 5.0s") {
			t.Errorf("the next run begins at a moment of the one before:\n%s", v)
		}
	})
}
