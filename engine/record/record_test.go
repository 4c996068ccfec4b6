package record

import (
	"encoding/binary"
	"errors"
	"reflect"
	"testing"
	"time"

	"dscope.dev/dlang/ast"
	"dscope.dev/dlang/check"
	"dscope.dev/dlang/function"
	"dscope.dev/dlang/ir"
	"dscope.dev/dlang/lower"
	"dscope.dev/dlang/token"
	"dscope.dev/dlang/types"
	"dscope.dev/engine/agg"
	"dscope.dev/engine/trace"
)

var now = time.Unix(1, 0)

func fn(name string) *check.Call { return &check.Call{Fn: function.Find(name)} }

func TestValues(t *testing.T) {
	f := newFixture()
	f.action(lower.ActTrace, fn("trace"), int16(-3))
	f.action(lower.ActTrace, fn("trace"), uint64(1<<63))
	f.action(lower.ActTrace, fn("trace"), "dd")
	f.action(lower.ActTrace, fn("trace"), []byte("a\x00b"))
	f.action(lower.ActTrace, fn("trace"), probePart1(2))
	f.action(lower.ActTracemem, fn("tracemem"), []byte{1, 2, 3})
	f.action(lower.ActStack, fn("stack"), []uint64{0x1001, 0x1000, 0, 9})
	f.action(lower.ActUstack, fn("ustack"), userWords{42, 0x33, 0, 0})
	f.action(lower.ActSym, fn("sym"), []uint64{0x1005})
	f.layout.Actions[8].Data[0].Enc = lower.EncSym
	f.action(lower.ActSym, fn("mod"), []uint64{0x1005})
	f.layout.Actions[9].Data[0].Enc = lower.EncSym
	f.action(lower.ActSym, fn("uaddr"), userWords{42, 0x44})
	f.action(lower.ActSym, fn("usym"), userWords{42, 0x44})
	vfs := func(off uint64) trace.Frame {
		return trace.Frame{Addr: 0x1000 + off, Module: "vmlinux", Symbol: "vfs_read", Offset: off}
	}
	malloc := trace.Frame{Addr: 0x44, Module: "libc.so.6", Symbol: "malloc", Offset: 0x44}
	want := []trace.Item{
		{Value: trace.Value{Kind: trace.IntValue, Size: 2, Int: -3}},
		{Value: trace.Value{Kind: trace.UintValue, Size: 8, Int: -1 << 63}},
		{Value: trace.Value{Kind: trace.StringValue, Str: "dd"}},
		{Value: trace.Value{Kind: trace.BytesValue, Size: 1, Str: "a\x00b"}},
		{Value: trace.Value{Kind: trace.StringValue, Str: "read"}},
		{Kind: trace.BytesItem, Value: trace.Value{Kind: trace.BytesValue, Size: 1, Str: "\x01\x02\x03"}},
		{Kind: trace.StackItem, Value: trace.Value{Kind: trace.StackValue, Frames: []trace.Frame{vfs(1), vfs(0)}}},
		{Kind: trace.StackItem, Value: trace.Value{Kind: trace.UstackValue, Int: 42,
			Frames: []trace.Frame{{Addr: 0x33, Module: "libc.so.6", Symbol: "malloc", Offset: 0x33}}}},
		{Kind: trace.SymItem, Value: trace.Value{Kind: trace.SymValue, Str: "vmlinux`vfs_read", Frames: []trace.Frame{vfs(0)}}},
		{Kind: trace.SymItem, Value: trace.Value{Kind: trace.SymValue, Str: "vmlinux", Frames: []trace.Frame{{Module: "vmlinux"}}}},
		{Kind: trace.SymItem, Value: trace.Value{Kind: trace.SymValue, Int: 42, Str: "libc.so.6`malloc+0x44", Frames: []trace.Frame{malloc}}},
		{Kind: trace.SymItem, Value: trace.Value{Kind: trace.SymValue, Int: 42, Str: "libc.so.6`malloc",
			Frames: []trace.Frame{{Module: "libc.so.6", Symbol: "malloc"}}}},
	}
	r := f.decode(t)
	for i, got := range r.Event.Items {
		if !reflect.DeepEqual(got, want[i]) {
			t.Errorf("item %d = %+v, want %+v", i, got, want[i])
		}
	}
	if p := r.Event.Probe; p.String() != "syscall:vmlinux:read:entry" || p.ID != 77 || r.Event.CPU != 1 || r.Event.Clause != 1 {
		t.Errorf("event %+v", r.Event)
	}
}

