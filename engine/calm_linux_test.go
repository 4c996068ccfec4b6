package engine

import (
	"os"
	"testing"
	"time"

	"dscope.dev/engine/trace"
)

// TestCalm lets a run alternate between silence and bursts. While nothing comes it is told
// of once a second, though aggregations are asked for every 10 ms; of a burst nothing is
// missing, and no snapshot says of a time that it was silent when it was not.
func TestCalm(t *testing.T) {
	e := tracing(t)
	const bursts, calls = 2, 1000
	for name, text := range map[string]string{
		"keys":    `syscall::getppid:entry /ppid == $target/ { @[execname] = count(); }`,
		"no keys": `syscall::getppid:entry /ppid == $target/ { @ = count(); }`,
		"examples": `#pragma D option examples=4
			syscall::getppid:entry /ppid == $target/ { @[execname] = quantize(pid); }`,
	} {
		t.Run(name, func(t *testing.T) {
			s := started(t, e, text, os.Getpid(), "aggrate=10ms")
			snaps := make(chan trace.Snapshot)
			go func() {
				defer close(snaps)
				for snap := range s.Snapshots() {
					snaps <- snap
				}
			}()
			go all(still{s}, 0)
			var last trace.Snapshot
			next := func() {
				snap, ok := <-snaps
				if !ok {
					t.Fatal("the run has ended")
				}
				if snap.Time.Before(last.Time) || firings(snap) < firings(last) {
					t.Fatalf("%d firings at %v, behind %d at %v", firings(snap), snap.Elapsed, firings(last), last.Elapsed)
				}
				last = snap
			}
			silent := func() {
				for range 1000 { // the machine may be slow, but not for so long
					before := last
					next()
					if before.Seq > 0 && last.Seq == before.Seq+1 && last.Time.Sub(before.Time) >= time.Second && firings(before) == firings(last) {
						return
					}
				}
				t.Fatal("never told of once a second alone")
			}
			for i := range bursts {
				silent()
				begun := time.Now()
				c := newCaller(t, calls)
				c.start()
				for firings(last) < uint64(calls*(i+1)) {
					was := firings(last)
					next()
					if last.Time.Before(begun) && firings(last) > was {
						t.Fatalf("%d firings %v before they began", firings(last)-was, begun.Sub(last.Time))
					}
				}
				if err := c.cmd.Wait(); err != nil {
					t.Fatal(err)
				}
			}
			silent()
			if got := firings(last); got != bursts*calls {
				t.Errorf("%d firings, want %d", got, bursts*calls)
			}
			go func() {
				for range snaps {
				}
			}()
		})
	}
}

// still is a run whose snapshots somebody else reads.
type still struct{ *Session }

func (still) Snapshots() <-chan trace.Snapshot { return nil }

// firings is how often a run has counted.
func firings(s trace.Snapshot) (n uint64) {
	for _, table := range s.Aggs {
		for _, row := range table.Rows {
			n += uint64(row.Value)
		}
	}
	return n
}
