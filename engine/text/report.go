package text

import (
	"strconv"

	"dscope.dev/engine/trace"
	"dscope.dev/engine/trace/spell"
)

// Drop words a report of drops.
func Drop(d trace.Drop) string { return string(appendDrop(nil, d, false)) }

// Fault words an ERROR firing.
func Fault(e *trace.Event) string { return string(appendFault(nil, e, false)) }

// appendDrop words a report of drops: dtrace: 12 aggregation drops on CPU 3.
func appendDrop(b []byte, d trace.Drop, tags bool) []byte {
	b = append(b, "dtrace: "...)
	if tags {
		b = append(append(append(b, '['), spell.DropTag(d.Kind)...), "] "...)
	}
	return spell.AppendDrop(b, d)
}

// appendFault words an ERROR firing, as DTrace on Linux does; the line of the
// script, which says more than the number of an instruction, comes last.
func appendFault(b []byte, e *trace.Event, testing bool) []byte {
	f := &e.Fault
	b = spell.AppendReason(appendFiring(b, e), f)
	if !testing {
		b = spell.AppendScratch(b, f)
	}
	if f.PC > 0 {
		b = strconv.AppendInt(append(b, " at BPF pc "...), int64(f.PC), 10)
	}
	if !testing {
		b = AppendSafe(b, spell.FaultLine(f), true)
	}
	return b
}
