// Package spell puts what was traced into words: values, stacks, faults, drops,
// the numbers of aggregations and the bars of histograms. The printed output and
// the screen lay them out each in their own way, but what they say is said here,
// so that both say the same of the same run.
//
// Traced data is returned as it is: whoever shows it makes it harmless first.
package spell

import (
	"fmt"
	"strconv"
	"strings"

	"dscope.dev/engine/trace"
)

// AppendInteger appends an integer as its type has it.
func AppendInteger(b []byte, v *trace.Value) []byte {
	if v.Kind == trace.UintValue {
		return strconv.AppendUint(b, uint64(v.Int), 10)
	}
	return strconv.AppendInt(b, v.Int, 10)
}

// Chars returns the text that bytes hold if they look like one: printable
// characters, then nothing but zeros. So libdtrace tells strings that were traced as
// bytes.
func Chars(s string) (string, bool) {
	i := 0
	for i < len(s) && (s[i] >= ' ' && s[i] < 0x7f || s[i] >= '\a' && s[i] <= '\r') {
		i++
	}
	for j := i; j < len(s); j++ {
		if s[j] != 0 {
			return "", false
		}
	}
	return s[:i], i > 0
}

// IsDump reports whether trace() shows a value as a dump of its bytes: an array of
// characters that look like a text is shown as that.
func IsDump(v *trace.Value) bool {
	if v.Kind != trace.BytesValue {
		return false
	}
	_, ok := Chars(v.Str)
	return !ok || v.Size != 1
}

// Line returns a value on one line, as a key is shown in a table: of a stack the
// innermost functions, of bytes that are no text the first ones.
func Line(v *trace.Value) string {
	switch v.Kind {
	case trace.IntValue, trace.UintValue:
		return string(AppendInteger(nil, v))
	case trace.StringValue:
		return v.Str
	case trace.BytesValue:
		if s, ok := Chars(v.Str); ok {
			return s
		}
		return hexBytes(v.Str)
	case trace.StackValue, trace.UstackValue:
		return stack(v.Frames)
	case trace.SymValue:
		return symbol(v)
	case trace.NoValue:
		return "(unknown)"
	}
	return "?"
}

// symbol returns an address by name; the engine has put it into words already.
func symbol(v *trace.Value) string {
	if v.Str == "" && len(v.Frames) == 1 {
		return v.Frames[0].String()
	}
	return v.Str
}

// hexBytes writes bytes in pairs of digits, at most 64 of them.
func hexBytes(s string) string {
	const most = 64
	out := fmt.Sprintf("% x", s[:min(len(s), most)])
	if len(s) > most {
		out += fmt.Sprintf(" … %d bytes", len(s))
	}
	return out
}

// stack writes the innermost frames, by their functions alone where these are known,
// then how many there are.
func stack(frames []trace.Frame) string {
	const most = 4
	if len(frames) == 0 {
		return "(no frames)"
	}
	var b strings.Builder
	for i, f := range frames[:min(len(frames), most)] {
		if i > 0 {
			b.WriteString(" < ")
		}
		if f.Symbol != "" {
			b.WriteString(f.Symbol)
		} else {
			b.Write(f.Append(nil))
		}
	}
	if more := len(frames) - most; more > 0 {
		fmt.Fprintf(&b, " < %d more", more)
	}
	return b.String()
}

// AppendDump appends the line of a dump that shows the bytes of row, at most 16,
// which begin at the offset at: in hexadecimal and as characters.
func AppendDump(b []byte, at int, row string) []byte {
	const hex = "0123456789abcdef"
	offset := strconv.FormatInt(int64(at), 16)
	b = append(append(spaces(b, 5-len(offset)), offset...), ':')
	for i := range len(row) {
		b = append(b, ' ', hex[row[i]>>4], hex[row[i]&15])
	}
	b = spaces(b, 3*(16-len(row))+2)
	for i := range len(row) {
		c := row[i]
		if c < ' ' || c > '~' {
			c = '.'
		}
		b = append(b, c)
	}
	return b
}

func spaces(b []byte, n int) []byte {
	for ; n > 0; n-- {
		b = append(b, ' ')
	}
	return b
}
