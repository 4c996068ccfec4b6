package datum

import (
	"strings"
	"testing"

	"dscope.dev/engine/trace"
)

func TestText(t *testing.T) {
	frames := []trace.Frame{{Symbol: "a"}, {Symbol: "b", Module: "m", Offset: 3}, {Addr: 0x10}, {Symbol: "d"}, {Symbol: "e"}}
	for _, tt := range []struct {
		v    trace.Value
		want string
	}{
		{trace.Value{Kind: trace.IntValue, Int: -3}, "-3"},
		{trace.Value{Kind: trace.UintValue, Int: -1}, "18446744073709551615"},
		{trace.Value{Kind: trace.StringValue, Str: "a\x1b[2J"}, "a^[[2J"},
		{trace.Value{Kind: trace.BytesValue, Str: "\x01\xff"}, "01 ff"},
		{trace.Value{Kind: trace.BytesValue, Str: strings.Repeat("\x00", 65)}, strings.Repeat("00 ", 64) + "… 65 bytes"},
		{trace.Value{Kind: trace.StackValue, Frames: frames}, "a < b < 0x10 < d < 1 more"},
		{trace.Value{Kind: trace.StackValue}, "(no frames)"},
		{trace.Value{Kind: trace.SymValue, Frames: frames[1:2]}, "m`b+0x3"},
		{trace.Value{Kind: 99}, "?"},
	} {
		if got := Text(tt.v); got != tt.want {
			t.Errorf("Text(%+v) = %q, want %q", tt.v, got, tt.want)
		}
	}
}

func TestFaultAndDrop(t *testing.T) {
	p := trace.Probe{ID: 7, Provider: "syscall", Module: "vmlinux", Function: "read", Name: "entry"}
	got := Fault(p, trace.Fault{Kind: trace.FaultBadAddr, Addr: 0x10, EPID: 1, Action: 2, Line: 3})
	want := "error: invalid address (0x10) in action #2, line 3; enabled probe ID 1 (ID 7: syscall:vmlinux:read:entry)"
	if got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
	if got := Drop(trace.Drop{Kind: trace.DropPrincipal, CPU: 3, Count: 12}); got != "12 drops on CPU 3" {
		t.Errorf("got %s", got)
	}
	if got := Drop(trace.Drop{Kind: trace.DropAggregation, CPU: -1, Count: 2, Where: "@a"}); got != "2 aggregation drops (@a)" {
		t.Errorf("got %s", got)
	}
}
