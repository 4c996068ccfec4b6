package record

import (
	"encoding/binary"
	"strconv"
	"strings"
	"time"

	"dscope.dev/dlang/lower"
	"dscope.dev/dlang/option"
	"dscope.dev/dlang/types"
	"dscope.dev/engine/agg"
	"dscope.dev/engine/text"
	"dscope.dev/engine/trace"
)

// print() shows a value with its type, one member a line:
//
//	0xffff888104f3c000 = *
//	                                            (struct point) {
//	                                             .x = (int)3,
//	                                            }
//
// Behind the address of a function stands its name. What is zero is left out, but for the value itself, and so is what lies behind
// printsize; there stand three dots. An array of characters ends at its zero.

// The measures of print(), as old hands know them.
const (
	printIndent = 44 // columns before the outermost line
	printDepth  = 10 // levels that are shown
)

// A shower writes one value of print().
type shower struct {
	b    []byte
	mem  []byte
	size int   // bytes that are shown
	open []int // levels whose brace waits to be closed
	safe bool  // whether the text goes to a terminal

	name func(addr uint64) trace.Frame // of a function
}

// print makes the text of a print().
func (d *Decoder) print(a *action, probe *trace.Probe, rec []byte) string {
	s := shower{b: d.buf[:0], safe: d.c.Terminal, name: d.function}
	if len(a.Data) == 1 && (a.Data[0].Enc == lower.EncString || a.Data[0].Enc == lower.EncProbe) {
		s.string(d.datum(a.Data, 0, probe, rec).Str)
		d.buf = s.b
		return string(s.b)
	}
	if len(a.Data) > 1 {
		s.b = append(s.b, "0x"...)
		s.b = strconv.AppendUint(s.b, binary.LittleEndian.Uint64(rec[a.Data[0].Off:]), 16)
		s.b = append(s.b, " = *\n"...)
	}
	m := &a.Data[len(a.Data)-1]
	s.mem = rec[m.Off : m.Off+m.Size]
	s.size = len(s.mem)
	if d.c.PrintSize > 0 {
		s.size = min(s.size, d.c.PrintSize)
	}
	s.value(types.Field{Type: m.Type}, 0, 0)
	s.close(0)
	d.buf = s.b
	return string(s.b)
}

// string shows a string.
func (s *shower) string(text string) {
	s.line(0)
	s.b = appendEscaped(append(s.b, "(string)\""...), []byte(text))
	s.b = append(s.b, "\",\n"...)
}

// function names what lies at an address that somebody may call: of the kernel, or of the
// process that is traced.
func (d *Decoder) function(addr uint64) trace.Frame {
	switch {
	case int64(addr) < 0:
		return d.c.Names.Kernel(addr)
	case d.c.Target != 0:
		return d.c.Names.User(d.c.Target, addr)
	}
	return trace.Frame{}
}

// line begins a line at a level.
func (s *shower) line(depth int) {
	for range printIndent + depth {
		s.b = append(s.b, ' ')
	}
}

// close ends the structs that are open at a level and below it.
func (s *shower) close(depth int) {
	for n := len(s.open); n > 0 && s.open[n-1] >= depth; n-- {
		s.line(s.open[n-1])
		s.b = append(s.b, '}')
		if s.open[n-1] > 0 {
			s.b = append(s.b, ',')
		}
		s.b = append(s.b, '\n')
		s.open = s.open[:n-1]
	}
}

// value shows a member at its offset from base, in bytes, and reports whether
// there may be more.
func (s *shower) value(f types.Field, base, depth int) bool {
	off := base + f.Off/8
	if off >= s.size {
		s.dots(depth)
		return false
	}
	s.close(depth)
	t := types.Resolve(f.Type)
	n := t.Size()
	if f.Bits > 0 {
		n = 0
	} else if off+n > len(s.mem) {
		return true
	}
	if depth > 0 && f.Bits == 0 && isZero(s.mem[off:off+n]) {
		return true
	}
	number := s.number(f, base)
	if depth > 0 && f.Bits > 0 && number.Int == 0 {
		return true
	}
	switch t.(type) {
	case *types.Struct, *types.Array, *types.Int, *types.Enum, *types.Pointer, *types.Float:
	default:
		return true // a function, which has no value
	}
	s.line(depth)
	if f.Name != "" {
		s.b = append(append(append(s.b, '.'), f.Name...), " = "...)
	}
	s.b = append(append(append(s.b, '('), typeName(f.Type)...), ')')
	switch t := t.(type) {
	case *types.Struct:
		return s.members(t, off, depth)
	case *types.Array:
		return s.elements(t, off, depth)
	case *types.Float:
		s.b = strconv.AppendFloat(s.b, arg{kind: argBytes, b: s.mem[off : off+n]}.float(), 'g', -1, 64)
	default:
		s.scalar(f.Type, number)
	}
	s.b = append(s.b, ",\n"...)
	return true
}

// dots stand for what is left out.
func (s *shower) dots(depth int) {
	s.line(depth)
	s.b = append(s.b, "...\n"...)
}

func isZero(b []byte) bool {
	for _, c := range b {
		if c != 0 {
			return false
		}
	}
	return true
}

