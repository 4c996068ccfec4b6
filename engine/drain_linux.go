package engine

import (
	"cmp"
	"fmt"
	"math"
	"time"

	"dscope.dev/engine/agg"
	"dscope.dev/engine/clock"
	"dscope.dev/engine/internal/options"
	"dscope.dev/engine/record"
	"dscope.dev/engine/trace"
)

// The pace of the drain: it starts at fast and slows down by half as much again
// with every turn that finds nothing, so that a quiet run costs next to
// nothing and a loud one is read before its buffers fill.
const (
	fastPace   = 5 * time.Millisecond
	slowPace   = 100 * time.Millisecond
	statusRate = 250 * time.Millisecond
)

// batchSize is how many events travel together.
const batchSize = 1024

// most records that one turn takes from one CPU, so that a flood on one does
// not keep the drain from the others.
const turnRecords = 1 << 15

// turnTime is how long one turn stays with one CPU for the same reason, and so that the end of
// the run is noticed, looked at each time that so many records have been read.
const (
	turnTime = 100 * time.Millisecond
	lookAt   = 1 << 8
)

// mostHeld bounds the memory of the totals of a run, in bytes: some two million
// keys that are numbers, or a hundred thousand stacks.
const mostHeld = 512 << 20

// A drain reads what the programs of a session leave behind. All of it runs in
// the session's goroutine.
type drain struct {
	s        *Session
	dec      *record.Decoder
	names    *names
	early    *early
	rings    []ring
	parts    parts
	totals   *agg.Totals
	tables   []aggTable
	samples  *sampler        // nil if no examples are kept
	possible []int           // the CPUs that cells are of, in their order
	opt      options.Options // as setopt() changes them
	next     int             // ring at which the next turn begins
	rec      []byte          // room for a record
	batch    []trace.Event
	now      time.Time // of the current turn
	took     bool      // whether a record of the current turn has had the aggregations taken
	pace     time.Duration
	slow     time.Duration // the slowest that pace becomes
	err      error

	exited bool // exit() was called
	byExit bool // it was before END fired, and so ended the run
	exit   int

	events    uint64 // delivered or waiting for the reader
	lastSnap  time.Time
	lastState time.Time
	counted   uint64 // events at lastState
	seq       uint64
	rate      float64
	drops     ledger
	swept     [2]uint64     // drops when all stacks of a generation were emptied last
	specs     *speculations // nil if the script does not speculate
	kept      *keeper       // of a run that prints at its end; nil if it prints at once
	line      *timeline     // records that wait to be put in order; nil if they need not be
	current   *timed        // the one of line that is being dealt with
	takes     uint64        // how often the aggregations have been taken
	read      uint64        // records read from the buffers
	notices   []trace.Event // that no batch had room for yet
	settled   bool          // whether nothing fires any more, or not yet
}

func newDrain(s *Session, e *Engine) (*drain, error) {
	c := s.c
	d := &drain{s: s, opt: c.Options.Clone(), pace: fastPace,
		totals: agg.NewTotals(c.Lowered.Keys, mostHeld), names: newNames(e, s.kernel, c)}
	places, place := origins(c.Program, c.Lowered.Samples)
	d.totals.Tell(places)
	d.samples = newSampler(c, place, s.kernel.Moment)
	d.early = d.names.newEarly()
	var err error
	d.dec, err = record.New(record.Config{
		Program: c.Program, Options: c.Lowered.IR.Options, Records: c.Lowered.IR.Records,
		Layouts: c.Lowered.Layouts, Places: c.Lowered.Places, Units: d.names.units, Names: d.names, Target: uint32(c.Target),
		Terminal: c.Terminal && !c.Options.Structured(), Raw: c.Options.Structured(), Scale: c.Options.Scale(), Moment: s.kernel.Moment, PrintSize: c.Options.PrintSize,
	})
	if err != nil {
		return d, err
	}
	for _, r := range s.kernel.Rings {
		d.rings = append(d.rings, ring{Ring: r})
	}
	d.specs, d.kept = newSpeculations(c.Lowered), newKeeper(&c.Options)
	if c.Options.Temporal {
		d.line = &timeline{}
	}
	if c.Options.AggPerCPU {
		d.totals.KeepCPUs(e.machine.Facts.Possible)
	}
	if d.slow = slowPace; len(c.Lowered.IR.Records) == 0 { // no buffer fills while nobody looks
		d.slow = statusRate
	}
	d.possible = e.machine.Facts.Possible
	d.tables = newAggTables(s.kernel, c.Lowered.IR, len(e.machine.Facts.Possible))
	d.drops.init(s.kernel, c, e.machine.Facts.Possible)
	return d, nil
}

