package text

import (
	"strconv"
	"strings"

	"dscope.dev/engine/trace"
	"dscope.dev/engine/trace/spell"
)

// appendTraced prints what trace() recorded. Numbers are in columns wide
// enough for the greatest of their type; a quiet run prints them bare.
func (p *Printer) appendTraced(b []byte, v *trace.Value) []byte {
	switch v.Kind {
	case trace.IntValue:
		return p.appendNumber(b, v, signedWidth)
	case trace.UintValue:
		return p.appendNumber(b, v, unsignedWidth)
	case trace.StringValue:
		if p.o.RawBytes {
			return appendBytes(b, v.Str+strings.Repeat("\x00", max(p.o.StrSize-len(v.Str), 0)))
		}
		return p.appendString(b, v.Str)
	case trace.BytesValue:
		if spell.IsDump(v) || p.o.RawBytes {
			return appendBytes(b, v.Str)
		}
		return p.appendString(b, spell.Line(v))
	case trace.StackValue, trace.UstackValue:
		return p.appendStack(b, v.Frames)
	case trace.SymValue:
		return p.appendText(append(b, "  "...), spell.Line(v), 50)
	}
	panic("text: unknown kind of value")
}

func (p *Printer) appendString(b []byte, s string) []byte {
	if p.o.Quiet {
		return p.safe(b, s)
	}
	return p.appendText(append(b, "  "...), s, 33)
}

// The columns that integers of 1, 2, 4 and 8 bytes take.
var (
	signedWidth   = [9]int{1: 3, 2: 5, 4: 10, 8: 19}
	unsignedWidth = [9]int{1: 3, 2: 5, 4: 10, 8: 20}
)

func (p *Printer) appendNumber(b []byte, v *trace.Value, widths [9]int) []byte {
	if p.o.RawBytes {
		return appendBytes(b, string(littleEndian(v)))
	}
	var room [20]byte
	digits := spell.AppendInteger(room[:0], v)
	if p.o.Quiet {
		return append(b, digits...)
	}
	b = append(b, ' ')
	for i := len(digits); i < widths[min(v.Size, 8)]; i++ {
		b = append(b, ' ')
	}
	return append(b, digits...)
}

func littleEndian(v *trace.Value) []byte {
	var b []byte
	for i := range int(v.Size) {
		b = append(b, byte(v.Int>>(8*i)))
	}
	return b
}

// appendKey prints one element of an aggregation's key. Integers are printed as
// DTrace does, which heeds their size and not their sign: this is the one place where
// what is printed is not what spell says.
func (p *Printer) appendKey(b []byte, v *trace.Value) []byte {
	switch v.Kind {
	case trace.IntValue, trace.UintValue:
		switch b = append(b, ' '); v.Size {
		case 1:
			return padInt(b, int64(uint8(v.Int)), 3)
		case 2:
			return padInt(b, int64(uint16(v.Int)), 5)
		case 4:
			return padInt(b, int64(int32(v.Int)), 8)
		}
		return padInt(b, v.Int, 16)
	case trace.StringValue, trace.SymValue:
		return p.appendText(append(b, "  "...), spell.Line(v), 50)
	case trace.BytesValue:
		if s, ok := spell.Chars(v.Str); ok && !p.o.RawBytes {
			return p.appendText(append(b, "  "...), s, 50)
		}
		return appendBytes(b, v.Str)
	case trace.StackValue, trace.UstackValue:
		return p.appendStack(b, v.Frames)
	}
	panic("text: unknown kind of value")
}

// appendStack prints a stack, one frame a line, after a newline.
func (p *Printer) appendStack(b []byte, frames []trace.Frame) []byte {
	indent := 14
	if p.o.StackIndent > 0 {
		indent = p.o.StackIndent
	}
	return AppendStack(append(b, '\n'), frames, indent, func(b []byte, f trace.Frame) []byte {
		return p.safe(b, f.String())
	})
}

// AppendStack appends a line for each frame, indented, as one puts it.
func AppendStack(b []byte, frames []trace.Frame, indent int, one func([]byte, trace.Frame) []byte) []byte {
	for _, f := range frames {
		b = spaces(b, indent)
		b = append(one(b, f), '\n')
	}
	return b
}

// appendBytes prints bytes sixteen a line, in hexadecimal and as characters.
func appendBytes(b []byte, s string) []byte {
	if s == "" {
		return b
	}
	b = append(b, "\n             0  1  2  3  4  5  6  7  8  9  a  b  c  d  e  f  0123456789abcdef\n"...)
	for at := 0; at < len(s); at += 16 {
		b = append(spell.AppendDump(append(b, "     "...), at, s[at:min(at+16, len(s))]), '\n')
	}
	return b
}

// appendText appends s made harmless, padded on the right to width bytes.
func (p *Printer) appendText(b []byte, s string, width int) []byte {
	return spaces(p.safe(b, s), width-len(s))
}

func spaces(b []byte, n int) []byte {
	for ; n > 0; n-- {
		b = append(b, ' ')
	}
	return b
}

func padLeft(b []byte, s string, width int) []byte {
	return append(spaces(b, width-len(s)), s...)
}

func padRight(b []byte, s string, width int) []byte {
	return spaces(append(b, s...), width-len(s))
}

// padInt appends a decimal number, padded on the left.
func padInt(b []byte, n int64, width int) []byte {
	var digits [20]byte
	d := strconv.AppendInt(digits[:0], n, 10)
	return append(spaces(b, width-len(d)), d...)
}
