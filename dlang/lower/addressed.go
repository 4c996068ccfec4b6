package lower

import (
	"dscope.dev/dlang/ast"
	"dscope.dev/dlang/check"
	"dscope.dev/dlang/function"
	"dscope.dev/dlang/ir"
	"dscope.dev/dlang/token"
	"dscope.dev/dlang/types"
)

// variableBase is the address that the script sees at the start of the first of its
// variables that have one: as with scratchBase no address on any machine. Each
// variable has 4 GiB to itself, so that an address that has left one is in none.
const variableBase = 0x0d5d << 48

const variableShift = 32

// findAddressed lists the variables whose address the script takes, by & or as
// an array that is used as a pointer. All functions must know it: an address may
// be kept in a variable and followed by any.
func (l *lowerer) findAddressed() {
	l.addressed = map[*check.Var]int64{}
	named := map[ast.Expr]bool{} // arrays that are not used as pointers
	add := func(x ast.Expr) {
		v := l.rootOf(x)
		if _, known := l.addressed[v]; v != nil && !known {
			l.addressed[v] = variableBase + int64(len(l.addressedVars))<<variableShift
			l.addressedVars = append(l.addressedVars, v)
		}
	}
	l.findAllocating()
	l.keeps = l.handsOnScratch()
	l.prog.Means.Walk(l.prog.Chosen, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.Index:
			named[l.prog.Means.Unparen(n.X)] = true
		case *ast.Member:
			named[l.prog.Means.Unparen(n.X)] = true
		case *ast.Sizeof:
			return false
		case *ast.Call:
			l.measured = l.measured || l.measures(n)
			l.allocates = l.allocates || function.Find(n.Fn.Text).Scratch
		case *ast.Cast:
			l.allocates = l.allocates || l.takesCopy(n)
		case *ast.Unary:
			if n.Op == token.Amp {
				add(n.X)
			}
		}
		if x, ok := n.(ast.Expr); ok && !named[x] && isArray(l.prog.Types[x]) {
			add(x)
		}
		return true
	})
}

func isArray(t types.Type) bool {
	if t == nil {
		return false
	}
	_, ok := types.Resolve(t).(*types.Array)
	return ok
}

// rootOf returns the variable that x is a part of, unless that has no address:
// an element of an associative array has none.
func (l *lowerer) rootOf(x ast.Expr) *check.Var {
	switch x := l.prog.Means.Unparen(x).(type) {
	case *ast.Ident, *ast.Var, *ast.Macro:
		if v, ok := l.prog.Refs[x].(*check.Var); ok && v.Keys == nil && isObject(v.Type) {
			return v
		}
	case *ast.Member:
		if !x.Arrow {
			return l.rootOf(x.X)
		}
	case *ast.Index:
		if isArray(l.typeOf(x.X)) && l.prog.Refs[x] == nil {
			return l.rootOf(x.X)
		}
	}
	return nil
}

// inVariable reports whether x, used as a pointer, points into a variable.
func (l *lowerer) inVariable(x ast.Expr) bool {
	if u, ok := l.prog.Means.Unparen(x).(*ast.Unary); ok && u.Op == token.Amp {
		return l.rootOf(u.X) != nil
	}
	return isArray(l.typeOf(x)) && l.rootOf(x) != nil
}

// seenAddress returns the address of p as the script sees it.
func (f *fn) seenAddress(p place, x ast.Expr) *ir.Value {
	base, ok := f.addressed[p.root]
	if p.root == nil || !ok {
		if x == nil {
			return f.Const(0)
		}
		return f.errorf(x, "this has no address: it is an element of an associative array, or was computed")
	}
	addr := f.Const(base + p.off)
	if p.moved != nil {
		return f.Op(ir.OpAdd, p.moved, addr)
	}
	return addr
}

// A finding is what is done with memory of the script that an address was found
// to lie in.
type finding struct {
	here    func(p *ir.Value)
	nowhere func() // the address lies in none
	absent  func() // it lies in a self-> variable of a thread that has none; nil if the cell is to be made
	least   int    // bytes that must lie in a variable, if not all; what is behind it may be read
}

// locate finds the memory of the script that n bytes at addr lie in: what
// alloca() gave, or a variable whose address the script takes.
func (f *fn) locate(addr *ir.Value, n sized, do finding) {
	done := f.Block()
	given := n
	if do.least > 0 {
		given = sized{most: do.least}
	}
	if len(f.addressedVars) == 0 || f.allocates {
		p, outside := f.inScratch(addr, n.most, f.size(given))
		do.here(p)
		f.Jump(done)
		f.Go(outside)
	}
	for _, v := range f.addressedVars {
		if room := v.Type.Size() - given.most; room >= 0 || n.w != nil {
			f.inOwner(v, addr, room, n, do, done)
		}
	}
	do.nowhere()
	if f.Cur != nil {
		f.Jump(done)
	}
	f.Go(done)
}