// turn is one round of the drain: records, and when they are due, aggregations,
// drops and status.
func (d *drain) turn() error {
	before := d.read
	d.names.Watch.Drain() // first: what records tell of was mapped before
	if err := d.readRings(); err != nil {
		return err
	}
	d.clean()
	d.tell()
	d.names.lookAhead()
	scripts, err := d.early.look(d.names, d.s.kernel.Pythons())
	if err != nil {
		return err
	}
	now := time.Now()
	stateDue := cmp.Or(d.opt.StatusRate, statusRate)
	if now.Sub(d.lastSnap) >= d.opt.AggRate {
		if err := d.snapshot(now); err != nil {
			return err
		}
		if d.opt.StatusRate == 0 { // one waking of who looks is cheaper than two
			stateDue /= 2
		}
	}
	if now.Sub(d.lastState) >= stateDue {
		if err := d.count(); err != nil {
			return err
		}
		d.status(trace.Running)
	}
	pace := d.pace * 3 / 2
	if d.read != before {
		pace = fastPace
	}
	d.pace = min(pace, d.slow, d.opt.SwitchRate, d.opt.AggRate)
	if scripts {
		d.pace = min(d.pace, earlyEvery)
	}
	return nil
}

// rings reads the record buffers until they are empty, or the reader of the
// run has no room for more: then records wait in the kernel.
func (d *drain) readRings() error {
	d.now, d.took = time.Now(), false
	horizon := d.horizon()
	rings := d.rings
	for i := range rings {
		at := (d.next + i) % len(rings)
		if rings[at].Spare && !d.s.kernel.SpareDue() {
			rings[at].emptied = d.now // nobody waits for what is in there
			continue
		}
		from := time.Now()
		for n := range turnRecords {
			if n%lookAt == lookAt-1 && time.Since(from) > turnTime {
				break
			}
			wait, err := d.waits(&rings[at])
			if err != nil {
				return err
			}
			if wait || d.took && rings[at].taken <= 0 {
				break // or a record that needs the aggregations once more could always come
			}
			if !d.room() || d.line.full() {
				d.next = at + 1 // the others first, or a flood here would starve them
				return d.release(horizon)
			}
			var more bool
			d.rec, more, err = rings[at].next(d.rec)
			if err != nil {
				return fmt.Errorf("read the records of CPU %d: %w", rings[at].CPU, err)
			}
			if !more {
				rings[at].emptied = d.now
				break
			}
			d.read++
			if d.line != nil {
				d.enqueue(&rings[at], d.rec)
			} else if err := d.record(&rings[at], d.rec); err != nil {
				return err
			}
		}
	}
	if err := d.release(horizon); err != nil {
		return err
	}
	d.flush()
	return nil
}

// discard throws away what the record buffers hold now: not what comes meanwhile, or this
// might never end.
func (d *drain) discard() (err error) {
	for i := range d.rings {
		r := &d.rings[i]
		r.taken = r.Waiting()
		for more := true; more && r.taken > 0; {
			if d.rec, more, err = r.next(d.rec); err != nil {
				return err
			}
		}
	}
	return nil
}

// room reports whether one more event can be kept, handing on a full batch if
// need be.
func (d *drain) room() bool {
	return len(d.batch) < batchSize || d.flush()
}

// flush hands the batch on if the reader has room, and reports whether it did.
func (d *drain) flush() bool {
	if len(d.batch) == 0 {
		return true
	}
	select {
	case d.s.out.events <- d.batch:
		d.batch = make([]trace.Event, 0, batchSize)
		return true
	default:
		return false
	}
}

// deliver hands the batch on and waits for the reader, unless the run has been
// abandoned.
func (d *drain) deliver() {
	if len(d.batch) == 0 {
		return
	}
	select {
	case d.s.out.events <- d.batch:
	case <-d.s.abandon:
	}
	d.batch = make([]trace.Event, 0, batchSize)
}

// horizon is the time before which all that fired can be read now.
func (d *drain) horizon() uint64 {
	if d.line == nil || d.settled {
		return math.MaxUint64
	}
	return clock.Monotonic() - uint64(slack)
}

