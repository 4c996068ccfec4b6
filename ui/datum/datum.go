// Package datum writes what was traced as text: values, keys, stacks, faults
// and drops. Several panes show them, and they should read the same in each.
//
// Everything that comes out of this package may be drawn: bytes of traced
// processes have gone through widget.Safe.
package datum

import (
	"fmt"
	"strconv"
	"strings"

	"dscope.dev/engine/trace"
	"dscope.dev/ui/widget"
)

// Text returns v on one line.
func Text(v trace.Value) string {
	switch v.Kind {
	case trace.IntValue:
		return strconv.FormatInt(v.Int, 10)
	case trace.UintValue:
		return strconv.FormatUint(uint64(v.Int), 10)
	case trace.StringValue:
		return widget.Safe(v.Str)
	case trace.BytesValue:
		if s := strings.TrimRight(v.Str, "\x00"); s != "" && isPlain(s) {
			return s
		}
		return hexBytes(v.Str)
	case trace.StackValue, trace.UstackValue:
		return stack(v.Frames)
	case trace.SymValue:
		if v.Str != "" {
			return widget.Safe(v.Str)
		}
		if len(v.Frames) == 1 {
			return Frame(v.Frames[0])
		}
		return "0x" + strconv.FormatUint(uint64(v.Int), 16)
	}
	return "?"
}

// isPlain reports whether s is printable ASCII, and so most likely a string that
// was traced as bytes: dtrace(1) shows it as one too.
func isPlain(s string) bool {
	return !strings.ContainsFunc(s, func(r rune) bool { return r < ' ' || r > '~' })
}

// hexBytes writes bytes in pairs of digits, at most 64 of them.
func hexBytes(s string) string {
	const most = 64
	var b strings.Builder
	for i := 0; i < min(len(s), most); i++ {
		if i > 0 {
			b.WriteByte(' ')
		}
		fmt.Fprintf(&b, "%02x", s[i])
	}
	if len(s) > most {
		fmt.Fprintf(&b, " … %d bytes", len(s))
	}
	return b.String()
}

// stack writes the innermost frames, then how many there are.
func stack(frames []trace.Frame) string {
	if len(frames) == 0 {
		return "(no frames)"
	}
	var b strings.Builder
	for i, f := range frames[:min(len(frames), 4)] {
		if i > 0 {
			b.WriteString(" < ")
		}
		if f.Symbol != "" {
			b.WriteString(widget.Safe(f.Symbol))
		} else {
			b.WriteString(Frame(f))
		}
	}
	if more := len(frames) - 4; more > 0 {
		fmt.Fprintf(&b, " < %d more", more)
	}
	return b.String()
}

// Frame returns one frame as D prints it: vmlinux`vfs_read+0x12.
func Frame(f trace.Frame) string {
	switch {
	case f.Symbol == "" && f.Module == "":
		return "0x" + strconv.FormatUint(f.Addr, 16)
	case f.Symbol == "":
		return widget.Safe(f.Module) + "`0x" + strconv.FormatUint(f.Addr, 16)
	}
	s := widget.Safe(f.Symbol)
	if f.Module != "" {
		s = widget.Safe(f.Module) + "`" + s
	}
	if f.Offset != 0 {
		s += "+0x" + strconv.FormatUint(f.Offset, 16)
	}
	return s
}

// HasFrames reports whether v is a stack, which takes a line a frame to show.
func HasFrames(v trace.Value) bool {
	return v.Kind == trace.StackValue || v.Kind == trace.UstackValue
}

// Fault says why a clause was given up, in DTrace's words. What tells most
// comes first: panes are narrow.
func Fault(p trace.Probe, f trace.Fault) string {
	s := "error: " + faultKind(f.Kind)
	if f.Addr != 0 {
		s += fmt.Sprintf(" (0x%x)", f.Addr)
	}
	if f.Action == 0 {
		s += " in predicate"
	} else {
		s += fmt.Sprintf(" in action #%d", f.Action)
	}
	if f.Line > 0 {
		s += fmt.Sprintf(", line %d", f.Line)
		if f.File != "" {
			s += " of " + widget.Safe(f.File)
		}
	}
	return s + fmt.Sprintf("; enabled probe ID %d (ID %d: %s)", f.EPID, p.ID, widget.Safe(p.String()))
}

// faultKind names a kind of fault; a kind of a newer engine is named unknown.
func faultKind(k trace.FaultKind) string {
	if !k.Known() {
		k = trace.FaultUnknown
	}
	return k.String()
}

// Drop says what was lost and where.
func Drop(d trace.Drop) string {
	kind := "drops"
	if d.Kind <= trace.DropReader {
		kind = d.Kind.String()
	}
	s := strconv.FormatUint(d.Count, 10) + " " + kind
	if d.CPU >= 0 {
		s += " on CPU " + strconv.Itoa(d.CPU)
	}
	if d.Where != "" {
		s += " (" + widget.Safe(d.Where) + ")"
	}
	return s
}

// Drops returns the sum of all kinds.
func Drops(list []trace.Drop) uint64 {
	var n uint64
	for _, d := range list {
		n += d.Count
	}
	return n
}
