package agg

import (
	"bytes"
	"encoding/binary"
	"fmt"

	"dscope.dev/dlang/check"
	"dscope.dev/dlang/lower"
	"dscope.dev/dlang/types"
	"dscope.dev/engine/trace"
)

// Names turns the numbers in a key into what they stand for. Package engine
// makes one for each drain, because the kernel numbers stacks anew in each
// generation. What it returns is kept and must not change.
type Names interface {
	// Stack returns the addresses of stack number id, innermost first and
	// without the tracer's own, or nil if the kernel could not keep it. The
	// number lies at the offset off of the key: which kind of stack it is, and
	// of which depth, is known by that.
	Stack(id int64, off int) []uint64

	// Kernel names an address of the kernel.
	Kernel(addr uint64) trace.Frame

	// User names an address of a process.
	User(pid uint32, addr uint64) trace.Frame

	// Frames appends the frames of an address of a process: of functions that were
	// inlined there and of the one that has the code. Back is set if it is one to
	// return to.
	Frames(list []trace.Frame, pid uint32, addr uint64, back bool) []trace.Frame

	// Believe returns of the addresses of a stack of a process those that can be its
	// callers.
	Believe(pid uint32, addrs []uint64) []uint64

	// KernelFrames does the same for an address of the kernel.
	KernelFrames(list []trace.Frame, addr uint64, back bool) []trace.Frame

	// Probe returns a part of a probe's name: 0 provider, 1 module, 2 function,
	// 3 name. Key is unit<<lower.KeyUnitShift | site key.
	Probe(key uint32, part int) string
}

// A keyReader reads the encoded keys of one aggregation.
type keyReader struct {
	data    []lower.Datum
	kinds   []check.KeyKind // of each datum
	plain   bool            // equal keys are equal bytes, size of them
	lasting bool            // equal keys stand for the same in each drain
	size    int
	buf     []byte // scratch for canonical
}

func newKeyReader(l lower.KeyLayout) *keyReader {
	r := &keyReader{data: l.Data, plain: true, lasting: true}
	for i, d := range l.Data {
		kind := check.KeyValue
		if l.Agg != nil && i < len(l.Agg.Keys) {
			kind = l.Agg.Keys[i].Kind
		}
		r.kinds = append(r.kinds, kind)
		switch d.Enc {
		case lower.EncProbe, lower.EncString:
			r.plain = false
		case lower.EncStack, lower.EncUstack, lower.EncSym, lower.EncUsym, lower.EncForms:
			r.plain, r.lasting = false, false
		}
		r.size = max(r.size, d.Off+(keySize(d)+7)&^7)
	}
	return r
}

// check reports a key that is too short for its layout.
func (r *keyReader) check(key []byte) error {
	for _, d := range r.data {
		if d.Off < 0 || d.Off+keySize(d) > len(key) {
			return fmt.Errorf("decode key: %d bytes at %d lie outside its %d bytes", keySize(d), d.Off, len(key))
		}
		if d.Enc == lower.EncForms && uint64(word(key, d.Off)) >= uint64(len(d.Forms)) {
			return fmt.Errorf("decode key: form %d at %d is not one of %d", word(key, d.Off), d.Off, len(d.Forms))
		}
	}
	return nil
}

// form returns what element i is in this key.
func (r *keyReader) form(i int, key []byte) (check.KeyKind, lower.Datum) {
	d := r.data[i]
	if d.Enc != lower.EncForms {
		return r.kinds[i], d
	}
	f := d.Forms[word(key, d.Off)]
	return f.Kind, f.Datum
}

// keySize is how many bytes of a key d takes.
func keySize(d lower.Datum) int {
	switch d.Enc {
	case lower.EncProbe:
		return 4
	case lower.EncStack, lower.EncSym:
		return 8
	case lower.EncUstack, lower.EncUsym:
		return 16
	}
	return d.Size
}

// canonical returns key in a form in which equal keys are equal bytes. The
// result is valid until the next call.
func (r *keyReader) canonical(key []byte, names Names) []byte {
	if r.plain {
		return key[:min(r.size, len(key))]
	}
	b := r.buf[:0]
	for i := range r.data {
		kind, d := r.form(i, key)
		if kind != check.KeyValue { // one kind is never another, whatever its bytes are
			b = append(b, byte(kind))
		}
		switch d.Enc {
		case lower.EncProbe:
			b = append(b, names.Probe(binary.LittleEndian.Uint32(key[d.Off:]), d.Part)...)
			b = append(b, 0)
		case lower.EncStack:
			b = appendStack(b, names.Stack(word(key, d.Off), d.Off))
		case lower.EncUstack:
			b = append(b, key[d.Off:d.Off+8]...)
			b = appendStack(b, ustack(key, d, names))
		case lower.EncSym:
			b = appendSym(b, kind, names.Kernel(uint64(word(key, d.Off))))
		case lower.EncUsym:
			b = append(b, key[d.Off:d.Off+8]...)
			b = appendSym(b, kind, names.User(uint32(word(key, d.Off)), uint64(word(key, d.Off+8))))
		case lower.EncString: // another aggregation may have more room for it
			b = append(append(b, cString(key[d.Off:d.Off+d.Size])...), 0)
		default: // with what it was extended to
			b = append(b, key[d.Off:min(d.Off+(d.Size+7)&^7, len(key))]...)
		}
	}
	r.buf = b
	return b
}

