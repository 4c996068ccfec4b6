package codegen

import (
	"github.com/cilium/ebpf/asm"

	"dscope.dev/dlang/ir"
	"dscope.dev/engine/codegen/mach"
)

// cmpXchg selects an exchange that happens only if nobody came before.
func (s *selector) cmpXchg(v *ir.Value) {
	old, with := s.reg(v.Args[1]), s.reg(v.Args[2])
	base, off := s.mem(v.Args[0], v.Imm)
	base, off = s.reach(base, off)
	s.mov(mach.R0, old)
	// The kernel reads the operation from the constant; cilium/ebpf 0.22 means to
	// take it from the opcode, but writes the constant as it was.
	s.emit(mach.Inst{Op: mach.CmpXchg, Dst: base, Src: with, Off: int16(off), Imm: int64(asm.CmpXchg >> 8)})
	s.mov(s.def(v), mach.R0)
}

// fetchAdd selects an addition that tells what was there. The instruction leaves
// that in the register of what it adds.
func (s *selector) fetchAdd(v *ir.Value) {
	w := s.reg(v.Args[1])
	base, off := s.mem(v.Args[0], v.Imm)
	base, off = s.reach(base, off)
	s.mov(mach.R0, w)
	s.emit(mach.Inst{Op: mach.FetchAdd, Dst: base, Src: mach.R0, Off: int16(off), Imm: int64(asm.FetchAdd >> 8)})
	s.mov(s.def(v), mach.R0)
}
