package drain

import (
	"fmt"
	"time"

	"dscope.dev/engine/agg"
	"dscope.dev/engine/trace"
)

// Take empties one generation of aggregations into the totals.
func (d *Drain) Take() error {
	if len(d.tables) == 0 {
		return nil
	}
	d.takes++
	for i := range d.rings {
		d.rings[i].Mark()
	}
	hurried := d.haste.hurries(time.Now())
	gen, err := d.src.Flip()
	if err != nil {
		return fmt.Errorf("switch the aggregations: %w", err)
	}
	d.names.Hear() // what keys tell of was mapped before
	d.samples.turn()
	d.idle.filling = 1 - gen
	d.idle.empty++
	if err := d.takeFronts(gen); err != nil {
		return err
	}
	for i := range d.tables {
		if err := d.takeTable(&d.tables[i], gen, hurried); err != nil {
			return err
		}
	}
	d.haste.fills(d.names.Full())
	d.haste.taken(time.Now(), d.opt.AggRate)
	// What was dropped may have left a stack behind that no key names.
	if lost := d.drops.total(); lost != d.swept[gen] {
		d.swept[gen] = lost
		return d.names.Sweep()
	}
	return d.names.Forget()
}

// hurry takes the aggregations if their tables may be full before the next snapshot.
func (d *Drain) hurry(now time.Time) error {
	if len(d.tables) == 0 || !d.haste.due(now) {
		return nil
	}
	if d.calm() {
		if empty, err := d.untouched(); empty || err != nil {
			return err
		}
	}
	return d.Take()
}

// snapshot takes the aggregations and publishes them.
func (d *Drain) snapshot(now time.Time) error {
	d.lastSnap = now
	if len(d.tables) == 0 {
		return nil
	}
	if d.calm() {
		empty, err := d.untouched()
		if err != nil {
			return err
		}
		if empty {
			d.idle.looked = now
			if now.Sub(d.idle.told) >= calmRate {
				d.show(now)
			}
			return nil
		}
		if d.idle.looked.After(d.idle.told) {
			d.show(d.idle.looked) // what comes now has come since
		}
	}
	if err := d.Take(); err != nil {
		return err
	}
	d.show(now)
	return nil
}

// show publishes a snapshot that is not the last, if anybody looks: to put the rows of all
// aggregations in order takes more than to read them.
func (d *Drain) show(now time.Time) {
	if d.opt.LastOnly && d.samples == nil {
		d.idle.told = now
		return
	}
	d.publish(now)
}

// publish replaces the snapshot that is waiting, if any. Only the drain sends,
// so the second send cannot block.
func (d *Drain) publish(now time.Time) {
	d.seq++
	d.idle.told = now
	snap := trace.Snapshot{Seq: d.seq, Time: now, Elapsed: now.Sub(d.began), Drops: d.drops.total(),
		Aggs: d.totals.Tables(d.order())}
	var unseen []trace.Example
	select {
	case old := <-d.out.Snapshots:
		unseen = old.Examples
	default:
	}
	snap.Examples = d.samples.hand(unseen)
	d.out.Snapshots <- snap
}

func (d *Drain) order() agg.Order {
	o := d.opt.AggSort
	return agg.Order{Key: o.Key, Rev: o.Rev, Pos: o.Pos, KeyPos: o.KeyPos}
}

// Status publishes the state of the run, replacing one that is waiting.
func (d *Drain) Status(state trace.State, err error) {
	now := time.Now()
	if dt := now.Sub(d.lastState); !d.lastState.IsZero() && dt > 0 {
		d.rate = float64(d.events-d.counted) / dt.Seconds()
	}
	d.lastState, d.counted = now, d.events
	st := trace.Status{State: state, Err: err, Elapsed: now.Sub(d.began), Events: d.events, Rate: d.rate,
		Probes: d.c.Probes, Drops: d.drops.list(), Exit: d.exit, Exited: d.byExit, Before: d.c.Estimate}
	d.fill(&st)
	select {
	case <-d.out.Status:
	default:
	}
	d.out.Status <- st
}

// tell hands on what the engine has to tell, as far as there is room.
func (d *Drain) tell() {
	for len(d.notices) > 0 && d.room() {
		d.batch = append(d.batch, d.notices[0])
		d.notices = d.notices[1:]
	}
}