// typeName spells a type; one without a name is only struct, union or enum.
func typeName(t types.Type) string {
	name := t.String()
	if i := strings.Index(name, " {"); i >= 0 {
		return name[:i]
	}
	return name
}

func (s *shower) members(t *types.Struct, off, depth int) bool {
	s.b = append(s.b, " {\n"...)
	s.open = append(s.open, depth)
	if depth+1 >= printDepth {
		s.dots(depth + 1) // deeper is left out, but not what follows
		return true
	}
	for _, m := range t.Fields() {
		if !s.value(m, off, depth+1) {
			return false
		}
	}
	return true
}

func (s *shower) elements(t *types.Array, off, depth int) bool {
	if t.Len == 0 {
		s.b = append(s.b, " [],\n"...)
		return true
	}
	s.b = append(s.b, " [\n"...)
	if depth+1 >= printDepth {
		s.dots(depth + 1)
		s.line(depth)
		s.b = append(s.b, "],\n"...)
		return true
	}
	more, isText := true, t.Elem.String() == "char"
	for i := 0; i < t.Len && more; i++ {
		at := off + i*t.Elem.Size()
		if isText && at < len(s.mem) && s.mem[at] == 0 {
			break
		}
		more = s.value(types.Field{Type: t.Elem}, at, depth+1)
	}
	s.close(depth + 1)
	s.line(depth)
	s.b = append(s.b, "],\n"...)
	return more
}

// number reads an integer, an enumeration or a pointer, or the bits of one.
func (s *shower) number(f types.Field, base int) trace.Value {
	if !types.IsScalar(f.Type) {
		return trace.Value{}
	}
	if f.Bits == 0 {
		off := base + f.Off/8
		return agg.Integer(s.mem[off:off+f.Type.Size()], f.Type)
	}
	var word uint64
	first := base*8 + f.Off
	for i := range f.Bits {
		bit := first + i
		if bit/8 < len(s.mem) && s.mem[bit/8]>>(bit%8)&1 != 0 {
			word |= 1 << i
		}
	}
	shift := 64 - uint(f.Bits)
	if types.IsSigned(f.Type) {
		return trace.Value{Kind: trace.IntValue, Size: 8, Int: int64(word<<shift) >> shift}
	}
	return trace.Value{Kind: trace.UintValue, Size: 8, Int: int64(word)}
}

func (s *shower) scalar(t types.Type, v trace.Value) {
	switch r := types.Resolve(t).(type) {
	case *types.Pointer:
		s.b = strconv.AppendUint(append(s.b, "0x"...), uint64(v.Int), 16)
		if _, ok := types.Resolve(r.Elem).(*types.Func); ok {
			s.named(uint64(v.Int))
		}
		return
	case *types.Enum:
		for _, e := range r.Values {
			if e.Value == v.Int {
				s.b = append(s.b, e.Name...)
				return
			}
		}
	case *types.Int:
		if r.Char && t.String() == "char" {
			s.b = append(s.b, '\'')
			if c := byte(v.Int); c < 0x80 {
				s.b = appendEscaped(s.b, []byte{c})
			} else {
				s.b = text.AppendSafe(s.b, string([]byte{c}), s.safe)
			}
			s.b = append(s.b, '\'')
			return
		}
	}
	if v.Kind == trace.UintValue {
		s.b = strconv.AppendUint(s.b, uint64(v.Int), 10)
		return
	}
	s.b = strconv.AppendInt(s.b, v.Int, 10)
}

// named adds the name of the function at an address, if it has one.
func (s *shower) named(addr uint64) {
	if f := s.name(addr); f.Symbol != "" {
		s.b = append(text.AppendSafe(append(s.b, " ("...), f.String(), s.safe), ')')
	}
}

// packet reads what pcap() captured; nil if there was no packet.
func (d *Decoder) packet(a *action, rec []byte) *trace.Packet {
	var w [4]uint64
	for i := range w {
		m := a.Data[i]
		w[i] = unsigned(rec[m.Off : m.Off+m.Size])
	}
	if w[1] == 0 {
		return nil
	}
	data := a.Data[4]
	p := &trace.Packet{Time: time.Unix(0, 0), Length: uint32(w[1]), Proto: uint32(w[3]),
		Data: string(rec[data.Off : data.Off+min(int(w[2]), data.Size)])}
	if d.c.Moment != nil {
		p.Time = d.c.Moment(w[0])
	}
	return p
}

// setopt returns name=value. The size of what print() shows changes at once, for
// what follows in the same record.
func (d *Decoder) setopt(a *action, probe *trace.Probe, rec []byte) string {
	name, value := a.Call.Option, a.Call.Value
	if name == "" && len(a.Data) > 0 {
		name = d.datum(a.Data, 0, probe, rec).Str
		if len(a.Data) > 1 {
			value = d.datum(a.Data, 1, probe, rec).Str
		}
	}
	if name == "printsize" {
		if n, err := option.Size(value); err == nil {
			d.c.PrintSize = int(n)
		}
	}
	return name + "=" + value
}

// shown returns how many of n bytes tracemem() shows: all of them if it is asked
// for more, or for less than none.
func shown(v trace.Value, n int) int {
	if v.Kind == trace.IntValue && v.Int < 0 || uint64(v.Int) > uint64(n) {
		return n
	}
	return int(v.Int)
}
