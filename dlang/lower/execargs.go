package lower

import (
	"dscope.dev/dlang/ast"
	"dscope.dev/dlang/ir"
	"dscope.dev/dlang/linux"
	"dscope.dev/dlang/types"
)

// execargs describes the arguments that the process was started with, joined by
// blanks. They lie in its memory, where mm_struct says; a thread of the kernel
// has none, and what is not in memory now cannot be had: both give "".
func (f *fn) execargs(x ast.Expr) (s str) {
	f.ours("execargs", func() { s = f.execArgs(x) })
	return s
}

func (f *fn) execArgs(x ast.Expr) str {
	from, ok := f.offsetOf(x, linux.ArgStart)
	if !ok {
		return f.constant("")
	}
	to, ok := f.offsetOf(x, linux.ArgEnd)
	if !ok {
		return f.constant("")
	}
	n := int64(f.strSize())
	dst := f.fresh()
	some, none, kept, done := f.Block(), f.Block(), f.Block(), f.Block()
	mm := f.taskWord(x, linux.TaskMemory)
	f.Branch(mm, some, none)

	f.Go(some)
	start := f.rvalue(place{base: mm, off: from, typ: types.ULong})
	length := f.Op(ir.OpSub, f.rvalue(place{base: mm, off: to, typ: types.ULong}), start)
	size := f.Emit(ir.Value{Op: ir.OpBound, Imm: n}, length)
	f.Branch(f.Emit(ir.Value{Op: ir.OpReadUN, Size: int(n) - 1}, dst, start, size), none, kept)

	f.Go(kept)
	f.run("spaces", dst)
	// The terminator of the last argument has become a blank too. What was cut has
	// none.
	cut := f.Op(ir.OpLeU, f.Const(n), length)
	last := f.choose(cut, f.Const(n-1), f.Op(ir.OpSub, length, f.Const(1)))
	f.Store(f.bounded(dst, last, int(n)), 0, 1, f.Const(0))
	f.Jump(done)

	f.Go(none)
	f.Store(dst, 0, 8, f.Const(0))
	f.Jump(done)
	f.Go(done)
	return f.inMemory(dst)
}
