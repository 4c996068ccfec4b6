package drain

import (
	"fmt"
	"math"
	"time"

	"dscope.dev/engine/clock"
	"dscope.dev/engine/trace"
)

// Turn is one round of the drain: records, and when they are due, aggregations,
// drops and status.
func (d *Drain) Turn() error {
	before := d.read
	d.names.Hear() // first: what records tell of was mapped before
	if err := d.readRings(); err != nil {
		return err
	}
	d.clean()
	d.tell()
	again, err := d.names.Ahead(d.src.Pythons())
	if err != nil {
		return err
	}
	now := time.Now()
	if d.read != before {
		d.idle.empty = 0 // a record may have changed what the aggregations hold
	}
	stateDue := d.opt.StatusRate
	if stateDue == 0 {
		stateDue = statusRate
		if d.events == d.counted && d.calm() {
			stateDue = calmRate
		}
	}
	if now.Sub(d.lastSnap) >= d.opt.AggRate {
		if err := d.snapshot(now); err != nil {
			return err
		}
		if d.opt.StatusRate == 0 && d.idle.told.Equal(now) { // one waking of who looks is cheaper than two
			stateDue /= 2
		}
	} else if err := d.hurry(now); err != nil {
		return err
	}
	if now.Sub(d.lastState) >= stateDue {
		if err := d.count(); err != nil {
			return err
		}
		d.Status(trace.Running, nil)
	}
	pace := d.pace * 3 / 2
	if d.read != before {
		pace = fastPace
	}
	calm := d.calm()
	if d.read != before || !calm {
		d.idle.stirred = now
	}
	most := min(d.slow, d.opt.SwitchRate, d.opt.AggRate)
	d.pace = min(pace, max(most, d.rest(now, most)))
	if !calm && d.haste.every > 0 {
		d.pace = min(d.pace, max(d.haste.left(time.Now()), leastPace))
	}
	if again > 0 {
		d.pace = min(d.pace, again)
	}
	return nil
}

// readRings reads the record buffers until they are empty, or the reader of the
// run has no room for more: then records wait in the kernel.
func (d *Drain) readRings() error {
	d.now, d.took = time.Now(), false
	horizon := d.horizon()
	for i := range d.rings {
		at := (d.next + i) % len(d.rings)
		full, err := d.readRing(&d.rings[at])
		d.rings[at].Free()
		if err != nil {
			return err
		}
		if full {
			d.next = at + 1 // the others first, or a flood here would starve them
			return d.release(horizon)
		}
	}
	if err := d.release(horizon); err != nil {
		return err
	}
	d.flush()
	return nil
}

// readRing reads one of the buffers, and reports whether the reader of the run has no room.
func (d *Drain) readRing(r *ring) (full bool, err error) {
	if r.Spare && !d.src.SpareDue() {
		r.emptied = d.now // nobody waits for what is in there
		return false, nil
	}
	from, begun, look := time.Now(), d.read, d.read+lookAt
	d.press.end()
	for d.read-begun < turnRecords {
		if d.read >= look {
			if look = d.read + lookAt; time.Since(from) > turnTime {
				break
			}
		}
		if r.commit != nil {
			if wait, err := d.waits(r); wait || err != nil {
				return false, err
			}
		}
		if d.took && r.Left() <= 0 {
			break // or a record that needs the aggregations once more could always come
		}
		if !d.room() || d.line.full() {
			return true, nil
		}
		rec, more, err := r.Next()
		if more && d.press != nil {
			rec, more, err = d.print(r, rec)
		}
		if err != nil {
			return false, fmt.Errorf("read the records of CPU %d: %w", r.CPU, err)
		}
		if !more {
			r.emptied = d.now
			break
		}
		if rec == nil {
			continue
		}
		d.read++
		if d.line != nil {
			d.enqueue(r, rec)
		} else if err := d.record(r, rec); err != nil {
			return false, err
		}
	}
	return false, nil
}

// Discard throws away what the record buffers hold now: not what comes meanwhile, or this
// might never end.
func (d *Drain) Discard() (err error) {
	for i := range d.rings {
		r := &d.rings[i]
		r.Mark()
		for more := true; more && r.Left() > 0; {
			if _, more, err = r.Next(); err != nil {
				return err
			}
		}
		r.Free()
	}
	return nil
}

// room reports whether one more event can be kept, handing on a full batch if
// need be.
func (d *Drain) room() bool {
	return len(d.batch) < batchSize && !d.press.full() || d.flush()
}

// flush hands the batch on if the reader has room, and reports whether it did.
func (d *Drain) flush() bool {
	if len(d.batch) == 0 {
		return true
	}
	select {
	case d.out.Events <- d.batch:
		d.begin()
		return true
	default:
		return false
	}
}

// deliver hands the batch on and waits for the reader, unless the run has been
// abandoned.
func (d *Drain) deliver() {
	if len(d.batch) == 0 {
		return
	}
	select {
	case d.out.Events <- d.batch:
	case <-d.out.abandon:
	}
	d.begin()
}

// begin begins a batch, which is likely to be as long as the one before.
func (d *Drain) begin() {
	d.press.clear()
	d.batch = make([]trace.Event, 0, len(d.batch))
}

// horizon is the time before which all that fired can be read now.
func (d *Drain) horizon() uint64 {
	if d.line == nil || d.settled {
		return math.MaxUint64
	}
	return clock.Monotonic() - uint64(slack)
}