func TestActs(t *testing.T) {
	count := &check.Agg{Index: 2, Name: "n"}
	f := newFixture()
	f.action(lower.ActPrinta, &check.Call{Agg: count, Aggs: []*check.Agg{count}})
	f.action(lower.ActTrunc, &check.Call{Agg: count}, int32(-5))
	f.action(lower.ActClear, &check.Call{})
	f.action(lower.ActNormalize, &check.Call{Agg: count}, int(1000))
	f.action(lower.ActSetopt, &check.Call{Option: "quiet", Value: "1"})
	f.action(lower.ActExit, &check.Call{}, int32(3))
	r := f.decode(t)
	want := []Act{
		{Kind: lower.ActPrinta, Agg: 2, Item: 0},
		{Kind: lower.ActTrunc, Agg: 2, N: -5, Item: 1},
		{Kind: lower.ActClear, Agg: agg.All, Item: 2},
		{Kind: lower.ActNormalize, Agg: 2, N: 1000, Item: 3},
		{Kind: lower.ActSetopt, Agg: agg.All, Item: 4},
		{Kind: lower.ActExit, Agg: agg.All, N: 3, Item: 5},
	}
	if len(r.Acts) != len(want) {
		t.Fatalf("%d acts, want %d", len(r.Acts), len(want))
	}
	for i, got := range r.Acts {
		got.Call = nil
		if got != want[i] {
			t.Errorf("act %d = %+v, want %+v", i, got, want[i])
		}
	}
	if got := r.Event.Items[4]; got.Kind != trace.SetoptItem || got.Text != "quiet=1" {
		t.Errorf("setopt left %+v", got)
	}
	if got := r.Event.Items[0]; got.Kind != trace.EmptyItem {
		t.Errorf("printa left %+v before its result is known", got)
	}
}

func TestFault(t *testing.T) {
	src := "BEGIN\n{\n\ttrace(1);\n\ttrace(*p);\n}\n"
	span := func(from, to int) ast.At { return ast.At{From: token.Pos(from + 1), To: token.Pos(to + 1)} }
	clause := &ast.Clause{At: span(0, len(src)), Body: &ast.Block{Stmts: []ast.Stmt{
		&ast.ExprStmt{At: span(9, 17)}, &ast.ExprStmt{At: span(20, 29)},
	}}}
	f := newFixture()
	f.action(lower.ActFault, nil, uint32(7<<16), int16(2), int16(trace.FaultBadAddr), uint64(0xdead))
	c := f.config()
	c.Records[0].Clause = -1
	c.Layouts[0].Clause = nil
	c.Program = &check.Program{File: token.NewFile("x.d", src), Clauses: []*check.Clause{{AST: clause}}}
	d, err := New(c)
	if err != nil {
		t.Fatal(err)
	}
	r, err := d.Decode(0, now, f.rec)
	if err != nil {
		t.Fatal(err)
	}
	want := trace.Fault{Kind: trace.FaultBadAddr, Addr: 0xdead, EPID: 1, Action: 2, Line: 4, PC: 7}
	if r.Event.Kind != trace.FaultEvent || r.Event.Fault != want {
		t.Errorf("event %+v, want a fault %+v", r.Event, want)
	}
}

func TestTimeOfFiring(t *testing.T) {
	c := newFixture().config()
	c.Options = ir.Options{Temporal: true}
	c.Moment = func(ns uint64) time.Time { return time.Unix(0, int64(ns)) }
	d, err := New(c)
	if err != nil {
		t.Fatal(err)
	}
	rec := make([]byte, 16)
	rec[4] = 3
	binary.LittleEndian.PutUint64(rec[8:], 12345)
	r, err := d.Decode(0, now, rec)
	if err != nil || r.Fired != 12345 || !r.Event.Time.Equal(time.Unix(0, 12345)) {
		t.Errorf("fired %d at %v, error %v", r.Fired, r.Event.Time, err)
	}
}

func TestBadRecords(t *testing.T) {
	f := newFixture()
	f.action(lower.ActTrace, fn("trace"), uint64(1))
	d, err := New(f.config())
	if err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct {
		name string
		rec  []byte
		want error
	}{
		{"empty", nil, ErrShort},
		{"half a header", f.rec[:6], ErrShort},
		{"half of the data", f.rec[:12], ErrShort},
		{"unknown layout", append([]byte{9, 0, 0, 0}, f.rec[4:]...), ErrUnknown},
		{"unknown site", append([]byte{0, 0, 0, 0, 4, 0, 0, 0}, f.rec[8:]...), ErrUnknown},
		{"unknown huge site", append([]byte{0, 0, 0, 0, 255, 255, 255, 255}, f.rec[8:]...), ErrUnknown},
	} {
		if _, err := d.Decode(0, now, tt.rec); !errors.Is(err, tt.want) {
			t.Errorf("%s: %v, want %v", tt.name, err, tt.want)
		}
	}
}

