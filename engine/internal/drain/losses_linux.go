package drain

import (
	"cmp"
	"maps"
	"slices"

	"dscope.dev/dlang/ir"
	"dscope.dev/engine/codegen"
	"dscope.dev/engine/trace"
)

// What is told of drops as they happen names kinds alone, as DTrace does. The state of a
// run says more: which aggregation, which array, whose buffer, which probes, and what would
// leave more room.

// An owned counter is that of one aggregation or associative array.
type owned struct {
	kind    trace.DropKind
	name    string // @a, x[]
	counter uint32
	seen    []uint64 // by CPU
	sum     uint64
}

// ownedBy returns the counters of what of p may run out of room.
func ownedBy(p *ir.Program, cpus int) (list []owned) {
	add := func(kind trace.DropKind, i int, name string) {
		list = append(list, owned{kind: kind, name: name, counter: uint32(codegen.NamedCounter(p, kind, i)), seen: make([]uint64, cpus)})
	}
	for i, a := range p.Aggs {
		if a.Key > 0 { // others have one cell, which is always there
			add(trace.DropAggregation, i, "@"+a.Name)
		}
	}
	for i, v := range p.Vars {
		if v.Kind == ir.AssocVar {
			add(trace.DropDynamic, i, v.Name+"[]")
		}
	}
	return list
}

// readOwned adds what has come to these counters.
func (l *ledger) readOwned() {
	for i := range l.owned {
		o := &l.owned[i]
		for i, n := range l.cells[o.counter] {
			l.add(o.kind, l.cpuOf(o.kind, i), n-o.seen[i])
			o.sum += n - o.seen[i]
			o.seen[i] = n
		}
	}
}

// crowded adds n firings of an aggregation whose key the memory of the run had no room for,
// however large its tables are.
func (l *ledger) crowded(agg string, n uint64) {
	l.add(trace.DropAggregation, -1, n)
	if n > 0 {
		l.outside["@"+agg] += n
	}
}

// mostSkipped is how many units are named whose firings were skipped.
const mostSkipped = 8

// list returns all that was lost, by kind and as far as it is known by what it concerns.
// The sum over a kind is all of it.
func (l *ledger) list() (list []trace.Drop) {
	rest := l.sum
	add := func(kind trace.DropKind, cpu int, n uint64, where, cure string) {
		if n = min(n, rest[kind]); n > 0 {
			rest[kind] -= n
			list = append(list, trace.Drop{Kind: kind, CPU: cpu, Count: n, Where: where, Cure: cure})
		}
	}
	for i, n := range l.seen[trace.DropPrincipal] {
		add(trace.DropPrincipal, l.cpus[i], n, "", l.options.Cure(trace.DropPrincipal))
	}
	for _, o := range l.owned {
		add(o.kind, -1, o.sum, o.name, l.options.Cure(o.kind))
	}
	for _, name := range slices.Sorted(maps.Keys(l.outside)) {
		add(trace.DropAggregation, -1, l.outside[name], name, "")
	}
	names := slices.SortedFunc(maps.Keys(l.skipped), func(x, y string) int {
		return cmp.Or(cmp.Compare(l.skipped[y], l.skipped[x]), cmp.Compare(x, y))
	})
	for _, name := range names[:min(len(names), mostSkipped)] {
		add(trace.DropRecursion, -1, l.skipped[name], name, "")
	}
	for kind, n := range rest {
		add(trace.DropKind(kind), -1, n, "", l.options.Cure(trace.DropKind(kind)))
	}
	slices.SortStableFunc(list, func(x, y trace.Drop) int { return cmp.Compare(x.Kind, y.Kind) })
	return list
}
