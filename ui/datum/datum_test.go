package datum

import (
	"testing"

	"dscope.dev/engine/trace"
)

func TestText(t *testing.T) {
	for _, tt := range []struct {
		v    trace.Value
		want string
	}{
		{trace.Value{Kind: trace.StringValue, Str: "a\x1b[2J"}, "a^[[2J"},
		{trace.Value{Kind: trace.BytesValue, Str: "a\nb"}, "a^Jb"},
		{trace.Value{Kind: trace.StackValue, Frames: []trace.Frame{{Symbol: "a\x1b"}, {Module: "\x1bm", Raw: true}}}, "a^[ < ^[m:0x0"},
		{trace.Value{Kind: trace.SymValue, Str: "\u202e"}, `\u202e`},
	} {
		if got := Text(tt.v); got != tt.want {
			t.Errorf("Text(%+v) = %q, want %q", tt.v, got, tt.want)
		}
	}
}

// Frames read as dscope trace prints them.
func TestFrame(t *testing.T) {
	for want, f := range map[string]trace.Frame{
		"vmlinux`vfs_read+0x12":       {Module: "vmlinux", Symbol: "vfs_read", Offset: 0x12, Addr: 1},
		"vmlinux`rw_verify [inlined]": {Module: "vmlinux", Symbol: "rw_verify", Offset: 0x12, Inlined: true},
		"libc.so.6:0x12":              {Module: "libc.so.6", Offset: 0x12, Addr: 0x7f12, Raw: true},
		"libc.so.6`0x7f12":            {Module: "libc.so.6", Offset: 0x12, Addr: 0x7f12},
		"Shop.total (shop.py:12)":     {Module: "shop.py", Symbol: "Shop.total", Offset: 12, Script: true},
		"main (a^[.py)":               {Module: "a\x1b.py", Symbol: "main", Script: true},
		"evil^[[2J`f":                 {Module: "evil\x1b[2J", Symbol: "f"},
	} {
		if got := Frame(f); got != want {
			t.Errorf("Frame(%+v) = %q, want %q", f, got, want)
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
	if got := Drop(trace.Drop{Kind: trace.DropAggregation, CPU: -1, Count: 2, Where: "@a"}); got != "2 aggregation drops in @a" {
		t.Errorf("got %s", got)
	}
}
