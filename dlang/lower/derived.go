package lower

import (
	"dscope.dev/dlang/ast"
	"dscope.dev/dlang/check"
	"dscope.dev/dlang/function"
	"dscope.dev/dlang/ir"
	"dscope.dev/dlang/token"
)

// Probes that are made of others have arguments that are computed from those of
// the hook, and may have a condition. Both are expressions in the context of the
// hook. They are computed where they are read; those that are long and that a clause
// reads more than once, where the clause begins.

// arg returns a raw argument of the probe.
func (f *fn) arg(x ast.Expr, n int) *ir.Value {
	d := f.unit.Derived
	switch {
	case d == nil || f.inHook:
		return f.rawArg(x, n)
	case n >= len(d.Values):
		return f.Const(0) // as of any probe that has fewer
	case d.Values[n] == nil:
		return f.errorf(x, "argument %d cannot be had here: %s", n, d.Broken[n])
	}
	if w := f.args[n]; w != nil {
		return w
	}
	var w *ir.Value
	f.ofHook(func() { w = f.word(d.Values[n]) })
	return w
}

// findAllocating finds out whether what probes are made of takes scratch memory,
// which the text of the script does not show.
func (l *lowerer) findAllocating() {
	look := func(n ast.Node) bool {
		x, ok := n.(*ast.Call)
		l.allocates = l.allocates || ok && function.Find(x.Fn.Text).Scratch
		return true
	}
	for _, d := range l.prog.Derived {
		for _, x := range append([]ast.Expr{d.When}, d.Values...) {
			if x != nil {
				l.prog.Means.Walk(x, look)
			}
		}
	}
}

// ofHook calls do while arguments are those of the hook.
func (f *fn) ofHook(do func()) {
	was := f.inHook
	f.inHook = true
	do()
	f.inHook = was
}

// derivedGuard goes on only if the hook's firing is one of the probe.
func (f *fn) derivedGuard() {
	f.inHook = f.clause.InHook
	f.args = nil
	d := f.unit.Derived
	if d == nil {
		return
	}
	if d.When != nil {
		on := f.Block()
		f.ofHook(func() { f.cond(d.When, on, f.end) })
		f.Go(on)
	}
	if !f.inHook {
		f.settleArgs(d)
	}
}

// settleArgs computes what the clause would compute more than once.
func (f *fn) settleArgs(d *check.Derived) {
	reads := make([]int, len(d.Values))
	f.walk(f.clause.AST, func(n ast.Node) bool {
		if slot := f.argSlot(n); slot >= 0 && slot < len(reads) {
			reads[slot]++
		}
		return true
	})
	made := map[int]*ir.Value{}
	for slot, n := range reads {
		if v := d.Values[slot]; n > 1 && v != nil && f.follows(v) {
			f.ofHook(func() { made[slot] = f.word(v) })
		}
	}
	f.args = made
}

// argSlot returns which raw argument n reads, or -1.
func (f *fn) argSlot(n ast.Node) int {
	x, ok := n.(ast.Expr)
	if !ok {
		return -1
	}
	switch ref := f.prog.Refs[x].(type) {
	case *check.ArgRef:
		return ref.Arg.Slot
	case *check.Builtin:
		if len(ref.Name) == 4 && ref.Name[:3] == "arg" && ref.Name != "args" {
			return int(ref.Name[3] - '0')
		}
	}
	return -1
}

// follows reports whether what x stands for has branches or follows pointers. What
// has neither is found by the passes if it is computed again.
func (l *lowerer) follows(x ast.Expr) bool {
	found := false
	l.prog.Means.Walk(x, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.Cond, *ast.Member:
			found = true
		case *ast.Unary:
			found = found || n.Op == token.Star
		case *ast.Binary:
			found = found || n.Op == token.AndAnd || n.Op == token.OrOr
		}
		return !found
	})
	return found
}
