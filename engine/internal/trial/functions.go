package trial

import (
	"errors"
	"fmt"
)

// Functions says which ways of hooking functions this kernel has not, and why: a
// trampoline for each, one kprobe for all (kprobe_multi), a kprobe for each.
type Functions struct {
	Tramp, Multi, Single error // nil if it has
}

// Err returns nil, or why functions cannot be hooked at all.
func (f Functions) Err() error {
	if f.Tramp == nil || f.Multi == nil || f.Single == nil {
		return nil
	}
	if errors.Is(f.Tramp, ErrPrivileges) {
		return f.Tramp
	}
	return fmt.Errorf("nothing hooks functions here: fentry: %w; kprobe: %w "+
		"(use a kernel built with CONFIG_KPROBES, CONFIG_FUNCTION_TRACER and CONFIG_FPROBE, and not locked down)", f.Tramp, f.Single)
}

// InstructionErr returns nil, or why this kernel cannot hook instructions.
func (f Functions) InstructionErr() error {
	if f.Single == nil || errors.Is(f.Single, ErrPrivileges) {
		return f.Single
	}
	return fmt.Errorf("nothing hooks instructions here: kprobe: %w (use a kernel built with CONFIG_KPROBES and CONFIG_KPROBE_EVENTS, and not locked down)", f.Single)
}
