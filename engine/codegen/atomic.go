package codegen

import (
	"github.com/cilium/ebpf/asm"

	"dscope.dev/dlang/ir"
)

// cmpXchg is the instruction that exchanges memory if it holds what R0 does, and
// leaves in R0 what was there.
var cmpXchg = asm.CmpXchg.OpCode(asm.DWord)

// fetchAdd is the instruction that adds to memory and leaves in the register what
// was there.
var fetchAdd = asm.FetchAdd.OpCode(asm.DWord)

// cmpXchg selects an exchange that happens only if nobody came before.
func (s *selector) cmpXchg(v *ir.Value) {
	old, with := s.reg(v.Args[1]), s.reg(v.Args[2])
	base, off := s.mem(v.Args[0], v.Imm)
	base, off = s.reach(base, off)
	s.mov(r0, old)
	// The kernel reads the operation from the constant; cilium/ebpf 0.22 means to
	// take it from the opcode, but writes the constant as it was.
	s.emit(inst{op: cmpXchg, dst: base, src: with, off: int16(off), imm: int64(asm.CmpXchg >> 8)})
	s.mov(s.def(v), r0)
}

// fetchAdd selects an addition that tells what was there. The instruction leaves
// that in the register of what it adds.
func (s *selector) fetchAdd(v *ir.Value) {
	w := s.reg(v.Args[1])
	base, off := s.mem(v.Args[0], v.Imm)
	base, off = s.reach(base, off)
	s.mov(r0, w)
	s.emit(inst{op: fetchAdd, dst: base, src: r0, off: int16(off), imm: int64(asm.FetchAdd >> 8)})
	s.mov(s.def(v), r0)
}
