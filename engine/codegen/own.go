package codegen

import (
	"slices"
	"strings"

	"github.com/cilium/ebpf/asm"

	"dscope.dev/engine/codegen/mach"
	"dscope.dev/probes"
)

// Firings of dscope itself are left out, or what it does to tell of the others would
// be told in turn. Its own is what it does, and what is measured of it: not what
// happens on its CPU while it runs. An interrupt may end somebody's wait for a disk,
// and of a switch from one thread to another, or of a wakeup, one half is another's. So
// what fires in an interrupt is kept, and what the scheduler tells, by whatever hook it
// does: a kernel that tells of one half by a tracepoint and of the other by a function is
// to tell both of the same threads. And a tick, which is nobody's, wherever it hits.

// ownTest leaves out what is dscope's own, whose numbers are compared with tgid: that of this
// process, that of the screen which a helper traces for, and those of the processes that read
// files for us. The last come and go while programs run.
func (s *selector) ownTest(tgid mach.Reg) {
	if h := s.u.unit.Hook; s.of(anothers) || s.scheduler() || h.Kind == probes.Timer && !h.PerCPU {
		return
	}
	for _, pid := range []int{s.g.f.SelfPID, s.g.f.AskerPID} {
		if pid != 0 {
			s.leaveOut(testImm(asm.JEq, tgid, int64(pid)))
		}
	}
	if !s.g.f.Readers {
		return
	}
	s.g.useControl()
	words := s.newReg()
	s.mapValue(words, mapControl, ControlReaders)
	for i := range int64(MostReaders) {
		pid := s.newReg()
		s.load(4, pid, words, 4*i)
		s.leaveOut(mach.Test{Op: asm.JEq, X: tgid, Y: pid})
	}
}

// leaveOut leaves the program if own holds, unless an interrupt has made it fire.
func (s *selector) leaveOut(own mach.Test) {
	if s.g.f.InterruptVar == 0 && s.g.f.InterruptOff == 0 || !s.u.unit.Hook.Interrupted() {
		s.leaveIf(own, s.exitBlock())
		return
	}
	asked, next := s.m.NewBlock(true), s.m.NewBlock(s.cur.Cold)
	s.branch(own, asked, next)
	s.cur = asked
	s.interruptTest(next)
	s.cur = next
}

// anothers begin the names of the tracepoints of the scheduler, and of those that fire
// in nothing but interrupts, for kernels that do not tell which do.
var anothers = []string{"sched_", "irq_handler_", "softirq_", "hrtimer_expire_", "timer_expire_", "block_rq_complete", "napi_poll"}

// of reports whether the unit is of tracepoints with such names only.
func (s *selector) of(prefixes []string) bool {
	u := s.u.unit
	hooks := u.Hooks
	if !u.Shared {
		hooks = []probes.Hook{u.Hook}
	}
	return !slices.ContainsFunc(hooks, func(h probes.Hook) bool {
		return h.Kind != probes.Tracepoint || !slices.ContainsFunc(prefixes, func(p string) bool { return strings.HasPrefix(h.Target, p) })
	})
}

// scheduler reports whether the unit is of probes of sched that are made of functions.
func (s *selector) scheduler() bool {
	u := s.u.unit
	return u.Hook.Kind == probes.Function && !slices.ContainsFunc(u.Sites, func(site *probes.Site) bool {
		return site.Derived == nil || site.Probe.Provider != "sched"
	})
}

// The parts of the count of interrupts (include/linux/preempt.h).
const (
	softInterrupt  = 1 << 8
	hardShift      = 16
	unmaskedShift  = 20
	interruptDepth = 15
)

// pseudoVar is BPF_PSEUDO_BTF_ID.
const pseudoVar = asm.Register(3)

// LoadVar sets dst to a variable of the kernel, which BTF knows by that id.
func LoadVar(dst asm.Register, id uint32) asm.Instruction {
	return asm.Instruction{OpCode: asm.LoadImmOp(asm.DWord), Dst: dst, Src: pseudoVar, Constant: int64(id)}
}

// interruptTest goes to yes in an interrupt, and leaves the program elsewhere. A
// breakpoint, by which some functions are hooked, counts as one that cannot be masked
// and as a hard one.
func (s *selector) interruptTest(yes *mach.Block) {
	n := s.newReg()
	if s.g.f.InterruptVar != 0 {
		s.emit(mach.Inst{Op: asm.LoadImmOp(asm.DWord), Dst: mach.R1, Src: mach.Reg(pseudoVar), Imm: int64(s.g.f.InterruptVar)})
		s.call(asm.FnThisCpuPtr, 1)
		s.load(4, n, mach.R0, int64(s.g.f.InterruptOff))
	} else {
		s.load(4, n, s.taskReg(), int64(s.g.f.InterruptOff))
	}
	s.leaveIf(testImm(asm.JSet, n, softInterrupt), yes)
	hard, unmasked := s.newReg(), s.newReg()
	for _, part := range []struct {
		r     mach.Reg
		shift int64
	}{{hard, hardShift}, {unmasked, unmaskedShift}} {
		s.mov(part.r, n)
		s.aluImm(asm.RSh, part.r, part.shift)
		s.aluImm(asm.And, part.r, interruptDepth)
	}
	s.branch(mach.Test{Op: asm.JGT, X: hard, Y: unmasked}, yes, s.exitBlock())
}
