// Package record turns the bytes that a clause left in a ring buffer into what
// leaves the engine: events with their items, and printf texts.
//
// A Decoder is made once for a run, from the layouts that lowering settled. It
// checks there and then that every datum lies inside its record, and takes
// every format apart, so that decoding a record is a length check, one pass
// over the actions and few allocations: one for the items of hundreds of
// events, one for each text. Ring buffers are shared with the kernel but their
// contents are not trusted: a record that is too short, or of an unknown
// layout or probe, is an error and never a panic.
//
// Some actions of D act in the reader: printa, clear, trunc, normalize,
// denormalize, setopt, exit. The decoder does not carry them out, for it knows no aggregations and
// no session. It returns them as Acts, in order, each with the place among the
// event's items that is kept free for its result, and Printa makes that result
// once the caller has the tables.
//
// Texts follow DTrace's formats exactly; see format.go. Data of traced
// processes is made harmless while it is formatted, because only then can it be
// told from what the script itself says.
package record

import (
	"encoding/binary"
	"errors"
	"fmt"
	"time"

	"dscope.dev/dlang/check"
	"dscope.dev/dlang/ir"
	"dscope.dev/dlang/lower"
	"dscope.dev/dlang/token"
	"dscope.dev/engine/agg"
	"dscope.dev/engine/trace"
	"dscope.dev/engine/trace/spell"
)

// Names turns addresses into names. *symbol.Table satisfies it.
type Names interface {
	Trim(addrs []uint64) []uint64 // drops the tracer's own from the inner end of a kernel stack
	Kernel(addr uint64) trace.Frame
	User(pid uint32, addr uint64) trace.Frame
	// Frames appends the frames of an address of a process: of functions that were
	// inlined there and of the one that has the code. Back is set if it is one to
	// return to.
	Frames(list []trace.Frame, pid uint32, addr uint64, back bool) []trace.Frame
	// Believe returns of the addresses of a stack of a process those that can be its
	// callers.
	Believe(pid uint32, addrs []uint64) []uint64
	// KernelFrames does for an address of the kernel what Frames does.
	KernelFrames(list []trace.Frame, addr uint64, back bool) []trace.Frame
}

// A Config is what a Decoder must know of a run.
type Config struct {
	Program  *check.Program // for the lines of faults; may be nil
	Options  ir.Options
	Records  []ir.Record
	Layouts  []lower.Layout       // one for each of Records
	Units    []lower.Unit         // by ir.Record.Unit
	Places   map[int64]token.Span // where actions stand that may fault: see lower.Result
	Names    Names
	Target   uint32         // the process whose addresses %A names
	Zone     *time.Location // of %Y and %T; nil is the local one
	Terminal bool           // texts go to a terminal: see text.AppendSafe
	Scale    spell.Scale    // of the bars of histograms in texts
	Raw      bool           // keep beside texts what they were made of: for programs that read the run

	PrintSize int // most bytes that print() shows; 0 for all

	// Moment turns the time of a firing, in nanoseconds of the kernel's clock,
	// into the time of day. It is needed only if records carry times.
	Moment func(ns uint64) time.Time
}

// A Record is a decoded record. Its Event may be kept; Acts is valid until the
// next call of Decode.
type Record struct {
	Event trace.Event
	Fired uint64 // nanoseconds of the kernel's clock, if records carry times
	Acts  []Act  // what the reader must do, in order

	// Part is whether the record is a part of an event: all parts of it come from one
	// CPU and have the same Stamp, and the last of them has Last set.
	Part, Last bool
	Stamp      uint64

	// Example is set if the record is one, and no event.
	Example *Example
}

// An Act is an action that the reader carries out.
type Act struct {
	Kind lower.ActionKind // ActPrinta, ActExit, ActClear, ActTrunc, ActNormalize, ActDenormalize or ActSetopt
	Call *check.Call
	Agg  int   // index of the aggregation acted on, or agg.All
	N    int64 // exit: the status; trunc: how many stay; normalize: the factor
	Item int   // of printa: the index in Event.Items that is kept for the result
}

