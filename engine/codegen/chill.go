package codegen

import (
	"github.com/cilium/ebpf/asm"

	"dscope.dev/dlang/ir"
	"dscope.dev/engine/codegen/mach"
)

// second is in nanoseconds.
const second = 1_000_000_000

// maxRounds is the most that bpf_loop takes (BPF_MAX_LOOPS of the kernel).
const maxRounds = 1 << 23

// chill spins on the clock. How long a CPU has spun in the last second is kept
// for each CPU, and what would exceed the limit is refused. The loop is the
// kernel's: its verifier looks at one round, whatever the time.
func (s *selector) chill(v *ir.Value) {
	s.g.need.chill = true
	d, ns, now, sum := s.def(v), s.newReg(), s.newReg(), s.newReg()
	s.hide(ns, v.Args[0], TellsCopies)
	cold := s.cur.Cold
	refuse, done := s.m.NewBlock(true), s.m.NewBlock(cold)

	slot := s.slot4()
	s.storeImm(4, mach.RFP, int64(slot), 0)
	s.mapPtr(mach.R1, mapChill)
	s.slotArg(mach.R2, slot)
	s.call(asm.FnMapLookupElem, 2)
	cell := s.newReg()
	s.mov(cell, mach.R0)
	s.leaveIf(testImm(asm.JEq, cell, 0), refuse)
	s.call(asm.FnKtimeGetNs, 0)
	s.mov(now, mach.R0)

	since := s.newReg()
	s.load(8, sum, cell, 0)
	s.mov(since, now)
	s.alu(asm.Sub, since, sum)
	s.unless(testImm(asm.JLT, since, second), func() { // this one begins
		s.store(8, cell, 0, now)
		s.storeImm(8, cell, 8, 0)
	})
	s.leaveIf(testImm(asm.JGT, ns, v.Imm), refuse)
	s.load(8, sum, cell, 8)
	s.alu(asm.Add, sum, ns)
	s.leaveIf(testImm(asm.JGT, sum, v.Imm), refuse)
	s.store(8, cell, 8, sum)

	name, _ := v.Aux.(ir.Sym)
	span := s.m.Slot(16)
	s.store(8, mach.RFP, int64(span), now)
	s.store(8, mach.RFP, int64(span+8), ns)
	s.movImm(mach.R1, maxRounds)
	s.emit(mach.Inst{Op: asm.LoadImmOp(asm.DWord), Dst: mach.R2, Src: mach.Reg(asm.PseudoFunc), Imm: -1, Ref: string(name)})
	s.slotArg(mach.R3, span)
	s.movImm(mach.R4, 0)
	s.call(asm.FnLoop, 4)
	s.movImm(d, 0)
	s.jump(done)

	s.cur = refuse
	s.movImm(d, 1)
	s.jump(done)
	s.cur = done
}
