package engine

import (
	"fmt"

	"dscope.dev/engine/kmap"
	"dscope.dev/engine/trace"
)

// dropKinds is how many kinds of drops the programs count.
const dropKinds = int(trace.DropReader) + 1

// A ledger counts what was lost, by kind and CPU. What the programs counted
// lies in one per-CPU array; what the kernel skipped is told of each program.
type ledger struct {
	k        *loaded
	counters *kmap.Table // one element for each kind; nil if the script can lose nothing
	seen     [dropKinds][]uint64
	missed   []uint64 // of each program
	sum      [dropKinds]uint64
}

func (l *ledger) init(k *loaded, c *Compiled, cpus int) {
	l.k = k
	if m := k.coll.Maps[k.obj.Maps.Drops]; m != nil {
		l.counters = kmap.New(m, 1, cpus)
	}
	for i := range l.seen {
		l.seen[i] = make([]uint64, cpus)
	}
	l.missed = make([]uint64, len(c.Object.Progs))
}

// add counts drops that the engine itself has seen.
func (l *ledger) add(kind trace.DropKind, _ int, n uint64) { l.sum[kind] += n }

// total is all drops of all kinds.
func (l *ledger) total() uint64 {
	var n uint64
	for _, v := range l.sum {
		n += v
	}
	return n
}

// list returns every kind that is not zero.
func (l *ledger) list() []trace.Drop {
	var list []trace.Drop
	for kind, n := range l.sum {
		if n > 0 {
			list = append(list, trace.Drop{Kind: trace.DropKind(kind), CPU: -1, Count: n})
		}
	}
	return list
}

// count reads the counters and emits an event for each that has grown.
func (d *drain) count() error {
	l := &d.drops
	if l.counters != nil {
		for kind := range dropKinds {
			cells, err := l.counters.At(uint32(kind))
			if err != nil {
				return fmt.Errorf("read the counters of drops: %w", err)
			}
			for cpu, n := range cells {
				d.dropped(trace.DropKind(kind), cpu, n-l.seen[kind][cpu])
				l.seen[kind][cpu] = n
			}
		}
	}
	return d.countMissed()
}

// countMissed asks the kernel how often it skipped each program because it was
// running already on the CPU.
func (d *drain) countMissed() error {
	l := &d.drops
	for i := range l.missed {
		prog := l.k.prog(i)
		if prog == nil {
			continue // ERROR, which is part of the others
		}
		stats, err := prog.Stats()
		if err != nil {
			return fmt.Errorf("read the statistics of a program: %w", err)
		}
		d.dropped(trace.DropRecursion, -1, stats.RecursionMisses-l.missed[i])
		l.missed[i] = stats.RecursionMisses
	}
	return nil
}

// dropped reports n drops, if there were any.
func (d *drain) dropped(kind trace.DropKind, cpu int, n uint64) {
	if n == 0 {
		return
	}
	d.drops.sum[kind] += n
	drop := trace.Drop{Kind: kind, CPU: cpu, Count: n}
	d.batch = append(d.batch, trace.Event{Kind: trace.DropEvent, CPU: cpu, Drop: drop})
}
