package lower

import (
	"dscope.dev/dlang/ast"
	"dscope.dev/dlang/check"
	"dscope.dev/dlang/function"
	"dscope.dev/dlang/ir"
	"dscope.dev/dlang/token"
	"dscope.dev/dlang/types"
)

// A space is a kind of memory.
type space uint8

const (
	kernelSpace  space = iota // reading can fail
	userSpace                 // the process's; reading can fail
	taskSpace                 // the current task_struct, which can be read at once
	scriptSpace               // a variable of the script
	scratchSpace              // what alloca() and copyin() gave; may turn out to be the kernel's
)

// A place is where an object lies.
type place struct {
	space space
	base  *ir.Value  // a pointer in scriptSpace, a task in taskSpace, else an address
	cell  *cell      // in scriptSpace instead of base: memory that may not be there
	moved *ir.Value  // in scriptSpace: bytes known only at the firing, which have a bound; nil if none
	root  *check.Var // in scriptSpace: the variable that this is a part of; nil if it has no address
	off   int64      // in bytes
	typ   types.Type
	shift int // of a bit-field: bits from the start of the typ-sized unit at off
	bits  int // width of a bit-field; 0 if it is none

	packed bool // whether a bit-field crosses such units: then shift counts from the byte at off
}

// place describes where the object x lies, for expressions that name one.
func (f *fn) place(x ast.Expr) place {
	x = f.prog.Means.Unparen(x)
	t := f.typeOf(x)
	switch x := x.(type) {
	case *ast.Ident, *ast.Var, *ast.Macro:
		if v, ok := f.prog.Refs[x].(*check.Var); ok {
			return f.varPlace(v)
		}
	case *ast.KSym:
		if ref, ok := f.prog.Refs[x].(*check.KernelSym); ok {
			return f.symPlace(x, ref, t)
		}
	case *ast.Unary:
		if x.Op == token.Star {
			return f.behind(x.X, t)
		}
	case *ast.Member:
		return f.memberPlace(x, t)
	case *ast.Index:
		return f.elementPlace(x, t)
	case *ast.Cast:
		p := f.place(x.X)
		p.typ = t
		return p
	case *ast.Assign, *ast.Cond, *ast.Binary:
		if isObject(t) {
			return f.object(x)
		}
	}
	return place{base: f.errorf(x, "this has no place in memory"), typ: t}
}

func (f *fn) symPlace(x ast.Expr, ref *check.KernelSym, t types.Type) place {
	if ref.Addr == 0 {
		return place{base: f.errorf(x, "the kernel hides the address of %s: tracing kernel symbols needs CAP_SYSLOG", ref.Name), typ: t}
	}
	return place{base: f.Const(int64(ref.Addr)), typ: t}
}

// behind is what the pointer x points to.
func (f *fn) behind(x ast.Expr, t types.Type) place {
	s := f.spaceOf(x)
	if s == taskSpace && !f.sealedTask(x) {
		return place{space: s, base: f.Op(ir.OpTask), typ: t}
	}
	return place{space: notTask(s), base: f.word(x), typ: t}
}

func (f *fn) memberPlace(x *ast.Member, t types.Type) place {
	var p place
	if x.Arrow {
		p = f.behind(x.X, t)
	} else {
		p = f.place(x.X)
	}
	m := f.prog.Members[x]
	p.typ = t
	if m.Bits == 0 {
		p.off += int64(m.Off / 8)
		return p
	}
	unit := 8 * m.Type.Size()
	if at := m.Off / unit * unit; m.Off+m.Bits <= at+unit {
		p.off += int64(at / 8)
		p.shift, p.bits = m.Off-at, m.Bits
		return p
	}
	p.off += int64(m.Off / 8)
	p.shift, p.bits, p.packed = m.Off%8, m.Bits, true
	return p
}

