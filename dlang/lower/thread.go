package lower

import (
	"strings"

	"dscope.dev/dlang/ast"
	"dscope.dev/dlang/check"
	"dscope.dev/dlang/types"
)

// Scripts that are older than self-> keep what belongs to a thread in global arrays by tid.
// An element that only its own thread names needs no table: it lies in the thread's cell, which
// is found sooner, and goes with the thread.

// findThreads lists the arrays of scalars that are named as a[tid] only, where processes
// run: the idle threads of all CPUs have one tid.
func (l *lowerer) findThreads() {
	l.threads = map[*check.Var]bool{}
	for _, v := range l.prog.Vars {
		if v.Scope == ast.Global && len(v.Keys) == 1 && types.IsScalar(types.Decay(v.Type)) {
			l.threads[v] = true
		}
	}
	if len(l.threads) == 0 {
		return
	}
	for _, item := range l.prog.Chosen.Items {
		c, ok := item.(*ast.Clause)
		inProcess := ok && inProcesses(c)
		l.prog.Means.Walk(item, func(n ast.Node) bool {
			if ix, ok := n.(*ast.Index); ok {
				if v, ok := l.prog.Refs[ix].(*check.Var); ok && !(inProcess && l.isTid(ix.Args[0])) {
					delete(l.threads, v)
				}
			}
			return true
		})
	}
}

// inProcesses reports whether c fires in system calls and functions of processes only.
func inProcesses(c *ast.Clause) bool {
	for _, d := range c.Probes {
		if d.Provider != "syscall" && !strings.HasPrefix(d.Provider, "pid") {
			return false
		}
	}
	return len(c.Probes) > 0
}

func (l *lowerer) isTid(x ast.Expr) bool {
	b, ok := l.prog.Refs[l.prog.Means.Unparen(x)].(*check.Builtin)
	return ok && b.Name == "tid"
}

// ofThread reports whether v lies in the cell of the thread.
func (l *lowerer) ofThread(v *check.Var) bool {
	return v.Scope == ast.Self && v.Keys == nil || l.threads[v]
}
