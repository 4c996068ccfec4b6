package record

import (
	"encoding/binary"
	"unicode/utf8"

	"dscope.dev/dlang/check"
	"dscope.dev/engine/text"
	"dscope.dev/engine/trace"
	"dscope.dev/engine/trace/spell"
)

// A Format is a printf format made ready. Its rules are those of printf(3)
// with what DTrace adds, and where it differs:
//
//   - Integers are printed in their own size: %x of a char -1 is ff. %d of an
//     unsigned integer is unsigned; %u %o %x %X %p of any are.
//   - A precision of 0 counts as none, as does a negative one.
//   - A negative width that an argument gives means left.
//   - %a and %A name an address of the kernel or of a process, %k is a stack, %C
//     and %S escape what cannot be printed, %Y and %T are a time, %@ is the
//     value of the aggregation, normalized.
//   - %I is the address of a machine, as its string has it: to ask for its name would be
//     traffic of our own. %P is the service of a port, as /etc/services calls it, or its
//     number. Both are of Solaris and FreeBSD.
//   - %k indents the frames by its width if it is left-aligned, else not at all.
//   - Histograms ignore width and precision.
//
// Arguments are used up in order, the widths and precisions of * among them.
type Format struct{ convs []conv }

// A conv is literal text, or one conversion.
type conv struct {
	literal         string
	verb            byte
	left, zero, alt bool
	plus, space     bool
	width, prec     int // 0 is none
	widthArg        bool
	precArg         bool
	signed          bool // %hd, %ld, %lld: signed whatever the argument
	wide            bool
	agg             bool
}

// Widths and precisions beyond these are cut, because they may come from
// traced data and each is that much memory.
const maxWidth = 1 << 24

// Compile makes a checked format ready.
func Compile(f *check.Format) *Format {
	out := &Format{}
	for _, p := range f.Parts {
		if p.Literal != "" || p.Verb == 0 {
			out.convs = append(out.convs, conv{literal: p.Literal})
			continue
		}
		if p.Verb == '%' {
			out.convs = append(out.convs, conv{literal: "%"})
			continue
		}
		out.convs = append(out.convs, newConv(p))
	}
	return out
}

func newConv(p check.FormatPart) conv {
	c := conv{
		verb: p.Verb, width: min(max(p.Width, 0), maxWidth), prec: min(max(p.Prec, 0), maxWidth),
		widthArg: p.WidthArg, precArg: p.PrecArg, signed: p.Size != "", agg: p.Agg,
		wide: p.WideChars(),
	}
	for _, flag := range p.Flags {
		switch flag {
		case '-':
			c.left, c.zero = true, false
		case '0':
			c.left, c.zero = false, true
		case '#':
			c.alt = true
		case '+':
			c.plus = true
		case ' ':
			c.space = true
		case '?':
			c.width = 16 // of an address
		}
	}
	return c
}

// args yields the arguments of a format in order.
type args interface {
	next() arg
}

// aggArgs yields the values of the aggregations of one line of printa. Beyond
// the last it yields the last again.
type aggArgs struct {
	tables []trace.Table
	row, i int
}

func (a *aggArgs) next() (*trace.Table, *trace.Row) {
	t := &a.tables[min(a.i, len(a.tables)-1)]
	a.i++
	return t, &t.Rows[a.row]
}

// append formats one line.
func (f *Format) append(b []byte, d *Decoder, in args, aggs *aggArgs) []byte {
	for i := range f.convs {
		c := &f.convs[i]
		if c.verb == 0 {
			b = append(b, c.literal...)
			continue
		}
		if c.widthArg || c.precArg {
			c = c.withArgs(in)
		}
		if c.agg && aggs != nil {
			b = c.aggregation(b, d, aggs)
			continue
		}
		b = c.append(b, d, in.next())
	}
	return b
}

// withArgs takes the width and precision that arguments give.
func (c *conv) withArgs(in args) *conv {
	n := *c
	if c.widthArg {
		w := int64(int32(in.next().number()))
		n.width = int(min(max(w, -w), maxWidth))
		n.left = n.left || w < 0
	}
	if c.precArg {
		n.prec = int(min(max(int64(int32(in.next().number())), 0), maxWidth))
	}
	return &n
}