func TestBadLayouts(t *testing.T) {
	for name, spoil := range map[string]func(*Config){
		"layout missing": func(c *Config) { c.Layouts = nil },
		"unit missing":   func(c *Config) { c.Records[0].Unit = 1 },
		"beyond the end": func(c *Config) { c.Layouts[0].Actions[0].Data[0].Off = 1 << 20 },
		"before it":      func(c *Config) { c.Layouts[0].Actions[0].Data[0].Off = -8 },
		"flag beyond":    func(c *Config) { c.Layouts[0].Actions[0].Flag = 1 << 20 },
		"flag before":    func(c *Config) { c.Layouts[0].Actions[0].Flag = -1 },
		"stamp beyond":   func(c *Config) { c.Layouts[0].Stamp = 12 },
		"no format":      func(c *Config) { c.Layouts[0].Actions[0].Kind = lower.ActPrintf },
	} {
		f := newFixture()
		f.action(lower.ActTrace, fn("trace"), uint64(1))
		c := f.config()
		spoil(&c)
		if _, err := New(c); err == nil {
			t.Errorf("%s: no error", name)
		}
	}
}

// everything is a record with every action and encoding.
func everything(t testing.TB) *fixture {
	f := newFixture()
	f.action(lower.ActTrace, fn("trace"), "string")
	f.action(lower.ActPrintf, &check.Call{Format: format(t, "%*.*d %s %S %C %k %a %A %Y %T %x %ws %g\n")},
		int32(9), int32(3), int(1), "text", "more", int8(1), []uint64{1, 2, 3}, uint64(0x1001), userWords{42, 7},
		uint64(1e18), uint64(1e18), uint8(1), []byte("abcdefgh"), double(2))
	f.action(lower.ActUstack, fn("ustack"), userWords{42, 1, 2, 3})
	f.action(lower.ActTracemem, fn("tracemem"), []byte("12345678"))
	f.action(lower.ActSym, fn("umod"), userWords{42, 5})
	f.action(lower.ActTrunc, &check.Call{}, int32(1))
	f.action(lower.ActExit, &check.Call{}, int32(1))
	f.action(lower.ActFault, nil, uint32(1), int16(1), int16(1), uint64(1))
	return f
}

// FuzzDecode decodes any bytes: the result is an event or an error.
func FuzzDecode(f *testing.F) {
	fix := everything(f)
	c := fix.config()
	c.Records = append(c.Records, ir.Record{Size: c.Records[0].Size, Clause: -1})
	c.Layouts = append(c.Layouts, lower.Layout{Actions: []lower.Action{fix.layout.Actions[len(fix.layout.Actions)-1]}})
	c.Program = &check.Program{}
	d, err := New(c)
	if err != nil {
		f.Fatal(err)
	}
	f.Add(fix.rec)
	f.Add(append([]byte{1}, fix.rec[1:]...))
	f.Add([]byte{0, 0, 0, 0, 3, 0, 0, 0})
	f.Fuzz(func(t *testing.T, rec []byte) {
		if at := fix.layout.Actions[1].Data; len(rec) >= len(fix.rec) {
			rec[at[0].Off+2], rec[at[0].Off+3] = 0, 0 // no fields of megabytes: they are cut, but slow
			rec[at[1].Off+2], rec[at[1].Off+3] = 0, 0
		}
		r, err := d.Decode(0, now, rec)
		if err != nil {
			return
		}
		_ = r.Event.Fault.Kind.String()
		if n := len(fix.layout.Actions); r.Event.Kind == trace.DataEvent && len(r.Event.Items) != n {
			t.Errorf("%d items, want %d", len(r.Event.Items), n)
		}
	})
}

// BenchmarkDecode decodes what printf("%s %s\n", execname, probefunc) records.
func BenchmarkDecode(b *testing.B) {
	f := newFixture()
	f.action(lower.ActPrintf, &check.Call{Format: format(b, "%s %s\n")}, "a process", probePart1(2))
	bench(b, f)
}

// BenchmarkDecodeNumbers decodes three numbers that are formatted and one that
// is traced.
func BenchmarkDecodeNumbers(b *testing.B) {
	f := newFixture()
	f.action(lower.ActPrintf, &check.Call{Format: format(b, "%d %5d %x\n")}, int32(-123), uint64(99), uint64(0xffff888012345678))
	f.action(lower.ActTrace, fn("trace"), uint64(5))
	bench(b, f)
}

func bench(b *testing.B, f *fixture) {
	d, err := New(f.config())
	if err != nil {
		b.Fatal(err)
	}
	b.ReportAllocs()
	for b.Loop() {
		if _, err := d.Decode(0, now, f.rec); err != nil {
			b.Fatal(err)
		}
	}
}

// The type of a datum may be a typedef, or missing for an encoding that needs
// none.
func TestIntegerOfTypedef(t *testing.T) {
	if v := agg.Integer([]byte{0xff, 0xff}, types.Int8); v.Int != -1 || v.Size != 1 || v.Kind != trace.IntValue {
		t.Errorf("%+v, want -1 of one byte", v)
	}
	if v := agg.Integer([]byte{0xff, 0xff, 0xff}, nil); v.Int != 0xffff || v.Size != 2 {
		t.Errorf("%+v, want 65535 of two bytes", v)
	}
	if v := agg.Integer(nil, types.Long); v.Int != 0 {
		t.Errorf("%+v, want 0", v)
	}
}
