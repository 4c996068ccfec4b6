package codegen

import (
	"github.com/cilium/ebpf/asm"

	"dscope.dev/engine/codegen/mach"
	"dscope.dev/probes"
)

// wordAt returns the offset of a word of struct pt_regs.
func wordAt(word int) int64 { return int64(8 * word) }

// callArg sets d to an argument of the function that has just been called, or to
// the value that it returns. Arguments that find no register lie on the stack, of
// the process or of the kernel: the context holds registers only. One that
// cannot be read is 0.
func (s *selector) callArg(d mach.Reg, n int64) {
	a := s.g.arch
	switch {
	case s.u.unit.Hook.Kind == probes.Instruction:
		s.movImm(d, 0)
	case n == 0 && s.u.unit.Hook.Return && s.u.unit.Hook.Kind == probes.Function:
		s.movImm(d, noOffset)
	case s.u.unit.Hook.Return && n < 2:
		s.load(8, d, s.ctx, wordAt(a.Result))
	case s.u.unit.Hook.Return:
		s.movImm(d, 0)
	case n < int64(len(a.Call)):
		s.load(8, d, s.ctx, wordAt(a.Call[n]))
	default:
		s.stackArg(d, a.Pushed+8*(n-int64(len(a.Call))))
	}
}

// stackArg sets d to the word that lies so many bytes above the stack pointer.
func (s *selector) stackArg(d mach.Reg, above int64) {
	slot := s.slot4()
	s.load(8, mach.R3, s.ctx, wordAt(s.g.arch.SP))
	s.aluImm(asm.Add, mach.R3, above)
	s.slotArg(mach.R1, slot)
	s.movImm(mach.R2, 8)
	fn := asm.FnProbeReadKernel
	if s.u.unit.Hook.Kind == probes.User {
		fn = asm.FnProbeReadUser
	}
	s.call(fn, 3) // fills with zeros what it cannot read
	s.load(8, d, mach.RFP, int64(slot))
}
