// Package datum writes what was traced as text: values, keys, stacks, faults
// and drops. What it says is what package spell says, as the printed output does.
//
// Everything that comes out of this package may be drawn: bytes of traced
// processes have gone through widget.Safe.
package datum

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"dscope.dev/engine/trace"
	"dscope.dev/engine/trace/spell"
	"dscope.dev/ui/widget"
)

// Text returns v on one line.
func Text(v trace.Value) string {
	if HasFrames(v) && slices.ContainsFunc(v.Frames, placed) {
		v.Frames = slices.Clone(v.Frames)
		for i, f := range v.Frames {
			if placed(f) {
				v.Frames[i] = trace.Frame{Symbol: Raw(f)} // which is all that is said of a function
			}
		}
	}
	return widget.Safe(spell.Line(&v))
}

// Compare orders two values: numbers as numbers, all else by its text, and numbers before
// text.
func Compare(x, y trace.Value) int {
	switch nx, ny := isNumber(x), isNumber(y); {
	case nx && ny:
		// Of one that is signed and one that is not, only the former can be below zero.
		if negX, negY := x.Kind == trace.IntValue && x.Int < 0, y.Kind == trace.IntValue && y.Int < 0; negX != negY {
			if negX {
				return -1
			}
			return 1
		}
		return cmp.Compare(uint64(x.Int), uint64(y.Int)) // which keeps the order of two below zero
	case nx:
		return -1
	case ny:
		return 1
	case x.Kind == trace.StringValue && y.Kind == trace.StringValue:
		return strings.Compare(x.Str, y.Str)
	}
	return strings.Compare(Text(x), Text(y))
}

func isNumber(v trace.Value) bool { return v.Kind == trace.IntValue || v.Kind == trace.UintValue }

// Titles returns what the columns of the keys of t are called: as the script writes
// them, and by their types where several clauses write them differently.
func Titles(t *trace.Table) []string {
	list := make([]string, len(t.KeyTypes))
	for i := range list {
		list[i] = t.KeyTypes[i]
		if name := t.KeyName(i); name != "" {
			list[i] = widget.Safe(name)
		}
	}
	return list
}

// Frame returns one frame as D prints it: vmlinux`vfs_read+0x12.
func Frame(f trace.Frame) string { return widget.Safe(f.String()) }

// page is the least that address randomisation moves by. No process has code below it.
const page = 4096

// placed reports whether f is told by another thing than its address: it has no symbol, and
// its place in the module is known, or it stands for frames at several addresses.
func placed(f trace.Frame) bool {
	return f.Symbol == "" && !f.Raw && (f.Module != "" && f.Offset != 0 || f.Addr < page)
}

// Raw returns what a frame is called as the tables of the screen show it, not made safe to draw yet. One
// without a symbol goes by its place in the module, which is the same whenever the program
// is run: a.out:0x1234; or, if that is not known, by its address. Of several that are merged
// it is what they have in common: their place in their pages, a.out`0x…234, or nothing.
func Raw(f trace.Frame) string {
	switch {
	case !placed(f):
		return f.String()
	case f.Module == "":
		return "(in no module)"
	case f.Offset != 0:
		f.Raw = true
		return f.String()
	}
	return f.Module + "`0x…" + strconv.FormatUint(page+f.Addr, 16)[1:]
}

// Named is Raw, safe to draw.
func Named(f trace.Frame) string { return widget.Safe(Raw(f)) }

// HasFrames reports whether v is a stack, which takes a line a frame to show.
func HasFrames(v trace.Value) bool {
	return v.Kind == trace.StackValue || v.Kind == trace.UstackValue
}

// Fault says why a clause was given up, in DTrace's words. What tells most
// comes first: panes are narrow.
func Fault(p trace.Probe, f trace.Fault) string {
	s := "error: " + string(spell.AppendScratch(spell.AppendReason(nil, &f), &f))
	if f.Action == 0 {
		s += " in predicate"
	} else {
		s += fmt.Sprintf(" in action #%d", f.Action)
	}
	s += spell.FaultLine(&f) + fmt.Sprintf("; enabled probe ID %d (ID %d: %s)", f.EPID, p.ID, p)
	return widget.Safe(s)
}

// Drop says what was lost and where.
func Drop(d trace.Drop) string { return widget.Safe(spell.Drop(d)) }

// Drops returns the sum of all kinds.
func Drops(list []trace.Drop) uint64 {
	var n uint64
	for _, d := range list {
		n += d.Count
	}
	return n
}
