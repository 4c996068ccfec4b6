package codegen

import (
	"encoding/binary"
	"math/bits"

	"github.com/cilium/ebpf/asm"

	"dscope.dev/dlang/ir"
	"dscope.dev/engine/codegen/mach"
)

// CurrentTasks are where each CPU keeps the address of its current task, for programs that read
// it themselves where it costs more to call the helper. The zero CurrentTasks are not known:
// programs call the helper.
type CurrentTasks struct {
	At   []uint64 // by number of CPU: where a task would lie whose member Link is that word
	Link int      // offset of a member of task_struct that points to another
	Task uint32   // BTF id of task_struct
	Cast uint32   // BTF id of bpf_rdonly_cast, which tells the verifier what lies at an address, and is no call
}

// Known reports whether c says where tasks are.
func (c *CurrentTasks) Known() bool { return len(c.At) > 0 }

// Read returns the instructions that set R0 to the task of a CPU, whose At is in R1.
func (c *CurrentTasks) Read() asm.Instructions {
	return asm.Instructions{
		asm.Mov.Imm(asm.R2, int32(c.Task)),
		{OpCode: asm.Call.Op(asm.ImmSource), Src: asm.PseudoKfuncCall, Constant: int64(c.Cast)},
		asm.LoadMem(asm.R0, asm.R0, int16(c.Link), asm.DWord),
	}
}

// mayReadTask reports whether the function may read where the current task is. To the verifier what
// is read there may be no task: its members can be had, as a fault reads 0, but no helper takes it.
func (s *selector) mayReadTask() bool {
	if !s.g.f.Current.Known() {
		return false
	}
	for _, b := range s.fn.Blocks {
		for _, v := range b.Vals {
			if v.Op == ir.OpSelf || v.Op == ir.OpBuiltin && v.Aux == ir.Sym("ureg") || s.g.f.Unwind != nil && ofProcess(v) {
				return false
			}
		}
	}
	return true
}

// readTask returns a register with the current task, as its CPU has it.
func (s *selector) readTask() mach.Reg {
	c := &s.g.f.Current
	n := max(bits.Len(uint(len(c.At)-1)), 1) // bits of a CPU's number
	table := make([]byte, 8<<n)
	for cpu, at := range c.At {
		binary.NativeEndian.PutUint64(table[8*cpu:], at)
	}
	cpu, at := s.newReg(), s.newReg()
	s.result(cpu, asm.FnGetSmpProcessorId)
	s.aluImm(asm.LSh, cpu, int64(64-n)) // it has no more bits, but the verifier cannot know
	s.aluImm(asm.RSh, cpu, int64(64-n-3))
	s.mapValue(at, mapRodata, s.g.constant(table, 8))
	s.alu(asm.Add, at, cpu)
	s.load(8, mach.R1, at, 0)
	for _, in := range c.Read() {
		args := int8(0)
		if in.OpCode.JumpOp() == asm.Call {
			args = 2
		}
		s.emit(mach.Inst{Op: in.OpCode, Dst: mach.Reg(in.Dst), Src: mach.Reg(in.Src), Off: in.Offset, Imm: in.Constant, Args: args})
	}
	t := s.newReg()
	s.mov(t, mach.R0)
	return t
}
