package lower

import (
	"dscope.dev/dlang/ast"
	"dscope.dev/dlang/function"
	"dscope.dev/dlang/ir"
	"dscope.dev/dlang/types"
)

func copyoutHooks(h *hooks) {
	h.word[function.Copyout] = (*fn).copyout
	h.word[function.Copyoutstr] = (*fn).copyoutstr
}

// copyout lowers copyout(from, addr, size): bytes of the script or the kernel, or of
// a string, go to memory of the process.
func (f *fn) copyout(x *ast.Call) *ir.Value {
	if types.IsString(f.typeOf(x.Args[0])) {
		buf := f.padded(x.Args[0])
		to := f.word(x.Args[1])
		f.writeUser(buf, to, f.withinStr(f.sizeOf(x.Args[2], faultBadSize)))
		return f.Const(0)
	}
	s := f.spaceOf(x.Args[0])
	from, to, n := f.word(x.Args[0]), f.word(x.Args[1]), f.sizeOf(x.Args[2], faultBadSize)
	buf := f.Alloca(max(n.most, 8))
	if s != scratchSpace {
		f.readSized(notTask(s), buf, 0, from, from, n)
	} else {
		done := f.Block()
		src, outside := f.inScratch(from, n.most, f.size(n))
		f.readSized(kernelSpace, buf, 0, from, src, n)
		f.Jump(done)
		f.Go(outside)
		f.readSized(kernelSpace, buf, 0, from, from, n)
		f.Jump(done)
		f.Go(done)
	}
	f.writeUser(buf, to, n)
	return f.Const(0)
}

// copyoutstr lowers copyoutstr(s, addr, max): the string with its terminator, or as
// much of it as may be written.
func (f *fn) copyoutstr(x *ast.Call) *ir.Value {
	p := f.strArg(x, 0)
	to, most := f.word(x.Args[1]), f.word(x.Args[2])
	length := f.Op(ir.OpAdd, f.call("strlen", p), f.Const(1))
	n := f.choose(f.Op(ir.OpLtU, most, length), most, length)
	f.writeUser(p, to, sized{w: n, most: f.strSize()})
	return f.Const(0)
}

// writeUser writes n bytes to an address of the process, or leaves the clause.
func (f *fn) writeUser(from, to *ir.Value, n sized) {
	if n.w == nil {
		if n.most > 0 {
			f.fault(f.Emit(ir.Value{Op: ir.OpWriteU, Size: n.most}, from, to), faultBadAddr, to)
		}
		return
	}
	some, done := f.Block(), f.Block()
	f.Branch(n.w, some, done)
	f.Go(some)
	f.fault(f.Emit(ir.Value{Op: ir.OpWriteUN, Size: n.most}, from, to, n.w), faultBadAddr, to)
	f.Jump(done)
	f.Go(done)
}