// Apply carries out an act on aggregations: clear, trunc, normalize or
// denormalize. It reports whether it was one of these.
func (a Act) Apply(t *agg.Totals) bool {
	switch a.Kind {
	case lower.ActClear:
		t.Clear(a.Agg)
	case lower.ActTrunc:
		t.Trunc(a.Agg, a.N)
	case lower.ActNormalize:
		t.Normalize(a.Agg, uint64(a.N))
	case lower.ActDenormalize:
		t.Denormalize(a.Agg)
	default:
		return false
	}
	return true
}

// What a Decoder says of records that cannot be what a program wrote.
var (
	ErrShort   = errors.New("record too short")
	ErrUnknown = errors.New("unknown record")
)

// A Decoder decodes the records of one run. It is used by one goroutine at a
// time.
type Decoder struct {
	c     Config
	head  int
	plans []plan
	units []probeTable
	buf   []byte       // the text being made
	acts  []Act        // of the record being decoded
	items []trace.Item // free items of the current slab
	addrs []uint64     // scratch of kernelFrames
	args  recordArgs   // of the printf being formatted
	last  headed       // that Print met
}

// A plan is a layout made ready.
type plan struct {
	size    int
	unit    int
	clause  uint32
	fault   bool
	spec    lower.SpecRole
	weight  int  // what DTrace would count for it: see weigh
	exits   bool // whether it ends the run
	actions []action
	flags   bool // whether some of the actions may not have been reached
	prints  bool // whether all of them are printf()
	stamp   int  // see lower.Layout
	last    bool
	example int // number of the sample, from 1, that it is an example of; 0 if it is none
}

// An action is one action made ready.
type action struct {
	lower.Action
	format *Format  // of printf
	set    *setting // of printf: what its text is made of; nil if only the format knows
	read   *reading // of ActCall
}

// New makes a decoder. It fails if the layouts contradict each other, which
// only a mistake in the compiler can bring about.
func New(c Config) (*Decoder, error) {
	if len(c.Layouts) != len(c.Records) {
		return nil, fmt.Errorf("decode records: %d layouts for %d records", len(c.Layouts), len(c.Records))
	}
	if c.Zone == nil {
		c.Zone = time.Local
	}
	d := &Decoder{c: c, head: c.Options.HeaderSize()}
	if err := d.extend(c.Records, c.Layouts, c.Units); err != nil {
		return nil, err
	}
	return d, nil
}

// Extend makes d decode what programs write that were added to the run: with the
// layouts and units of the whole run, those that it knows first.
func (d *Decoder) Extend(records []ir.Record, layouts []lower.Layout, units []lower.Unit, places map[int64]token.Span) error {
	if len(layouts) != len(records) || len(layouts) < len(d.plans) || len(units) < len(d.units) {
		return fmt.Errorf("decode records: %d layouts for %d records of %d units", len(layouts), len(records), len(units))
	}
	d.c.Places = places
	return d.extend(records[len(d.plans):], layouts[len(d.plans):], units[len(d.units):])
}

func (d *Decoder) extend(records []ir.Record, layouts []lower.Layout, units []lower.Unit) error {
	for _, u := range units {
		d.units = append(d.units, newProbeTable(u.Sites))
	}
	for i, l := range layouts {
		p, err := d.plan(records[i], l)
		if err != nil {
			return fmt.Errorf("decode records: layout %d: %w", len(d.plans), err)
		}
		d.plans = append(d.plans, p)
	}
	return nil
}