// aggregation formats the value of the next aggregation.
func (c *conv) aggregation(b []byte, d *Decoder, aggs *aggArgs) []byte {
	t, r := aggs.next()
	if t.Func.IsHistogram() {
		return text.AppendHistogram(b, r.Buckets, t.Normal, d.c.Scale)
	}
	v := arg{kind: argInt, size: 8, u: uint64(spell.Shown(t, r)), isSigned: !t.Func.Counts()}
	return c.append(b, d, v)
}

// append formats one argument.
func (c *conv) append(b []byte, d *Decoder, v arg) []byte {
	switch c.verb {
	case 'd', 'i':
		return c.integer(b, v, v.isSigned || c.signed, 10)
	case 'u':
		return c.integer(b, v, false, 10)
	case 'o':
		return c.integer(b, v, false, 8)
	case 'x', 'X', 'p':
		return c.integer(b, v, false, 16)
	case 'k':
		return c.stack(b, d, v)
	case 'e', 'E', 'f', 'g', 'G':
		return c.float(b, v)
	}
	at := len(b)
	return c.end(c.text(b, d, v), at, &d.c)
}

// end brings what was appended since at to its precision and width, and makes it harmless.
func (c *conv) end(b []byte, at int, to *Config) []byte {
	if n := len(b) - at; c.prec > 0 && n > c.prec && c.verb != 'c' {
		b = b[:at+c.prec]
	}
	width := c.width - (len(b) - at)
	return c.pad(c.harmless(b, at, to), at, width)
}

// text appends an argument that is formatted as a string, as it is.
func (c *conv) text(b []byte, d *Decoder, v arg) []byte {
	switch c.verb {
	case 'c':
		if c.wide {
			return utf8.AppendRune(b, rune(v.number()))
		}
		return append(b, byte(v.number()))
	case 'C':
		return appendEscaped(b, []byte{byte(v.number())})
	case 'S':
		return appendEscaped(b, v.terminated())
	case 'a':
		return v.kernelName(b, d)
	case 'A':
		return v.userName(b, d)
	case 'Y':
		return d.appendTime(b, v.number())
	case 'T':
		return d.appendMailTime(b, v.number())
	case 'P':
		return appendService(b, v.number())
	}
	if c.wide {
		return v.wideString(b)
	}
	return v.string(b)
}

// harmless makes what was appended since at safe for where texts go. It is
// the argument alone: what the format itself says is not touched. Who writes for
// programs spells controls in a way of its own.
func (c *conv) harmless(b []byte, at int, to *Config) []byte {
	if to.Raw || isGraphic(b[at:]) {
		return b
	}
	return text.AppendSafe(b[:at], string(b[at:]), to.Terminal)
}

// isGraphic reports whether b is ASCII without controls, eight bytes at a time.
func isGraphic(b []byte) bool {
	for ; len(b) >= 8; b = b[8:] {
		if !graphic(binary.LittleEndian.Uint64(b)) {
			return false
		}
	}
	for _, c := range b {
		if c < ' ' || c >= 0x7f {
			return false
		}
	}
	return true
}

// pad brings what was appended since at to its width, which it lacks by n.
func (c *conv) pad(b []byte, at, n int) []byte {
	if n <= 0 {
		return b
	}
	if c.left {
		return fill(b, ' ', n)
	}
	end := len(b)
	b = fill(b, ' ', n)
	copy(b[at+n:], b[at:end])
	for i := range n {
		b[at+i] = ' '
	}
	return b
}

func fill(b []byte, c byte, n int) []byte {
	for ; n > 0; n-- {
		b = append(b, c)
	}
	return b
}

// stack formats a stack, each frame on a line of its own.
func (c *conv) stack(b []byte, d *Decoder, v arg) []byte {
	indent, one := 0, *c
	if c.left {
		indent, one.width = c.width, 0
	}
	return text.AppendStack(append(b, '\n'), v.stackFrames(d), indent, func(b []byte, f trace.Frame) []byte {
		at := len(b)
		b = f.Append(b)
		if one.prec > 0 && len(b)-at > one.prec {
			b = b[:at+one.prec]
		}
		width := one.width - (len(b) - at)
		return one.pad(one.harmless(b, at, &d.c), at, width)
	})
}