// inOwner goes on where addr does not lie in the first bytes of v up to room or,
// if n is known only at the firing, n bytes from there on do not lie in v.
func (f *fn) inOwner(v *check.Var, addr *ir.Value, room int, n sized, do finding, done *ir.Block) {
	off := f.Op(ir.OpSub, addr, f.Const(f.addressed[v]))
	inside, outside := f.Block(), f.Block()
	if n.w != nil {
		off = f.Emit(ir.Value{Op: ir.OpBound, Imm: int64(v.Type.Size()) + 1}, off)
		f.Branch(f.Op(ir.OpLeU, f.Op(ir.OpAdd, off, n.w), f.Const(int64(v.Type.Size()))), inside, outside)
		f.Go(inside)
	} else {
		f.Branch(f.Op(ir.OpLeU, off, f.Const(int64(room))), inside, outside)
		f.Go(inside)
		off = f.Emit(ir.Value{Op: ir.OpBound, Imm: int64(room) + 1}, off)
	}
	p := f.varPlace(v)
	switch {
	case p.cell == nil:
		do.here(f.Op(ir.OpAdd, p.base, off))
	case do.absent == nil:
		p.cell.use(func(base *ir.Value) { do.here(f.Op(ir.OpAdd, f.offset(base, p.cell.at), off)) })
	default:
		base := p.cell.find()
		null, there := f.Block(), f.Block()
		f.Branch(f.Op(ir.OpPtrEq0, base), null, there)
		f.Go(null)
		do.absent()
		f.Jump(done)
		f.Go(there)
		do.here(f.Op(ir.OpAdd, f.offset(base, p.cell.at), off))
	}
	f.Jump(done)
	f.Go(outside)
}

// scratchLoad reads from an address that most likely lies in memory of the
// script; if it does not, it is one of the kernel.
func (f *fn) scratchLoad(addr *ir.Value, size int) *ir.Value {
	var vals []*ir.Value
	f.locate(addr, sized{most: size}, finding{
		here:   func(p *ir.Value) { vals = append(vals, f.Load(p, 0, size)) },
		absent: func() { vals = append(vals, f.Const(0)) },
		nowhere: func() {
			buf := f.Alloca(8)
			f.read(kernelSpace, buf, 0, addr, size)
			vals = append(vals, f.Load(buf, 0, size))
		},
	})
	return f.Phi(vals...)
}

// scratchStore writes to an address that must lie in memory of the script.
func (f *fn) scratchStore(addr *ir.Value, size int, w *ir.Value) {
	f.toScratch(addr, sized{most: size}, func(p *ir.Value) { f.Store(p, 0, size, w) })
}

// toScratch writes n bytes to an address that must lie in memory of the
// script: there is no other that may be written.
func (f *fn) toScratch(addr *ir.Value, n sized, write func(p *ir.Value)) {
	f.locate(addr, n, finding{here: write, nowhere: func() {
		f.Cur.Cold = true
		f.giveUp(faultBadAddr, addr)
	}})
}

// fromScratch copies size bytes from an address that most likely lies in memory
// of the script to dst + off.
func (f *fn) fromScratch(addr *ir.Value, size int, dst *ir.Value, off int64) {
	f.locate(addr, sized{most: size}, finding{
		here:    func(p *ir.Value) { f.Emit(ir.Value{Op: ir.OpReadK, Imm: off, Size: size}, dst, p) },
		absent:  func() { f.zeroBytes(dst, off, size) },
		nowhere: func() { f.read(kernelSpace, dst, off, addr, size) },
	})
}

// measures reports whether a call copies as many bytes as are known only at the
// firing to memory of the script.
func (l *lowerer) measures(x *ast.Call) bool {
	at := function.Find(x.Fn.Text).Size
	return at > 0 && at < len(x.Args) && !l.known(x.Args[at])
}

func (l *lowerer) known(x ast.Expr) bool {
	_, ok := l.prog.Consts[x]
	return ok
}

// spare is how many bytes lie behind a variable of its own: the kernel's verifier
// wants as many there as a copy of unknown size may take, wherever it begins. With a
// seal a string that has no end finds it there, and not in what the kernel keeps behind.
func (l *lowerer) spare(v *check.Var) int {
	if _, ok := l.addressed[v]; !ok {
		return 0
	}
	n := 0
	if l.measured {
		n = round8(l.scratchLimit())
	}
	if l.target.Seal != nil {
		n = max(n, l.strSize())
	}
	return n
}

// zeros is memory of the statement that holds size zeros.
func (f *fn) zeros(size int) *ir.Value {
	buf := f.Alloca(max(size, 8))
	f.zero(buf, 0, buf.Size)
	return buf
}