func (d *Decoder) plan(r ir.Record, l lower.Layout) (plan, error) {
	p := plan{size: max(r.Size, d.head), unit: r.Unit, fault: r.Clause < 0, spec: l.Spec, weight: weigh(r, l, d.c.Options), exits: exits(l)}
	if l.Clause != nil {
		p.clause = uint32(l.Clause.Index) + 1
	}
	if p.unit < 0 || p.unit >= len(d.units) {
		return p, fmt.Errorf("no unit %d", p.unit)
	}
	if p.example = l.Example; p.example > 0 && !soundExample(l, p.size) {
		return p, errors.New("an example lacks data")
	}
	if p.stamp, p.last = l.Stamp, l.Last; p.stamp < 0 || p.stamp > 0 && p.stamp+8 > p.size {
		return p, fmt.Errorf("a stamp at %d lies outside its %d bytes", p.stamp, p.size)
	}
	for _, a := range l.Actions {
		for _, m := range a.Data {
			if m.Enc == lower.EncProbe {
				continue
			}
			if m.Off < 0 || m.Size < 0 || m.Off+m.Size > p.size {
				return p, fmt.Errorf("%d bytes at %d lie outside its %d bytes", m.Size, m.Off, p.size)
			}
		}
		if a.Flag < 0 || a.Flag >= p.size {
			return p, fmt.Errorf("a flag at %d lies outside its %d bytes", a.Flag, p.size)
		}
		p.flags = p.flags || a.Flag > 0
		b := action{Action: a}
		switch a.Kind {
		case lower.ActPrintf, lower.ActSystem, lower.ActFreopen:
			if a.Call == nil || a.Call.Format == nil {
				return p, errors.New("printf without a format")
			}
			b.format = Compile(a.Call.Format)
			b.set = newSetting(b.format.steps(a.Data))
		case lower.ActCall:
			var err error
			if b.read, err = readingOf(a); err != nil {
				return p, err
			}
		}
		p.actions = append(p.actions, b)
	}
	p.prints = !d.c.Raw && prints(p, l)
	return p, nil
}

// Decode decodes one record that was read from the buffer of cpu at the time
// now. It does not keep rec.
func (d *Decoder) Decode(cpu int, now time.Time, rec []byte) (Record, error) {
	if len(rec) < d.head {
		return Record{}, ErrShort
	}
	index := binary.LittleEndian.Uint32(rec)
	if uint64(index) >= uint64(len(d.plans)) {
		return Record{}, ErrUnknown
	}
	p := &d.plans[index]
	if len(rec) < p.size {
		return Record{}, ErrShort
	}
	probe, ok := d.units[p.unit].find(binary.LittleEndian.Uint32(rec[4:]))
	if !ok {
		return Record{}, ErrUnknown
	}
	out := Record{Event: trace.Event{Time: now, CPU: cpu, Probe: *probe, Clause: p.clause}}
	if d.head >= 16 {
		out.Fired = binary.LittleEndian.Uint64(rec[8:])
		if d.c.Moment != nil {
			out.Event.Time = d.c.Moment(out.Fired)
		}
	}
	if p.stamp > 0 {
		out.Part, out.Last, out.Stamp = true, p.last, binary.LittleEndian.Uint64(rec[p.stamp:])
	}
	if p.example > 0 {
		out.Example = d.example(p, probe, rec)
		return out, nil
	}
	d.acts = d.acts[:0]
	if p.fault {
		d.fault(&out.Event, p, rec)
		return out, nil
	}
	out.Event.Items = d.take(p.reached(rec))
	i := 0
	for k := range p.actions {
		if a := &p.actions[k]; a.Flag == 0 || rec[a.Flag] != 0 {
			d.action(&out.Event.Items[i], i, a, probe, rec)
			i++
		}
	}
	out.Acts = d.acts
	return out, nil
}

// reached returns how many actions of a record were reached.
func (p *plan) reached(rec []byte) int {
	n := len(p.actions)
	if !p.flags {
		return n
	}
	for i := range p.actions {
		if at := p.actions[i].Flag; at > 0 && rec[at] == 0 {
			n--
		}
	}
	return n
}

// take returns n free items. They come from slabs, so that an event costs no
// allocation of its own.
func (d *Decoder) take(n int) []trace.Item {
	if n == 0 {
		return nil
	}
	if n > len(d.items) {
		d.items = make([]trace.Item, max(n, 256))
	}
	items := d.items[:n:n]
	d.items = d.items[n:]
	return items
}

