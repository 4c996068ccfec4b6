package codegen

import (
	"github.com/cilium/ebpf/asm"

	"dscope.dev/dlang/ir"
	"dscope.dev/engine/codegen/mach"
	"dscope.dev/probes"
)

// fact selects what is known of the firing.
func (s *selector) fact(v *ir.Value) bool {
	switch v.Op {
	case ir.OpBuiltin:
		name, _ := v.Aux.(ir.Sym)
		s.builtin(v, name)
	case ir.OpKey:
		s.putKey(s.def(v))
	case ir.OpKeyIn:
		if !s.fused(v) {
			s.keyTruth(v)
		}
	case ir.OpArg:
		s.arg(v)
	case ir.OpTask:
		s.currentTask(v)
	case ir.OpTaskLoad:
		s.taskLoad(v)
	case ir.OpProbeStr:
		s.probeStr(v)
	case ir.OpParam:
		// moved from its register by the prologue
	default:
		return false
	}
	return true
}

// currentTask selects OpTask. Most programs have read the task already, to leave
// out their own process.
func (s *selector) currentTask(v *ir.Value) {
	s.tasks[v] = s.taskReg()
	for _, u := range s.uses[v.ID] {
		if u.Op != ir.OpTaskLoad {
			d := s.def(v)
			s.mov(d, s.tasks[v])
			s.plain(d, v)
			return
		}
	}
}

// taskReg returns a register with the current task as a kernel address.
func (s *selector) taskReg() mach.Reg {
	if s.task != mach.None {
		return s.task
	}
	if s.reads {
		return s.readTask()
	}
	return s.askTask()
}

// askTask returns a register with the current task, as the helper tells it.
func (s *selector) askTask() mach.Reg {
	t := s.newReg()
	s.result(t, asm.FnGetCurrentTaskBtf)
	return t
}

// taskLoad selects a load from the task.
func (s *selector) taskLoad(v *ir.Value) {
	a := v.Args[0]
	if s.isTGID(v) && s.tgid != mach.None {
		s.regs[v.ID] = s.tgid
		return
	}
	base, ok := s.tasks[a]
	if !ok {
		base = s.reg(a)
	}
	d := s.def(v)
	s.load(v.Size, d, base, v.Imm)
	if v.Size == 8 {
		s.plain(d, v)
	}
}

// isTGID reports whether v is the number of the current process.
func (s *selector) isTGID(v *ir.Value) bool {
	return v.Op == ir.OpTaskLoad && v.Args[0].Op == ir.OpTask && v.Imm == int64(s.g.f.TaskTGID) && v.Size == 4
}

// arg selects a raw argument; where it lies follows from the hook, as the table
// at the end of package probes says.
func (s *selector) arg(v *ir.Value) {
	d := s.def(v)
	n := v.Imm
	switch s.u.kind {
	case hookTest, hookRaw:
		if n < maxArgs && (s.u.raw == 0 || int(n) < s.u.raw) {
			s.load(8, d, s.ctx, 8*n)
			return
		}
	case hookBTF:
		if int(n) < s.u.raw {
			s.load(8, d, s.ctx, 8*n)
			s.plain(d, v)
			return
		}
	case hookEnter:
		if n < int64(len(s.g.arch.Syscall)) {
			s.load(8, d, s.savedRegs(), wordAt(s.g.arch.Syscall[n]))
			return
		}
	case hookExit:
		if n < 2 {
			s.load(8, d, s.ctx, 8)
			return
		}
	case hookTimer:
		if n < 2 {
			s.counter(d, n == 1)
			return
		}
	case hookRegs:
		s.callArg(d, n)
		return
	case hookEntry:
		if int(n) < s.u.raw {
			s.load(8, d, s.ctx, 8*n)
			s.plain(d, v)
			return
		}
	case hookReturn:
		s.returned(d, v)
		return
	case hookError:
		s.faultArg(d, n)
		return
	}
	s.movImm(d, 0)
}

// maxArgs is how many words of context a raw tracepoint program may read:
// MAX_BPF_FUNC_ARGS of include/linux/bpf.h.
const maxArgs = 12

// savedRegs returns struct pt_regs of the system call.
func (s *selector) savedRegs() mach.Reg {
	if s.pt == mach.None {
		s.pt = s.newReg()
		s.load(8, s.pt, s.ctx, 0)
	}
	return s.pt
}

// counter sets d to the program counter that a timer interrupted if that was
// in the process (user) or in the kernel, else to 0.
func (s *selector) counter(d mach.Reg, user bool) {
	a := s.g.arch
	mode := s.newReg()
	s.load(8, mode, s.ctx, wordAt(a.Mode))
	s.load(8, d, s.ctx, wordAt(a.PC))
	inUser := testImm(asm.JSet, mode, a.UserMask)
	if !a.UserSet {
		level := s.newReg()
		s.masked(level, mode, a.UserMask)
		inUser = testImm(asm.JEq, level, 0)
	}
	zero, next := s.m.NewBlock(s.cur.Cold), s.m.NewBlock(s.cur.Cold)
	if user {
		s.branch(inUser, next, zero)
	} else {
		s.branch(inUser, zero, next)
	}
	s.cur = zero
	s.movImm(d, 0)
	s.jump(next)
	s.cur = next
}

