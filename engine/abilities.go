package engine

import (
	"dscope.dev/engine/internal/trial"
	"dscope.dev/probes"
	"dscope.dev/probes/perf"
)

// Families lists the providers, those that are unavailable too. It tries the kernel
// where a provider must.
func (e *Engine) Families() []probes.Family { return e.registry.Providers() }

// FunctionHooks says which ways of hooking functions this kernel has not, and why:
// by a trampoline, by one kprobe for many, by a kprobe for each. nil is a way that
// it has.
func (e *Engine) FunctionHooks() (trampoline, multi, single error) {
	f := e.machine.Trials.Functions()
	return f.Tramp, f.Multi, f.Single
}

// Uncounted lists the events that this machine does not count.
func (e *Engine) Uncounted() []perf.Unavailable { return e.counters.Unavailable() }

// ErrPrivileges is what Available wraps if the process may not trace.
var ErrPrivileges = trial.ErrPrivileges

// Memory returns how many bytes there are left for this process.
func (e *Engine) Memory() int64 { return e.machine.Kernel.MemoryLeft() }

// UseImage says in which file vmlinux with debug information is, for inlined functions
// of the kernel: option vmlinux. "" has it looked for where it usually is.
func (e *Engine) UseImage(path string) { e.machine.Kernel.UseImage(path) }
