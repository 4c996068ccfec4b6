package record

import (
	"encoding/binary"
	"fmt"
	"math"
	"time"
	"unicode/utf8"

	"dscope.dev/dlang/lower"
	"dscope.dev/dlang/types"
	"dscope.dev/engine/agg"
	"dscope.dev/engine/trace"
)

// An arg is an argument of a format: bytes of a record, or an element of a key.
type arg struct {
	kind     argKind
	size     uint8 // of an integer, in bytes
	isSigned bool
	u        uint64 // of an integer, sign-extended if it is signed; of argUser the address
	pid      uint32 // of argUser
	b        []byte // of argBytes and stacks
	s        string // of argText and argShown
	frames   []trace.Frame
}

// An argKind says which fields of an arg count.
type argKind uint8

const (
	argInt         argKind = iota
	argBytes               // b: a string in its buffer, or bytes
	argText                // s: a string
	argShown               // s: an address as it is shown; u is the address
	argUser                // an address of a process
	argKernelStack         // b: addresses
	argUserStack           // b: the process, then addresses
	argFrames              // frames
)

// recordArgs yields the data of a printf.
type recordArgs struct {
	data  []lower.Datum
	probe *trace.Probe
	rec   []byte
	i     int
}

func (r *recordArgs) next() arg {
	if r.i >= len(r.data) {
		return arg{size: 8}
	}
	m := &r.data[r.i]
	r.i++
	if m.Enc == lower.EncProbe {
		return arg{kind: argText, s: probePart(r.probe, m.Off)}
	}
	b := r.rec[m.Off : m.Off+m.Size]
	switch {
	case m.Enc == lower.EncString || m.Enc == lower.EncBytes:
		return arg{kind: argBytes, b: b}
	case m.Enc == lower.EncStack:
		return arg{kind: argKernelStack, b: b}
	case m.Enc == lower.EncUstack && len(b) >= 8:
		return arg{kind: argUserStack, b: b}
	case m.Enc == lower.EncUsym && len(b) >= 16:
		return arg{kind: argUser, size: 8, pid: uint32(binary.LittleEndian.Uint64(b)), u: binary.LittleEndian.Uint64(b[8:])}
	}
	if _, ok := types.Resolve(m.Type).(*types.Float); ok {
		return arg{kind: argBytes, b: b}
	}
	v := agg.Integer(b, m.Type)
	return arg{size: v.Size, isSigned: v.Kind == trace.IntValue, u: uint64(v.Int)}
}

// rowArgs yields the elements of a key.
type rowArgs struct {
	keys []trace.Value
	i    int
}

func (r *rowArgs) next() arg {
	if r.i >= len(r.keys) {
		return arg{size: 8}
	}
	v := &r.keys[r.i]
	r.i++
	switch v.Kind {
	case trace.IntValue, trace.UintValue:
		return arg{size: v.Size, isSigned: v.Kind == trace.IntValue, u: uint64(v.Int)}
	case trace.StackValue, trace.UstackValue:
		return arg{kind: argFrames, frames: v.Frames}
	case trace.SymValue:
		a := arg{kind: argShown, size: 8, s: v.Str}
		if len(v.Frames) > 0 {
			a.u = v.Frames[0].Addr
		}
		return a
	}
	return arg{kind: argText, s: v.Str}
}

// number returns an integer; of bytes, those that fit into one.
func (a arg) number() uint64 {
	if a.kind == argBytes {
		return unsigned(a.b)
	}
	return a.u
}

// extended returns an integer with the sign that its size gives it.
func (a arg) extended() int64 {
	if a.size == 0 || a.size >= 8 {
		return int64(a.number())
	}
	shift := 64 - 8*uint(a.size)
	if a.isSigned {
		return int64(a.u) << shift >> shift
	}
	return int64(a.u<<shift) >> shift
}

// string appends a string.
func (a arg) string(b []byte) []byte {
	switch a.kind {
	case argBytes:
		return append(b, untilZero(a.b)...)
	case argText, argShown:
		return append(b, untilZero([]byte(a.s))...)
	}
	return b
}