// faultArg sets d to an argument of an ERROR firing: arg1 is the number of the
// enabled clause, arg2 the action, arg4 the kind of fault, arg5 the address or
// value.
func (s *selector) faultArg(d mach.Reg, n int64) {
	switch n {
	case 1:
		s.mov(d, s.faultID)
	case 2:
		s.mov(d, s.fault)
		s.aluImm(asm.RSh, d, 16)
	case 3:
		s.mov(d, s.faultPC)
	case 4:
		s.masked(d, s.fault, 0xff)
	case 5:
		s.mov(d, s.faultWord)
	default:
		s.movImm(d, 0)
	}
}

// user sets d to the real user of the process, or to its group.
func (s *selector) user(d mach.Reg, group bool) {
	c := s.g.f.Cred
	at := c.UID
	if group {
		at = c.GID
	}
	switch {
	case c.known():
		cred := s.newReg()
		s.load(8, cred, s.taskReg(), int64(c.Task))
		s.load(4, d, cred, int64(at))
	case group:
		s.result(d, asm.FnGetCurrentUidGid)
		s.aluImm(asm.RSh, d, 32)
	default:
		s.call(asm.FnGetCurrentUidGid, 0)
		s.emit(mach.Inst{Op: asm.Mov.Op32(asm.RegSource), Dst: d, Src: mach.R0})
	}
}

// builtin selects one of ir.Builtins.
func (s *selector) builtin(v *ir.Value, name ir.Sym) {
	d := s.def(v)
	switch name {
	case "timestamp":
		if s.fired != mach.None {
			s.mov(d, s.fired)
			return
		}
		s.result(d, asm.FnKtimeGetNs)
	case "walltimestamp":
		s.result(d, asm.FnKtimeGetNs)
		t := s.newReg()
		s.g.useControl()
		s.mapValue(t, mapControl, 0)
		s.load(8, t, t, ControlWall)
		s.alu(asm.Add, d, t)
	case "vtimestamp":
		if s.g.f.TaskRuntime <= 0 {
			s.fail("vtimestamp: this kernel's BTF does not say where task_struct keeps the time run")
			return
		}
		s.load(8, d, s.taskReg(), int64(s.g.f.TaskRuntime))
	case "cpu":
		s.result(d, asm.FnGetSmpProcessorId)
	case "uid", "gid":
		s.user(d, name == "gid")
	case "errno":
		s.errno(d)
	case "id":
		s.probeID(d)
	case "caller", "ucaller":
		s.caller(d, v, name == "ucaller")
	case "stackdepth", "ustackdepth":
		s.depth(d, v, name == "ustackdepth")
	case "ureg":
		s.mov(mach.R1, s.taskReg())
		s.call(asm.FnTaskPtRegs, 1)
		s.load(8, d, mach.R0, 8*v.Imm)
	case "reg":
		s.register(d, v)
	case "rand":
		hi := s.newReg()
		s.result(hi, asm.FnGetPrandomU32)
		s.aluImm(asm.LSh, hi, 32)
		s.result(d, asm.FnGetPrandomU32)
		s.alu(asm.Add, d, hi)
	case "stopped":
		t := s.newReg()
		s.g.useControl()
		s.mapValue(t, mapControl, 0)
		s.load(4, d, t, ControlStop)
	default:
		s.fail("internal error: no built-in fact %q", name)
	}
}

// register sets d to a register at the hook, where programs are given registers:
// those of what a timer interrupted, or of the probed instruction.
func (s *selector) register(d mach.Reg, v *ir.Value) {
	if s.u.kind == hookTimer || s.u.kind == hookRegs {
		s.load(8, d, s.ctx, 8*v.Imm)
		return
	}
	s.movImm(d, 0)
}

// result sets d to what a helper without arguments answers.
func (s *selector) result(d mach.Reg, fn asm.BuiltinFunc) {
	s.call(fn, 0)
	s.mov(d, mach.R0)
}

// errno sets d to the error that a system call returns, 0 anywhere else.
func (s *selector) errno(d mach.Reg) {
	s.movImm(d, 0)
	if s.u.kind != hookExit {
		return
	}
	const maxErrno = 4095 // MAX_ERRNO of include/linux/err.h
	r := s.newReg()
	s.load(8, r, s.ctx, 8)
	s.unless(testImm(asm.JLE, r, -maxErrno-1), func() {
		s.mov(d, r)
		s.aluImm(asm.Neg, d, 0)
	})
}

