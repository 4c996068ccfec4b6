package lower

import (
	"dscope.dev/dlang/ast"
	"dscope.dev/dlang/function"
	"dscope.dev/dlang/ir"
	"dscope.dev/dlang/linux"
)

func lockHooks(h *hooks) {
	h.word[function.MutexOwned] = (*fn).mutexOwned
	h.word[function.MutexOwner] = (*fn).mutexOwner
	h.word[function.MutexTypeAdaptive] = func(f *fn, x *ast.Call) *ir.Value { return f.mutexType(x, 1) }
	h.word[function.MutexTypeSpin] = func(f *fn, x *ast.Call) *ir.Value { return f.mutexType(x, 0) }
	h.word[function.RwReadHeld] = func(f *fn, x *ast.Call) *ir.Value { return f.rwlock(x, ^linux.WriterMask) }
	h.word[function.RwWriteHeld] = func(f *fn, x *ast.Call) *ir.Value { return f.rwlock(x, linux.WriterHas) }
	h.word[function.RwIswriter] = func(f *fn, x *ast.Call) *ir.Value { return f.rwlock(x, linux.WriterMask) }
	h.word[function.Progenyof] = (*fn).progenyof
}

// lockWord reads the word of a lock.
func (f *fn) lockWord(x ast.Expr, size int) *ir.Value {
	if !f.target.PlainLocks() {
		return f.errorf(x, "the locks of this kernel are those of real time, which do not tell who has them")
	}
	buf := f.Alloca(8)
	f.fetch(f.spaceOf(x), buf, f.word(x), size)
	return f.Load(buf, 0, size)
}

// mutexOwner lowers mutex_owner(m).
func (f *fn) mutexOwner(x *ast.Call) *ir.Value {
	return f.Op(ir.OpAnd, f.lockWord(x.Args[0], 8), f.Const(^linux.MutexFlags))
}

// mutexOwned lowers mutex_owned(m): whether this thread has it.
func (f *fn) mutexOwned(x *ast.Call) *ir.Value {
	return f.Op(ir.OpEq, f.mutexOwner(x), f.currentTask())
}

// mutexType lowers mutex_type_adaptive(m) and mutex_type_spin(m): mutexes of Linux
// all spin while the owner runs, and sleep otherwise.
func (f *fn) mutexType(x *ast.Call, is int64) *ir.Value {
	f.word(x.Args[0])
	return f.Const(is)
}

// rwlock lowers rw_read_held(l), rw_write_held(l) and rw_iswriter(l), the last of
// which counts a writer that waits, too.
func (f *fn) rwlock(x *ast.Call, mask int64) *ir.Value {
	got := f.Op(ir.OpAnd, f.lockWord(x.Args[0], 4), f.Const(mask))
	return f.Op(ir.OpNe, got, f.Const(0))
}

// currentTask is the address of the current task_struct as a word.
func (f *fn) currentTask() *ir.Value { return f.Op(ir.OpAdd, f.Op(ir.OpTask), f.Const(0)) }

// progenyof lowers progenyof(pid): whether the process is that one or descends from
// it.
func (f *fn) progenyof(x *ast.Call) *ir.Value {
	found := f.progeny(x, f.intArg(x, 0))
	f.fault(f.Op(ir.OpLtS, found, f.Const(0)), faultBadAddr, f.currentTask())
	return found
}

// onlyProgeny ends the firing unless it is of a process or of one that descends from
// it.
func (f *fn) onlyProgeny(x ast.Node, pid int64) {
	inside, outside := f.Block(), f.Block()
	f.Branch(f.Op(ir.OpLtS, f.Const(0), f.progeny(x, f.Const(pid))), inside, outside)
	f.Go(outside)
	f.Return()
	f.Go(inside)
}

// progeny computes whether the process is that of a number, or descends from it: 1,
// 0, or less if its ancestors cannot be read.
func (f *fn) progeny(x ast.Node, pid *ir.Value) (found *ir.Value) {
	f.ours("the process", func() { found = f.progenyOf(x, pid) })
	return found
}

func (f *fn) progenyOf(x ast.Node, pid *ir.Value) *ir.Value {
	if f.target.PIDs.Level > 0 {
		return f.spaceProgeny(x, pid)
	}
	tgid, ok := f.offsetOf(x, linux.TaskTGID)
	if !ok {
		return f.Const(0)
	}
	parent, ok := f.offsetOf(x, linux.TaskParent)
	if !ok {
		return f.Const(0)
	}
	return f.call("progenyof", f.currentTask(), pid, f.Const(tgid), f.Const(parent))
}
