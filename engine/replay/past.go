package replay

import (
	"context"
	"time"

	"dscope.dev/engine/trace"
)

// Keep writes a run from what is kept of it. If ctx ends early the recording is not whole,
// and Keep says so.
func (w *Writer) Keep(ctx context.Context, p trace.Past) error {
	k := keeper{w: w, past: p, left: p.Events}
	k.put(record{Run: &wireRun{text(p.Script), wireTime(p.Began)}})
	for s := range p.Snapshots {
		if ctx.Err() != nil {
			return ctx.Err()
		}
		k.events(s.Elapsed)
		wire := toSnapshot(s)
		k.told.tables(wire.Aggs, s.Aggs)
		k.deliver(s.Elapsed, record{Snapshot: wire})
	}
	k.events(1<<63 - 1)
	status := p.Status
	if status.State < trace.Done { // the recording ends here, though the run goes on
		status.State = trace.Done
	}
	k.deliver(status.Elapsed, record{Status: toStatus(status)})
	return w.put(record{At: k.at, End: true})
}

// A keeper writes one run, in the order of time.
type keeper struct {
	w    *Writer
	past trace.Past
	left []*trace.Event // that have not been written
	told told
	at   int64 // of the last record
}

// put writes one line; the first error stays with the Writer.
func (k *keeper) put(r record) { _ = k.w.put(r) }

// deliver writes what the run delivered when it had lasted elapsed, or after what was
// delivered before.
func (k *keeper) deliver(elapsed time.Duration, r record) {
	if list := k.told.unwritten(); list != nil {
		k.put(record{Origins: list})
	}
	k.at = max(k.at, int64(elapsed), 1)
	r.At = k.at
	k.put(r)
}

// perBatch bounds how many events stand on one line, and batch how much time they are of.
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
		wire := each(list, toEvent)
		k.told.events(wire, list)
		k.deliver(at, record{Events: wire})
	}
}

// when returns how long the run had lasted when an event came.
func (k *keeper) when(i int) time.Duration { return k.left[i].Time.Sub(k.past.Began) }
