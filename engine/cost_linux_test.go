package engine

import (
	"errors"
	"os"
	"testing"

	"golang.org/x/sys/unix"

	"dscope.dev/engine/trace"
)

// calling makes a system call again and again until the test ends.
func calling(t *testing.T) {
	done := make(chan struct{})
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		for {
			select {
			case <-done:
				return
			default:
				for range 100 {
					unix.Syscall(unix.SYS_GETPPID, 0, 0, 0)
				}
			}
		}
	}()
	t.Cleanup(func() { close(done); <-ended })
}

// TestAirBag has a script that takes too much: it is detached, says so, and what it had
// counted is whole.
func TestAirBag(t *testing.T) {
	e := tracing(t)
	calling(t)
	run, err := e.Run(t.Context(), trace.Script{Target: os.Getpid(), Options: []string{"self", "airbag=0.01%"}, Text: `
syscall::getppid:entry /pid == $target/ { @n = count(); @s[stack(), ustack()] = count(); }`})
	if err != nil {
		t.Fatal(err)
	}
	defer run.Close()
	o := all(run, 0)
	if o.status.State != trace.Failed || !errors.Is(o.status.Err, trace.ErrTooDear) || !trace.Whole(o.status.Err) {
		t.Fatalf("%v: %v", o.status.State, o.status.Err)
	}
	n, stacks := o.snap.Aggs[0].Rows[0].Value, int64(0)
	for _, r := range o.snap.Aggs[1].Rows {
		stacks += r.Value
	}
	if n < 1000 || n != stacks && o.dropped() == 0 {
		t.Errorf("%d calls, %d stacks, %d drops", n, stacks, o.dropped())
	}
	if o.status.Cost.Share < 0.0001 {
		t.Errorf("cost %+v", o.status.Cost)
	}
}

// TestCost compares what the kernel's figures make of each clause with what the script
// counts itself.
func TestCost(t *testing.T) {
	e := tracing(t)
	calling(t)
	run, err := e.Run(t.Context(), trace.Script{Target: os.Getpid(), Options: []string{"self", "airbag=off"}, Text: `
syscall::getppid:entry /pid == $target/ { @n = count(); }
syscall::getpriority:entry { @never = count(); }
tick-1s { i++; }`})
	if err != nil {
		t.Fatal(err)
	}
	defer run.Close()
	var cost trace.Cost
	for s := range run.Status() {
		if s.Cost.Window > 0 {
			cost = s.Cost
			run.Stop()
		}
	}
	last := <-run.Snapshots()
	for s := range run.Snapshots() {
		last = s
	}
	if len(cost.Clauses) == 0 || cost.Clauses[0].Clause != 1 {
		t.Fatalf("cost %+v", cost)
	}
	c := cost.Clauses[0]
	rate := float64(last.Aggs[0].Rows[0].Value) / last.Elapsed.Seconds()
	if c.Hits < rate/10 || c.Hits > rate*10 { // other things want the machine as well
		t.Errorf("%.0f hits a second, the script counted %.0f", c.Hits, rate)
	}
	tick := cost.Clauses[len(cost.Clauses)-1]
	if tick.Clause != 3 || tick.Hits < 0.2 || tick.Hits > 5 {
		t.Errorf("a clock that fires once a second costs %+v", tick) // however often it looks
	}
	if c.Nanos < 1 || c.Nanos > 1e5 || cost.Share <= 0 || cost.Share > 1 || c.Share+tick.Share < cost.Share {
		t.Errorf("cost %+v", cost)
	}
}

// TestCostIsNotTaken unless somebody asks.
func TestCostIsNotTaken(t *testing.T) {
	e := tracing(t)
	o := all(started(t, e, `tick-300ms { exit(0); }`, 0), 0)
	if o.status.Cost.Window != 0 {
		t.Errorf("cost %+v", o.status.Cost)
	}
}
