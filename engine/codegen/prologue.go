package codegen

import (
	"github.com/cilium/ebpf/asm"

	"dscope.dev/dlang/ir"
	"dscope.dev/engine/codegen/mach"
	"dscope.dev/probes"
)

// prologue begins the function: it takes what the kernel gave, and leaves at once if the
// firing is not of the unit's probes. What the unit's firings are asked comes behind it, the
// cheapest first that lets most of them go: a predicate that costs next to nothing (see
// early.go), and then the ABI of the call, our own process, the end of the run (see admit).
func (s *selector) prologue() {
	s.at = s.fn.Blocks[0].Vals[0].At
	if s.claims() {
		s.held = s.newReg()
		s.movImm(s.held, 0)
	}
	if s.fn.Unit < 0 {
		s.params()
		return
	}
	s.ctx = s.newReg()
	s.mov(s.ctx, mach.R1)
	if s.u.kind == hookError {
		s.fault, s.faultWord = s.newReg(), s.newReg()
		s.mov(s.fault, mach.R2)
		s.mov(s.faultWord, mach.R3)
		s.faultID, s.faultPC = s.newReg(), s.newReg()
		s.mov(s.faultID, mach.R4)
		s.mov(s.faultPC, mach.R5)
	}
	if s.hands() {
		s.handTest()
	}
	if s.looks() && s.guarded() { // before the time of the next firing is set
		s.busyTest(false)
	}
	s.tickTest()
	if s.u.unit.Hook.Starves() && !s.hands() {
		s.stopTest()
	}
	switch s.u.kind {
	case hookEnter, hookExit:
		s.numberTest()
	case hookRaw:
		if s.needsKey() && len(s.u.unit.Sites) > 1 {
			if !s.g.f.RawCookie {
				s.fail("%s shares a program with other tracepoints, and kernels before 6.10 do not tell it which fired", s.u.unit.Hook.Target)
			}
			s.cookie()
		}
	case hookRegs:
		if s.needsKey() && len(s.u.unit.Sites) > 1 {
			s.cookie()
		}
	}
}

// admit leaves out the firings that no clause is to see, and begins what all clauses share.
func (s *selector) admit() {
	if s.fn.Unit < 0 {
		return
	}
	s.cpuTest()
	s.processTests()
	s.groupTest()
	if s.g.stops && !s.u.unit.Hook.Starves() && !s.hands() && !s.u.ours() {
		s.stopTest()
	}
	if s.guarded() && !s.looks() {
		s.busyTest(true)
	}
	if s.has(ir.OpStackID) {
		s.gen = s.generation()
	}
	if s.g.ir.Options.Temporal && s.has(ir.OpReserve) {
		s.fired = s.newReg() // what timestamp shows is then what orders the records
		s.result(s.fired, asm.FnKtimeGetNs)
	}
}

// hands reports whether the firings may be another generation's of the programs.
func (s *selector) hands() bool {
	return s.g.f.Hands() && !s.u.ours()
}

// looks reports whether the firings are those of a clock that looks whether it is time.
func (s *selector) looks() bool {
	_, ok := TickWord(s.g.units, s.fn.Unit)
	return ok
}

// stopTest leaves if the run is held back. Where firings can take all the time that there
// is, it comes before all else.
func (s *selector) stopTest() {
	t := s.newReg()
	s.g.useControl()
	s.mapValue(t, mapControl, 0)
	s.load(4, t, t, ControlStop)
	s.leaveIf(testImm(asm.JNE, t, 0), s.exitBlock())
}

// cookie makes the key what was said of the firing hook when it was attached.
func (s *selector) cookie() {
	s.mov(mach.R1, s.ctx)
	s.call(asm.FnGetAttachCookie, 1)
	s.key = s.newReg()
	s.mov(s.key, mach.R0)
}

// params moves the parameters of a subroutine out of their registers.
func (s *selector) params() {
	for _, b := range s.fn.Blocks {
		for _, v := range b.Vals {
			if v.Op == ir.OpParam && len(s.uses[v.ID]) > 0 {
				s.mov(s.def(v), mach.R1+mach.Reg(v.Imm))
			}
		}
	}
	for _, v := range s.fn.Params {
		if len(s.uses[v.ID]) > 0 {
			s.notNull(v)
		}
	}
}

// has reports whether the function does op anywhere.
func (s *selector) has(op ir.Op) bool { return hasOp(s.fn, op) }

