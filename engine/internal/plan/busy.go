package plan

import (
	"slices"
	"strings"

	"dscope.dev/engine/codegen"
	"dscope.dev/probes"
)

// guard makes the programs of a run keep out of one another's way if they could nest in
// helpers: see codegen's busy.go. It comes after ways.
func (m *Machine) guard(units []*codegen.Unit, f *codegen.Features) {
	if nests(units) {
		f.Busy, f.ActiveVar = true, m.Trials.Active()
	}
}

// nests reports whether a program among the units may be called while a helper of another
// one, of this run or another, holds the lock of a map, and the kernel prevents that not by
// itself.
func nests(units []*codegen.Unit) bool {
	within, prevented := false, true
	for _, u := range units {
		if u.Hook.Kind == probes.Test {
			continue
		}
		within = within || slices.ContainsFunc(hooksOf(u), WithinHelpers)
		prevented = prevented && u.Activates()
	}
	return within && !prevented
}

// hooksOf returns the hooks of a unit.
func hooksOf(u *codegen.Unit) []probes.Hook {
	if len(u.Hooks) > 0 {
		return u.Hooks
	}
	return []probes.Hook{u.Hook}
}

// WithinHelpers reports whether a hook may fire while a helper on the CPU holds a lock.
func WithinHelpers(h probes.Hook) bool {
	if IsPattern(h) && h.Kind == probes.Function { // whatever it comes to be
		return true
	}
	return h.Unmasked() || h.Interrupted() && slices.ContainsFunc(locking, func(part string) bool { return strings.Contains(h.Target, part) })
}

// locking are parts of the names of what the kernel may come to while a helper holds a lock
// of a map: locks themselves, of which some wait in the hypervisor; what maps are made of;
// the request for a callback or an interrupt later; and interrupts that cannot be masked. A
// name that merely looks so costs its run a few nanoseconds a firing.
var locking = []string{
	"spin", "_lock", "lock_", "_unlock", "rwlock", "contention", "pv_", "kvm", "hv_", "hyperv", "xen",
	"bpf", "htab", "freelist", "local_storage", "task_storage", "selem", "stack_map", "stackid", "array_map", "percpu", "pcpu",
	"rcu", "irq_work", "ipi", "apic", "msr", "nmi", "perf_", "printk", "llist", "irq_enable", "irq_disable", "preempt_", "memcpy", "memset", "memmove",
	"mem_alloc", "alloc_bulk", "unit_alloc", "unit_free", "copy_map", "mem_cache",
}
