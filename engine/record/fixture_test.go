package record

import (
	"bytes"
	"encoding/binary"
	"strings"
	"testing"
	"time"

	"dscope.dev/dlang/check"
	"dscope.dev/dlang/ir"
	"dscope.dev/dlang/lower"
	"dscope.dev/dlang/types"
	"dscope.dev/engine/trace"
)

// fakeNames knows a kernel of one function and processes of one library.
type fakeNames struct{}

func (fakeNames) Trim(addrs []uint64) []uint64 { return addrs }

func (fakeNames) Kernel(addr uint64) trace.Frame {
	f := trace.Frame{Addr: addr}
	if addr >= 0x1000 && addr < 0x2000 {
		f.Module, f.Symbol, f.Offset = "vmlinux", "vfs_read", addr-0x1000
	}
	if addr >= 0xffffffff81002000 && addr < 0xffffffff81003000 {
		f.Module, f.Symbol, f.Offset = "vmlinux", "vfs_write", addr-0xffffffff81002000
	}
	return f
}

func (fakeNames) Believe(_ uint32, addrs []uint64) []uint64 { return addrs }

func (n fakeNames) KernelFrames(list []trace.Frame, addr uint64, _ bool) []trace.Frame {
	return append(list, n.Kernel(addr))
}

func (n fakeNames) Frames(list []trace.Frame, pid uint32, addr uint64, _ bool) []trace.Frame {
	return append(list, n.User(pid, addr))
}

func (fakeNames) User(pid uint32, addr uint64) trace.Frame {
	f := trace.Frame{Addr: addr}
	if pid == 42 {
		f.Module, f.Symbol, f.Offset = "libc.so.6", "malloc", addr&0xff
	}
	return f
}

// A fixture lays out one record: its data in order, each at a multiple of its
// size.
type fixture struct {
	rec    []byte
	layout lower.Layout
}

func newFixture() *fixture {
	f := &fixture{rec: make([]byte, 8)}
	binary.LittleEndian.PutUint32(f.rec[4:], 3) // the site
	return f
}

// put adds bytes and returns where they are.
func (f *fixture) put(b []byte, typ types.Type, enc lower.Encoding) lower.Datum {
	for len(f.rec)%min(max(len(b), 1), 8) != 0 && len(b)&(len(b)-1) == 0 {
		f.rec = append(f.rec, 0)
	}
	d := lower.Datum{Off: len(f.rec), Size: len(b), Type: typ, Enc: enc}
	f.rec = append(f.rec, b...)
	return d
}

// value adds what a test names as an argument.
func (f *fixture) value(v any) lower.Datum {
	switch v := v.(type) {
	case int8:
		return f.put([]byte{byte(v)}, types.SChar, lower.EncValue)
	case int16:
		return f.put(binary.LittleEndian.AppendUint16(nil, uint16(v)), types.Short, lower.EncValue)
	case int32:
		return f.put(binary.LittleEndian.AppendUint32(nil, uint32(v)), types.IntType, lower.EncValue)
	case int:
		return f.put(binary.LittleEndian.AppendUint64(nil, uint64(v)), types.Long, lower.EncValue)
	case uint8:
		return f.put([]byte{v}, types.UChar, lower.EncValue)
	case uint32:
		return f.put(binary.LittleEndian.AppendUint32(nil, v), types.UInt, lower.EncValue)
	case uint64:
		return f.put(binary.LittleEndian.AppendUint64(nil, v), types.ULong, lower.EncValue)
	case string:
		b := make([]byte, (len(v)+16)&^15)
		copy(b, v)
		return f.put(b, types.StrType, lower.EncString)
	case []byte:
		return f.put(v, &types.Array{Elem: types.Char, Len: len(v)}, lower.EncBytes)
	case float64s:
		return f.put([]byte(v), &types.Float{Name: "double", Bytes: len(v)}, lower.EncBytes)
	case []uint64: // a kernel stack
		return f.put(append(words(v), make([]byte, 8*ir.TracerFrames)...), nil, lower.EncStack)
	case userWords:
		if len(v) == 2 {
			return f.put(words(v), nil, lower.EncUsym)
		}
		return f.put(words(v), nil, lower.EncUstack)
	case probePart1:
		return lower.Datum{Off: int(v), Enc: lower.EncProbe, Type: types.StrType}
	}
	panic("no such argument")
}

type (
	float64s   []byte
	userWords  []uint64 // a process, then addresses
	probePart1 int
)

func words(v []uint64) (b []byte) {
	for _, w := range v {
		b = binary.LittleEndian.AppendUint64(b, w)
	}
	return b
}

func (f *fixture) action(kind lower.ActionKind, call *check.Call, args ...any) {
	a := lower.Action{Kind: kind, Call: call}
	for _, v := range args {
		a.Data = append(a.Data, f.value(v))
	}
	f.layout.Actions = append(f.layout.Actions, a)
}

// config is a run with one layout, served by one unit whose site 3 is a probe.
func (f *fixture) config() Config {
	f.layout.Clause = &check.Clause{Index: 0}
	for len(f.rec)%8 != 0 {
		f.rec = append(f.rec, 0)
	}
	return Config{
		Records: []ir.Record{{Size: len(f.rec)}},
		Layouts: []lower.Layout{f.layout},
		Units:   []lower.Unit{{Sites: []lower.Site{{Key: 3, ID: 77, Provider: "syscall", Module: "vmlinux", Function: "read", Name: "entry"}}}},
		Names:   fakeNames{}, Target: 42, Zone: time.UTC,
	}
}

// decode decodes the record of f.
func (f *fixture) decode(t testing.TB) Record {
	t.Helper()
	d, err := New(f.config())
	if err != nil {
		t.Fatal(err)
	}
	r, err := d.Decode(1, time.Time{}, f.rec)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// format takes a format apart as the checker does.
func format(t testing.TB, text string) *check.Format {
	t.Helper()
	f, _, err := check.ParseFormat(text)
	if err != nil {
		t.Fatal(err)
	}
	return f
}

// printf returns what a printf of the given arguments prints.
func printf(t testing.TB, text string, args ...any) string {
	t.Helper()
	f := newFixture()
	f.action(lower.ActPrintf, &check.Call{Format: format(t, text)}, args...)
	got := f.decode(t).Event.Items[0].Text
	if alone := f.print(t); alone != got {
		t.Errorf("printf(%q, %v): %q in an event of its own, %q among others", text, args, got, alone)
	}
	return got
}

// print returns what the record of f prints if it shares an event with others.
func (f *fixture) print(t testing.TB) string {
	t.Helper()
	d, err := New(f.config())
	if err != nil {
		t.Fatal(err)
	}
	const before = "before"
	text, one, ok := d.Print([]byte(before), f.rec)
	if !ok || one.Clause != 1 || one.Probe.ID != 77 {
		t.Fatalf("a record that only prints: %v, %+v", ok, one)
	}
	if s := d.last.only; s != nil { // wordAt does not look where it writes
		room := bytes.Repeat([]byte{0xa5}, s.most+64)
		s.set(room[:s.most], 0, one.Probe, f.rec)
		if rest := room[s.most:]; !bytes.Equal(rest, bytes.Repeat([]byte{0xa5}, 64)) {
			t.Fatalf("%q was set in %d bytes, and these lie behind it: %q", text, s.most, rest)
		}
	}
	return strings.TrimPrefix(string(text), before)
}
