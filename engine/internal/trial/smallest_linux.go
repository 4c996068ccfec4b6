package trial

import (
	"errors"
	"fmt"
	"os"
	"syscall"

	"github.com/cilium/ebpf"
	"github.com/cilium/ebpf/asm"
)

// ErrPrivileges is what Available answers if the process may not trace.
var ErrPrivileges = errors.New("tracing needs root, or the capabilities CAP_BPF and CAP_PERFMON")

// Smallest loads the smallest tracing program: what is allowed is found out by
// trial, because capabilities, lockdown and sysctls all have a say.
func Smallest() error {
	p, err := ebpf.NewProgram(&ebpf.ProgramSpec{
		Type:         ebpf.RawTracepoint,
		License:      "Dual MIT/GPL",
		Instructions: asm.Instructions{asm.Mov.Imm(asm.R0, 0), asm.Return()},
	})
	var errno syscall.Errno
	switch {
	case err == nil:
		return p.Close()
	case errors.Is(err, os.ErrPermission) && errors.As(err, &errno):
		// The number alone: what the library guesses about it concerns old kernels.
		return fmt.Errorf("%w (the kernel says: %w)", ErrPrivileges, errno)
	}
	return fmt.Errorf("this kernel takes no tracing programs: %w", err)
}
