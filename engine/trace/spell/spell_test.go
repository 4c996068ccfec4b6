package spell

import (
	"math"
	"strings"
	"testing"

	"dscope.dev/engine/trace"
)

func TestLine(t *testing.T) {
	frames := []trace.Frame{
		{Symbol: "a", Module: "m", Offset: 3}, {Symbol: "b", Inlined: true}, {Addr: 0x10},
		{Module: "lib.so", Offset: 0x20, Raw: true}, {Symbol: "e"},
	}
	for _, tt := range []struct {
		v    trace.Value
		want string
	}{
		{trace.Value{Kind: trace.IntValue, Size: 1, Int: -3}, "-3"},
		{trace.Value{Kind: trace.UintValue, Int: -1}, "18446744073709551615"},
		{trace.Value{Kind: trace.StringValue, Str: "a\x1b"}, "a\x1b"}, // whoever shows it makes it harmless
		{trace.Value{Kind: trace.BytesValue, Str: "ab\x00\x00"}, "ab"},
		{trace.Value{Kind: trace.BytesValue, Str: "a\nb"}, "a\nb"},
		{trace.Value{Kind: trace.BytesValue, Str: "a\x00b"}, "61 00 62"},
		{trace.Value{Kind: trace.BytesValue, Str: strings.Repeat("\x00", 65)}, strings.Repeat("00 ", 64) + "… 65 bytes"},
		{trace.Value{Kind: trace.StackValue, Frames: frames}, "a < b < 0x10 < lib.so:0x20 < 1 more"},
		{trace.Value{Kind: trace.UstackValue}, "(no frames)"},
		{trace.Value{Kind: trace.SymValue, Str: "m`f", Frames: frames[:1]}, "m`f"},
		{trace.Value{Kind: trace.SymValue, Frames: frames[:1]}, "m`a+0x3"},
		{trace.Value{Kind: 99}, "?"},
	} {
		if got := Line(&tt.v); got != tt.want {
			t.Errorf("Line(%+v) = %q, want %q", tt.v, got, tt.want)
		}
	}
}

func TestIsDump(t *testing.T) {
	for _, tt := range []struct {
		v    trace.Value
		want bool
	}{
		{trace.Value{Kind: trace.BytesValue, Size: 1, Str: "text\x00"}, false},
		{trace.Value{Kind: trace.BytesValue, Size: 1, Str: "\x00"}, true},
		{trace.Value{Kind: trace.BytesValue, Size: 4, Str: "text"}, true}, // an array of integers
		{trace.Value{Kind: trace.StringValue, Str: "\x00"}, false},
	} {
		if got := IsDump(&tt.v); got != tt.want {
			t.Errorf("IsDump(%+v) = %v", tt.v, got)
		}
	}
}

func TestReason(t *testing.T) {
	for want, f := range map[string]trace.Fault{
		"invalid address (0x0)":            {Kind: trace.FaultBadAddr}, // a null pointer
		"index out of bounds (-1)":         {Kind: trace.FaultBadIndex, Addr: math.MaxUint64},
		"loop met its bound of 100 rounds": {Kind: trace.FaultLoop, Addr: 100},
		"divide-by-zero":                   {Kind: trace.FaultDivZero, Addr: 7},
		"unknown fault":                    {Kind: 33},
	} {
		if got := string(AppendReason(nil, &f)); got != want {
			t.Errorf("%+v is %q, want %q", f, got, want)
		}
	}
}

func TestDrop(t *testing.T) {
	for want, d := range map[string]trace.Drop{
		"1 drop on CPU 3":       {Count: 1, CPU: 3},
		"2 missed returns in f": {Kind: trace.DropMissed, Count: 2, CPU: -1, Where: "f"},
		"3 drops":               {Kind: 99, Count: 3, CPU: -1},
		"1 failed speculation (no speculative buffer available)": {Kind: trace.DropSpecNone, Count: 1, CPU: -1},
	} {
		if got := Drop(d); got != want {
			t.Errorf("%+v is %q, want %q", d, got, want)
		}
	}
	for k := trace.DropPrincipal; k <= trace.DropReader; k++ {
		if DropTag(k) == "" || strings.HasPrefix(Drop(trace.Drop{Kind: k, CPU: -1}), "0  ") {
			t.Errorf("drops of kind %d have no words", k)
		}
	}
}

func TestDivided(t *testing.T) {
	for _, tt := range []struct {
		fn     trace.AggFunc
		v      int64
		normal uint64
		want   int64
	}{
		{trace.Count, 9, 0, 9},
		{trace.Sum, -9, 2, -4},
		{trace.Count, math.MinInt64, 2, 1 << 62}, // a count has no sign
		{trace.Min, 5, math.MaxUint64, 0},
	} {
		if got := Divided(tt.fn, tt.v, tt.normal); got != tt.want {
			t.Errorf("Divided(%v, %d, %d) = %d, want %d", tt.fn, tt.v, tt.normal, got, tt.want)
		}
	}
}