// ustack returns the addresses of a stack of a process.
func ustack(key []byte, d lower.Datum, names Names) []uint64 {
	return names.Believe(uint32(word(key, d.Off)), names.Stack(word(key, d.Off+8), d.Off+8))
}

func word(b []byte, off int) int64 { return int64(binary.LittleEndian.Uint64(b[off:])) }

func appendStack(b []byte, addrs []uint64) []byte {
	b = binary.LittleEndian.AppendUint32(b, uint32(len(addrs)))
	for _, a := range addrs {
		b = binary.LittleEndian.AppendUint64(b, a)
	}
	return b
}

// appendSym appends what tells a symbol or module from another: for mod() its
// name, for the others the address at which the symbol begins, and for uaddr()
// the address itself. An address of a process is told from that of another process
// before, as in DTrace: two processes that run one file have a row each, and its name is
// printed twice. DTrace shows that of processes that live only, for those that have ended
// it shows addresses; here they have names too.
func appendSym(b []byte, kind check.KeyKind, f trace.Frame) []byte {
	switch kind {
	case check.KeyMod, check.KeyUmod:
		if f.Module != "" {
			return append(append(b, f.Module...), 0)
		}
	case check.KeyUaddr:
		f.Offset = 0
	}
	if f.Symbol == "" && !f.Raw || f.Script { // the address of a function of a script is where it begins
		f.Offset = 0
	}
	b = append(b, 0)
	return binary.LittleEndian.AppendUint64(b, f.Addr-f.Offset)
}

// values decodes a key.
func (r *keyReader) values(key []byte, names Names) []trace.Value {
	vals := make([]trace.Value, len(r.data))
	for i := range r.data {
		kind, d := r.form(i, key)
		vals[i] = keyValue(kind, d, key, names)
	}
	return vals
}

func keyValue(kind check.KeyKind, d lower.Datum, key []byte, names Names) trace.Value {
	switch d.Enc {
	case lower.EncProbe:
		return trace.Value{Kind: trace.StringValue, Str: names.Probe(binary.LittleEndian.Uint32(key[d.Off:]), d.Part)}
	case lower.EncString:
		return trace.Value{Kind: trace.StringValue, Str: string(cString(key[d.Off : d.Off+d.Size]))}
	case lower.EncStack:
		v := trace.Value{Kind: trace.StackValue}
		for _, a := range names.Stack(word(key, d.Off), d.Off) {
			v.Frames = names.KernelFrames(v.Frames, a, len(v.Frames) > 0)
		}
		return v
	case lower.EncUstack:
		v := trace.Value{Kind: trace.UstackValue, Int: word(key, d.Off)}
		for _, a := range ustack(key, d, names) {
			v.Frames = names.Frames(v.Frames, uint32(v.Int), a, len(v.Frames) > 0)
		}
		return v
	case lower.EncSym:
		return Symbol(kind, 0, names.Kernel(uint64(word(key, d.Off))))
	case lower.EncUsym:
		pid := word(key, d.Off)
		return Symbol(kind, pid, names.User(uint32(pid), uint64(word(key, d.Off+8))))
	case lower.EncBytes:
		return trace.Value{Kind: trace.BytesValue, Str: string(key[d.Off : d.Off+d.Size])}
	}
	return Integer(key[d.Off:d.Off+d.Size], d.Type)
}

// Symbol is an address by name, as the function that kind stands for shows it:
// only uaddr() says how far from the symbol it lies.
func Symbol(kind check.KeyKind, pid int64, f trace.Frame) trace.Value {
	v := trace.Value{Kind: trace.SymValue, Int: pid}
	switch kind {
	case check.KeyMod, check.KeyUmod:
		if f.Module != "" {
			f = trace.Frame{Module: f.Module} // one for the whole module
			v.Str = f.Module
			break
		}
		v.Str = f.String()
	case check.KeyUaddr:
		v.Str = f.String()
	default:
		switch {
		case f.Script:
			f.Offset = 0
		case f.Symbol != "":
			f.Addr, f.Offset = f.Addr-f.Offset, 0
		}
		v.Str = f.String()
	}
	v.Frames = []trace.Frame{f}
	return v
}

// Integer reads a little-endian integer of type t. Its size is that of t where
// the bytes suffice, because keys and records may keep it wider.
func Integer(b []byte, t types.Type) trace.Value {
	size := len(b)
	if t != nil && t.Size() > 0 && t.Size() < size {
		size = t.Size()
	}
	v := trace.Value{Kind: trace.UintValue}
	var u uint64
	switch {
	case size >= 8:
		u, v.Size = binary.LittleEndian.Uint64(b), 8
	case size >= 4:
		u, v.Size = uint64(binary.LittleEndian.Uint32(b)), 4
	case size >= 2:
		u, v.Size = uint64(binary.LittleEndian.Uint16(b)), 2
	case size == 1:
		u, v.Size = uint64(b[0]), 1
	default:
		v.Size = 8
	}
	v.Int = int64(u)
	if types.IsSigned(t) {
		v.Kind = trace.IntValue
		shift := 64 - 8*uint(v.Size)
		v.Int = v.Int << shift >> shift
	}
	return v
}

// cString returns the bytes before the first zero.
func cString(b []byte) []byte {
	if i := bytes.IndexByte(b, 0); i >= 0 {
		return b[:i]
	}
	return b
}
