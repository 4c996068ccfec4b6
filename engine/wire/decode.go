package wire

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"reflect"
	"time"

	"dscope.dev/engine/trace"
)

// What a decoder meets in streams that nobody has written.
var (
	errShort  = errors.New("it ends within a value")
	errNumber = errors.New("a number that does not fit")
	errDeep   = errors.New("values within values, too deep")
	errMemory = errors.New("it would take too much memory")
	errRef    = errors.New("a number of nothing that was written before")
)

// maxDepth bounds values within values; a snapshot has nine.
const maxDepth = 64

// A decoder reads values. The first error stays, and what is read after it is empty.
type decoder struct {
	b      []byte
	err    error
	last   int64
	depth  int
	left   uint64 // bytes of memory that may be taken
	schema *foreign

	strings []string
	size    int    // bytes of strings
	total   int    // frames of stacks
	held    uint64 // bytes of origins
	frames  []trace.Frame
	probes  []trace.Probe
	bounds  []trace.Bucket
	stacks  [][]trace.Frame
	origins [][]trace.Origin
}

// forget begins anew.
func (d *decoder) forget() {
	d.last, d.size, d.total, d.held = 0, 0, 0, 0
	d.strings, d.frames, d.probes, d.bounds, d.stacks, d.origins = nil, nil, nil, nil, nil, nil
}

func (d *decoder) fail(err error) {
	if d.err == nil {
		d.err = err
	}
	d.b = nil
}

// take counts memory before it is taken, and reports whether there is as much.
func (d *decoder) take(n int, size uintptr) bool {
	if d.err != nil || uint64(n)*uint64(size) > d.left {
		d.fail(errMemory)
		return false
	}
	d.left -= uint64(n) * uint64(size)
	return true
}

func (d *decoder) byte() byte {
	if len(d.b) == 0 {
		d.fail(errShort)
		return 0
	}
	c := d.b[0]
	d.b = d.b[1:]
	return c
}

func (d *decoder) uint() uint64 {
	u, n := binary.Uvarint(d.b)
	if n <= 0 {
		d.fail(errShort)
		return 0
	}
	d.b = d.b[n:]
	return u
}

func (d *decoder) int() int64 {
	n, size := binary.Varint(d.b)
	if size <= 0 {
		d.fail(errShort)
		return 0
	}
	d.b = d.b[size:]
	return n
}

// count reads how many elements follow, each of a byte at least.
func (d *decoder) count(most int) int {
	n := d.uint()
	if n > uint64(len(d.b)) || n > uint64(most) {
		d.fail(errShort)
		return 0
	}
	return int(n)
}

// bytes returns the next n bytes.
func (d *decoder) bytes(n uint64) []byte {
	if n > uint64(len(d.b)) {
		d.fail(errShort)
		return nil
	}
	b := d.b[:n]
	d.b = d.b[n:]
	return b
}

func (d *decoder) text() string {
	b := d.bytes(d.uint())
	if !d.take(len(b), 1) {
		return ""
	}
	return string(b)
}

// value reads into v, which is not valid if what is read is not wanted.
func (d *decoder) value(p *program, v reflect.Value) {
	if d.depth++; d.depth > maxDepth {
		d.fail(errDeep)
	}
	defer func() { d.depth-- }()
	if d.err != nil {
		return
	}
	wanted := v.IsValid()
	switch p.form {
	case formBool:
		if yes := d.byte() != 0; wanted {
			v.SetBool(yes)
		}
	case formInt:
		if n := d.int(); wanted {
			if v.OverflowInt(n) {
				d.fail(errNumber)
				return
			}
			v.SetInt(n)
		}
	case formUint:
		if n := d.uint(); wanted {
			if v.OverflowUint(n) {
				d.fail(errNumber)
				return
			}
			v.SetUint(n)
		}
	case formFloat:
		if b := d.bytes(8); wanted && b != nil {
			v.SetFloat(math.Float64frombits(binary.LittleEndian.Uint64(b)))
		}
	case formString:
		if s := d.string(); wanted {
			v.SetString(s)
		}
	case formBytes:
		d.blob(v)
	case formTime:
		d.last += d.int()
		if wanted {
			*v.Addr().Interface().(*time.Time) = time.Unix(0, d.last)
		}
	case formError:
		var f failure
		d.value(d.schema.failure, reflect.ValueOf(&f).Elem())
		if wanted && d.err == nil {
			v.Set(reflect.ValueOf(f.error()))
		}
	case formStruct:
		d.fields(p, v)
	case formPointer:
		if d.byte() != 0 {
			d.pointer(p, v)
		}
	case formList:
		d.list(p, v)
	default:
		d.known(p, v)
	}
}

