package text

import (
	"strconv"

	"dscope.dev/engine/trace"
)

// dropWords are the words for each kind of drop: one of them, several, and
// what follows.
var dropWords = [...]struct{ tag, one, many, after string }{
	trace.DropPrincipal:   {"DTRACEDROP_PRINCIPAL", "drop", "drops", ""},
	trace.DropAggregation: {"DTRACEDROP_AGGREGATION", "aggregation drop", "aggregation drops", ""},
	trace.DropDynamic:     {"DTRACEDROP_DYNAMIC", "dynamic variable drop", "dynamic variable drops", ""},
	trace.DropSpecBuffer:  {"DTRACEDROP_SPEC", "speculative drop", "speculative drops", ""},
	trace.DropSpecBusy:    {"DTRACEDROP_SPECBUSY", "failed speculation", "failed speculations", " (available buffer(s) still busy)"},
	trace.DropSpecNone:    {"DTRACEDROP_SPECUNAVAIL", "failed speculation", "failed speculations", " (no speculative buffer available)"},
	trace.DropStackString: {"DTRACEDROP_STKSTROVERFLOW", "jstack()/ustack() string table overflow", "jstack()/ustack() string table overflows", ""},
	trace.DropError:       {"DTRACEDROP_DBLERROR", "error", "errors", " in ERROR probe enabling"},
	trace.DropStack:       {"DROP_STACK", "stack drop", "stack drops", ""},
	trace.DropString:      {"DROP_STRING", "truncated string", "truncated strings", ""},
	trace.DropRecursion:   {"DROP_RECURSION", "recursion miss", "recursion misses", ""},
	trace.DropMissed:      {"DROP_MISSED", "missed return", "missed returns", ""},
	trace.DropReader:      {"DROP_READER", "event not shown", "events not shown", " (reader too slow)"},
}

// DropTag returns the tag of a kind of drops, by which programs know it.
func DropTag(k trace.DropKind) string { return dropWords[k].tag }

// Drop words a report of drops.
func Drop(d trace.Drop) string { return string(appendDrop(nil, d, false)) }

// Fault words an ERROR firing.
func Fault(e *trace.Event) string { return string(appendFault(nil, e, false)) }

// appendDrop words a report of drops: dtrace: 12 aggregation drops on CPU 3.
func appendDrop(b []byte, d trace.Drop, tags bool) []byte {
	w := dropWords[d.Kind]
	b = append(b, "dtrace: "...)
	if tags {
		b = append(append(append(b, '['), w.tag...), "] "...)
	}
	b = append(strconv.AppendUint(b, d.Count, 10), ' ')
	if d.Count == 1 {
		b = append(b, w.one...)
	} else {
		b = append(b, w.many...)
	}
	b = append(b, w.after...)
	if d.Where != "" {
		b = append(append(b, " in "...), d.Where...)
	}
	if d.CPU >= 0 {
		b = strconv.AppendInt(append(b, " on CPU "...), int64(d.CPU), 10)
	}
	return b
}

// appendFault words an ERROR firing, as DTrace on Linux does; the line of the
// script, which says more than the number of an instruction, comes last.
func appendFault(b []byte, e *trace.Event, testing bool) []byte {
	f := &e.Fault
	b = append(appendFiring(b, e), f.Kind.String()...)
	switch f.Kind {
	case trace.FaultBadAddr, trace.FaultBadAlign, trace.FaultBadStack, trace.FaultBadSize:
		b = strconv.AppendUint(append(b, " (0x"...), f.Addr, 16)
		b = append(b, ')')
		if f.InScratch() && !testing {
			b = append(b, ", outside of what alloca() and copyin() gave, or in memory that ended with its clause,"...)
		}
	case trace.FaultBadIndex:
		b = strconv.AppendInt(append(b, " ("...), int64(f.Addr), 10)
		b = append(b, ')')
	case trace.FaultLoop:
		b = strconv.AppendUint(append(b, " of "...), f.Addr, 10)
		b = append(b, " rounds"...)
	}
	if f.PC > 0 {
		b = strconv.AppendInt(append(b, " at BPF pc "...), int64(f.PC), 10)
	}
	if f.Line > 0 && !testing {
		b = strconv.AppendInt(append(b, ", line "...), int64(f.Line), 10)
		if f.File != "" {
			b = AppendSafe(append(b, " of "...), f.File, true)
		}
	}
	return b
}
