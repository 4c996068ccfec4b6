package lower

import (
	"dscope.dev/dlang/ast"
	"dscope.dev/dlang/check"
	"dscope.dev/dlang/ir"
	"dscope.dev/dlang/token"
	"dscope.dev/dlang/types"
)

// Objects are what does not fit a word: structs, unions and arrays. They are
// never held, only named: by the place where they lie. What has to be kept until
// it is stored is copied into the memory of the statement.

// A cell is memory of the script that may not be there: that of a thread that
// has assigned nothing yet, or an element of an associative array.
type cell struct {
	at   int64                       // bytes from its start to the variable
	find func() *ir.Value            // a pointer that may be null
	use  func(write func(*ir.Value)) // makes it if it is not there; counts a drop if that fails
}

// isObject reports whether a value of type t is handled by its place.
func isObject(t types.Type) bool {
	switch types.Resolve(t).(type) {
	case *types.Struct, *types.Array:
		return true
	}
	return false
}

// varPlace is the memory of a variable.
func (f *fn) varPlace(v *check.Var) place {
	p := place{space: scriptSpace, root: v, typ: v.Type}
	switch v.Scope {
	case ast.This, ast.Local:
		p.base = f.local(v)
	case ast.Global:
		p.base = f.global(v)
	default:
		p.cell = &cell{
			at:   int64(f.out.Vars[f.vars[v]].Offset),
			find: func() *ir.Value { return f.self(0) },
			use:  func(write func(*ir.Value)) { f.withSelf(false, write) },
		}
	}
	return p
}

// elementOf is the memory of an element of an associative array.
func (f *fn) elementOf(v *check.Var, args []ast.Expr) place {
	key := f.key(v, args)
	find := func() *ir.Value { return f.Emit(ir.Value{Op: ir.OpAssocGet, Imm: f.vars[v]}, key) }
	use := func(write func(*ir.Value)) { f.withElement(v, key, find, write) }
	return place{space: scriptSpace, typ: v.Type, cell: &cell{find: find, use: use}}
}

// withElement writes to a part of an element. One that is not there is made of
// zeros first.
func (f *fn) withElement(v *check.Var, key *ir.Value, find func() *ir.Value, write func(*ir.Value)) {
	was := find()
	missing, there, done := f.ColdBlock(), f.Block(), f.Block()
	f.Branch(f.Op(ir.OpPtrEq0, was), missing, there)
	f.Go(missing)
	size := f.varSize(v.Type)
	zeros := f.Alloca(size)
	f.zero(zeros, 0, size)
	f.put(v, key, zeros)
	made := find()
	kept := f.Block()
	f.Branch(f.Op(ir.OpPtrEq0, made), done, kept)
	f.Go(kept)
	write(made)
	f.Jump(done)
	f.Go(there)
	write(was)
	f.Jump(done)
	f.Go(done)
}

// by returns p moved by a distance that has a bound, or p if there is none.
func (f *fn) by(p, distance *ir.Value) *ir.Value {
	if distance == nil {
		return p
	}
	return f.Op(ir.OpAdd, p, distance)
}

// inScript reads what lies in memory of the script; what is not there reads as 0.
func (f *fn) inScript(p place, read func(base *ir.Value, off int64) *ir.Value) *ir.Value {
	if p.cell == nil {
		return read(f.by(p.base, p.moved), p.off)
	}
	return f.orZero(p.cell.find(), func(base *ir.Value) *ir.Value { return read(f.by(base, p.moved), p.cell.at+p.off) })
}

// toScript writes into memory of the script.
func (f *fn) toScript(p place, write func(base *ir.Value, off int64)) {
	if p.cell == nil {
		write(f.by(p.base, p.moved), p.off)
		return
	}
	p.cell.use(func(base *ir.Value) { write(f.by(base, p.moved), p.cell.at+p.off) })
}

// element is the element i of the array at p. An index that is not known before
// the firing is held to the array: one outside is a fault.
func (f *fn) element(p place, i *ir.Value, length int, t types.Type) place {
	p.typ = t
	if p.space == scriptSpace || length > 1 {
		f.fault(f.Op(ir.OpEq, f.Op(ir.OpLtU, i, f.Const(int64(length))), f.Const(0)), faultBadIndex, i)
	}
	if p.space != scriptSpace {
		return f.movedBy(p, f.scaled(i, t))
	}
	d := f.scaled(f.Emit(ir.Value{Op: ir.OpBound, Imm: int64(length)}, i), t)
	if p.moved != nil {
		d = f.Op(ir.OpAdd, p.moved, d)
	}
	p.moved = d
	return p
}

// object describes where the object that x stands for lies.
func (f *fn) object(x ast.Expr) place {
	x = f.prog.Means.Unparen(x)
	switch x := x.(type) {
	case *ast.Assign:
		f.assignObject(x)
		return f.place(x.X)
	case *ast.Binary:
		if x.Op == token.Comma {
			f.effect(x.X)
			return f.object(x.Y)
		}
	case *ast.Cond:
		return f.condObject(x)
	}
	return f.place(x)
}

// objectCopy copies the object x.
func (f *fn) objectCopy(x ast.Expr) place {
	t := f.typeOf(x)
	buf := f.Alloca(t.Size())
	f.copyObject(buf, 0, f.object(x), t.Size())
	return place{space: scriptSpace, base: buf, typ: t}
}

