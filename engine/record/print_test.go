package record

import (
	"strings"
	"testing"
	"time"

	"dscope.dev/dlang/check"
	"dscope.dev/dlang/lower"
	"dscope.dev/dlang/types"
	"dscope.dev/engine/trace"
)

// structure makes a complete struct.
func structure(tag string, size int, fields ...types.Field) *types.Struct {
	s := types.NewStruct(false, tag, nil)
	s.SetFields(fields, size, 8)
	return s
}

// printed returns what print() of bytes of a type prints; setopt() before it sets
// printsize.
func printed(t *testing.T, typ types.Type, mem, size string) string {
	t.Helper()
	f := newFixture()
	f.action(lower.ActSetopt, &check.Call{Option: "printsize", Value: size})
	where := f.value(uint64(0xbeef))
	f.layout.Actions = append(f.layout.Actions, lower.Action{Kind: lower.ActCall, Call: fn("print"),
		Data: []lower.Datum{where, f.put([]byte(mem), typ, lower.EncBytes)}})
	it := f.decode(t).Event.Items[1]
	if it.Kind != trace.PrintItem {
		t.Fatalf("item %+v", it)
	}
	return strings.ReplaceAll(it.Text, strings.Repeat(" ", printIndent), "|")
}

func TestPrint(t *testing.T) {
	inner := structure("", 4, types.Field{Name: "b", Type: types.IntType})
	bits := structure("bits", 4,
		types.Field{Name: "low", Type: types.UInt, Bits: 3},
		types.Field{Name: "high", Type: types.IntType, Off: 3, Bits: 7})
	deep := types.Type(types.IntType)
	for range 12 {
		deep = structure("", 4, types.Field{Name: "x", Type: deep})
	}
	for _, tt := range []struct {
		name      string
		typ       types.Type
		mem, size string
		want      string
	}{
		{"scalar", types.IntType, "\xff\xff\xff\xff", "", "|(int)-1,\n"},
		{"zero", types.UInt64, "\x00\x00\x00\x00\x00\x00\x00\x00", "", "|(uint64_t)0,\n"},
		{"all zero", inner, "\x00\x00\x00\x00", "", "|(struct) {\n|}\n"},
		{"bits", bits, "\x0d\xff\xff\xff", "", "|(struct bits) {\n| .low = (unsigned int)5,\n| .high = (int)-31,\n|}\n"},
		{"text", &types.Array{Elem: types.Char, Len: 4}, "a\x1b\x00z", "", "|(char [4]) [\n| (char)'a',\n| (char)'\\033',\n|],\n"},
		{"cut", structure("s", 12, types.Field{Name: "in", Type: inner}, types.Field{Name: "n", Type: types.IntType, Off: 32}, types.Field{Name: "m", Type: types.IntType, Off: 64}),
			"\x01\x00\x00\x00\x02\x00\x00\x00\x03\x00\x00\x00", "4",
			"|(struct s) {\n| .in = (struct) {\n|  .b = (int)1,\n| ...\n| },\n|}\n"},
		{"function", &types.Pointer{Elem: &types.Func{Result: types.VoidType}}, "\x10\x20\x00\x81\xff\xff\xff\xff", "", "|(void (*)(void))0xffffffff81002010 (vmlinux`vfs_write+0x10),\n"},
		{"no function", &types.Pointer{Elem: &types.Func{Result: types.VoidType}}, "\x10\x30\x00\x81\xff\xff\xff\xff", "", "|(void (*)(void))0xffffffff81003010,\n"},
		{"no room", types.IntType, "\x01\x00\x00\x00", "0", "|(int)1,\n"},
		{"deep", deep, "\x01\x00\x00\x00", "", strings.Join([]string{"|(struct) {\n", "| .x = (struct) {\n"}, "")},
	} {
		size := tt.size
		if size == "" {
			size = "0"
		}
		want := "0xbeef = *\n" + tt.want
		got := printed(t, tt.typ, tt.mem, size)
		if tt.name == "deep" {
			if !strings.HasPrefix(got, want) || strings.Count(got, "...") != 1 || strings.Count(got, "{") != strings.Count(got, "}") {
				t.Errorf("%s: got\n%s", tt.name, got)
			}
			continue
		}
		if got != want {
			t.Errorf("%s: got\n%s\nwant\n%s", tt.name, got, want)
		}
	}
}

func TestPacket(t *testing.T) {
	for kept, want := range map[uint32]string{2: "ab", 4: "abcd", 9: "abcd"} {
		f := newFixture()
		f.action(lower.ActCall, fn("pcap"), uint64(99), uint32(60), kept, uint32(12), []byte("abcd"))
		c := f.config()
		c.Moment = func(ns uint64) time.Time { return time.Unix(5, int64(ns)) }
		d, err := New(c)
		if err != nil {
			t.Fatal(err)
		}
		r, err := d.Decode(0, time.Time{}, f.rec)
		if err != nil {
			t.Fatal(err)
		}
		p := r.Event.Items[0].Rest().Packet
		if p == nil || p.Data != want || p.Length != 60 || p.Proto != 12 || !p.Time.Equal(time.Unix(5, 99)) {
			t.Errorf("%d kept: %+v", kept, p)
		}
	}
	f := newFixture()
	f.action(lower.ActCall, fn("pcap"), uint64(99), uint32(0), uint32(0), uint32(12), []byte("abcd"))
	if p := f.decode(t).Event.Items[0].Rest().Packet; p != nil {
		t.Errorf("no packet gave %+v", p)
	}
}

func TestTracememShows(t *testing.T) {
	for _, tt := range []struct {
		shown any
		want  string
	}{{int32(-1), "abcd"}, {int32(0), ""}, {int32(3), "abc"}, {uint64(5), "abcd"}, {uint64(1 << 63), "abcd"}} {
		f := newFixture()
		f.action(lower.ActTracemem, &check.Call{}, []byte("abcd"), tt.shown)
		if got := f.decode(t).Event.Items[0].Value.Str; got != tt.want {
			t.Errorf("%v of 4 bytes: %q, want %q", tt.shown, got, tt.want)
		}
	}
}
