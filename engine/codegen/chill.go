package codegen

import (
	"github.com/cilium/ebpf/asm"

	"dscope.dev/dlang/ir"
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
	s.forgotten(ns, v.Args[0])
	cold := s.cur.cold
	refuse, done := s.m.newBlock(true), s.m.newBlock(cold)

	slot := s.slot4()
	s.storeImm(4, rfp, int64(slot), 0)
	s.mapPtr(r1, mapChill)
	s.slotArg(r2, slot)
	s.call(asm.FnMapLookupElem, 2)
	cell := s.newReg()
	s.mov(cell, r0)
	s.leaveIf(testImm(asm.JEq, cell, 0), refuse)
	s.call(asm.FnKtimeGetNs, 0)
	s.mov(now, r0)

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
	span := s.m.slot(16)
	s.store(8, rfp, int64(span), now)
	s.store(8, rfp, int64(span+8), ns)
	s.movImm(r1, maxRounds)
	s.emit(inst{op: asm.LoadImmOp(asm.DWord), dst: r2, src: reg(asm.PseudoFunc), imm: -1, ref: string(name)})
	s.slotArg(r3, span)
	s.movImm(r4, 0)
	s.call(asm.FnLoop, 4)
	s.movImm(d, 0)
	s.jump(done)

	s.cur = refuse
	s.movImm(d, 1)
	s.jump(done)
	s.cur = done
}
