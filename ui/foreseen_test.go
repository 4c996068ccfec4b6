package ui

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	"dscope.dev/engine/trace"
)

// wide is a script that would take too much.
var wide = &trace.WideError{Estimate: trace.Estimate{CPUs: 4, Limit: 0.1, Cost: trace.Cost{Window: time.Second, Hits: 412_345, Share: 0.25,
	Clauses: []trace.ClauseCost{{Clause: 1, Hits: 345, Nanos: 90, Share: 0.01}, {Clause: 2, Hits: 412_000, Nanos: 2400, Share: 0.99}}}}}

// estimating has the backend take a second for the estimate of each script, unless it is known.
func estimating(f *fake) {
	f.waits = func(ctx context.Context) error {
		trace.Note(ctx, trace.Estimating)
		select {
		case <-time.After(time.Second):
			return wide
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

// TestForeseen asks before a script that would take much, runs it all the same, and tells
// beside what it takes what was expected.
func TestForeseen(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := &fake{}
		b := start(t, f, Options{})
		defer b.end()
		b.text("good")
		b.keys("ctrl+r")
		estimating(f)
		b.keys("alt+2", "ctrl+a")
		b.text("BEGIN { }   syscall:::entry /pid/ { @ = count(); }")
		b.keys("ctrl+r")
		b.wait(100 * time.Millisecond)
		b.shows("estimating…")
		if f.runs[0].isClosed() {
			t.Fatal("the run before is closed")
		}
		b.wait(time.Second)
		b.shows("Run it?", "about 412,000 hits/s, 100% of a CPU (25% of this machine)", "10% of this machine (option estimate)",
			"2400 ns     99% of a CPU  line 1: syscall:::entry", "ctrl+r run it all the same", "running")
		b.text("y") // a letter that is typed runs nothing
		b.keys("esc")
		b.shows("not started: about 412,000 hits/s", "running")
		b.keys("ctrl+r")
		b.wait(1100 * time.Millisecond)
		f.waits = nil
		b.keys("ctrl+r")
		b.wait(100 * time.Millisecond)
		if len(f.runs) != 2 || !f.runs[0].isClosed() {
			t.Fatalf("%d runs", len(f.runs))
		}
		if got := f.runs[1].script.Foreseen; got.Cost.Hits != 412_345 || got.Limit != 0.1 {
			t.Errorf("it runs with %+v", got)
		}
		f.runs[1].status <- trace.Status{State: trace.Running, Before: wide.Estimate, Cost: trace.Cost{Window: time.Second, Hits: 398_000, Share: 0.23}}
		b.wait(100 * time.Millisecond)
		b.keys("alt+i")
		b.shows("estimate about 412,000 hits/s, 100% of a CPU (25% of this machine), asked above 10%", "takes    398,000 hits/s, 92% of a CPU (23% of this machine)")
		b.keys("esc", "ctrl+r")
		b.wait(100 * time.Millisecond)
		if f.runs[2].script.Foreseen.Known() {
			t.Error("the next run is not estimated")
		}
	})
}

// TestForeseenIsGivenUp stops an estimate, and goes on with what ran.
func TestForeseenIsGivenUp(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := &fake{}
		estimating(f)
		b := start(t, f, Options{Text: "syscall:::entry { @ = count(); }", Start: true})
		defer b.end()
		b.wait(100 * time.Millisecond)
		b.shows("estimating…")
		b.keys("ctrl+t")
		b.wait(100 * time.Millisecond)
		b.shows("start given up", "ready")
		b.keys("ctrl+r")
		b.wait(1100 * time.Millisecond)
		b.shows("Run it?")
		b.keys("ctrl+t")
		b.shows("not started", "ready", "ctrl+r runs the script")
		if len(f.runs) != 0 {
			t.Error("it was run")
		}
	})
}
