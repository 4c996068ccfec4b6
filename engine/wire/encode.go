package wire

import (
	"encoding/binary"
	"fmt"
	"math"
	"reflect"
	"slices"
	"time"

	"dscope.dev/engine/trace"
)

func appendUint(b []byte, u uint64) []byte { return binary.AppendUvarint(b, u) }

func appendInt(b []byte, n int64) []byte { return binary.AppendVarint(b, n) }

func appendText(b []byte, s string) []byte { return append(appendUint(b, uint64(len(s))), s...) }

// What is written once is kept up to these bounds, on both sides; what does not fit is
// written each time.
const (
	maxShared = 1 << 16 // values of a type
	maxString = 256     // bytes of a string
	maxText   = 4 << 20 // bytes of all strings
	maxFrames = 1 << 20 // frames of all stacks

	maxOrigins = 64 << 20 // bytes of memory for origins, at a reader
)

// An encoder writes values.
type encoder struct {
	b    []byte
	last int64 // ns: the time before

	strings map[string]uint64
	text    int // bytes of strings
	total   int // frames of stacks
	frames  map[trace.Frame]uint64
	probes  map[trace.Probe]uint64
	bounds  map[trace.Bucket]uint64
	origins map[*trace.Origin]uint64
	stacks  [][]trace.Frame
	hashes  map[uint64][]uint64 // numbers of stacks
}

// forget begins anew, as a reader does that begins here.
func (e *encoder) forget() {
	e.last, e.text, e.total, e.stacks = 0, 0, 0, nil
	e.strings, e.hashes = map[string]uint64{}, map[uint64][]uint64{}
	e.frames, e.probes = map[trace.Frame]uint64{}, map[trace.Probe]uint64{}
	e.bounds, e.origins = map[trace.Bucket]uint64{}, map[*trace.Origin]uint64{}
}

// value writes v, which lies in memory that can be addressed.
func (e *encoder) value(p *plan, v reflect.Value) {
	switch p.form {
	case formBool:
		e.b = append(e.b, 0)
		if v.Bool() {
			e.b[len(e.b)-1] = 1
		}
	case formInt:
		e.b = appendInt(e.b, v.Int())
	case formUint:
		e.b = appendUint(e.b, v.Uint())
	case formFloat:
		e.b = binary.LittleEndian.AppendUint64(e.b, math.Float64bits(v.Float()))
	case formString:
		e.string(v.String())
	case formBytes:
		if v.Kind() == reflect.String {
			e.b = appendText(e.b, v.String())
			break
		}
		e.b = appendUint(e.b, uint64(v.Len()))
		e.b = append(e.b, v.Bytes()...)
	case formTime:
		now := v.Addr().Interface().(*time.Time).UnixNano()
		e.b = appendInt(e.b, now-e.last)
		e.last = now
	case formError:
		f := fail(v.Interface().(error))
		e.value(ours().failure, reflect.ValueOf(f).Elem())
	case formStruct:
		e.fields(p, v)
	case formPointer:
		e.b = append(e.b, 0)
		if !v.IsNil() {
			e.b[len(e.b)-1] = 1
			e.value(p.elem, v.Elem())
		}
	case formList:
		n := v.Len()
		e.b = appendUint(e.b, uint64(n))
		for i := range n {
			e.value(p.elem, v.Index(i))
		}
	case formShared:
		switch s := v.Addr().Interface().(type) {
		case *trace.Frame:
			share(e, e.frames, *s, p, v)
		case *trace.Probe:
			share(e, e.probes, *s, p, v)
		}
	case formBucket:
		b := v.Addr().Interface().(*trace.Bucket)
		bounds := *b
		bounds.Count = 0
		if !e.shared(e.bounds[bounds]) {
			share(e, e.bounds, bounds, p, reflect.ValueOf(&bounds).Elem())
		}
		e.b = appendInt(e.b, b.Count)
	case formStack:
		e.stack(p, *v.Addr().Interface().(*[]trace.Frame), v)
	case formOrigins:
		e.originList(p, *v.Addr().Interface().(*[]trace.Origin), v)
	default:
		panic(fmt.Sprintf("wire: form %d", p.form))
	}
}

// fields writes a struct.
func (e *encoder) fields(p *plan, v reflect.Value) {
	at := len(e.b)
	for range p.bits {
		e.b = append(e.b, 0)
	}
	for i := range p.fields {
		f := &p.fields[i]
		of := v.Field(f.index)
		if empty(f.plan, of) {
			continue
		}
		e.b[at+i/8] |= 1 << (i % 8)
		switch f.plan.form {
		case formBool: // its bit says it
		case formPointer:
			e.value(f.plan.elem, of.Elem())
		default:
			e.value(f.plan, of)
		}
	}
}

// empty reports whether a field need not be written.
func empty(p *plan, v reflect.Value) bool {
	switch p.form {
	case formTime:
		return v.Addr().Interface().(*time.Time).IsZero()
	case formList, formStack, formOrigins:
		return v.Len() == 0
	case formBytes:
		return v.Len() == 0
	}
	return v.IsZero()
}

func (e *encoder) string(s string) {
	if n, ok := e.strings[s]; ok {
		e.b = appendUint(e.b, n<<1|1)
		return
	}
	e.b = appendUint(e.b, uint64(len(s))<<1)
	e.b = append(e.b, s...)
	if isShared(len(s), len(e.strings), e.text) {
		e.strings[s] = uint64(len(e.strings))
		e.text += len(s)
	}
}

// isShared reports whether a string gets a number: reader and writer must agree.
func isShared(size, known, text int) bool {
	return size > 0 && size <= maxString && known < maxShared && text+size <= maxText
}

// keepsStack says so of a stack.
func keepsStack(size, known, total int) bool { return known < maxShared && total+size <= maxFrames }

// shared writes a number, counted from 1, and reports whether there is one.
func (e *encoder) shared(n uint64) bool {
	if n > 0 {
		e.b = appendUint(e.b, n)
	}
	return n > 0
}

// share writes a struct that is known by its number, or that is written here once.
func share[T comparable](e *encoder, known map[T]uint64, key T, p *plan, v reflect.Value) {
	if e.shared(known[key]) {
		return
	}
	e.b = append(e.b, 0)
	e.fields(p, v)
	if len(known) < maxShared {
		known[key] = uint64(len(known)) + 1
	}
}

func (e *encoder) stack(p *plan, frames []trace.Frame, v reflect.Value) {
	hash := uint64(len(frames))
	for i := range frames {
		hash = hash*31 + frames[i].Addr
	}
	for _, n := range e.hashes[hash] {
		if slices.Equal(e.stacks[n-1], frames) {
			e.shared(n)
			return
		}
	}
	e.b = append(e.b, 0)
	e.list(p, v)
	if keepsStack(len(frames), len(e.stacks), e.total) {
		e.stacks = append(e.stacks, frames)
		e.total += len(frames)
		e.hashes[hash] = append(e.hashes[hash], uint64(len(e.stacks)))
	}
}

// originList knows a list by where it lies: there is one for all snapshots of a run.
func (e *encoder) originList(p *plan, list []trace.Origin, v reflect.Value) {
	if e.shared(e.origins[&list[0]]) {
		return
	}
	e.b = append(e.b, 0)
	e.list(p, v)
	if len(e.origins) < maxShared {
		e.origins[&list[0]] = uint64(len(e.origins)) + 1
	}
}

func (e *encoder) list(p *plan, v reflect.Value) {
	e.b = appendUint(e.b, uint64(v.Len()))
	for i := range v.Len() {
		e.value(p.elem, v.Index(i))
	}
}
