package drain

import (
	"bytes"
	"container/heap"
	"time"
)

// With option temporal, records come in the order of their firing across CPUs.
// Each bears its time then, which costs a reading of the clock and 8 bytes; so it
// is off unless asked for. Buffers are read as always, but what was read waits
// until everything that fired before it must have been read too: a firing may
// still be about to hand on its record when the buffer of its CPU is read.

// slack is how long a firing may take from reading the clock to handing on its
// record. One that was held up for longer comes late.
const slack = time.Millisecond

// mostQueued is how many records may wait to be put in order.
const mostQueued = 1 << 16

// A timed record has been read but is not yet in the stream.
type timed struct {
	from   *ring
	raw    []byte
	fired  uint64
	seq    uint64 // records of one time keep the order in which they were read
	beyond bool   // whether it was recorded after the aggregations were taken last
	takes  uint64 // how often they had been taken when it was read
}

// A timeline orders records by time. It is a heap.
type timeline struct {
	list []timed
	seq  uint64
}

func (t *timeline) Len() int { return len(t.list) }

func (t *timeline) Less(i, j int) bool {
	a, b := &t.list[i], &t.list[j]
	return a.fired < b.fired || a.fired == b.fired && a.seq < b.seq
}

func (t *timeline) Swap(i, j int) { t.list[i], t.list[j] = t.list[j], t.list[i] }

// Push appends x, which is a timed record.
func (t *timeline) Push(x any) { t.list = append(t.list, x.(timed)) }

// Pop takes the last.
func (t *timeline) Pop() any {
	n := len(t.list) - 1
	last := t.list[n]
	t.list[n] = timed{}
	t.list = t.list[:n]
	return last
}

// full reports whether so much waits that no more should be read.
func (t *timeline) full() bool { return t != nil && len(t.list) >= mostQueued }

// waits reports whether records wait.
func (t *timeline) waits() bool { return t != nil && len(t.list) > 0 }

// enqueue takes a record that was read from a buffer.
func (d *Drain) enqueue(from *ring, raw []byte) {
	d.line.add(timed{from: from, raw: bytes.Clone(raw), fired: d.dec.Fired(raw), beyond: from.Left() < 0, takes: d.takes})
}

func (t *timeline) add(q timed) {
	t.seq++
	q.seq = t.seq
	heap.Push(t, q)
}

// next takes the earliest record out.
func (t *timeline) next() timed { return heap.Pop(t).(timed) }

// release lets records into the stream that fired before a time, in order, as far
// as the reader of the run has room.
func (d *Drain) release(before uint64) error {
	t := d.line
	for t != nil && len(t.list) > 0 && t.list[0].fired < before && d.room() {
		q := t.next()
		d.current = &q
		err := d.record(q.from, q.raw)
		d.current = nil
		if err != nil {
			return err
		}
		if err := d.carryOut(q.from); err != nil {
			return err
		}
	}
	return nil
}

// stale reports whether a record from a buffer may need aggregations that have not
// been taken.
func (d *Drain) stale(from *ring) bool {
	if q := d.current; q != nil {
		return q.beyond && q.takes == d.takes
	}
	return from.Left() < 0
}