// terminated returns a string with the zero byte that ends it, if one does.
func (a arg) terminated() []byte {
	if a.kind != argBytes {
		return append([]byte(a.s), 0)
	}
	n := len(untilZero(a.b))
	return a.b[:min(n+1, len(a.b))]
}

// wideString appends an array of wide characters.
func (a arg) wideString(b []byte) []byte {
	w := a.b
	if a.kind == argText {
		w = []byte(a.s)
	}
	for ; len(w) >= 4; w = w[4:] {
		r := binary.LittleEndian.Uint32(w)
		if r == 0 {
			break
		}
		b = utf8.AppendRune(b, rune(r))
	}
	return b
}

func (a arg) kernelName(b []byte, d *Decoder) []byte {
	if a.kind == argShown {
		return append(b, a.s...)
	}
	return d.c.Names.Kernel(a.number()).Append(b)
}

func (a arg) userName(b []byte, d *Decoder) []byte {
	switch a.kind {
	case argShown:
		return append(b, a.s...)
	case argUser:
		return d.c.Names.User(a.pid, a.u).Append(b)
	}
	return d.c.Names.User(d.c.Target, a.number()).Append(b)
}

func (a arg) stackFrames(d *Decoder) []trace.Frame {
	switch a.kind {
	case argFrames:
		return a.frames
	case argKernelStack:
		return d.kernelFrames(a.b)
	case argUserStack:
		_, frames := d.userFrames(a.b)
		return frames
	}
	return nil
}

// float reads a floating-point number of 4, 8 or, as x86-64 keeps a long
// double, 16 bytes.
func (a arg) float() float64 {
	switch {
	case a.kind != argBytes:
		return float64(int64(a.u))
	case len(a.b) >= 16:
		mantissa, top := binary.LittleEndian.Uint64(a.b), binary.LittleEndian.Uint16(a.b[8:])
		f := math.Ldexp(float64(mantissa), int(top&0x7fff)-16383-63)
		if top&0x8000 != 0 {
			f = -f
		}
		return f
	case len(a.b) >= 8:
		return math.Float64frombits(binary.LittleEndian.Uint64(a.b))
	case len(a.b) >= 4:
		return float64(math.Float32frombits(binary.LittleEndian.Uint32(a.b)))
	}
	return 0
}

// appendTime appends a time of day as %Y shows it: 1973 Dec  3 17:20:00.
func (d *Decoder) appendTime(b []byte, ns uint64) []byte {
	return d.moment(ns).AppendFormat(b, "2006 Jan _2 15:04:05")
}

// appendMailTime appends a time of day as %T shows it, in the form of mail
// headers, with the year of the ISO week.
func (d *Decoder) appendMailTime(b []byte, ns uint64) []byte {
	t := d.moment(ns)
	year, _ := t.ISOWeek()
	b = fmt.Appendf(t.AppendFormat(b, "Mon, 02 Jan "), "%d", year)
	return t.AppendFormat(b, " 15:04:05 MST")
}

func (d *Decoder) moment(ns uint64) time.Time {
	return time.Unix(int64(ns/1e9), 0).In(d.c.Zone)
}

// appendEscaped appends characters as a C program spells them, up to and
// including the first zero byte, which is \0.
func appendEscaped(b, s []byte) []byte {
	for _, c := range s {
		if i := indexEscape(c); i >= 0 {
			b = append(b, '\\', escapes[i+1])
		} else if c < ' ' || c > '~' {
			b = append(b, '\\', '0'+c>>6, '0'+c>>3&7, '0'+c&7)
		} else {
			b = append(b, c)
		}
		if c == 0 {
			break
		}
	}
	return b
}

// escapes pairs characters with the letters that escape them.
const escapes = "\x000\aa\bb\ff\nn\rr\tt\vv\"\"\\\\"

func indexEscape(c byte) int {
	for i := 0; i < len(escapes); i += 2 {
		if escapes[i] == c {
			return i
		}
	}
	return -1
}
