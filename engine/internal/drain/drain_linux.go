package drain

import (
	"errors"
	"time"

	"dscope.dev/dlang/lower"
	"dscope.dev/engine/agg"
	"dscope.dev/engine/internal/load"
	"dscope.dev/engine/internal/options"
	"dscope.dev/engine/internal/plan"
	"dscope.dev/engine/kmap"
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
	leastPace  = time.Millisecond
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
	memory   tableMemory
	fronts   *kmap.Table     // what lies before them; nil if nothing does
	samples  *sampler        // nil if no examples are kept
	possible []int           // the CPUs that cells are of, in their order
	opt      options.Options // as setopt() changes them
	next     int             // ring at which the next turn begins
	batch    []trace.Event
	press    *press    // of the batch; nil if each firing is to be an event
	now      time.Time // of the current turn
	took     bool      // whether a record of the current turn has had the aggregations taken
	pace     time.Duration
	slow     time.Duration // the slowest that pace becomes, but for a rest
	mayRest  bool

	exited bool // exit() was called
	byExit bool // it was before END fired, and so ended the run
	exit   int

	events    uint64 // delivered or waiting for the reader
	lastSnap  time.Time
	idle      calm
	haste     haste
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
	Buffers() []*load.Ring          // of records
	SpareDue() bool                 // whether the spare ones can be read
	Flip() (old uint32, err error)  // has the programs fill the other generation of aggregations
	Map(name string) *ebpf.Map      // nil if there is none of that name
	Prog(name string) *ebpf.Program // nil if there is none of that name
	Moment(ns uint64) time.Time     // the time of day of a time that a program has read
	Pythons() []uint32              // processes that run Python
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
	Full() float64                                           // the part of their room that the stacks have which were asked for
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
		Layouts: c.Lowered.Layouts, Places: c.Lowered.ActionsAt, Units: d.names.Units(), Names: d.names, Target: uint32(c.Target),
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
	if c.Options.Prints && !c.Options.Structured() && d.specs == nil && d.kept == nil && d.line == nil {
		d.press = new(press)
	}
	if c.Options.AggPerCPU {
		d.totals.KeepCPUs(g.CPUs)
	}
	d.slow, d.mayRest = statusRate, true
	if c.Lowered.Floods() {
		d.slow, d.mayRest = slowPace, false
		largest := 0
		for _, r := range c.Lowered.IR.Records {
			largest = max(largest, r.Size)
		}
		for i := range d.rings {
			if r := &d.rings[i]; !r.Spare {
				d.slow = min(d.slow, patience(r.Size(), largest))
			}
		}
	}
	d.possible = g.CPUs
	if d.memory, err = newTableMemory(d.src, c, g.CPUs); err != nil {
		return nil, errors.Join(err, d.names.Close())
	}
	d.tables = newAggTables(d.src, c, len(g.CPUs))
	if m := d.src.Map(c.Object.Maps.Fronts); m != nil {
		d.fronts = kmap.New(m, int(m.ValueSize()/8), len(g.CPUs))
	}
	d.drops.init(d.src, c, g.CPUs)
	return d, nil
}

// Exited reports whether exit() was called.
func (d *Drain) Exited() bool { return d.exited }

// Due returns how long to wait before the next turn.
func (d *Drain) Due() time.Duration { return d.pace }