// factSize returns the memory that a built-in fact is worked out in.
func (s *selector) factSize(v *ir.Value) int {
	if v.Op == ir.OpStackID {
		if v.Imm == 1 && s.g.unwinds() {
			return 8 * min(v.Size, mostFrames(s.g.ir.Options))
		}
		return 0
	}
	switch v.Aux {
	case ir.Sym("caller"), ir.Sym("ucaller"):
		return 8 * (ir.TracerFrames + 3)
	case ir.Sym("stackdepth"), ir.Sym("ustackdepth"):
		return 8 * mostFrames(s.g.ir.Options)
	}
	return 0
}

// maxFrames is how deep the kernel records stacks unless
// /proc/sys/kernel/perf_event_max_stack says otherwise.
const maxFrames = 127

// mostFrames is how deep the stacks of a program are recorded.
func mostFrames(o ir.Options) int {
	if o.MaxFrames > 0 {
		return o.MaxFrames
	}
	return maxFrames
}

// MostFrames is how deep the stacks of the object are recorded.
func (o *Object) MostFrames() int { return mostFrames(o.IR.Options) }

// userStack is BPF_F_USER_STACK.
const userStack = 1 << 8

// stackFlags returns what the stack helpers are told: whose stack, and how many
// frames to leave out. Between a tracepoint and its program lie at least
// the program itself and bpf_trace_runN, between a function and its program the
// program and the trampoline.
func (s *selector) stackFlags(user bool, more int) int64 {
	switch {
	case user:
		return userStack
	case s.u.kind == hookReturn: // as kprobes have it, which fire where the function has returned to
		return int64(3 + s.u.unit.Skip)
	case s.u.kind == hookBTF, s.u.kind == hookRaw, s.u.syscall(), s.u.kind == hookEntry:
		return int64(2 + more)
	}
	return 0
}

// stack records a stack of the kernel or of the process, for v, in size bytes at base + off.
// On our own stack the kernel must have written before what is read.
func (s *selector) stack(v *ir.Value, base mach.Reg, off, size int64, user bool, skip int) {
	if user && s.g.unwinds() && base != mach.RFP {
		s.walk(v, base, off, size)
		return
	}
	s.getStack(base, off, size, s.stackFlags(user, skip))
}

// getStack records a stack in size bytes at p + off.
func (s *selector) getStack(base mach.Reg, off, size, flags int64) {
	s.point(mach.R2, base, off)
	s.mov(mach.R1, s.ctx)
	s.movImm(mach.R3, size)
	s.movImm(mach.R4, flags)
	s.call(asm.FnGetStack, 4)
}

// caller sets d to the second frame of a stack, or 0. Where a function of the kernel
// has returned, the first frame is its caller's.
func (s *selector) caller(d mach.Reg, v *ir.Value, user bool) {
	p, n := s.frames(v, int64(s.factSize(v)), user)
	s.movImm(d, 0)
	at := int64(8)
	if h := s.u.unit.Hook; !user && h.Kind == probes.Function && h.Return {
		at = 0
	}
	s.unless(testImm(asm.JSLT, n, at+8), func() { s.load(8, d, p, at) })
}

// depth sets d to the number of frames of a stack.
func (s *selector) depth(d mach.Reg, v *ir.Value, user bool) {
	_, n := s.frames(v, int64(s.factSize(v)), user)
	s.mov(d, n)
	s.unless(testImm(asm.JSGE, d, 0), func() { s.movImm(d, 0) })
	s.aluImm(asm.RSh, d, 3)
}

// frames records a stack and returns registers with the address of its first
// frame and its size in bytes. What called the program on behalf of the
// tracepoint is passed over.
func (s *selector) frames(v *ir.Value, size int64, user bool) (p, n mach.Reg) {
	base, off := s.hidden(v)
	s.stack(v, base, off, size, user, 0)
	p, n = s.newReg(), s.newReg()
	s.mov(n, mach.R0)
	s.point(p, base, off)
	if user || len(s.u.unit.Inner) == 0 {
		return p, n
	}
	done := s.m.NewBlock(s.cur.Cold)
	for range ir.TracerFrames {
		w, inside := s.newReg(), s.m.NewBlock(s.cur.Cold)
		s.load(8, w, p, 0)
		for _, r := range s.u.unit.Inner {
			t, from := s.newReg(), s.newReg()
			s.movImm(from, int64(r.From))
			s.mov(t, w)
			s.alu(asm.Sub, t, from)
			s.leaveIf(testImm(asm.JLT, t, int64(r.To-r.From)), inside)
		}
		s.jump(done)
		s.cur = inside
		s.aluImm(asm.Add, p, 8)
		s.aluImm(asm.Sub, n, 8)
	}
	s.jump(done)
	s.cur = done
	return p, n
}

// hidden returns where the working memory of a built-in fact lies.
func (s *selector) hidden(v *ir.Value) (mach.Reg, int64) {
	p := s.allocas[v]
	if p.onStack {
		return mach.RFP, int64(p.off)
	}
	return s.work, int64(p.off)
}
