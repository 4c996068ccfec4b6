package space

import (
	"os"

	"github.com/cilium/ebpf"
	"github.com/cilium/ebpf/asm"
)

// initPIDs is what /proc/self/ns/pid links to in the initial pid namespace,
// whose inode the kernel fixes (PROC_PID_INIT_INO of include/linux/proc_ns.h).
const initPIDs = "pid:[4026531836]"

// Initial reports whether we are in the initial pid namespace, so that the kernel knows
// processes by the numbers that we do.
func Initial() bool {
	ns, err := os.Readlink("/proc/self/ns/pid")
	return err == nil && ns == initPIDs
}

// KernelPID returns the number by which the kernel, and so a program, knows
// this process. In a container that is another than our own; a program that
// runs in our place tells it. Where none may run, nothing will be traced.
func KernelPID() int {
	if Initial() {
		return os.Getpid()
	}
	p, err := ebpf.NewProgram(&ebpf.ProgramSpec{
		Type:    ebpf.RawTracepoint,
		License: "Dual MIT/GPL",
		Instructions: asm.Instructions{
			asm.FnGetCurrentPidTgid.Call(),
			asm.RSh.Imm(asm.R0, 32),
			asm.Return(),
		},
	})
	if err != nil {
		return os.Getpid()
	}
	defer p.Close()
	pid, err := p.Run(&ebpf.RunOptions{Context: [12]uint64{}})
	if err != nil {
		return os.Getpid()
	}
	return int(pid)
}