// take empties one generation of aggregations into the totals.
func (d *drain) take() error {
	if len(d.tables) == 0 {
		return nil
	}
	d.takes++
	for i := range d.rings {
		r := &d.rings[i]
		r.taken = r.Waiting()
	}
	gen, err := d.s.kernel.Flip()
	if err != nil {
		return fmt.Errorf("switch the aggregations: %w", err)
	}
	d.samples.turn()
	for i := range d.tables {
		if err := d.takeTable(&d.tables[i], gen); err != nil {
			return err
		}
	}
	// What was dropped may have left a stack behind that no key names.
	if lost := d.drops.total(); lost != d.swept[gen] {
		d.swept[gen] = lost
		return d.names.sweep()
	}
	return d.names.forget()
}

// snapshot takes the aggregations and publishes them.
func (d *drain) snapshot(now time.Time) error {
	d.lastSnap = now
	if len(d.tables) == 0 {
		return nil
	}
	if err := d.take(); err != nil {
		return err
	}
	d.publish(now)
	return nil
}

// publish replaces the snapshot that is waiting, if any. Only the drain sends,
// so the second send cannot block.
func (d *drain) publish(now time.Time) {
	d.seq++
	snap := trace.Snapshot{Seq: d.seq, Time: now, Elapsed: now.Sub(d.s.started), Drops: d.drops.total(),
		Aggs: d.totals.Tables(d.order())}
	var unseen []trace.Example
	select {
	case old := <-d.s.out.snaps:
		unseen = old.Examples
	default:
	}
	snap.Examples = d.samples.hand(unseen)
	d.s.out.snaps <- snap
}

func (d *drain) order() agg.Order {
	o := d.opt.AggSort
	return agg.Order{Key: o.Key, Rev: o.Rev, Pos: o.Pos, KeyPos: o.KeyPos}
}

// last reads all that is left once nothing fires any more, waiting for the
// reader as long as it takes. Drops are counted after the aggregations, which
// may add to them.
func (d *drain) last() error {
	if err := d.empty(); err != nil {
		return err
	}
	d.add(d.parts.rest()...)
	if err := d.take(); err != nil {
		return err
	}
	d.drops.misses.last = true
	if err := d.count(); err != nil {
		return err
	}
	d.s.tellUnread() // now that all stacks have been named
	d.batch = append(d.batch, d.notices...)
	d.deliver()
	d.samples.turn()
	if len(d.tables) > 0 {
		d.publish(time.Now())
	}
	return nil
}

// salvage delivers what had been read when the run failed, and the aggregations
// as they were then.
func (d *drain) salvage() {
	d.drops.misses.last = true
	d.batch = d.drops.report(d.batch, time.Now())
	d.deliver()
	if len(d.tables) > 0 {
		d.publish(time.Now())
	}
}

// empty reads the record buffers until they hold nothing more.
func (d *drain) empty() error {
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
func (d *drain) abandoned() bool {
	select {
	case <-d.s.abandon:
		return true
	default:
		return false
	}
}

// status publishes the state of the run, replacing one that is waiting.
func (d *drain) status(state trace.State) {
	now := time.Now()
	if dt := now.Sub(d.lastState); !d.lastState.IsZero() && dt > 0 {
		d.rate = float64(d.events-d.counted) / dt.Seconds()
	}
	d.lastState, d.counted = now, d.events
	st := trace.Status{State: state, Elapsed: now.Sub(d.s.started), Events: d.events, Rate: d.rate,
		Probes: d.s.c.Probes, Drops: d.drops.list(), Exit: d.exit, Exited: d.byExit, Hooks: d.s.Hooks(), Missing: d.s.missing, Cost: d.s.meter.Cost(), Before: d.s.c.Estimate}
	if state == trace.Failed {
		st.Err = d.err
	}
	select {
	case <-d.s.out.status:
	default:
	}
	d.s.out.status <- st
}

// tell hands on what the engine has to tell, as far as there is room.
func (d *drain) tell() {
	for len(d.notices) > 0 && d.room() {
		d.batch = append(d.batch, d.notices[0])
		d.notices = d.notices[1:]
	}
}

// silence ends what a drain that never ran has begun.
func (d *drain) silence() error {
	if d == nil {
		return nil
	}
	return d.names.Close()
}
