// Package trial finds out by trying what this kernel and these privileges let dscope do:
// configuration, lockdown, capabilities and sysctls all have a say, and no file tells what
// they come to. What is tried leaves nothing behind.
package trial

import (
	"fmt"
	"sync"

	"dscope.dev/dlang/lower"
	"dscope.dev/engine/codegen"
	"dscope.dev/probes/kernel"
	"dscope.dev/probes/space"
)

// Trials are the questions that the rest of the engine has. Each is tried once, when
// somebody first asks; tests answer them beforehand.
type Trials struct {
	Available  func() error                 // nil, or why this machine or these privileges cannot trace
	Functions  func() Functions             // how functions of the kernel can be hooked
	Self       func() int                   // the number by which the kernel knows dscope itself
	PIDs       func() lower.PIDSpace        // the pid namespace that we run in
	Interrupts func() kernel.InterruptCount // the kernel's count of interrupts; nothing if programs cannot read it
	Active     func() uint32                // BTF id of the kernel's mark of programs under way; 0 if programs cannot read it
	Current    func() codegen.CurrentTasks  // where programs read the current task, if that is cheaper than the helper
}

// New returns the trials of a kernel.
func New(k *kernel.Kernel, facts kernel.Facts) *Trials {
	t := &Trials{}
	t.Available = sync.OnceValue(func() error {
		if facts.Arch != "amd64" && facts.Arch != "arm64" {
			return fmt.Errorf("dscope traces x86-64 and arm64; this machine is %s", facts.Arch)
		}
		return Smallest()
	})
	t.Functions = sync.OnceValue(func() Functions {
		if err := t.Available(); err != nil {
			return Functions{err, err, err}
		}
		return tryFunctions()
	})
	t.Self = sync.OnceValue(space.KernelPID)
	t.PIDs = sync.OnceValue(func() lower.PIDSpace { return pidSpace(k) })
	t.Interrupts = sync.OnceValue(func() kernel.InterruptCount { return interruptCount(k) })
	t.Active = sync.OnceValue(func() uint32 { return activeVar(k) })
	t.Current = sync.OnceValue(func() codegen.CurrentTasks { return current(k, facts) })
	return t
}
