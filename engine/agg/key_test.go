package agg_test

import (
	"encoding/binary"
	"fmt"
	"reflect"
	"testing"

	"dscope.dev/dlang/check"
	"dscope.dev/dlang/lower"
	"dscope.dev/dlang/types"
	"dscope.dev/engine/agg"
	"dscope.dev/engine/trace"
)

// fakeNames numbers stacks as a generation does and knows a few addresses.
type fakeNames struct{ stacks map[int64][]uint64 }

func (n fakeNames) Stack(id int64, off int) []uint64 { return n.stacks[id] }

func (n fakeNames) Kernel(addr uint64) trace.Frame {
	return trace.Frame{Addr: addr, Module: "vmlinux", Symbol: "vfs_read", Offset: addr & 0xff}
}

func (fakeNames) Believe(_ uint32, addrs []uint64) []uint64 { return addrs }

func (n fakeNames) KernelFrames(list []trace.Frame, addr uint64, _ bool) []trace.Frame {
	return append(list, n.Kernel(addr))
}

func (n fakeNames) Frames(list []trace.Frame, pid uint32, addr uint64, _ bool) []trace.Frame {
	return append(list, n.User(pid, addr))
}

func (n fakeNames) User(pid uint32, addr uint64) trace.Frame {
	if addr >= 0x8000 {
		return trace.Frame{Addr: addr}
	}
	return trace.Frame{Addr: addr, Module: "libc.so.6", Symbol: "malloc", Offset: addr & 0xff}
}

func (n fakeNames) Probe(key uint32, part int) string {
	return [...]string{"syscall", "vmlinux", "read", "entry"}[part]
}

func words(w ...uint64) (b []byte) {
	for _, v := range w {
		b = binary.LittleEndian.AppendUint64(b, v)
	}
	return b
}

// oneKey is the totals of @[key] = count() for a key of some kind.
func oneKey(kind check.KeyKind, enc lower.Encoding, size, part int) *agg.Totals {
	a := &check.Agg{Name: "n", Func: "count", Keys: []check.AggKey{{Type: types.ULong, Kind: kind}}}
	d := lower.Datum{Size: size, Type: types.ULong, Enc: enc, Part: part}
	return agg.NewTotals([]lower.KeyLayout{{Agg: a, Data: []lower.Datum{d}}}, 0)
}

// Keys that mean the same are one key, whatever the kernel wrote.
func TestKeysThatMeanTheSame(t *testing.T) {
	gen1 := fakeNames{map[int64][]uint64{5: {0x110, 0x220}, 6: {0x330}}}
	gen2 := fakeNames{map[int64][]uint64{9: {0x110, 0x220}}} // the same stack has another number
	vfs := func(addr uint64) trace.Frame { return gen1.Kernel(addr) }
	for _, tt := range []struct {
		name   string
		totals *agg.Totals
		first  []byte
		second []byte
		want   trace.Value
	}{
		{"stack()", oneKey(check.KeyStack, lower.EncStack, 8, 0), words(5), words(9),
			trace.Value{Kind: trace.StackValue, Frames: []trace.Frame{vfs(0x110), vfs(0x220)}}},
		{"ustack()", oneKey(check.KeyUstack, lower.EncUstack, 16, 0), words(42, 5), words(42, 9),
			trace.Value{Kind: trace.UstackValue, Int: 42, Frames: []trace.Frame{gen1.User(42, 0x110), gen1.User(42, 0x220)}}},
		{"probefunc", oneKey(check.KeyValue, lower.EncProbe, 4, 2), words(7), words(1<<lower.KeyUnitShift | 3),
			trace.Value{Kind: trace.StringValue, Str: "read"}},
		{"sym()", oneKey(check.KeySym, lower.EncSym, 8, 0), words(0x101), words(0x1ff),
			trace.Value{Kind: trace.SymValue, Str: "vmlinux`vfs_read", Frames: []trace.Frame{{Addr: 0x100, Module: "vmlinux", Symbol: "vfs_read"}}}},
		{"mod()", oneKey(check.KeyMod, lower.EncSym, 8, 0), words(0x101), words(0x2fff),
			trace.Value{Kind: trace.SymValue, Str: "vmlinux", Frames: []trace.Frame{{Module: "vmlinux"}}}},
		{"usym()", oneKey(check.KeyUsym, lower.EncUsym, 16, 0), words(42, 0x101), words(42, 0x102),
			trace.Value{Kind: trace.SymValue, Int: 42, Str: "libc.so.6`malloc", Frames: []trace.Frame{{Addr: 0x100, Module: "libc.so.6", Symbol: "malloc"}}}},
		{"umod()", oneKey(check.KeyUmod, lower.EncUsym, 16, 0), words(42, 0x101), words(42, 0x302),
			trace.Value{Kind: trace.SymValue, Int: 42, Str: "libc.so.6", Frames: []trace.Frame{{Module: "libc.so.6"}}}},
		{"uaddr()", oneKey(check.KeyUaddr, lower.EncUsym, 16, 0), words(42, 0x101), words(42, 0x101),
			trace.Value{Kind: trace.SymValue, Int: 42, Str: "libc.so.6`malloc+0x1", Frames: []trace.Frame{gen1.User(42, 0x101)}}},
	} {
		for i, key := range [][]byte{tt.first, tt.second} {
			names := []fakeNames{gen1, gen2}[i]
			if ok, err := tt.totals.Add(0, key, []uint64{1, 1}, names); !ok || err != nil {
				t.Fatal(tt.name, ok, err)
			}
		}
		rows := tt.totals.Table(0, agg.Order{}).Rows
		if len(rows) != 1 || rows[0].Value != 4 {
			t.Errorf("%s: rows %+v, want one of 4", tt.name, rows)
			continue
		}
		if got := rows[0].Keys[0]; !reflect.DeepEqual(got, tt.want) {
			t.Errorf("%s: %+v, want %+v", tt.name, got, tt.want)
		}
	}
}

