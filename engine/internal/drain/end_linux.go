package drain

import (
	"errors"
	"time"
)

// First reads what BEGIN has recorded, while nothing else fires.
func (d *Drain) First() error {
	d.settled = true
	defer func() { d.settled = false }()
	return d.readRings()
}

// BeforeEnd reads what came before END, which is shown before it, once nothing fires any
// more.
func (d *Drain) BeforeEnd() error {
	if err := d.empty(); err != nil {
		return err
	}
	if err := d.giveUpKept(); err != nil {
		return err
	}
	d.byExit = d.exited
	return nil
}

// Abort reads what there is of a run that ends without END.
func (d *Drain) Abort() error { return errors.Join(d.empty(), d.Take()) }

// Last reads all that is left once nothing fires any more, waiting for the
// reader as long as it takes. Drops are counted after the aggregations, which
// may add to them.
func (d *Drain) Last() error {
	if err := d.empty(); err != nil {
		return err
	}
	d.add(d.parts.rest()...)
	if err := d.Take(); err != nil {
		return err
	}
	d.drops.misses.last = true
	if err := d.count(); err != nil {
		return err
	}
	d.tellUnread() // now that all stacks have been named
	d.batch = append(d.batch, d.notices...)
	d.deliver()
	d.samples.turn()
	if len(d.tables) > 0 {
		d.publish(time.Now())
	}
	return nil
}

// Salvage delivers what had been read when the run failed, and the aggregations
// as they were then.
func (d *Drain) Salvage() {
	d.drops.misses.last = true
	d.batch = d.drops.report(d.batch, time.Now())
	d.deliver()
	if len(d.tables) > 0 {
		d.publish(time.Now())
	}
}

// empty reads the record buffers until they hold nothing more.
func (d *Drain) empty() error {
	for !d.abandoned() {
		d.deliver()
		before := d.read
		d.settled = true
		if err := d.readRings(); err != nil {
			return err
		}
		if d.read == before && len(d.batch) == 0 && !d.line.waits() && !d.waiting() {
			return nil
		}
	}
	return nil
}

// abandoned reports whether nobody reads the run any more.
func (d *Drain) abandoned() bool {
	select {
	case <-d.out.abandon:
		return true
	default:
		return false
	}
}

// Close ends what a drain has begun; d may be nil.
func (d *Drain) Close() error {
	if d == nil {
		return nil
	}
	return errors.Join(d.memory.close(), d.names.Close())
}
