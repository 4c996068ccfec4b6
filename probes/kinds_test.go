package probes

import (
	"testing"
)

// Every kind of hook has its row, with a name and a cost.
func TestKinds(t *testing.T) {
	for k, row := range kinds {
		if row.name == nil || row.cost == "" {
			t.Errorf("kind %d is not described", k)
		}
	}
	if want := int(Counter) + 1; len(kinds) != want {
		t.Errorf("%d kinds of hooks are described, there are %d", len(kinds), want)
	}
	for _, tt := range []struct {
		hook      Hook
		name, way string
	}{
		{Hook{Kind: Test, Target: "begin"}, "test run begin", "fired by dscope itself"},
		{Hook{Kind: Tracepoint, Target: "sched_switch"}, "tracepoint sched_switch", "raw tracepoint sched_switch"},
		{Hook{Kind: Tracepoint, Target: "sys_enter", Select: BySyscall}, "tracepoint sys_enter", "raw tracepoint sys_enter"},
		{Hook{Kind: Timer, Every: 5}, "clock every 5 ns on one CPU", "software clock event"},
		{Hook{Kind: Timer, Every: 5, PerCPU: true}, "clock every 5 ns on every CPU", "software clock event"},
		{Hook{Kind: Counter, Target: "cpu-cycles"}, "counter cpu-cycles", "perf event"},
		{Hook{Kind: Function, Target: "vfs_read", Module: "vmlinux", Return: true}, "return of function vfs_read", "return of function vfs_read"},
		{Hook{Kind: Function, Target: "open", Module: "ext4"}, "function open of module ext4", "function open of module ext4"},
		{Hook{Kind: Instruction, Target: "vfs_read", Module: "vmlinux", Offset: 4}, "instruction vfs_read+4", "instruction vfs_read+4"},
		{Hook{Kind: User, File: "/bin/sh", Offset: 0x20, Return: true, PID: 3}, "return of /bin/sh+0x20 in process 3", "return of /bin/sh+0x20 in process 3"},
	} {
		if got := tt.hook.String(); got != tt.name {
			t.Errorf("the name is %q, want %q", got, tt.name)
		}
		if got := tt.hook.Way(); got != tt.way {
			t.Errorf("%s: the way is %q, want %q", tt.name, got, tt.way)
		}
	}
}

// System calls and processes are not the machine's: nothing of theirs starves it or comes
// in an interrupt of another.
func TestKindOfSystemCalls(t *testing.T) {
	call, point := Hook{Kind: Tracepoint, Target: "sys_enter", Select: BySyscall}, Hook{Kind: Tracepoint, Target: "sched_switch"}
	type facts struct{ sealed, starves, interrupted bool }
	of := func(h Hook) facts { return facts{h.Sealed(), h.Starves(), h.Interrupted()} }
	if got, want := of(call), (facts{sealed: true}); got != want {
		t.Errorf("of a system call %+v, want %+v", got, want)
	}
	if got, want := of(point), (facts{starves: true, interrupted: true}); got != want {
		t.Errorf("of another tracepoint %+v, want %+v", got, want)
	}
}
