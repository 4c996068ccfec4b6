package record

import (
	"bytes"
	"encoding/binary"
	"slices"
	"strconv"

	"dscope.dev/dlang/lower"
	"dscope.dev/dlang/types"
	"dscope.dev/engine/trace"
)

// What floods are made of are clauses that do nothing but printf(). Their texts are set one
// behind another, without an event, an item and a string for each, and most conversions are
// of one of a few forms, which need nothing of what the others can be told.

// prints reports whether nothing but texts comes of the records of a layout.
func prints(p plan, l lower.Layout) bool {
	return !p.fault && p.spec == lower.SpecNone && p.stamp == 0 && p.example == 0 &&
		!slices.ContainsFunc(p.actions, func(a action) bool { return a.Kind != lower.ActPrintf })
}

// Print appends to b what a record prints, if that is all that there is to it. It does not
// keep rec.
func (d *Decoder) Print(b, rec []byte) (text []byte, one trace.Print, ok bool) {
	if len(rec) < d.head {
		return b, one, false
	}
	if head := binary.LittleEndian.Uint64(rec); d.last.plan == nil || head != d.last.head {
		d.last = d.headed(head)
	}
	p, probe := d.last.plan, d.last.probe
	if p == nil || len(rec) < p.size {
		return b, one, false
	}
	one = trace.Print{Probe: probe, Clause: p.clause}
	if s := d.last.only; s != nil { // append, without the call
		b = slices.Grow(b, s.most)
		if n, ok := s.set(b[:cap(b)], len(b), probe, rec); ok {
			return b[:n], one, true
		}
		return s.inSteps(b, d, probe, rec), one, true
	}
	for i := range p.actions {
		a := &p.actions[i]
		switch {
		case a.Flag > 0 && rec[a.Flag] == 0:
		case a.set != nil:
			b = a.set.append(b, d, probe, rec)
		default:
			d.args = recordArgs{data: a.Data, probe: probe, rec: rec}
			b = a.format.append(b, d, &d.args, nil)
		}
	}
	return b, one, true
}

// A headed is what follows from the head of a record: in a flood, most have the same.
type headed struct {
	head  uint64
	plan  *plan // nil if more than texts comes of it
	probe *trace.Probe
	only  *setting // what sets all that comes of it, in words; nil if that is not one printf(), always reached
}

func (d *Decoder) headed(head uint64) (h headed) {
	index, key := uint32(head), uint32(head>>32)
	if uint64(index) >= uint64(len(d.plans)) || !d.plans[index].prints {
		return h
	}
	p := &d.plans[index]
	if probe, ok := d.units[p.unit].find(key); ok {
		h = headed{head: head, plan: p, probe: probe}
		if len(p.actions) == 1 && p.actions[0].Flag <= 0 {
			if set := p.actions[0].set; set != nil && set.words != nil {
				h.only = set
			}
		}
	}
	return h
}

// A step is literal text and the conversion after it, with its datum.
type step struct {
	before string
	conv   *conv // nil if nothing comes after the text
	kind   stepKind
	from   int // the datum within the record
	to     int
	part   int // of a name: see probePart
}

// A stepKind says what a step converts.
type stepKind uint8

const (
	noStep       stepKind = iota
	unsignedStep          // an integer, as the others without precision and flags but -
	signedStep
	hexStep
	octalStep
	stringStep // %s of characters, or of bytes
	nameStep   // %s of a part of the probe's name
)

// steps returns what a format is made of for some data, nil if one of its conversions is of
// no such form.
func (f *Format) steps(data []lower.Datum) []step {
	list, before := make([]step, 0, len(f.convs)), ""
	for i := range f.convs {
		c := &f.convs[i]
		if c.verb == 0 {
			before += c.literal
			continue
		}
		if len(data) == 0 || c.widthArg || c.precArg || c.agg || c.wide {
			return nil
		}
		s := stepOf(c, &data[0])
		if s.kind == noStep {
			return nil
		}
		s.before = before
		list, data, before = append(list, s), data[1:], ""
	}
	if before != "" {
		list = append(list, step{before: before})
	}
	return list
}

// stepOf returns the step of a conversion, one of no kind if there is none.
func stepOf(c *conv, m *lower.Datum) step {
	size := m.Size
	if m.Type != nil && m.Type.Size() > 0 && m.Type.Size() < size {
		size = m.Type.Size()
	}
	s := step{conv: c, from: m.Off, to: m.Off + m.Size}
	switch {
	case c.verb == 's' && m.Enc == lower.EncProbe:
		s.kind, s.from, s.to, s.part = nameStep, 0, 0, m.Off
	case c.verb == 's' && (m.Enc == lower.EncString || m.Enc == lower.EncBytes):
		s.kind = stringStep
	case m.Enc != lower.EncValue || c.prec > 0 || c.zero || c.alt || c.plus || c.space:
	case size != 1 && size != 2 && size != 4 && size != 8 || isFloat(m.Type):
	default:
		s.kind, s.to = integerStep(c, m), s.from+size
	}
	return s
}

func isFloat(t types.Type) bool {
	_, ok := types.Resolve(t).(*types.Float)
	return ok
}

// integerStep returns the kind of step that converts an integer, none if the verb is of
// something else.
func integerStep(c *conv, m *lower.Datum) stepKind {
	switch c.verb {
	case 'd', 'i':
		if c.signed || types.IsSigned(m.Type) {
			return signedStep
		}
		return unsignedStep
	case 'u':
		return unsignedStep
	case 'o':
		return octalStep
	case 'x', 'p':
		return hexStep
	}
	return noStep
}

func (s *step) append(b []byte, d *Decoder, probe *trace.Probe, rec []byte) []byte {
	if len(s.before) == 1 {
		b = append(b, s.before[0])
	} else {
		b = append(b, s.before...)
	}
	at := len(b)
	switch s.kind {
	case unsignedStep:
		return s.pad(strconv.AppendUint(b, s.load(rec), 10), at)
	case signedStep:
		return s.pad(strconv.AppendInt(b, signed(s.load(rec), s.to-s.from), 10), at)
	case hexStep:
		return s.pad(strconv.AppendUint(b, s.load(rec), 16), at)
	case octalStep:
		return s.pad(strconv.AppendUint(b, s.load(rec), 8), at)
	case stringStep:
		raw := rec[s.from:s.to]
		if i := bytes.IndexByte(raw, 0); i >= 0 {
			raw = raw[:i]
		}
		b = append(b, raw...)
	case nameStep:
		b = append(b, probePart(probe, s.part)...)
	default:
		return b
	}
	return s.conv.end(b, at, &d.c)
}

// pad brings what stands from at on to the width of the conversion.
func (s *step) pad(b []byte, at int) []byte {
	return s.conv.pad(b, at, s.conv.width-(len(b)-at))
}

func (s *step) load(rec []byte) uint64 { return load(rec[s.from:], s.to-s.from) }

// load reads an integer of a size.
func load(rec []byte, size int) uint64 {
	switch size {
	case 8:
		return binary.LittleEndian.Uint64(rec)
	case 4:
		return uint64(binary.LittleEndian.Uint32(rec))
	case 2:
		return uint64(binary.LittleEndian.Uint16(rec))
	}
	return uint64(rec[0])
}

// signed extends an integer of a size by its sign.
func signed(u uint64, size int) int64 {
	shift := uint(64 - 8*size)
	return int64(u<<shift) >> shift
}
