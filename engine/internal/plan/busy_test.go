package plan

import (
	"testing"

	"dscope.dev/engine/codegen"
	"dscope.dev/probes"
)

func TestNests(t *testing.T) {
	function := func(name string, tramp bool) *codegen.Unit {
		return &codegen.Unit{Hook: probes.Hook{Kind: probes.Function, Target: name}, Tramp: tramp}
	}
	point := func(name string) *codegen.Unit {
		return &codegen.Unit{Hook: probes.Hook{Kind: probes.Tracepoint, Target: name}}
	}
	begin := &codegen.Unit{Hook: probes.Hook{Kind: probes.Test, Target: "BEGIN"}}
	tick := &codegen.Unit{Hook: probes.Hook{Kind: probes.Timer}}
	calls := &codegen.Unit{Hook: probes.Hook{Kind: probes.Tracepoint, Target: "sys_enter", Select: probes.BySyscall}}
	many := &codegen.Unit{Hook: probes.Hook{Kind: probes.Function, Target: "vfs_read"}, Multi: true,
		Hooks: []probes.Hook{{Kind: probes.Function, Target: "vfs_read"}, {Kind: probes.Function, Target: "_raw_spin_lock"}}}
	for _, tt := range []struct {
		what  string
		units []*codegen.Unit
		want  bool
	}{
		{"nothing of the kernel", []*codegen.Unit{begin, tick, calls}, false},
		{"a lock, by trampoline", []*codegen.Unit{begin, function("_raw_spin_lock", true)}, true},
		{"a lock by kprobe, which the kernel guards", []*codegen.Unit{begin, tick, function("_raw_spin_lock", false)}, false},
		{"a lock by kprobe beside what is not guarded", []*codegen.Unit{function("_raw_spin_lock", false), calls}, true},
		{"a lock among many beside what is not guarded", []*codegen.Unit{many, calls}, true},
		{"many", []*codegen.Unit{many, tick}, false},
		{"files", []*codegen.Unit{function("vfs_read", true), function("vfs_write", true), calls}, false},
		{"what waits for locks", []*codegen.Unit{point("contention_begin")}, true},
		{"the scheduler", []*codegen.Unit{point("sched_switch"), calls}, false},
		{"the parts of maps", []*codegen.Unit{function("__pcpu_freelist_pop", true)}, true},
		{"an instruction of a lock", []*codegen.Unit{{Hook: probes.Hook{Kind: probes.Instruction, Target: "queued_spin_lock_slowpath", Offset: 4}}, calls}, true},
		{"a counter, which cannot be masked", []*codegen.Unit{{Hook: probes.Hook{Kind: probes.Counter}}, calls}, true},
		{"a counter alone", []*codegen.Unit{{Hook: probes.Hook{Kind: probes.Counter}}, tick}, false},
	} {
		if got := nests(tt.units); got != tt.want {
			t.Errorf("%s: %v, want %v", tt.what, got, tt.want)
		}
	}
}
