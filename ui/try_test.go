package ui

import (
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"dscope.dev/engine/trace"
)

// TestTry counts a probe in a run of its own, beside the one that goes on.
func TestTry(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := &fake{probes: []trace.Probe{{ID: 1, Provider: "sdt", Module: "sched", Function: "", Name: "wakeup"}}}
		b := start(t, f, Options{})
		defer b.end()
		b.plays(f, "one", 10, 10)
		b.keys("alt+1", "space")
		b.shows("counting for a second")
		if len(f.runs) != 2 || !strings.Contains(f.runs[1].script.Text, "sdt:::") || b.model().run.id != 1 {
			t.Fatalf("%d runs, the last of %q", len(f.runs), f.runs[len(f.runs)-1].script.Text)
		}
		r := f.runs[1]
		tab := table("", 3)
		r.snaps <- trace.Snapshot{Seq: 1, Aggs: []trace.Table{tab}}
		b.wait(100 * time.Millisecond)
		r.Stop()
		b.wait(100 * time.Millisecond)
		b.shows("3 in a second", "2 process-2", "1 process-1")
		select {
		case <-r.closed:
		default:
			t.Error("what was tried is still attached")
		}
		b.keys("R")
		b.shows("each is kept when the next begins") // what was tried is none of them
		b.keys("alt+1", "space")
		b.wait(50 * time.Millisecond)
		b.keys("esc")
		b.wait(50 * time.Millisecond)
		select {
		case <-f.runs[2].closed:
		default:
			t.Error("what was given up is still attached")
		}
	})
}
