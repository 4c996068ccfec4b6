package codegen

import (
	"github.com/cilium/ebpf/asm"

	"dscope.dev/dlang/ir"
	"dscope.dev/engine/codegen/mach"
	"dscope.dev/engine/trace"
)

// The kernel lets a program that serves a place of a process run twice at once on
// one CPU: it holds no count of such programs, and where it is built to preempt
// itself, another thread may come to the same place before the first run has
// ended. Working memory of such programs is therefore several pieces, each of
// which begins with a word that is 1 while a run uses it. A run that finds all
// of them taken is counted as one that the kernel skipped.

// levels is how many runs of a program that can be preempted may be under way
// on one CPU. Each thread in the way has to be preempted within the few
// microseconds that a run takes.
const levels = 4

// claimSize is the size of the word before the working memory.
const claimSize = 8

// claims reports whether the function must take its working memory and give it
// back.
func (s *selector) claims() bool { return s.u.preempted && s.workSize > claimSize }

// calls reports whether the function calls others of the script. These have
// working memory of their own; that they find some is certain if whoever calls them
// has.
func (s *selector) calls() bool {
	return s.has(ir.OpCall) || s.has(ir.OpFault) && s.g.errorFn != nil
}

// claimHome says where working memory is taken. In a loop it would be taken once
// a round.
func (s *selector) claimHome() {
	if !s.u.preempted {
		return
	}
	if s.workSize == claimSize && !s.inner && s.calls() {
		s.workSize += claimSize // so that there is something to take
		s.home = nil
	}
	if s.claims() && (s.home == nil || len(s.back) > 0) {
		s.home = s.fn.Blocks[0]
	}
}

// claim takes a piece of working memory that no other run has.
func (s *selector) claim(first int) {
	slot := s.slot4()
	cold := s.cur.Cold
	got := s.m.NewBlock(cold)
	for i := range levels {
		s.storeImm(4, mach.RFP, int64(slot), int64(first+i))
		s.mapPtr(mach.R1, mapWork)
		s.slotArg(mach.R2, slot)
		s.call(asm.FnMapLookupElem, 2)
		p, one := s.newReg(), s.newReg()
		s.mov(p, mach.R0)
		s.leaveIf(testImm(asm.JEq, p, 0), s.exitBlock())
		s.movImm(one, 1)
		s.movImm(mach.R0, 0)
		s.emit(mach.Inst{Op: mach.CmpXchg, Dst: p, Src: one, Imm: int64(asm.CmpXchg >> 8)})
		mine, next := s.m.NewBlock(cold), s.m.NewBlock(true)
		s.branch(testImm(asm.JEq, mach.R0, 0), mine, next)
		s.cur = mine
		s.mov(s.held, p)
		s.jump(got)
		s.cur = next
	}
	s.drop(int64(trace.DropRecursion))
	s.jump(s.exitBlock())
	s.cur = got
	s.work = s.held
}

// release gives back what claim took, if it has been taken on the way here.
func (s *selector) release() {
	s.unless(testImm(asm.JEq, s.held, 0), func() { s.storeImm(8, s.held, 0, 0) })
}

// giveBackAll gives back all that the function has taken.
func (s *selector) giveBackAll() {
	if s.claims() {
		s.release()
	}
	if s.busy != mach.None {
		s.idle()
	}
}

// takes reports whether there is something to give back at the end.
func (s *selector) takes() bool { return s.claims() || s.busy != mach.None }

// giveBackAtExit makes the block that leaves without a result give back too.
func (s *selector) giveBackAtExit() {
	if s.exit == nil || !s.takes() {
		return
	}
	s.cur = s.exit
	s.cur.Insts = nil
	s.giveBackAll()
	s.cur.Kind = mach.Exit
	s.emit(mach.Inst{Op: asm.Mov.Op(asm.ImmSource), Dst: mach.R0, Src: mach.None})
}