// elementPlace is an element of an array or what lies at an index from a pointer.
func (f *fn) elementPlace(x *ast.Index, t types.Type) place {
	if v, ok := f.prog.Refs[x].(*check.Var); ok {
		return f.elementOf(v, x.Args)
	}
	if ref, ok := f.prog.Refs[x].(*check.ArgRef); ok && !types.IsScalar(types.Decay(t)) {
		return f.argPlace(x, ref, t)
	}
	a, isArray := types.Resolve(f.typeOf(x.X)).(*types.Array)
	var p place
	if _, isArg := f.prog.Refs[f.prog.Means.Unparen(x.X)].(*check.ArgRef); isArray && !isArg {
		p = f.place(x.X)
	} else {
		p = f.behind(x.X, t)
	}
	p.typ = t
	_, literal := f.prog.Consts[x.Args[0]]
	if n, ok := f.foreknown(x.Args[0]); ok && (literal || isArray && 0 <= n && n < int64(a.Len)) {
		p.off += n * int64(t.Size())
		return p
	}
	if isArray {
		return f.element(p, f.word(x.Args[0]), a.Len, t)
	}
	return f.movedBy(p, f.scaled(f.word(x.Args[0]), t))
}

// argPlace is a struct or a floating-point number that a probe hands over by value,
// gathered from the slots that it takes.
func (f *fn) argPlace(x *ast.Index, ref *check.ArgRef, t types.Type) place {
	words := (t.Size() + 7) / 8
	buf := f.Alloca(8 * words)
	for i := range words {
		f.Store(buf, int64(8*i), 8, f.arg(x, ref.Arg.Slot+i))
	}
	return place{space: scriptSpace, base: buf, typ: t}
}

// movedBy is p moved by a number of bytes that is not known before the firing.
func (f *fn) movedBy(p place, by *ir.Value) place {
	if p.space == taskSpace {
		p.space = kernelSpace
	}
	p.base = f.Op(ir.OpAdd, p.base, by)
	return p
}

// spaceOf says where a pointer points to, as far as the script tells: args[]
// may be addresses of the process, and what such a pointer leads to as well.
func (f *fn) spaceOf(x ast.Expr) space {
	if f.inVariable(x) {
		return scratchSpace
	}
	switch x := f.prog.Means.Unparen(x).(type) {
	case *ast.Cast:
		if f.takesCopy(x) {
			return scratchSpace
		}
		if s := f.spaceOf(x.X); s == scratchSpace || !ast.InUserland(x.Type) {
			return s
		}
		return userSpace
	case *ast.Unary:
		if x.Op == token.Amp || x.Op == token.Star || x.Op == token.Inc || x.Op == token.Dec {
			return notTask(f.spaceOf(x.X))
		}
	case *ast.Postfix:
		return f.spaceOf(x.X)
	case *ast.Member:
		if f.prog.Members[x].User {
			return userSpace
		}
		return notTask(f.spaceOf(x.X))
	case *ast.Binary:
		if types.IsPointer(types.Decay(f.typeOf(x.X))) {
			return notTask(f.spaceOf(x.X))
		}
		if types.IsInteger(f.typeOf(x.X)) && types.IsInteger(f.typeOf(x.Y)) {
			return max(notTask(f.spaceOf(x.X)), notTask(f.spaceOf(x.Y)))
		}
		return notTask(f.spaceOf(x.Y))
	case *ast.Cond:
		return max(notTask(f.spaceOf(x.Then)), notTask(f.spaceOf(x.Else)))
	case *ast.Assign:
		return notTask(f.spaceOf(x.Y))
	case *ast.Call:
		if c := f.prog.Calls[x]; c != nil && c.User != nil {
			if c.User.Scratch {
				return scratchSpace
			}
			return kernelSpace
		}
		if function.Find(x.Fn.Text).Scratch {
			return scratchSpace
		}
	case *ast.Index:
		return notTask(f.indexSpace(x))
	case *ast.Ident, *ast.Var, *ast.Macro:
		return f.nameSpace(x)
	}
	return kernelSpace
}

func notTask(s space) space {
	if s == taskSpace {
		return kernelSpace
	}
	return s
}

func (f *fn) indexSpace(x *ast.Index) space {
	switch ref := f.prog.Refs[x].(type) {
	case *check.ArgRef:
		if ref.Arg.User {
			return userSpace
		}
		return kernelSpace
	case *check.Var:
		return scratchIf(ref)
	}
	return f.spaceOf(x.X)
}

