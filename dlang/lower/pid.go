package lower

import (
	"dscope.dev/dlang/ast"
	"dscope.dev/dlang/ir"
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

// upidSize is that of struct upid: a number and its namespace.
const upidSize = 16

// processID reads the number of the process.
func (f *fn) processID(x ast.Node) *ir.Value {
	if f.target.PIDs.Level == 0 {
		return f.taskWord(x, "tgid")
	}
	return f.inSpace(x, f.taskWord(x, "group_leader"))
}

// threadID reads the number of the thread.
func (f *fn) threadID(x ast.Expr) *ir.Value {
	if f.target.PIDs.Level == 0 {
		return f.taskWord(x, "pid")
	}
	return f.inSpace(x, f.currentTask())
}

// parent reads the number of the process that started this one.
func (f *fn) parent(x ast.Expr) (w *ir.Value) {
	f.ours("the process", func() { w = f.parentOf(x) })
	return w
}

func (f *fn) parentOf(x ast.Expr) *ir.Value {
	name, typ := "tgid", types.Type(types.IntType)
	if f.target.PIDs.Level > 0 {
		name, typ = "group_leader", types.ULong
	}
	off, ok := f.taskMember(x, name)
	if !ok {
		return f.Const(0)
	}
	w := f.rvalue(place{space: kernelSpace, base: f.taskWord(x, "real_parent"), off: off, typ: typ})
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
// and complains if it does not. It tells the runtime where that is.
func (f *fn) hasSpace(x ast.Node) bool {
	for _, w := range []struct{ word, of, member string }{
		{"THREADPID", "task_struct", "thread_pid"}, {"LEADEROF", "task_struct", "group_leader"},
		{"PARENTOF", "task_struct", "real_parent"}, {"KERNELNUMBER", "pid", "numbers"}, {"PIDINODE", "pid_namespace", "ns.inum"},
	} {
		off, ok := f.offsetOf(x, w.of, w.member)
		if !ok {
			return false
		}
		f.offsets[w.word] = int(off)
	}
	f.offsets["PIDNUMBER"] = f.offsets["KERNELNUMBER"] + f.target.PIDs.Level*upidSize
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
