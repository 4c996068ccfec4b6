package perf

import (
	"errors"
	"fmt"
	"unsafe"

	"golang.org/x/sys/unix"
)

// try opens an event on the CPU that runs us and closes it. It counts nothing.
func try(e Event) error {
	attr := unix.PerfEventAttr{Type: e.Type, Config: e.Config, Sample: 1 << 40, Bits: unix.PerfBitDisabled}
	attr.Size = uint32(unsafe.Sizeof(attr))
	var cpu uint32
	if _, _, errno := unix.Syscall(unix.SYS_GETCPU, uintptr(unsafe.Pointer(&cpu)), 0, 0); errno != 0 {
		cpu = 0
	}
	fd, err := unix.PerfEventOpen(&attr, -1, int(cpu), -1, unix.PERF_FLAG_FD_CLOEXEC)
	if err == nil {
		return unix.Close(fd)
	}
	return explain(e, err)
}

// explain says what a refusal means, and what helps.
func explain(e Event, err error) error {
	switch {
	case errors.Is(err, unix.EACCES) || errors.Is(err, unix.EPERM):
		return fmt.Errorf("counting %s needs root or CAP_PERFMON (%w)", e.Help, err)
	case e.Type == software:
		return fmt.Errorf("this kernel does not count %s (%w)", e.Help, err)
	case errors.Is(err, unix.ENOENT) || errors.Is(err, unix.EOPNOTSUPP) || errors.Is(err, unix.ENODEV) || errors.Is(err, unix.EINVAL):
		return fmt.Errorf("the processor has no counter of %s that the kernel knows (%w); "+
			"in a virtual machine its host must give it one (for QEMU: -cpu host,pmu=on)", e.Help, err)
	case errors.Is(err, unix.EBUSY):
		return fmt.Errorf("every counter of %s is taken (%w); stop who has them, such as the NMI watchdog: sysctl kernel.nmi_watchdog=0", e.Help, err)
	}
	return fmt.Errorf("counting %s: %w", e.Help, err)
}