func (f *fn) nameSpace(x ast.Expr) space {
	switch ref := f.prog.Refs[x].(type) {
	case *check.Builtin:
		if ref.Name == "curthread" {
			return taskSpace
		}
	case *check.Var:
		return scratchIf(ref)
	}
	return kernelSpace
}

func scratchIf(v *check.Var) space {
	switch {
	case v.Scratch:
		return scratchSpace
	case v.User:
		return userSpace
	}
	return kernelSpace
}

// rvalue reads a scalar. Arrays and functions become their addresses.
func (f *fn) rvalue(p place) *ir.Value {
	switch types.Resolve(p.typ).(type) {
	case *types.Array, *types.Func:
		return f.address(p, nil)
	}
	if p.bits != 0 {
		return f.bitField(p)
	}
	w := f.raw(p)
	if types.IsSigned(p.typ) {
		return f.extend(w, p.typ)
	}
	return w
}

// raw reads the bytes of a scalar, zero-extended.
func (f *fn) raw(p place) *ir.Value {
	size := p.typ.Size()
	switch p.space {
	case scriptSpace:
		return f.inScript(p, func(base *ir.Value, off int64) *ir.Value { return f.Load(base, off, size) })
	case taskSpace:
		return f.Emit(ir.Value{Op: ir.OpTaskLoad, Imm: p.off, Size: size}, p.base)
	case scratchSpace:
		return f.scratchLoad(f.at(p), size)
	}
	buf := f.Alloca(8)
	f.readPlace(p, buf, 0, size)
	return f.Load(buf, 0, size)
}

// at returns the address of p as a word.
func (f *fn) at(p place) *ir.Value {
	if p.off == 0 {
		return p.base
	}
	return f.Op(ir.OpAdd, p.base, f.Const(p.off))
}

// read copies size bytes from an address to dst + off, or leaves the clause.
func (f *fn) read(s space, dst *ir.Value, off int64, addr *ir.Value, size int) {
	op := ir.OpReadK
	if s == userSpace {
		op = ir.OpReadU
	}
	f.fault(f.Emit(ir.Value{Op: op, Imm: off, Size: size}, dst, addr), faultBadAddr, addr)
}

// readPlace copies size bytes of p to dst + off, or leaves the clause. Of a member
// of what a null pointer points to, the fault tells the null and not where the
// member would lie: it is the pointer that is wrong.
func (f *fn) readPlace(p place, dst *ir.Value, off int64, size int) {
	op := ir.OpReadK
	if p.space == userSpace {
		op = ir.OpReadU
	}
	addr := f.at(p)
	bad, good := f.ColdBlock(), f.Block()
	f.Branch(f.Emit(ir.Value{Op: op, Imm: off, Size: size}, dst, addr), bad, good)
	f.Go(bad)
	told := addr
	if p.off != 0 {
		told = f.Op(ir.OpMul, addr, f.Op(ir.OpLtU, f.Const(p.off), addr)) // the pointer itself need not be kept for this
	}
	f.giveUp(faultBadAddr, told)
	f.Go(good)
}

// address returns the address of p as a word.
func (f *fn) address(p place, x ast.Expr) *ir.Value {
	if p.space == scriptSpace {
		return f.seenAddress(p, x)
	}
	if p.off == 0 && p.space == taskSpace {
		return f.Op(ir.OpAdd, p.base, f.Const(0))
	}
	return f.at(p)
}

// assignPlace writes a scalar to memory that the script may change.
func (f *fn) assignPlace(p place, w *ir.Value, x ast.Expr) {
	switch {
	case p.bits != 0:
		f.setBitField(p, w, x)
	case p.space == scriptSpace:
		f.toScript(p, func(base *ir.Value, off int64) { f.Store(base, off, p.typ.Size(), w) })
	case p.space == scratchSpace:
		f.scratchStore(f.at(p), p.typ.Size(), w)
	default:
		f.errorf(x, "only variables and memory from alloca() can be written")
	}
}
