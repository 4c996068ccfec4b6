package drain

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"time"

	"dscope.dev/dlang/lower"
	"dscope.dev/engine/agg"
	"dscope.dev/engine/clock"
	"dscope.dev/engine/internal/load"
	"dscope.dev/engine/internal/options"
	"dscope.dev/engine/internal/plan"
	"dscope.dev/engine/record"
	"dscope.dev/engine/trace"
	"github.com/cilium/ebpf"
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

// A Drain reads what the programs of a run leave behind. All of it runs in one
// goroutine, its owner's.
type Drain struct {
	c        *plan.Plan
	src      Source
	out      Outlets
	began    time.Time // of the run
	fill     func(*trace.Status)
	dec      *record.Decoder
	names    Names
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

// A Config is what a drain is made of.
type Config struct {
	Plan   *plan.Plan
	Source Source
	Names  Names
	Out    Outlets
	CPUs   []int               // all that the machine may have
	Began  time.Time           // of the run
	Fill   func(*trace.Status) // adds what the owner knows of the run
}

// A Source is what a script has left in the kernel for the drain to read.
type Source interface {
	Buffers() []*load.Ring         // of records
	SpareDue() bool                // whether the spare ones can be read
	Flip() (old uint32, err error) // has the programs fill the other generation of aggregations
	AggMap(i, gen int) *ebpf.Map
	Map(name string) *ebpf.Map // nil if there is none of that name
	Prog(unit int) *ebpf.Program
	Moment(ns uint64) time.Time // the time of day of a time that a program has read
	Pythons() []uint32          // processes that run Python
}

// Names turn the numbers in records and keys into what they stand for.
type Names interface {
	record.Names
	agg.Names
	Units() []lower.Unit                                     // that keys name
	Extend(units []*plan.Unit)                               // learns of more
	Hear()                                                   // takes in what processes have mapped
	Ahead(pythons []uint32) (again time.Duration, err error) // names what may soon have gone
	Taking(agg int, gen uint32)                              // says which aggregation is being read
	Forget() error                                           // lets go of the stacks that were asked for
	Sweep() error                                            // of all stacks
	Unread() []string                                        // what could not be read of interpreters
	Close() error
}

// New returns a drain. If it fails it closes the names, which are its own from here on.
func New(g Config) (*Drain, error) {
	c := g.Plan
	d := &Drain{c: c, src: g.Source, out: g.Out, began: g.Began, fill: g.Fill, opt: c.Options.Clone(), pace: fastPace,
		totals: agg.NewTotals(c.Lowered.Keys, mostHeld), names: g.Names}
	places, place := Origins(c.Program, c.Lowered.Samples)
	d.totals.Tell(places)
	d.samples = newSampler(c, place, d.src.Moment)
	var err error
	d.dec, err = record.New(record.Config{
		Program: c.Program, Options: c.Lowered.IR.Options, Records: c.Lowered.IR.Records,
		Layouts: c.Lowered.Layouts, Places: c.Lowered.Places, Units: d.names.Units(), Names: d.names, Target: uint32(c.Target),
		Terminal: c.Terminal && !c.Options.Structured(), Raw: c.Options.Structured(), Scale: c.Options.Scale(), Moment: d.src.Moment, PrintSize: c.Options.PrintSize,
	})
	if err != nil {
		return nil, errors.Join(err, d.names.Close())
	}
	for _, r := range d.src.Buffers() {
		d.rings = append(d.rings, ring{Ring: r})
	}
	d.specs, d.kept = newSpeculations(c.Lowered), newKeeper(&c.Options)
	if c.Options.Temporal {
		d.line = &timeline{}
	}
	if c.Options.AggPerCPU {
		d.totals.KeepCPUs(g.CPUs)
	}
	if d.slow = slowPace; len(c.Lowered.IR.Records) == 0 { // no buffer fills while nobody looks
		d.slow = statusRate
	}
	d.possible = g.CPUs
	d.tables = newAggTables(d.src, c.Lowered.IR, len(g.CPUs))
	d.drops.init(d.src, c, g.CPUs)
	return d, nil
}

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
		d.Status(trace.Running, nil)
	}
	pace := d.pace * 3 / 2
	if d.read != before {
		pace = fastPace
	}
	d.pace = min(pace, d.slow, d.opt.SwitchRate, d.opt.AggRate)
	if again > 0 {
		d.pace = min(d.pace, again)
	}
	return nil
}

// rings reads the record buffers until they are empty, or the reader of the
// run has no room for more: then records wait in the kernel.
func (d *Drain) readRings() error {
	d.now, d.took = time.Now(), false
	horizon := d.horizon()
	rings := d.rings
	for i := range rings {
		at := (d.next + i) % len(rings)
		if rings[at].Spare && !d.src.SpareDue() {
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

// Discard throws away what the record buffers hold now: not what comes meanwhile, or this
// might never end.
func (d *Drain) Discard() (err error) {
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
func (d *Drain) room() bool {
	return len(d.batch) < batchSize || d.flush()
}

// flush hands the batch on if the reader has room, and reports whether it did.
func (d *Drain) flush() bool {
	if len(d.batch) == 0 {
		return true
	}
	select {
	case d.out.Events <- d.batch:
		d.batch = make([]trace.Event, 0, batchSize)
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
	d.batch = make([]trace.Event, 0, batchSize)
}

// horizon is the time before which all that fired can be read now.
func (d *Drain) horizon() uint64 {
	if d.line == nil || d.settled {
		return math.MaxUint64
	}
	return clock.Monotonic() - uint64(slack)
}

// Take empties one generation of aggregations into the totals.
func (d *Drain) Take() error {
	if len(d.tables) == 0 {
		return nil
	}
	d.takes++
	for i := range d.rings {
		r := &d.rings[i]
		r.taken = r.Waiting()
	}
	gen, err := d.src.Flip()
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
		return d.names.Sweep()
	}
	return d.names.Forget()
}

// snapshot takes the aggregations and publishes them.
func (d *Drain) snapshot(now time.Time) error {
	d.lastSnap = now
	if len(d.tables) == 0 {
		return nil
	}
	if err := d.Take(); err != nil {
		return err
	}
	d.publish(now)
	return nil
}

// publish replaces the snapshot that is waiting, if any. Only the drain sends,
// so the second send cannot block.
func (d *Drain) publish(now time.Time) {
	d.seq++
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

// Exited reports whether exit() was called.
func (d *Drain) Exited() bool { return d.exited }

// Due returns how long to wait before the next turn.
func (d *Drain) Due() time.Duration { return d.pace }

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

// Close ends what a drain has begun; d may be nil.
func (d *Drain) Close() error {
	if d == nil {
		return nil
	}
	return d.names.Close()
}