// Keys that differ in what they mean stay apart.
func TestKeysThatDiffer(t *testing.T) {
	names := fakeNames{map[int64][]uint64{5: {0x110, 0x220}, 6: {0x110}}}
	for _, tt := range []struct {
		name          string
		totals        *agg.Totals
		first, second []byte
	}{
		{"stacks", oneKey(check.KeyStack, lower.EncStack, 8, 0), words(5), words(6)},
		{"processes", oneKey(check.KeyUstack, lower.EncUstack, 16, 0), words(42, 5), words(43, 5)},
		{"unknown addresses", oneKey(check.KeyUsym, lower.EncUsym, 16, 0), words(42, 0x8001), words(42, 0x8002)},
		{"unknown modules", oneKey(check.KeyUmod, lower.EncUsym, 16, 0), words(42, 0x8001), words(42, 0x8002)},
		{"addresses", oneKey(check.KeyUaddr, lower.EncUsym, 16, 0), words(42, 0x101), words(42, 0x102)},
	} {
		for _, key := range [][]byte{tt.first, tt.second} {
			if ok, err := tt.totals.Add(0, key, []uint64{1}, names); !ok || err != nil {
				t.Fatal(tt.name, ok, err)
			}
		}
		if n := tt.totals.Len(); n != 2 {
			t.Errorf("%s: %d keys, want 2", tt.name, n)
		}
	}
}

// mixed is the totals of @[stack(5)], @[stack(10)] and @[ustack()] in one, and of
// sym() and mod() in another.
func mixed() *agg.Totals {
	form := func(kind check.KeyKind, enc lower.Encoding, off, size int) lower.Form {
		return lower.Form{Kind: kind, Datum: lower.Datum{Off: off, Size: size, Enc: enc}}
	}
	stacks := lower.Datum{Size: 40, Enc: lower.EncForms, Forms: []lower.Form{
		form(check.KeyStack, lower.EncStack, 8, 8), form(check.KeyStack, lower.EncStack, 16, 8), form(check.KeyUstack, lower.EncUstack, 24, 16)}}
	names := lower.Datum{Size: 16, Enc: lower.EncForms, Forms: []lower.Form{
		form(check.KeySym, lower.EncSym, 8, 8), form(check.KeyMod, lower.EncSym, 8, 8)}}
	return agg.NewTotals([]lower.KeyLayout{
		{Agg: &check.Agg{Name: "s", Func: "count", Keys: []check.AggKey{{Kind: check.KeyStack, Also: []check.KeyKind{check.KeyUstack}}}}, Data: []lower.Datum{stacks}},
		{Agg: &check.Agg{Name: "n", Func: "count", Keys: []check.AggKey{{Kind: check.KeySym, Also: []check.KeyKind{check.KeyMod}}}}, Data: []lower.Datum{names}},
	}, 0)
}

