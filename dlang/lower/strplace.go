package lower

import (
	"dscope.dev/dlang/ast"
	"dscope.dev/dlang/check"
	"dscope.dev/dlang/ir"
	"dscope.dev/dlang/types"
)

// placeStr describes a string that lies behind a pointer or within an object.
func (f *fn) placeStr(x ast.Expr) str {
	p := f.place(x)
	size := f.strSize()
	switch {
	case p.space == taskSpace:
		p.space = kernelSpace
	case p.space == scriptSpace && p.cell != nil:
		return f.copyOrEmptyAt(p)
	case p.space == scriptSpace:
		return str{kind: readStr, from: scriptSpace, ptr: f.by(p.base, p.moved), off: p.off, size: f.roomOf(p)}
	}
	return str{kind: readStr, from: p.space, addr: f.at(p), size: min(size, f.strLimit())}
}

// roomOf is how many bytes the string at p has. A part of an object is as large as
// strings were where it was declared: the strsize option may have come later.
func (f *fn) roomOf(p place) int {
	if t, ok := types.Resolve(p.typ).(*types.String); ok && t.Max > 0 {
		return min(t.Max, f.strLimit())
	}
	if n := f.opts.CopyStr; n > 0 {
		return min(n, f.strLimit()) // what sizeof (string) says, by which scripts ask for memory
	}
	return f.strLimit()
}

// copyOrEmptyAt copies a string from memory that may not be there.
func (f *fn) copyOrEmptyAt(p place) str {
	base := p.cell.find()
	buf := f.fresh()
	null, there, done := f.Block(), f.Block(), f.Block()
	f.Branch(f.Op(ir.OpPtrEq0, base), null, there)
	f.Go(null)
	f.Store(buf, 0, 8, f.Const(0))
	f.Jump(done)
	f.Go(there)
	f.copyStr(buf, f.offset(f.by(base, p.moved), p.cell.at+p.off), f.roomOf(p))
	f.Jump(done)
	f.Go(done)
	return f.inMemory(buf)
}

// assignStrAt assigns a string to what lies behind a pointer or within an object.
func (f *fn) assignStrAt(x *ast.Assign) str {
	s := f.memory(f.settled(x.Y, x.X))
	p := f.place(x.X)
	n := f.roomOf(p)
	switch p.space {
	case scriptSpace:
		f.toScript(p, func(base *ir.Value, off int64) { f.copyStr(f.offset(base, off), f.offset(s.ptr, s.off), n) })
	case scratchSpace:
		f.toScratch(f.at(p), sized{most: n}, func(dst *ir.Value) { f.copyStr(dst, f.offset(s.ptr, s.off), n) })
	default:
		f.errorf(x, "only variables and memory from alloca() can be written")
	}
	return s
}

// character lowers character i of a string: behind its end there are zeros, up to the
// length that strings have, and then nothing.
func (f *fn) character(s str, i *ir.Value) *ir.Value {
	s = f.indexed(s, i)
	n := f.strSize()
	if s.kind != memStr || !s.tidy || s.size < n {
		s = f.ownCopy(s)
	}
	return f.extend(f.Load(f.bounded(f.offset(s.ptr, s.off), i, n), 0, 1), types.Char)
}

// isExecname reports whether x is the name of the process.
func (l *lowerer) isExecname(x ast.Expr) bool {
	b, ok := l.prog.Refs[l.prog.Means.Unparen(x)].(*check.Builtin)
	return ok && b.Name == "execname"
}

// commCharacter returns character n of the name of the process, as the task_struct has it.
func (f *fn) commCharacter(n int64) *ir.Value {
	word := f.comm()[n/8]
	return f.extend(f.Op(ir.OpShrL, word, f.Const(n%8*8)), types.Char)
}

// setCharacter lowers the assignment of w to character i of the string in the variable x.
// A zero ends the string there; behind its end there is nothing to change.
func (f *fn) setCharacter(x ast.Expr, i, w *ir.Value) {
	s := f.ownCopy(f.indexed(f.anyStr(x), i))
	f.Store(f.bounded(s.ptr, i, f.strSize()), 0, 1, w)
	f.setStr(x, f.inMemory(s.ptr))
}

// indexed is a string of which character i is wanted. There is none of NULL, as if that were
// address 0, and none behind the longest string.
func (f *fn) indexed(s str, i *ir.Value) str {
	if s.null != nil || s.none {
		f.fault(f.nullness(s), faultBadAddr, i)
		s.null, s.none = nil, false
	}
	f.fault(f.Op(ir.OpEq, f.Op(ir.OpLtU, i, f.Const(int64(f.strLimit()))), f.Const(0)), faultBadIndex, i)
	return s
}

// ownCopy copies a string to memory of its own, with zeros behind it.
func (f *fn) ownCopy(s str) str {
	n := f.strSize()
	buf := f.Alloca(n)
	f.putStr(s, buf, 0, n, true)
	return str{kind: memStr, ptr: buf, size: n}
}

// takesCopy reports whether x casts a string to a pointer. Strings move about, so
// that is the address of a copy in scratch memory.
func (l *lowerer) takesCopy(x *ast.Cast) bool {
	return types.IsString(l.typeOf(x.X)) && types.IsPointer(l.typeOf(x))
}

// copied copies the string x to scratch memory and gives its address.
func (f *fn) copied(x ast.Expr) *ir.Value {
	s := f.str(x)
	size := min(round8(s.size), f.strSize())
	p, addr := f.take(sized{most: size}, false)
	f.putStr(s, p, 0, size, true)
	return addr
}
