package mach

import "github.com/cilium/ebpf/asm"

// From 6.13 on (6.17 on arm64) the kernel keeps the stack of a tracing program, or of a
// subprogram, that takes 64 bytes or more in memory of the CPU, one piece for all its runs
// there. It takes for granted that no such program is started on a CPU where it is running
// already, and that does not hold at places of processes (see claim.go of codegen): a thread that takes
// the CPU from another in the middle of a firing would write over its variables and its
// pointers. A program that makes tail calls has its stack where the thread has its own. So
// ours has such a call. It is always jumped over, and the kernel drops it with all that is
// never reached; but by then it has looked for tail calls.

// OwnStack puts that before the first instruction of a program.
func (m *Func) OwnStack() {
	over := asm.Instruction{OpCode: asm.OpCode(asm.JumpClass).SetJumpOp(asm.JNE).SetSource(asm.ImmSource), Dst: asm.R0, Offset: 1}
	first := asm.Instructions{
		asm.Mov.Imm(asm.R0, 1).WithSource(m.Code[0].Source()),
		over,
		asm.FnTailCall.Call(),
	}
	m.Code = append(first, m.Code...)
	for i := range m.pcs {
		m.pcs[i] += len(first)
	}
}
