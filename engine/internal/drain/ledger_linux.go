package drain

import (
	"cmp"
	"encoding/binary"
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/cilium/ebpf"

	"dscope.dev/engine/codegen"
	"dscope.dev/engine/internal/options"
	"dscope.dev/engine/internal/plan"
	"dscope.dev/engine/kmap"
	"dscope.dev/engine/trace"
)

// A ledger counts what was lost, by kind and CPU. What the programs counted
// lies in one per-CPU array; what the kernel skipped is told of each program;
// what the totals had no room for is added by the drain. Every drop enters the
// sums once, when it is seen, and one event, when the reader has room for it.
type ledger struct {
	cpus     []int       // their numbers, in the order in which maps hold their values
	counters *kmap.Table // one element for each kind, then others; nil if the script can lose nothing
	cells    [][]uint64  // what each element held when it was read last, by CPU
	seen     [trace.DropKinds][]uint64
	programs []watched
	misses   misses
	sum      [trace.DropKinds]uint64
	owned    []owned           // counters that an aggregation or a variable has to itself
	skipped  map[string]uint64 // firings that were skipped, by probes
	outside  map[string]uint64 // firings that the memory of the run had no room for, by aggregation
	options  *options.Options
	unsaid   map[loss]uint64 // counted, but in no event yet
	names    []string        // of the units
	ousted   []uint64        // how often programs of the first of them have left because another was under way
}

// A watched program is asked how often the kernel has skipped it.
type watched struct {
	prog   *ebpf.Program
	probes string
	missed uint64
}

// A loss is what drops are told apart by.
type loss struct {
	kind trace.DropKind
	cpu  int // -1 if it is not known
}

func (l *ledger) init(src Source, c *plan.Plan, cpus []int) {
	l.cpus, l.unsaid = cpus, map[loss]uint64{}
	l.skipped, l.outside, l.options = map[string]uint64{}, map[string]uint64{}, &c.Options
	if m := src.Map(c.Object.Maps.Drops); m != nil {
		l.counters = kmap.New(m, 1, len(cpus))
		l.cells = make([][]uint64, m.MaxEntries())
	}
	for i := range l.seen {
		l.seen[i] = make([]uint64, len(cpus))
	}
	if l.counters != nil {
		l.owned = ownedBy(c.Lowered.IR, len(cpus))
	}
	if l.counters != nil && c.Object.Maps.Busy != "" {
		l.ousted = make([]uint64, min(len(c.Object.Units), codegen.OustedUnits))
	}
	for _, u := range c.Object.Units {
		l.names = append(l.names, probesOf(u))
	}
	for _, e := range c.Object.Entries {
		var served []*codegen.Unit
		for _, i := range e.Units {
			served = append(served, c.Object.Units[i])
		}
		l.watch(src.Prog(e.Prog), probesOf(served...))
	}
}

// watch counts what the kernel skips of a program.
func (l *ledger) watch(prog *ebpf.Program, probes string) {
	l.programs = append(l.programs, watched{prog: prog, probes: probes})
}

// add counts n drops.
func (l *ledger) add(kind trace.DropKind, cpu int, n uint64) {
	if n > 0 {
		l.sum[kind] += n
		l.unsaid[loss{kind, cpu}] += n
	}
}

// total is all drops of all kinds.
func (l *ledger) total() uint64 {
	var n uint64
	for _, v := range l.sum {
		n += v
	}
	return n
}

// count reads the counters and reports what has grown. While the reader has no
// room, it is kept back, so that a stalled one does not fill our memory.
func (d *Drain) count() error {
	if err := d.drops.read(); err != nil {
		return err
	}
	if d.room() {
		d.batch = d.drops.report(d.batch, time.Now())
	}
	return nil
}

// read reads the counters, all at once: each call into the kernel is paid by a run that
// loses nothing.
func (l *ledger) read() error {
	if l.counters != nil {
		err := l.counters.Peek(func(key []byte, cells []uint64) {
			i := binary.NativeEndian.Uint32(key)
			l.cells[i] = append(l.cells[i][:0], cells...)
		})
		if err != nil {
			return fmt.Errorf("read the counters of drops: %w", err)
		}
		l.readKinds()
		l.readOwned()
		l.readOusted()
	}
	return l.readMissed()
}

// readKinds adds what has come to the counter of each kind.
func (l *ledger) readKinds() {
	for kind := range trace.DropKinds {
		for i, n := range l.cells[kind] {
			l.add(trace.DropKind(kind), l.cpuOf(trace.DropKind(kind), i), n-l.seen[kind][i])
			l.seen[kind][i] = n
		}
	}
}

// readOusted adds how often programs have left because another was under way on the CPU.
func (l *ledger) readOusted() {
	for i, before := range l.ousted {
		var n uint64
		for _, cell := range l.cells[trace.DropKinds+i] {
			n += cell
		}
		l.miss(n-before, l.names[i])
		l.ousted[i] = n
	}
}

// miss counts n firings of probes that were skipped.
func (l *ledger) miss(n uint64, probes string) {
	l.add(trace.DropRecursion, -1, n)
	l.misses.add(n, probes)
	if n > 0 {
		l.skipped[probes] += n
	}
}

// cpuOf returns the CPU to which a drop is put down, the i-th of a map, or -1: as
// in DTrace only what has a buffer on each CPU has one.
func (l *ledger) cpuOf(kind trace.DropKind, i int) int {
	if kind == trace.DropPrincipal || kind == trace.DropAggregation {
		return l.cpus[i]
	}
	return -1
}

// readMissed asks the kernel how often it skipped each program because it was
// running already on the CPU.
func (l *ledger) readMissed() error {
	for i := range l.programs {
		w := &l.programs[i]
		stats, err := w.prog.Stats()
		if err != nil {
			return fmt.Errorf("read the statistics of a program: %w", err)
		}
		l.miss(stats.RecursionMisses-w.missed, w.probes)
		w.missed = stats.RecursionMisses
	}
	return nil
}

// report appends an event for each loss that is in none yet. Of firings that were skipped
// it tells when that is due.
func (l *ledger) report(batch []trace.Event, now time.Time) []trace.Event {
	order := func(x, y loss) int { return cmp.Or(cmp.Compare(x.kind, y.kind), cmp.Compare(x.cpu, y.cpu)) }
	for _, w := range slices.SortedFunc(maps.Keys(l.unsaid), order) {
		drop := trace.Drop{Kind: w.kind, CPU: w.cpu, Count: l.unsaid[w]}
		if w.kind == trace.DropRecursion {
			if !l.misses.due(now) {
				continue
			}
			drop.Where = l.misses.say()
		}
		batch = append(batch, trace.Event{Kind: trace.DropEvent, CPU: w.cpu, Drop: drop})
		delete(l.unsaid, w)
	}
	return batch
}
