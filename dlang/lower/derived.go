package lower

import (
	"dscope.dev/dlang/ast"
	"dscope.dev/dlang/ir"
)

// Probes that are made of others have arguments that are computed from those of
// the hook, and may have a condition. Both are expressions in the context of the
// hook. They are computed where they are read: passes find what is read twice.

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
	var w *ir.Value
	f.ofHook(func() { w = f.word(d.Values[n]) })
	return w
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
	d := f.unit.Derived
	if d == nil || d.When == nil {
		return
	}
	on := f.Block()
	f.ofHook(func() { f.cond(d.When, on, f.end) })
	f.Go(on)
}
