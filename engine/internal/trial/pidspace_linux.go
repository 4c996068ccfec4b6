package trial

import (
	"github.com/cilium/ebpf"
	"github.com/cilium/ebpf/asm"
	"golang.org/x/sys/unix"

	"dscope.dev/dlang/lower"
	"dscope.dev/probes/kernel"
	"dscope.dev/probes/space"
)

// pidSpace finds the pid namespace that we run in. How deep it lies only the kernel
// knows: a program that runs in our place reads it. Where none may run, nothing
// will be traced.
func pidSpace(k *kernel.Kernel) lower.PIDSpace {
	var st unix.Stat_t
	if space.Initial() || unix.Stat("/proc/self/ns/pid", &st) != nil {
		return lower.PIDSpace{}
	}
	pid, level := k.Struct("task_struct").OffsetOf("thread_pid"), k.Struct("pid").OffsetOf("level")
	p, err := ebpf.NewProgram(&ebpf.ProgramSpec{
		Type:    ebpf.RawTracepoint,
		License: "Dual MIT/GPL",
		Instructions: asm.Instructions{
			asm.StoreImm(asm.RFP, -8, 0, asm.Word),
			asm.FnGetCurrentTask.Call(),
			asm.Add.Imm(asm.R0, int32(pid)),
			asm.Mov.Reg(asm.R3, asm.R0),
			asm.Mov.Reg(asm.R1, asm.RFP),
			asm.Add.Imm(asm.R1, -16),
			asm.Mov.Imm(asm.R2, 8),
			asm.FnProbeReadKernel.Call(),
			asm.LoadMem(asm.R3, asm.RFP, -16, asm.DWord),
			asm.Add.Imm(asm.R3, int32(level)),
			asm.Mov.Reg(asm.R1, asm.RFP),
			asm.Add.Imm(asm.R1, -8),
			asm.Mov.Imm(asm.R2, 4),
			asm.FnProbeReadKernel.Call(),
			asm.LoadMem(asm.R0, asm.RFP, -8, asm.Word),
			asm.Return(),
		},
	})
	if err != nil {
		return lower.PIDSpace{}
	}
	defer p.Close()
	n, err := p.Run(&ebpf.RunOptions{Context: [12]uint64{}})
	if err != nil || n > 32 { // MAX_PID_NS_LEVEL
		return lower.PIDSpace{}
	}
	return lower.PIDSpace{Level: int(n), Inode: uint32(st.Ino)}
}