// An element with several forms is read in that which the key says. The same stack is
// one key, however deep it was asked for; a stack of a process never is one of the
// kernel, nor a module a symbol.
func TestMixedKeys(t *testing.T) {
	names := fakeNames{map[int64][]uint64{5: {0x110, 0x220}, 6: {0x110}, 9: {0x110, 0x220}}}
	totals := mixed()
	for _, key := range [][]byte{words(0, 5, 0, 0, 0), words(1, 0, 9, 0, 0), words(2, 0, 0, 42, 9), words(0, 6, 0, 0, 0)} {
		if ok, err := totals.Add(0, key, []uint64{1}, names); !ok || err != nil {
			t.Fatal(key, ok, err)
		}
	}
	for _, key := range [][]byte{words(0, 0x101), words(1, 0x101), words(1, 0x2ff), words(0, 0x1ff)} {
		if ok, err := totals.Add(1, key, []uint64{1}, names); !ok || err != nil {
			t.Fatal(key, ok, err)
		}
	}
	var got []string
	for _, table := range totals.Tables(agg.Order{Key: true}) {
		for _, r := range table.Rows {
			k := r.Keys[0]
			got = append(got, fmt.Sprint(table.KeyTypes, " ", k.Kind, " ", k.Int, " ", k.Str, " ", len(k.Frames), " ", r.Value))
		}
	}
	want := []string{
		"[stack() or ustack()] 4 0  1 1", "[stack() or ustack()] 4 0  2 2", "[stack() or ustack()] 5 42  2 1",
		"[sym() or mod()] 6 0 vmlinux 1 2", "[sym() or mod()] 6 0 vmlinux`vfs_read 1 2",
	}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("got  %q\nwant %q", got, want)
	}
	if _, err := totals.Add(0, words(3, 0, 0, 0, 0), []uint64{1}, names); err == nil {
		t.Error("a form that there is not was taken")
	}
}

func TestKeyTypes(t *testing.T) {
	a := &check.Agg{Name: "n", Func: "count", Keys: []check.AggKey{{Type: types.StrType}, {Type: types.UInt32}, {Kind: check.KeyStack}}}
	got := agg.NewTotals([]lower.KeyLayout{{Agg: a}}, 0).Table(0, agg.Order{}).KeyTypes
	if want := []string{"string", "uint32_t", "stack()"}; !reflect.DeepEqual(got, want) {
		t.Errorf("%v, want %v", got, want)
	}
}

// TestFirings counts what is lost with a key for which there is no room.
func TestFirings(t *testing.T) {
	for _, tt := range []struct {
		fn    string
		cells []uint64
		want  uint64
	}{
		{"count", []uint64{5, 7}, 12},
		{"avg", []uint64{5, 100, 0, 0}, 5},
		{"sum", []uint64{1, 40, 1, 2}, 2}, // not told: at least one on each CPU
		{"sum", []uint64{1, 0, 0, 0}, 1},
		{"max", []uint64{1, 9, 0, 0}, 1},
		{"stddev", []uint64{3, 1, 1, 0, 4, 1, 1, 0}, 7},
	} {
		totals := agg.NewTotals([]lower.KeyLayout{{Agg: &check.Agg{Func: tt.fn}}}, 0)
		if got := totals.Firings(0, totals.Words(0), tt.cells); got != tt.want {
			t.Errorf("%s of %v: %d firings, want %d", tt.fn, tt.cells, got, tt.want)
		}
	}
}

// An address without a symbol is shown as it is, though its place in the file is known.
func TestSymbolOfPlace(t *testing.T) {
	f := trace.Frame{Addr: 0x555500001234, Module: "a.out", Offset: 0x1234}
	v := agg.Symbol(check.KeyUsym, 7, f)
	if want := "a.out`0x555500001234"; v.Str != want || v.Frames[0] != f {
		t.Errorf("%q %+v, want %q %+v", v.Str, v.Frames, want, f)
	}
}
