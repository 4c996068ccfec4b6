package codegen

import (
	"github.com/cilium/ebpf/asm"

	"dscope.dev/engine/codegen/mach"
	"dscope.dev/probes"
)

// A run can take the place of another so that each firing counts in one of them and in no
// more than one. The programs of both are attached for a moment; which of them a firing
// belongs to says one word, the baton: the number of the run that has it.
//
// Of the two programs that one firing calls, one after the other on the same CPU, the first
// reads the baton and writes what it says into the word of its CPU; the second goes by that
// word, or it might find the baton handed on meanwhile. The kernel calls programs of
// tracepoints in the order in which they were attached (tracepoint_add_func), those of
// functions and of places in processes the other way round (the lists of trampolines, of
// ftrace and of uprobes grow at their heads). Clocks belong to one run alone.
//
// What is left is a firing between whose two programs another one comes on the same CPU, in
// an interrupt, at the very moment at which the baton is handed on; or whose thread then
// moves to another CPU.

// The words of the map of a handover, of 8 bytes: the baton, then one for each CPU.
const (
	HandBaton = 0
	HandCPU   = 8
)

// mostHandCPUs is for how many CPUs there is a word in the one page that is shared.
const mostHandCPUs = 500

// Hands reports whether the programs can be handed over.
func (f *Features) Hands() bool { return f.Handover && f.CPUs <= mostHandCPUs }

// handTest leaves if the firing is another run's, or no probe may fire. While no run takes
// the place of another it is a load and a branch.
func (s *selector) handTest() {
	control, stop := s.newReg(), s.newReg()
	s.g.useControl()
	s.mapValue(control, mapControl, 0)
	s.load(4, stop, control, ControlStop)
	fire, handing := s.m.NewBlock(false), s.m.NewBlock(true)
	s.branch(testImm(asm.JEq, stop, 0), fire, handing)

	s.cur = handing
	s.leaveIf(testImm(asm.JLT, stop, Leaving), s.exitBlock())
	s.g.need.handover = true
	mine, words, says := s.newReg(), s.newReg(), s.newReg()
	s.load(8, mine, control, ControlMine)
	s.mapValue(words, mapHandover, 0)
	if s.u.kind == hookTimer {
		s.load(8, says, words, HandBaton)
		s.branch(mach.Test{Op: asm.JEq, X: says, Y: mine}, fire, s.exitBlock())
		s.cur = fire
		return
	}
	own := s.newReg()
	s.result(own, asm.FnGetSmpProcessorId)
	s.leaveIf(testImm(asm.JGE, own, int64(s.g.f.CPUs)), s.exitBlock())
	s.aluImm(asm.LSh, own, 3)
	s.alu(asm.Add, own, words)
	first := int64(Coming)
	if s.u.unit.Hook.Kind == probes.Tracepoint {
		first = Leaving
	}
	lead, follow := s.m.NewBlock(true), s.m.NewBlock(true)
	s.branch(testImm(asm.JEq, stop, first), lead, follow)
	s.cur = lead
	s.load(8, says, words, HandBaton)
	s.store(8, own, HandCPU, says)
	s.branch(mach.Test{Op: asm.JEq, X: says, Y: mine}, fire, s.exitBlock())
	s.cur = follow
	says = s.newReg()
	s.load(8, says, own, HandCPU)
	s.branch(mach.Test{Op: asm.JEq, X: says, Y: mine}, fire, s.exitBlock())
	s.cur = fire
}
