package ui

import (
	"context"
	"errors"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	tea "github.com/charmbracelet/bubbletea"

	"dscope.dev/dlang/diag"
	"dscope.dev/dlang/token"
	"dscope.dev/engine/trace"
)

func TestRunAgainClosesTheRunBefore(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := &fake{}
		b := start(t, f, Options{})
		defer b.end()
		b.text("one")
		b.keys("ctrl+r")
		b.keys("ctrl+r")
		if len(f.runs) != 2 || !f.runs[0].isClosed() || f.runs[1].isClosed() {
			t.Fatalf("%d runs", len(f.runs))
		}
		b.shows("running")
		b.keys("ctrl+t")
		b.wait(100 * time.Millisecond)
		if !f.runs[1].isClosed() {
			t.Error("a run that has ended is not closed")
		}
		b.shows("done")
	})
}

func TestStaleMessagesAreDropped(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := &fake{}
		b := start(t, f, Options{})
		defer b.end()
		b.text("one")
		b.keys("ctrl+r", "ctrl+r")
		old := b.model().run.id - 1
		for _, msg := range []tea.Msg{
			snapshotMsg{old, trace.Snapshot{Aggs: []trace.Table{table("stale", 3)}}},
			eventsMsg{id: old, batches: [][]trace.Event{{{Items: []trace.Item{{Kind: trace.PrintfItem, Text: "stale"}}}}}},
			statusMsg{old, trace.Status{State: trace.Failed, Err: errors.New("stale")}},
			endedMsg{old}, endedMsg{old}, endedMsg{old},
		} {
			b.send(msg)
		}
		if strings.Contains(b.view(), "stale") {
			t.Errorf("something of an earlier run is shown:\n%s", b.view())
		}
		b.shows("running")
		late := &fakeRun{began: time.Now(), snaps: make(chan trace.Snapshot), events: make(chan []trace.Event), status: make(chan trace.Status, 1), closed: make(chan struct{})}
		b.send(startedMsg{id: old, run: late})
		if !late.isClosed() {
			t.Error("a run that starts too late is left open")
		}
	})
}

// What a start that is given up complains of, in whatever words, is no failure.
func TestStartGivenUp(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var list diag.List
		list.Add(token.Span{From: 1, To: 2}, diag.ProbeZero, "x cannot be traced here: context canceled")
		f := &fake{refuse: &diag.ListError{File: token.NewFile("script", "x"), List: list}, slow: make(chan struct{})}
		b := start(t, f, Options{})
		defer b.end()
		b.text("x")
		b.keys("ctrl+r", "ctrl+t")
		b.shows("giving up…")
		close(f.slow)
		b.wait(time.Second)
		b.shows("ready", "start given up")
	})
}

// TestAMistakeLeavesTheRunAlone runs a script that is refused while another runs: that
// goes on, and what it finds is still shown.
func TestAMistakeLeavesTheRunAlone(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := &fake{}
		b := start(t, f, Options{})
		defer b.end()
		b.text("good")
		b.keys("ctrl+r")
		var list diag.List
		list.Add(token.Span{From: 0, To: 4}, diag.ProbeZero, "no probe is called good")
		f.refuse = &diag.ListError{File: token.NewFile("script", "good"), List: list}
		b.keys("ctrl+r")
		b.shows("running", "run 1 goes on")
		f.runs[0].snaps <- trace.Snapshot{Seq: 1, Elapsed: time.Second, Aggs: []trace.Table{table("calls", 3)}}
		b.wait(100 * time.Millisecond)
		b.shows("@calls", "process-2")
		if f.runs[0].isClosed() {
			t.Fatal("the run was closed")
		}
		f.refuse = nil
		b.keys("ctrl+r")
		if !f.runs[0].isClosed() || len(f.runs) != 2 {
			t.Errorf("%d runs, the first closed: %t", len(f.runs), f.runs[0].isClosed())
		}
	})
}

// TestGivingUpAStartLeavesTheRunAlone stops what compiles, not what runs.
func TestGivingUpAStartLeavesTheRunAlone(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := &fake{}
		b := start(t, f, Options{})
		defer b.end()
		b.text("good")
		b.keys("ctrl+r")
		f.waits = func(ctx context.Context) error {
			<-ctx.Done()
			return ctx.Err()
		}
		b.keys("ctrl+r")
		b.shows("starting")
		b.keys("ctrl+t")
		b.shows("running", "run 1 goes on: start given up")
		if f.runs[0].isClosed() {
			t.Error("the run was closed")
		}
		b.keys("ctrl+t")
		b.wait(100 * time.Millisecond)
		b.shows("done")
	})
}

