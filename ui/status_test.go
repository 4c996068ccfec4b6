package ui

import (
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
		b.shows("1.0s  2 aggregations  7 keys  0 probes")
		b.keys("ctrl+t")
		b.wait(100 * time.Millisecond)
		b.shows("done  0.0s  2 aggregations  7 keys  0 probes")
	})
}
