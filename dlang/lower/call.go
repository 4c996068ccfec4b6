package lower

import (
	"dscope.dev/dlang/ast"
	"dscope.dev/dlang/function"
	"dscope.dev/dlang/ir"
	"dscope.dev/dlang/types"
)

func scratchHooks(h *hooks) {
	h.word[function.Alloca] = (*fn).alloca
	h.word[function.Copyin] = (*fn).copyin
	h.word[function.Copyinto] = (*fn).copyinto
	h.word[function.Bcopy] = (*fn).bcopy
	h.str[function.Copyinstr] = (*fn).copyinstr
}

// callWord lowers a call whose value is a scalar, or nothing.
func (f *fn) callWord(x *ast.Call) *ir.Value {
	user, id := f.called(x)
	if user != nil {
		return f.userWord(x, user)
	}
	if do := f.hooks.word[id]; do != nil {
		return do(f, x)
	}
	return f.errorf(x, "%s() is not supported yet", x.Fn.Text)
}

// callStr lowers a call whose value is a string.
func (f *fn) callStr(x *ast.Call) str {
	user, id := f.called(x)
	if user != nil {
		return f.userStr(x, user)
	}
	if do := f.hooks.str[id]; do != nil {
		return do(f, x)
	}
	f.errorf(x, "%s() is not supported yet", x.Fn.Text)
	return f.constant("")
}

// alloca gives scratch memory, in which all is zero.
func (f *fn) alloca(x *ast.Call) *ir.Value {
	_, addr := f.take(f.sizeOf(x.Args[0], faultNoScratch), true)
	return addr
}

// A sized is a number of bytes: a word of at most most, or, if it is nil, most.
type sized struct {
	w    *ir.Value
	most int
}

// sizeOf lowers a size, which must not exceed what there is of scratch memory.
func (f *fn) sizeOf(x ast.Expr, kind int64) sized {
	limit := f.scratchLimit()
	if c, ok := f.prog.Consts[x]; ok {
		if c > int64(limit) || c < 0 {
			f.fault(f.Const(1), kind, f.Const(c))
			c = 0
		}
		return sized{most: int(c)}
	}
	w := f.word(x)
	f.fault(f.Op(ir.OpLtU, f.Const(int64(limit)), w), kind, w)
	return sized{w: w, most: limit}
}

// readSized copies n bytes from an address to dst, or leaves the clause.
func (f *fn) readSized(s space, dst *ir.Value, off int64, addr *ir.Value, from *ir.Value, n sized) {
	if n.most == 0 {
		return
	}
	user := s == userSpace
	v := ir.Value{Op: ir.OpReadK, Imm: off, Size: n.most}
	args := []*ir.Value{dst, from}
	if user {
		v.Op = ir.OpReadU
	}
	if n.w != nil {
		v.Op = map[bool]ir.Op{false: ir.OpReadKN, true: ir.OpReadUN}[user]
		args = append(args, n.w)
	}
	status := f.Emit(v, args...)
	if from.Type() != ir.Ptr { // memory of the program is there
		f.fault(status, faultBadAddr, addr)
	}
}

// copyin copies memory of the process to scratch memory and gives its address.
func (f *fn) copyin(x *ast.Call) *ir.Value {
	from := f.word(x.Args[0])
	n := f.sizeOf(x.Args[1], faultNoScratch)
	p, addr := f.take(n, false)
	f.readSized(userSpace, p, 0, from, from, n)
	return addr
}

// copyinto copies memory of the process to scratch memory that exists.
func (f *fn) copyinto(x *ast.Call) *ir.Value {
	addr, n, to := f.word(x.Args[0]), f.sizeOf(x.Args[1], faultBadSize), f.word(x.Args[2])
	f.intoScratch(to, n, func(dst *ir.Value) { f.readSized(userSpace, dst, 0, addr, addr, n) })
	return f.Const(0)
}

// bcopy copies a string, or from the kernel, or from scratch memory, to scratch
// memory.
func (f *fn) bcopy(x *ast.Call) *ir.Value {
	if types.IsString(f.typeOf(x.Args[0])) {
		return f.bcopyStr(x)
	}
	s := f.spaceOf(x.Args[0])
	from, to, n := f.word(x.Args[0]), f.word(x.Args[1]), f.sizeOf(x.Args[2], faultBadSize)
	f.intoScratch(to, n, func(dst *ir.Value) {
		if s != scratchSpace {
			f.readSized(notTask(s), dst, 0, from, from, n)
			return
		}
		f.locate(from, n, finding{
			here:    func(src *ir.Value) { f.readSized(kernelSpace, dst, 0, from, src, n) },
			absent:  func() { f.readSized(kernelSpace, dst, 0, from, f.zeros(n.most), n) },
			nowhere: func() { f.readSized(kernelSpace, dst, 0, from, from, n) },
		})
	})
	return f.Const(0)
}

// bcopyStr copies the bytes of a string, and zeros behind them.
func (f *fn) bcopyStr(x *ast.Call) *ir.Value {
	buf := f.padded(x.Args[0])
	to := f.word(x.Args[1])
	n := f.withinStr(f.sizeOf(x.Args[2], faultBadSize))
	f.intoScratch(to, n, func(dst *ir.Value) { f.readSized(kernelSpace, dst, 0, to, buf, n) })
	return f.Const(0)
}

// padded copies a string to memory, with zeros behind it.
func (f *fn) padded(x ast.Expr) *ir.Value {
	buf := f.fresh()
	f.putStr(f.str(x), buf, 0, f.strSize(), true)
	return buf
}

// withinStr is n, which must not exceed the memory of a string.
func (f *fn) withinStr(n sized) sized {
	size := f.strSize()
	if n.most <= size {
		return n
	}
	w := f.size(n)
	f.fault(f.Op(ir.OpLtU, f.Const(int64(size)), w), faultBadSize, w)
	return sized{w: n.w, most: size}
}

// intoScratch writes n bytes at an address that must lie in scratch memory.
func (f *fn) intoScratch(to *ir.Value, n sized, write func(dst *ir.Value)) {
	f.toScratch(to, n, write)
}

// copyinstr describes a string of the process, of as many characters as any other. A
// size that the script gives counts the zero byte, and is at most what sizeof (string)
// says.
func (f *fn) copyinstr(x *ast.Call) str {
	size := f.strLimit()
	if len(x.Args) < 2 {
		return str{kind: readStr, from: userSpace, addr: f.word(x.Args[0]), size: size}
	}
	if f.opts.CopyStr > 0 {
		size = min(size, f.opts.CopyStr)
	}
	if n, ok := f.prog.Consts[x.Args[1]]; ok && 0 < n {
		return str{kind: readStr, from: userSpace, addr: f.word(x.Args[0]), size: int(min(n, int64(size)))}
	}
	addr, n := f.word(x.Args[0]), f.word(x.Args[1])
	s := f.memory(str{kind: readStr, from: userSpace, addr: addr, size: size})
	f.fault(f.Op(ir.OpEq, n, f.Const(0)), faultBadSize, n)
	last := f.Emit(ir.Value{Op: ir.OpBound, Imm: int64(size)}, f.Op(ir.OpSub, n, f.Const(1)))
	f.Store(f.Op(ir.OpAdd, s.ptr, last), 0, 1, f.Const(0))
	return s
}
