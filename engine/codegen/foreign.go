package codegen

import (
	"slices"

	"github.com/cilium/ebpf/asm"

	"dscope.dev/dlang/ir"
	"dscope.dev/engine/codegen/mach"
)

// To know the process is to call a helper for the task, which costs some 10 ns where returns
// are made safe (spec_rstack_overflow). Of most calls the saved registers tell that they pass:
// which instruction made them, and from where. The code of dscope is not position-independent,
// and lies where that of libraries and of most programs never does. Only what the registers
// leave in doubt is asked of the task.
//
// A process can forge what says that its call has 64 bits. It then makes a call of 32 bits, which
// would be left out, look like another of its own calls; it could as well make that one.

// foreign selects the test of the registers, if it spares the firings anything. It goes on where
// they leave the firing in doubt, and returns the block for those that pass; nil if there is no
// such test.
func (s *selector) foreign(compat, self bool) (passed *mach.Block) {
	back := s.g.arch.Back
	if !s.u.syscall() || s.task != mach.None || s.asksTask() || compat && back < 0 || self && s.g.f.OwnBelow == 0 ||
		slices.ContainsFunc(s.u.keys(), func(nr uint32) bool { return slices.Contains(s.g.arch.VDSO, nr) }) { // which we may make from there
		return nil
	}
	passed = s.m.NewBlock(s.cur.Cold)
	doubt := s.m.NewBlock(true)
	regs, pc := s.savedRegs(), s.newReg()
	s.load(8, pc, regs, wordAt(s.g.arch.PC))
	if compat {
		r := s.newReg()
		s.load(8, r, regs, wordAt(back))
		s.leaveIf(mach.Test{Op: asm.JNE, X: pc, Y: r}, doubt)
	}
	if self {
		s.branch(testImm(asm.JLE, pc, s.g.f.OwnBelow-1), doubt, passed)
	} else {
		s.jump(passed)
	}
	s.cur = doubt
	return passed
}

// asksTask reports whether the function needs the task for something else.
func (s *selector) asksTask() bool {
	for _, b := range s.fn.Blocks {
		for _, v := range b.Vals {
			switch {
			case v.Op == ir.OpSelf, v.Op == ir.OpTask && len(s.uses[v.ID]) > 0:
				return true
			case v.Op == ir.OpBuiltin:
				switch v.Aux {
				case ir.Sym("vtimestamp"), ir.Sym("ureg"):
					return true
				case ir.Sym("uid"), ir.Sym("gid"):
					if s.g.f.Cred.known() {
						return true
					}
				}
			}
		}
	}
	return false
}
