package plan

import (
	"testing"

	"dscope.dev/probes"
)

// TestAlone tells what may do without atomic updates: from 7.0 on a thread that is in
// the program of a system call may lose the CPU to one that comes to another.
func TestAlone(t *testing.T) {
	for _, tt := range []struct {
		hook      probes.Hook
		preempted bool
		want      bool
	}{
		{probes.Hook{Kind: probes.Tracepoint, Select: probes.BySyscall, Target: "sys_enter"}, false, true},
		{probes.Hook{Kind: probes.Tracepoint, Select: probes.BySyscall, Target: "sys_enter"}, true, false},
		{probes.Hook{Kind: probes.Tracepoint, Target: "sched_switch"}, false, false},
		{probes.Hook{Kind: probes.Test, Target: "BEGIN"}, true, true},
	} {
		u := &Unit{Hooks: []probes.Hook{tt.hook}}
		if got := u.alone(tt.preempted); got != tt.want {
			t.Errorf("alone(%v) of %v = %v", tt.preempted, tt.hook, got)
		}
	}
}
