package codegen

import (
	"github.com/cilium/ebpf/asm"

	"dscope.dev/engine/codegen/mach"
	"dscope.dev/engine/trace"
)

// The kernel does not start a kprobe or perf event program on a CPU on which one is under
// way, nor while a system call works on a map there (bpf_prog_active). A program that is
// called by a trampoline, by a raw tracepoint or at a place of a process neither asks for
// that nor prevents it: only itself it does not interrupt. A lock that a helper takes, such
// as that of the free elements of a map, can so call another program, which wants the same
// lock on the same CPU, and waits for ever with interrupts off; and two of them on two CPUs
// can wait for each other. From 6.16 on the locks of maps notice, after a wait, and what was
// to be stored is lost; and thousands of programs, each within the helper of the one before,
// take more than the kernel's stack has (seen on 7.2, which panics). So on all kernels they
// are guarded by a word of each CPU, in a map that all runs on the machine share: whoever
// finds it set leaves, and is counted as one that the kernel skipped.

// busyTest sets the word of the CPU, or leaves. What is missed is not counted where the
// clock looks again.
func (s *selector) busyTest(counted bool) {
	before := s.exitBlock()
	cold := s.cur.Cold
	taken := s.m.NewBlock(true)
	if s.g.f.ActiveVar != 0 && !s.u.activates() {
		n := s.newReg()
		s.emit(mach.Inst{Op: asm.LoadImmOp(asm.DWord), Dst: mach.R1, Src: mach.Reg(pseudoVar), Imm: int64(s.g.f.ActiveVar)})
		s.call(asm.FnThisCpuPtr, 1)
		s.load(4, n, mach.R0, 0)
		s.leaveIf(testImm(asm.JNE, n, 0), taken)
	}
	s.g.need.busy = true
	slot := s.slot4()
	s.storeImm(4, mach.RFP, int64(slot), 0)
	s.mapPtr(mach.R1, mapBusy)
	s.slotArg(mach.R2, slot)
	s.call(asm.FnMapLookupElem, 2)
	s.busy = s.newReg()
	s.mov(s.busy, mach.R0)
	s.leaveIf(testImm(asm.JEq, s.busy, 0), before)
	one := s.newReg()
	s.movImm(one, 1)
	s.movImm(mach.R0, 0)
	s.emit(mach.Inst{Op: mach.CmpXchg, Dst: s.busy, Src: one, Imm: int64(asm.CmpXchg >> 8)}) // threads may preempt one another
	mine := s.m.NewBlock(cold)
	s.branch(testImm(asm.JEq, mach.R0, 0), mine, taken)
	s.cur = taken
	if counted {
		s.drop(oustedBy(s.fn.Unit))
	}
	s.jump(before)
	s.cur, s.exit = mine, nil // who leaves from here on clears the word
}

// OustedUnits is how many units have a counter of their own, behind those of drops, for
// firings that left because another program was under way.
const OustedUnits = 64

// oustedBy returns the counter of such firings of a unit.
func oustedBy(unit int) int64 {
	if unit < OustedUnits {
		return int64(trace.DropKinds + unit)
	}
	return int64(trace.DropRecursion)
}

// idle clears the word.
func (s *selector) idle() { s.storeImm(8, s.busy, 0, 0) }

// guarded reports whether the function is a program that must ask for the word. The engine
// fires BEGIN and END when no other program of the run is attached, and they must not fail.
func (s *selector) guarded() bool {
	return s.g.f.Busy && s.fn.Unit >= 0 && !s.u.ours()
}

// Activates reports whether the kernel keeps programs of its kind from interrupting one
// another on a CPU.
func (u *Unit) Activates() bool {
	return u.Hook.Alone() && !u.Tramp
}

func (c *unitContext) activates() bool { return c.unit.Activates() }