// condObject copies what c ? a : b chooses.
func (f *fn) condObject(x *ast.Cond) place {
	t := f.typeOf(x)
	size := t.Size()
	buf := f.Alloca(size)
	yes, no, done := f.Block(), f.Block(), f.Block()
	f.cond(x.Cond, yes, no)
	f.Go(yes)
	f.copyObject(buf, 0, f.object(x.Then), size)
	f.Jump(done)
	f.Go(no)
	f.copyObject(buf, 0, f.object(x.Else), size)
	f.Jump(done)
	f.Go(done)
	return place{space: scriptSpace, base: buf, typ: t}
}

// assignObject lowers x = y for a whole struct or union. What is read from
// elsewhere is read first, so that a fault leaves the variable as it was.
func (f *fn) assignObject(x *ast.Assign) {
	t := f.typeOf(x.X)
	size := t.Size()
	v, ix := f.wholeElement(x.X)
	if _, isConst := f.prog.Consts[x.Y]; isConst && !isObject(f.typeOf(x.Y)) {
		f.freeObject(x.X, v, ix, size)
		return
	}
	src := f.object(x.Y)
	if v == nil && src.space == scriptSpace && src.cell == nil && !f.changes(x.X) {
		f.putObject(f.place(x.X), src, size, x.X)
		return
	}
	buf := f.Alloca(size)
	if size%8 != 0 {
		f.Store(buf, int64(round8(size)-8), 8, f.Const(0))
	}
	f.copyObject(buf, 0, src, size)
	if v != nil {
		f.put(v, f.key(v, ix.Args), buf)
		return
	}
	f.putObject(f.place(x.X), place{space: scriptSpace, base: buf, typ: t}, size, x.X)
}

// wholeElement returns the associative array that x is an element of, if it is.
func (f *fn) wholeElement(x ast.Expr) (*check.Var, *ast.Index) {
	if ix, ok := f.prog.Means.Unparen(x).(*ast.Index); ok {
		if v, ok := f.prog.Refs[ix].(*check.Var); ok {
			return v, ix
		}
	}
	return nil, nil
}

// putObject copies an object that lies in memory of the script to dst, which x
// names.
func (f *fn) putObject(dst, src place, size int, x ast.Expr) {
	switch dst.space {
	case scriptSpace:
		f.toScript(dst, func(base *ir.Value, off int64) { f.copyObject(base, off, src, size) })
	case scratchSpace:
		f.toScratch(f.at(dst), sized{most: size}, func(base *ir.Value) {
			f.Emit(ir.Value{Op: ir.OpReadK, Size: size}, base, f.offset(f.by(src.base, src.moved), src.off))
		})
	default:
		f.errorf(x, "only variables and memory from alloca() can be written")
	}
}

// freeObject assigns 0 to a struct of a thread or of an array: it gives its
// storage back, and reads as zeros.
func (f *fn) freeObject(x ast.Expr, v *check.Var, ix *ast.Index, size int) {
	if v != nil {
		f.Emit(ir.Value{Op: ir.OpAssocDel, Imm: f.vars[v]}, f.key(v, ix.Args))
		return
	}
	p := f.place(x)
	if p.cell == nil {
		f.zero(p.base, p.off, round8(size))
		return
	}
	f.withSelf(true, func(base *ir.Value) { f.zero(base, p.cell.at+p.off, round8(size)) })
}

// copyObject copies size bytes from a place to dst + off, or leaves the clause.
// What is not there is copied as zeros.
func (f *fn) copyObject(dst *ir.Value, off int64, src place, size int) {
	switch src.space {
	case scriptSpace:
		f.copyScript(dst, off, src, size)
	case scratchSpace:
		f.fromScratch(f.at(src), size, dst, off)
	default:
		f.readPlace(src, dst, off, size)
	}
}

func (f *fn) copyScript(dst *ir.Value, off int64, src place, size int) {
	if src.cell == nil {
		f.copyBytes(dst, off, f.by(src.base, src.moved), src.off, size)
		return
	}
	p := src.cell.find()
	null, there, done := f.Block(), f.Block(), f.Block()
	f.Branch(f.Op(ir.OpPtrEq0, p), null, there)
	f.Go(null)
	f.zeroBytes(dst, off, size)
	f.Jump(done)
	f.Go(there)
	f.copyBytes(dst, off, f.by(p, src.moved), src.cell.at+src.off, size)
	f.Jump(done)
	f.Go(done)
}

// manyPieces is the number of loads and stores above which a copy is left to the
// kernel.
const manyPieces = 32

// copyBytes copies within memory of the script.
func (f *fn) copyBytes(dst *ir.Value, off int64, src *ir.Value, from int64, size int) {
	if size%8 == 0 && off%8 == 0 && from%8 == 0 {
		f.copyMem(dst, off, src, from, size)
		return
	}
	pieces := piecesOf(off|from, size)
	if len(pieces) > manyPieces {
		f.Emit(ir.Value{Op: ir.OpReadK, Imm: off, Size: size}, dst, f.offset(src, from))
		return
	}
	for _, p := range pieces {
		f.Store(dst, off+p.at, p.size, f.Load(src, from+p.at, p.size))
	}
}

func (f *fn) zeroBytes(dst *ir.Value, off int64, size int) {
	if size%8 == 0 && off%8 == 0 {
		f.zero(dst, off, size)
		return
	}
	for _, p := range piecesOf(off, size) {
		f.Store(dst, off+p.at, p.size, f.Const(0))
	}
}

// A piece is a part of an object that one load can read.
type piece struct {
	at   int64
	size int
}

// piecesOf divides size bytes at off into aligned pieces, the largest first.
func piecesOf(off int64, size int) []piece {
	var list []piece
	for at := int64(0); at < int64(size); {
		n := 8
		for (off+at)%int64(n) != 0 || at+int64(n) > int64(size) {
			n /= 2
		}
		list = append(list, piece{at, n})
		at += int64(n)
	}
	return list
}
