package plan

import (
	"dscope.dev/engine/codegen"
	"dscope.dev/probes"
)

// multi tells the code generator which programs one link attaches to all their
// places, or their only one: an event of perf fires more slowly, and takes CAP_SYS_ADMIN.
// Kernels before 6.10 take the process of such a link for a thread.
func (m *Machine) multi(units []*codegen.Unit) {
	for _, u := range units {
		if u.Hook.Kind != probes.User {
			continue
		}
		_, _, known := m.Kernel.Enumerator("BPF_TRACE_UPROBE_MULTI")
		u.Multi = known && (m.Facts.AtLeast(6, 10) || !ofProcess(u.Hooks))
	}
}

// ofProcess reports whether some of hooks fire in one process only.
func ofProcess(hooks []probes.Hook) bool {
	for _, h := range hooks {
		if h.PID != 0 {
			return true
		}
	}
	return false
}
