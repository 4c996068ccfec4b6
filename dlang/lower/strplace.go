package lower

import (
	"dscope.dev/dlang/ast"
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
	case p.space == ownSpace && p.cell != nil:
		return f.copyOrEmptyAt(p)
	case p.space == ownSpace:
		return str{kind: readStr, from: ownSpace, ptr: f.by(p.base, p.moved), off: p.off, size: f.roomOf(p)}
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
	s := f.memory(f.settled(x.Y))
	p := f.place(x.X)
	n := f.roomOf(p)
	switch p.space {
	case ownSpace:
		f.toOwn(p, func(base *ir.Value, off int64) { f.copyStr(f.offset(base, off), f.offset(s.ptr, s.off), n) })
	case scratchSpace:
		f.toScratch(f.at(p), sized{most: n}, func(dst *ir.Value) { f.copyStr(dst, f.offset(s.ptr, s.off), n) })
	default:
		f.errorf(x, "only variables and memory from alloca() can be written")
	}
	return s
}

// character lowers s[i] of a string: behind its end there are zeros, up to the
// length that strings have, and then nothing.
func (f *fn) character(x *ast.Index) *ir.Value {
	s := f.anyStr(x.X)
	n := f.strSize()
	i := f.as(x.Args[0], types.Int64)
	if s.null != nil || s.none {
		f.fault(f.nullness(s), faultBadAddr, i) // as if NULL were address 0
		s.null, s.none = nil, false
	}
	f.fault(f.Op(ir.OpEq, f.Op(ir.OpLtU, i, f.Const(int64(f.strLimit()))), f.Const(0)), faultBadIndex, i)
	if s.kind != memStr || !s.tidy || s.size < n {
		buf := f.Alloca(n)
		f.putStr(s, buf, 0, n, true)
		s = str{kind: memStr, ptr: buf, size: n}
	}
	return f.extend(f.Load(f.bounded(f.offset(s.ptr, s.off), i, n), 0, 1), types.Char)
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
