package replay

import (
	"context"
	"time"

	"dscope.dev/engine/trace"
	"dscope.dev/engine/wire"
)

// Keep writes a run from what is kept of it. If ctx ends early the recording is not whole,
// and Keep says so.
func (w *Writer) Keep(ctx context.Context, p trace.Past) error {
	k := keeper{w: w, past: p, left: p.Events}
	k.put(&wire.Begin{Script: trace.Script{Text: p.Script}, Began: p.Began})
	for s := range p.Snapshots {
		if ctx.Err() != nil {
			return ctx.Err()
		}
		k.events(s.Elapsed)
		k.put(&wire.Snapshot{At: k.moment(s.Elapsed), Snapshot: s})
	}
	k.events(1<<63 - 1)
	status := p.Status
	if status.State < trace.Done { // the recording ends here, though the run goes on
		status.State = trace.Done
	}
	k.put(&wire.Status{At: k.moment(status.Elapsed), Status: status})
	return w.put(&wire.End{At: k.at})
}

// A keeper writes one run, in the order of time.
type keeper struct {
	w    *Writer
	past trace.Past
	left []*trace.Event // that have not been written
	at   time.Duration  // of the last message
}

// put writes one message; the first error stays with the Writer.
func (k *keeper) put(m wire.Message) { _ = k.w.put(m) }

// moment returns when something was delivered: when the run had lasted elapsed, or after
// what was delivered before.
func (k *keeper) moment(elapsed time.Duration) time.Duration {
	k.at = max(k.at, elapsed, 1)
	return k.at
}

// perBatch bounds how many events are one batch, and batch how much time they are of.
const (
	perBatch = 1000
	batch    = 100 * time.Millisecond
)

// events writes those that came before the run had lasted until.
func (k *keeper) events(until time.Duration) {
	for len(k.left) > 0 && k.when(0) <= until {
		end := min(k.when(0)+batch, until)
		n := 1
		for n < min(len(k.left), perBatch) && k.when(n) <= end {
			n++
		}
		list := make([]trace.Event, n)
		for i, e := range k.left[:n] {
			list[i] = *e
		}
		at := k.when(n - 1)
		k.left = k.left[n:]
		k.put(&wire.Events{At: k.moment(at), List: list})
	}
}

// when returns how long the run had lasted when an event came.
func (k *keeper) when(i int) time.Duration { return k.left[i].Time.Sub(k.past.Began) }
