package codegen

import (
	"github.com/cilium/ebpf"

	"dscope.dev/dlang/ir"
	"dscope.dev/engine/codegen/mach"
)

// A program at a function of the kernel is entered in one of two ways. A
// trampoline hands it the words that the function was called with, some of them
// addresses of types that the verifier knows, and at the return the value that it
// returns behind them. A kprobe hands it the saved registers.

// functionKind returns how the program of u is entered.
func functionKind(u *Unit) hookKind {
	switch {
	case !u.Tramp:
		return hookRegs
	case u.Hook.Return:
		return hookReturn
	}
	return hookEntry
}

// functionSpec says what kind of program it is.
func functionSpec(spec *ebpf.ProgramSpec, u *Unit) {
	spec.Type = ebpf.Kprobe
	switch {
	case u.Tramp && u.Hook.Return:
		spec.Type, spec.AttachType, spec.AttachTo = ebpf.Tracing, ebpf.AttachTraceFExit, u.Hook.Target
	case u.Tramp:
		spec.Type, spec.AttachType, spec.AttachTo = ebpf.Tracing, ebpf.AttachTraceFEntry, u.Hook.Target
	case u.Multi:
		spec.AttachType = ebpf.AttachTraceKprobeMulti
	}
}

// noOffset is arg0 where a function returns: no hook tells the place of the
// instruction that does. DTrace on Linux has the same number there.
const noOffset = -1

// returned sets d to an argument of the return of a function, by trampoline.
func (s *selector) returned(d mach.Reg, v *ir.Value) {
	switch {
	case v.Imm == 0:
		s.movImm(d, noOffset)
	case v.Imm == 1 && s.u.raw > 1:
		s.load(8, d, s.ctx, 8*int64(s.u.unit.Sites[0].Words-1))
		s.plain(d, v)
	default:
		s.movImm(d, 0)
	}
}
