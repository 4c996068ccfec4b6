package trial

import (
	"github.com/cilium/ebpf"
	"github.com/cilium/ebpf/asm"
)

// MayWrite returns nil, or what the kernel says against programs that write to memory
// of processes. It loads the smallest program that calls the helper.
func MayWrite() error {
	p, err := ebpf.NewProgram(&ebpf.ProgramSpec{
		Type:    ebpf.RawTracepoint,
		License: "Dual MIT/GPL",
		Instructions: asm.Instructions{
			asm.Mov.Imm(asm.R1, 0),
			asm.StoreMem(asm.RFP, -8, asm.R1, asm.DWord),
			asm.Mov.Reg(asm.R2, asm.RFP),
			asm.Add.Imm(asm.R2, -8),
			asm.Mov.Imm(asm.R3, 8),
			asm.FnProbeWriteUser.Call(),
			asm.Mov.Imm(asm.R0, 0),
			asm.Return(),
		},
	})
	if err != nil {
		return err
	}
	return p.Close()
}