func hasOp(f *ir.Func, op ir.Op) bool {
	for _, b := range f.Blocks {
		for _, v := range b.Vals {
			if v.Op == op {
				return true
			}
		}
	}
	return false
}

// needsKey reports whether it matters which site fired.
func (s *selector) needsKey() bool {
	for _, b := range s.fn.Blocks {
		for _, v := range b.Vals {
			if v.Op.AsksSite() || v.Op == ir.OpBuiltin && v.Aux == ir.Sym("id") {
				return true
			}
		}
	}
	return false
}

// numberTest lets the system calls through that the unit serves.
func (s *selector) numberTest() {
	nr := s.newReg()
	if s.u.kind == hookEnter {
		s.load(8, nr, s.ctx, 8)
	} else {
		s.load(s.g.arch.NumberSize, nr, s.savedRegs(), s.g.arch.Number)
	}
	next := s.m.NewBlock(false)
	s.member(nr, spans(s.u.keys()), next, s.exitBlock())
	s.cur = next
	if len(s.u.unit.Sites) > 1 {
		s.key = nr
	}
}

// cpuTest leaves out the firings of other CPUs than the one that is asked for.
// Clocks are not even attached there, and the engine runs BEGIN and END.
func (s *selector) cpuTest() {
	if s.g.f.OnlyCPU == 0 || s.u.ours() || s.u.kind == hookTimer {
		return
	}
	cpu := s.newReg()
	s.result(cpu, asm.FnGetSmpProcessorId)
	s.leaveIf(testImm(asm.JNE, cpu, int64(s.g.f.OnlyCPU-1)), s.exitBlock())
}

// processTests leaves out calls by a 32-bit ABI, whose numbers mean other
// calls, and firings of our own process. BEGIN, END and ERROR are ours.
func (s *selector) processTests() {
	if s.u.ours() {
		return
	}
	compat := s.u.syscall() && s.g.f.CompatStatus >= 0
	self := s.g.f.SelfPID > 0
	if self && s.g.f.TaskTGID <= 0 { // the kernel's BTF does not tell where tgid is
		pid := s.newReg()
		s.result(pid, asm.FnGetCurrentPidTgid)
		s.aluImm(asm.RSh, pid, 32)
		s.ownTest(pid)
		self = false
	}
	if !compat && !self {
		return
	}
	passed := s.foreign(compat, self)
	if passed != nil {
		s.task = s.askTask() // it is less code, and rarely needed
	} else {
		s.keepTask()
	}
	if compat {
		t := s.newReg()
		s.load(4, t, s.task, int64(s.g.f.CompatStatus))
		s.leaveIf(testImm(asm.JSet, t, int64(int32(s.g.f.CompatMask))), s.exitBlock())
	}
	if self {
		if s.tgid == mach.None {
			s.tgid = s.newReg()
			s.load(4, s.tgid, s.task, int64(s.g.f.TaskTGID))
		}
		s.ownTest(s.tgid)
	}
	if passed != nil {
		s.jump(passed)
		s.cur, s.task, s.tgid = passed, mach.None, mach.None // which only those in doubt have
	}
}

// keepTask keeps the current task for the whole function.
func (s *selector) keepTask() {
	if s.task == mach.None {
		s.task = s.taskReg()
	}
}

// groupTest leaves out what threads outside of a control group do. BEGIN, END and ERROR are
// ours, and a tick is nobody's.
func (s *selector) groupTest() {
	h := s.u.unit.Hook
	if !s.g.f.InGroup || s.u.ours() || h.Kind == probes.Timer && !h.PerCPU {
		return
	}
	s.g.need.group = true
	s.mapPtr(mach.R1, mapGroup)
	s.movImm(mach.R2, 0)
	s.call(asm.FnCurrentTaskUnderCgroup, 2)
	s.leaveIf(testImm(asm.JNE, mach.R0, 1), s.exitBlock())
}

// generation returns a register with the generation of aggregations in use.
// A firing that keeps a stack reads it once, because the number of the stack and
// the cell whose key holds it must belong together.
func (s *selector) generation() mach.Reg {
	if s.gen != mach.None {
		return s.gen
	}
	t := s.newReg()
	s.g.useControl()
	s.mapValue(t, mapControl, 0)
	s.load(4, t, t, ControlGen)
	return t
}
