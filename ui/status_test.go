package ui

import (
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"dscope.dev/engine/trace"
)

// TestStatusOfAggregations shows what a script counts that records nothing.
func TestStatusOfAggregations(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := &fake{}
		b := start(t, f, Options{})
		defer b.end()
		b.keys("ctrl+r")
		r := f.runs[0]
		r.status <- trace.Status{State: trace.Running, Elapsed: time.Second}
		b.wait(100 * time.Millisecond)
		b.shows("0/s  0 events")
		r.snaps <- trace.Snapshot{Seq: 1, Elapsed: time.Second, Aggs: []trace.Table{table("calls", 5)}}
		b.wait(100 * time.Millisecond)
		b.shows("1.0s  10/s  @calls 5 keys  0 probes")
		r.snaps <- trace.Snapshot{Seq: 2, Elapsed: 2 * time.Second, Aggs: []trace.Table{table("calls", 5), table("sizes", 2)}}
		b.wait(100 * time.Millisecond)
		b.shows("2.0s  2 aggregations  7 keys  0 probes")
		b.keys("ctrl+t")
		b.wait(100 * time.Millisecond)
		b.shows("done  0.0s  2 aggregations  7 keys  0 probes")
	})
}

// Why a key of a pane did nothing is said until something is done, and does not stand before
// a failure.
func TestWhyGivesWay(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := &fake{}
		b := start(t, f, Options{})
		defer b.end()
		b.keys("alt+3", "space") // of the live pane, which has nothing to freeze
		said := b.model().live.Why()
		if said == "" {
			t.Fatal("there is something to freeze")
		}
		b.shows(said)
		b.keys("ctrl+t") // of the root
		if strings.Contains(b.view(), said) {
			t.Errorf("%q is still said after another key", said)
		}
		b.keys("space")
		b.shows(said)
		m := b.model()
		m.say(failure, "it broke")
		if _, text := m.word(); text != "it broke" {
			t.Errorf("%q stands before a failure", text)
		}
	})
}
