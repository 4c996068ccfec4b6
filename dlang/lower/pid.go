package lower

import (
	"dscope.dev/dlang/ast"
	"dscope.dev/dlang/ir"
	"dscope.dev/dlang/linux"
	"dscope.dev/dlang/types"
)

// A PIDSpace is the pid namespace that dscope runs in. In a container the kernel
// knows processes by other numbers than the script: $target, -p and ps have those
// of the namespace, and so do pid, tid and ppid here, and the addresses whose
// names are looked up under /proc. What is not in the namespace has the kernel's number,
// negated, so that it is told apart and never taken for another.
type PIDSpace struct {
	Level int    // how deep it lies; 0 is the initial one, whose numbers the kernel's are
	Inode uint32 // of /proc/self/ns/pid
}

// pidWords are the members that lead to a number in our namespace, by their words in the
// runtime.
var pidWords = map[string]linux.Member{
	"THREADPID": linux.TaskThreadPID, "LEADEROF": linux.TaskLeader, "PARENTOF": linux.TaskParent,
	"KERNELNUMBER": linux.PIDNumbers, "PIDINODE": linux.PIDSpaceInode,
}

// processID reads the number of the process.
func (f *fn) processID(x ast.Node) *ir.Value {
	if f.target.PIDs.Level == 0 {
		return f.taskWord(x, linux.TaskTGID)
	}
	return f.inSpace(x, f.taskWord(x, linux.TaskLeader))
}

// threadID reads the number of the thread.
func (f *fn) threadID(x ast.Expr) *ir.Value {
	if f.target.PIDs.Level == 0 {
		return f.taskWord(x, linux.TaskPID)
	}
	return f.inSpace(x, f.currentTask())
}

// parent reads the number of the process that started this one.
func (f *fn) parent(x ast.Expr) (w *ir.Value) {
	f.ours("the process", func() { w = f.parentOf(x) })
	return w
}

func (f *fn) parentOf(x ast.Expr) *ir.Value {
	number, typ := linux.TaskTGID, types.Type(types.IntType)
	if f.target.PIDs.Level > 0 {
		number, typ = linux.TaskLeader, types.ULong
	}
	off, ok := f.offsetOf(x, number)
	if !ok {
		return f.Const(0)
	}
	w := f.rvalue(place{space: kernelSpace, base: f.taskWord(x, linux.TaskParent), off: off, typ: typ})
	if f.target.PIDs.Level > 0 {
		return f.inSpace(x, w)
	}
	return w
}

// inSpace gives the number of a task in our pid namespace.
func (f *fn) inSpace(x ast.Node, task *ir.Value) *ir.Value {
	if !f.hasSpace(x) {
		return f.Const(0)
	}
	var w *ir.Value
	f.ours("the process", func() { w = f.call("nspid", task) })
	return w
}

// hasSpace reports whether the kernel tells how it numbers processes in namespaces,
// and complains if it does not.
func (f *fn) hasSpace(x ast.Node) bool {
	if !f.tellRuntime(x, pidWords) {
		return false
	}
	f.offsets["PIDNUMBER"] = f.offsets["KERNELNUMBER"] + f.target.PIDs.Level*linux.UPIDSize
	f.offsets["OURINODE"] = int(f.target.PIDs.Inode)
	return true
}

// spaceProgeny is progeny by the numbers of our namespace.
func (f *fn) spaceProgeny(x ast.Node, pid *ir.Value) *ir.Value {
	if !f.hasSpace(x) {
		return f.Const(0)
	}
	f.subs["nspid"] = true
	return f.call("nsprogeny", f.currentTask(), pid)
}