// action fills it, which is item i, with what an action recorded.
func (d *Decoder) action(it *trace.Item, i int, a *action, probe *trace.Probe, rec []byte) {
	switch a.Kind {
	case lower.ActTrace:
		it.Kind, it.Value = trace.ValueItem, d.datum(a.Data, 0, probe, rec)
	case lower.ActTracemem:
		it.Kind, it.Value = trace.BytesItem, d.datum(a.Data, 0, probe, rec)
		if len(a.Data) > 1 {
			it.Value.Str = it.Value.Str[:shown(d.datum(a.Data, 1, probe, rec), len(it.Value.Str))]
		}
	case lower.ActPrintf:
		it.Kind, it.Text = trace.PrintfItem, d.format(a, probe, rec)
		if d.c.Raw {
			args := make([]trace.Value, len(a.Data))
			for k := range args {
				args[k] = d.datum(a.Data, k, probe, rec)
			}
			it.Rare = &trace.Rare{Args: args}
		}
	case lower.ActStack, lower.ActUstack:
		it.Kind, it.Value = trace.StackItem, d.datum(a.Data, 0, probe, rec)
	case lower.ActSym:
		it.Kind, it.Value = trace.SymItem, d.symbol(a, probe, rec)
		if d.c.Raw && a.Call != nil && a.Call.Fn != nil {
			it.Text = a.Call.Fn.Name
		}
	case lower.ActSystem:
		it.Kind, it.Text = trace.SystemItem, d.format(a, probe, rec)
	case lower.ActFreopen:
		it.Kind, it.Text = trace.FreopenItem, d.format(a, probe, rec)
	case lower.ActCall:
		a.read.make(d, it, a, probe, rec)
	case lower.ActNone:
		it.Kind = trace.EmptyItem
	case lower.ActSetopt:
		it.Kind, it.Text = trace.SetoptItem, d.setopt(a, probe, rec)
		d.act(a, i, 0)
	default:
		it.Kind = trace.EmptyItem
		var n int64
		if len(a.Data) > 0 {
			n = d.datum(a.Data, 0, probe, rec).Int
		}
		d.act(a, i, n)
	}
}

// format puts the values of an action to its format.
func (d *Decoder) format(a *action, probe *trace.Probe, rec []byte) string {
	d.args = recordArgs{data: a.Data, probe: probe, rec: rec}
	d.buf = a.format.append(d.buf[:0], d, &d.args, nil)
	return string(d.buf)
}

// act notes what the reader must do.
func (d *Decoder) act(a *action, item int, n int64) {
	act := Act{Kind: a.Kind, Call: a.Call, Agg: agg.All, N: n, Item: item}
	if a.Call != nil && a.Call.Agg != nil {
		act.Agg = a.Call.Agg.Index
	}
	d.acts = append(d.acts, act)
}

// Printa makes the item that printa leaves, from the aggregations that
// agg.Totals.Printa returned for it.
func (d *Decoder) Printa(call *check.Call, tables []trace.Table) trace.Item {
	var names []string
	for i := range tables {
		if len(tables[i].Rows) > 0 {
			names = append(names, tables[i].Name)
		}
	}
	if call.Format == nil {
		return trace.Item{Kind: trace.TablesItem, Rare: &trace.Rare{Tables: tables, Names: names}}
	}
	it := trace.Item{Kind: trace.PrintaItem, Text: d.formatRows(Compile(call.Format), tables), Rare: &trace.Rare{Names: names}}
	if d.c.Raw {
		it.Rare.Tables = tables
	}
	return it
}

// formatRows formats one row after another.
func (d *Decoder) formatRows(f *Format, tables []trace.Table) string {
	if len(tables) == 0 {
		return ""
	}
	d.buf = d.buf[:0]
	for i := range tables[0].Rows {
		r := rowArgs{keys: tables[0].Rows[i].Keys}
		d.buf = f.append(d.buf, d, &r, &aggArgs{tables: tables, row: i})
	}
	return string(d.buf)
}