// TestQuitAsksForARunThatWouldBeMissed leaves at once a run that has found nothing, one
// that is over, and one that is recorded; in every other case only if told.
func TestQuitAsksForARunThatWouldBeMissed(t *testing.T) {
	running := func(elapsed time.Duration, events uint64) func(*fakeRun) {
		return func(r *fakeRun) {
			r.status <- trace.Status{State: trace.Running, Elapsed: elapsed, Events: events}
		}
	}
	for _, tt := range []struct {
		name   string
		source string
		do     func(r *fakeRun)
		asks   bool
	}{
		{"young and empty", "", running(time.Second, 0), false},
		{"with an event", "", running(time.Second, 1), true},
		{"with a count", "", func(r *fakeRun) {
			r.snaps <- trace.Snapshot{Seq: 1, Elapsed: time.Second, Aggs: []trace.Table{table("n", 1)}}
		}, true},
		{"old", "", running(3*time.Hour, 0), true},
		{"a recording", "recording of then", running(3*time.Hour, 1), false},
		{"over", "", func(r *fakeRun) { running(time.Hour, 1)(r); r.Stop() }, false},
	} {
		for _, key := range []string{"ctrl+c", "q"} {
			t.Run(tt.name+" "+key, func(t *testing.T) {
				synctest.Test(t, func(t *testing.T) {
					f := &fake{}
					b := start(t, f, Options{Text: "given", Start: true, Source: tt.source})
					defer b.end()
					tt.do(f.runs[0])
					b.wait(100 * time.Millisecond)
					b.keys("alt+3", key)
					b.wait(50 * time.Millisecond)
					if !tt.asks {
						if !b.quit {
							t.Error("it asks")
						}
						return
					}
					b.shows("run 1 goes on", "and ends with the workbench")
					b.keys("s", "esc")
					if b.quit || f.runs[0].isClosed() {
						t.Fatal("the run was ended unasked")
					}
					b.keys(key, "y")
					b.wait(50 * time.Millisecond)
					if !b.quit || !f.runs[0].isClosed() {
						t.Error("leaving does not close the run")
					}
				})
			})
		}
	}
}

// TestQuitCanKeepTheRun writes the run that would be lost, and stays.
func TestQuitCanKeepTheRun(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := &fake{}
		var kept trace.Past
		b := start(t, f, Options{Text: "given", Start: true, Keep: func(_ context.Context, _ string, p trace.Past) (string, error) {
			kept = p
			return "given.run", nil
		}})
		defer b.end()
		f.runs[0].status <- trace.Status{State: trace.Running, Elapsed: time.Second, Events: 1}
		b.wait(100 * time.Millisecond)
		b.keys("ctrl+c")
		b.shows("w write the run as a recording", "y leave", "esc stay")
		b.keys("w")
		b.wait(100 * time.Millisecond)
		b.shows("run 1 is in given.run")
		if kept.Script != "given" || b.quit || f.runs[0].isClosed() {
			t.Errorf("kept %q, quit %t", kept.Script, b.quit)
		}
	})
}

// A backend that can swap runs is asked to, and one whose place could not be taken goes on.
func TestRunTakesThePlaceOfTheOneBefore(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := &swapping{}
		b := start(t, f, Options{})
		defer b.end()
		b.text("one")
		b.keys("ctrl+r")
		b.keys("ctrl+r")
		if len(f.runs) != 2 || len(f.swapped) != 1 || f.swapped[0] != f.runs[0] || !f.runs[0].isClosed() {
			t.Fatalf("%d runs, swapped %d", len(f.runs), len(f.swapped))
		}
		f.refuse = errors.New("no place")
		b.keys("ctrl+r")
		b.shows("run 2 goes on: no place")
		if f.runs[1].isClosed() {
			t.Error("the run that was not replaced is closed")
		}
		f.refuse = nil
		// One that has taken the place late, when another was asked for already, is not closed:
		// nothing else counts.
		late := &fakeRun{began: time.Now(), snaps: make(chan trace.Snapshot), events: make(chan []trace.Event), status: make(chan trace.Status, 1), closed: make(chan struct{})}
		b.send(startedMsg{id: 99, run: late, took: time.Millisecond})
		if late.isClosed() || !f.runs[1].isClosed() {
			t.Error("the run that counts is closed, or the one that does not is not")
		}
		late.Close()
	})
}

// What the pane of aggregations says while it has none to show is true as the run goes on.
func TestNothingAggregated(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := &fake{}
		b := start(t, f, Options{})
		defer b.end()
		b.text("one")
		b.keys("ctrl+r")
		b.shows("waiting for the first probe to fire")
		f.runs[0].status <- trace.Status{State: trace.Running, Elapsed: time.Second, Events: 7}
		b.wait(100 * time.Millisecond)
		b.shows("nothing is aggregated so far")
	})
}