// fields reads a struct.
func (d *decoder) fields(p *program, v reflect.Value) {
	bits := d.bytes(uint64(p.bits))
	for i := range p.fields {
		if d.err != nil {
			return
		}
		if bits[i/8]&(1<<(i%8)) == 0 {
			continue
		}
		f := &p.fields[i]
		var of reflect.Value
		if f.index >= 0 && v.IsValid() {
			of = v.Field(f.index)
		}
		switch {
		case f.form == formPointer:
			d.pointer(f.program, of)
		case f.form != formBool:
			d.value(f.program, of)
		case of.IsValid():
			of.SetBool(true)
		}
	}
}

func (d *decoder) pointer(p *program, v reflect.Value) {
	if !v.IsValid() {
		d.value(p.elem, v)
		return
	}
	if d.take(1, v.Type().Elem().Size()) {
		v.Set(reflect.New(v.Type().Elem()))
		d.value(p.elem, v.Elem())
	}
}

// list reads a list, each element of which has a byte at least.
func (d *decoder) list(p *program, v reflect.Value) {
	n := d.count(math.MaxInt32)
	if !v.IsValid() {
		for range n {
			d.value(p.elem, v)
		}
		return
	}
	if n == 0 || !d.take(n, v.Type().Elem().Size()) {
		return
	}
	v.Set(reflect.MakeSlice(v.Type(), n, n))
	for i := range n {
		d.value(p.elem, v.Index(i))
		if d.err != nil {
			return
		}
	}
}

func (d *decoder) blob(v reflect.Value) {
	switch b := d.bytes(d.uint()); {
	case !v.IsValid() || !d.take(len(b), 1):
	case v.Kind() == reflect.String:
		v.SetString(string(b))
	default:
		v.SetBytes(append([]byte(nil), b...))
	}
}

func (d *decoder) string() string {
	u := d.uint()
	if u&1 == 1 {
		if u>>1 >= uint64(len(d.strings)) {
			d.fail(errRef)
			return ""
		}
		return d.strings[u>>1]
	}
	b := d.bytes(u >> 1)
	if !d.take(len(b), 1) {
		return ""
	}
	s := string(b)
	if isShared(len(s), len(d.strings), d.size) {
		d.strings = append(d.strings, s)
		d.size += len(s)
	}
	return s
}

// known reads what is written once.
func (d *decoder) known(p *program, v reflect.Value) {
	switch p.form {
	case formShared:
		if p.typ == reflect.TypeFor[trace.Probe]() {
			give(v, recall(d, &d.probes, p))
			return
		}
		give(v, recall(d, &d.frames, p))
	case formBucket:
		b := recall(d, &d.bounds, p)
		b.Count = d.int()
		give(v, b)
	case formStack:
		list, fresh := recallList(d, d.stacks, p)
		if give(v, list); fresh && keepsStack(len(list), len(d.stacks), d.total) {
			d.stacks = append(d.stacks, list)
			d.total += len(list)
		}
	case formOrigins:
		before := d.left
		list, fresh := recallList(d, d.origins, p)
		if give(v, list); fresh && len(d.origins) < maxShared {
			d.origins = append(d.origins, list)
			if d.held += before - d.left; d.held > maxOrigins {
				d.fail(errMemory)
			}
		}
	default:
		d.fail(fmt.Errorf("the unknown form %d", p.form))
	}
}

// give puts a value where it is wanted.
func give[T any](to reflect.Value, value T) {
	if to.IsValid() {
		*to.Addr().Interface().(*T) = value
	}
}

// recall returns a struct that was written before, or is written here.
func recall[T any](d *decoder, known *[]T, p *program) (value T) {
	n := d.uint()
	switch {
	case d.err != nil:
	case n > uint64(len(*known)):
		d.fail(errRef)
	case n > 0:
		return (*known)[n-1]
	default:
		d.fields(p, reflect.ValueOf(&value).Elem())
		if len(*known) < maxShared {
			*known = append(*known, value)
		}
	}
	return value
}

// recallList does so with a list, which is fresh if it is written here.
func recallList[T any](d *decoder, known [][]T, p *program) (list []T, fresh bool) {
	n := d.uint()
	switch {
	case d.err != nil:
	case n > uint64(len(known)):
		d.fail(errRef)
	case n > 0:
		return known[n-1], false
	default:
		d.list(p, reflect.ValueOf(&list).Elem())
		return list, true
	}
	return nil, false
}
