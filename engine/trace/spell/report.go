package spell

import (
	"strconv"

	"dscope.dev/engine/trace"
)

// dropWords are the words for each kind of drop: its tag, by which programs know it,
// one of them, several, and what follows.
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

// Drop says what was lost and where: 12 aggregation drops in @a on CPU 3.
func Drop(d trace.Drop) string { return string(AppendDrop(nil, d)) }

// AppendDrop appends what Drop returns.
func AppendDrop(b []byte, d trace.Drop) []byte {
	w := dropWords[trace.DropPrincipal] // of a kind that is not known
	if int(d.Kind) < len(dropWords) {
		w = dropWords[d.Kind]
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

// AppendReason appends why a clause was given up, with the number that belongs to
// it: invalid address (0x10).
func AppendReason(b []byte, f *trace.Fault) []byte {
	if !f.Kind.Known() {
		return append(b, trace.FaultUnknown.String()...)
	}
	b = append(b, f.Kind.String()...)
	switch f.Kind {
	case trace.FaultBadAddr, trace.FaultBadAlign, trace.FaultBadStack, trace.FaultBadSize:
		b = strconv.AppendUint(append(b, " (0x"...), f.Addr, 16)
		b = append(b, ')')
	case trace.FaultBadIndex:
		b = strconv.AppendInt(append(b, " ("...), int64(f.Addr), 10)
		b = append(b, ')')
	case trace.FaultLoop:
		b = strconv.AppendUint(append(b, " of "...), f.Addr, 10)
		b = append(b, " rounds"...)
	}
	return b
}

// AppendScratch appends what a bad address has to do with the memory that the clause
// was given, if it has: a part of the sentence, between commas.
func AppendScratch(b []byte, f *trace.Fault) []byte {
	if !f.InScratch() {
		return b
	}
	return append(b, ", outside of what alloca() and copyin() gave, or in memory that ended with its clause,"...)
}

// FaultLine returns where a fault stands in the script: ", line 3 of net.d"; "" if that
// is not known.
func FaultLine(f *trace.Fault) string {
	if f.Line == 0 {
		return ""
	}
	s := ", line " + strconv.Itoa(f.Line)
	if f.File != "" {
		s += " of " + f.File
	}
	return s
}
