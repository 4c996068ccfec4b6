package lower

import (
	"slices"

	"dscope.dev/dlang/ast"
	"dscope.dev/dlang/check"
	"dscope.dev/dlang/ir"
	"dscope.dev/dlang/linux"
	"dscope.dev/dlang/token"
	"dscope.dev/dlang/types"
)

// A str describes a string before it is made.
type str struct {
	kind strKind
	text string    // constStr
	part int       // probeStr: 0 provider, 1 module, 2 function, 3 name
	ptr  *ir.Value // memStr: where the bytes lie
	off  int64     // memStr: how far behind ptr
	from space     // readStr: of addr
	addr *ir.Value // readStr
	size int       // the most bytes that it takes with its terminator; memory has them rounded up to 8
	tidy bool      // memStr: whether all bytes after the terminator, up to size rounded, are zero
	null *ir.Value // a word that is not 0 if there is no string but NULL, whose bytes then are those of ""; nil if it never is
	none bool      // constStr: NULL itself
}

// A strKind says what a str is made of.
type strKind uint8

const (
	constStr strKind = iota
	commStr          // the name of the process
	probeStr         // a part of the name of the probe
	memStr           // bytes in memory of the script
	readStr          // to be read from an address, which can fail
)

// commSize is TASK_COMM_LEN. The kernel pads the name with zeros
// (strscpy_pad in __set_task_comm).
const commSize = linux.CommSize

// str lowers an expression that is a string, or stands where one is due. NULL is
// a fault.
func (f *fn) str(x ast.Expr) str { return f.there(f.anyStr(x)) }

// before is anyStr of x where others are computed before it is used. What they change is not x,
// though that may be in a variable that they assign to.
func (f *fn) before(x ast.Expr, later ...ast.Expr) str {
	s := f.anyStr(x)
	if s.kind != memStr && s.kind != readStr || !slices.ContainsFunc(later, f.changes) {
		return s
	}
	c := f.ownCopy(s)
	c.null, c.none = s.null, s.none
	return c
}

// anyStr is str for those that can tell NULL from a string.
func (f *fn) anyStr(x ast.Expr) str {
	x = f.prog.Means.Unparen(x)
	if s, ok := f.prog.Strings[x]; ok {
		c := f.constant(s)
		c.none = f.isNull(x)
		return c
	}
	t := f.typeOf(x)
	switch x := x.(type) {
	case *ast.Ident, *ast.Macro:
		if b, ok := f.prog.Refs[x].(*check.Builtin); ok && types.IsString(t) {
			return f.builtinStr(x, b)
		}
	case *ast.Call:
		if types.IsString(t) {
			return f.callStr(x)
		}
	case *ast.Cond:
		if types.IsString(t) {
			return f.condStr(x)
		}
	case *ast.Assign:
		if isStr(t) {
			return f.assignStr(x)
		}
	case *ast.Binary:
		if x.Op == token.Comma {
			f.effect(x.X)
			return f.anyStr(x.Y)
		}
		if f.isTail(x) {
			return f.rest(x)
		}
	case *ast.Cast:
		if types.IsString(t) {
			return f.anyStr(x.X)
		}
	case *ast.Unary:
		if x.Op == token.KwStringof {
			return f.anyStr(x.X)
		}
	}
	switch {
	case types.IsString(t):
		return f.varStr(x)
	case types.IsCharArray(t):
		return f.arrayStr(x)
	}
	return str{kind: readStr, from: f.spaceOf(x), addr: f.word(x), size: f.strLimit()}
}

// constant describes a string constant, cut at the size that strings have.
func (f *fn) constant(s string) str {
	if i := slices.Index([]byte(s), 0); i >= 0 {
		s = s[:i]
	}
	s = s[:min(len(s), f.strLimit()-1)]
	return str{kind: constStr, text: s, size: round8(len(s) + 1)}
}

func (f *fn) builtinStr(x ast.Expr, b *check.Builtin) str {
	if part, ok := probeParts[b.Name]; ok {
		return str{kind: probeStr, part: part, size: f.strSize()}
	}
	if b.Name == "execname" {
		if _, ok := f.offsetOf(x, linux.TaskComm); ok {
			return f.commName()
		}
		return f.constant("")
	}
	if b.Name == "execargs" {
		return f.execargs(x)
	}
	if b.Name == "cwd" || b.Name == "root" {
		return f.workDir(x, b.Name)
	}
	f.errorf(x, "%s is not supported yet", b.Name)
	return f.constant("")
}

var probeParts = map[string]int{"probeprov": 0, "probemod": 1, "probefunc": 2, "probename": 3}

// varStr describes the value of a string variable. That of a thread or of an
// associative array may not exist, so it is copied.
func (f *fn) varStr(x ast.Expr) str {
	v, ok := f.prog.Refs[x].(*check.Var)
	if !ok {
		return f.placeStr(x)
	}
	if ix, ok := x.(*ast.Index); ok {
		p := f.Emit(ir.Value{Op: ir.OpAssocGet, Imm: f.vars[v]}, f.key(v, ix.Args))
		return f.copyIfThere(p, 0, nil)
	}
	switch v.Scope {
	case ast.This, ast.Local:
		return f.plainStr(v, f.local(v))
	case ast.Self:
		return f.selfStr(v)
	}
	return f.plainStr(v, f.global(v))
}

// copyMem copies size bytes between places in memory of the script.
func (f *fn) copyMem(dst *ir.Value, to int64, src *ir.Value, from int64, size int) {
	f.Emit(ir.Value{Op: ir.OpCopy, Imm: to, Size: size}, dst, f.offset(src, from))
}

func (f *fn) offset(p *ir.Value, off int64) *ir.Value {
	if off == 0 {
		return p
	}
	return f.Op(ir.OpAdd, p, f.Const(off))
}

// commName describes the name of the process.
func (f *fn) commName() str { return str{kind: commStr, size: min(commSize, f.strSize())} }

// arrayStr describes an array of characters as a string.
func (f *fn) arrayStr(x ast.Expr) str {
	size := f.strLimit()
	if a, ok := types.Resolve(f.typeOf(x)).(*types.Array); ok && a.Len > 0 {
		size = min(size, a.Len+1) // the array need not hold a terminator
	}
	p := f.object(x)
	if p.space == taskSpace {
		if off, ok := f.target.Offset(linux.TaskComm); ok && off == p.off {
			return f.commName()
		}
		p.space = kernelSpace
	}
	if p.space == scriptSpace && (p.cell != nil || p.moved != nil) {
		n := f.typeOf(x).Size()
		buf := f.Alloca(n + 1)
		f.zero(buf, 0, buf.Size)
		f.copyObject(buf, 0, p, n)
		return str{kind: readStr, from: scriptSpace, ptr: buf, size: size}
	}
	if p.space == scriptSpace {
		return str{kind: readStr, from: scriptSpace, ptr: p.base, off: p.off, size: size}
	}
	return str{kind: readStr, from: p.space, addr: f.at(p), size: size}
}

// condStr lowers c ? a : b of strings into memory.
func (f *fn) condStr(x *ast.Cond) str {
	size := max(f.strClass(x.Then), f.strClass(x.Else))
	buf := f.Alloca(size)
	yes, no, done := f.Block(), f.Block(), f.Block()
	f.cond(x.Cond, yes, no)
	f.Go(yes)
	a := f.anyStr(x.Then)
	f.putStr(a, buf, 0, size, false)
	var nullA, nullB, null *ir.Value
	if f.nullable(x) {
		nullA = f.nullness(a)
	}
	f.Jump(done)
	f.Go(no)
	b := f.anyStr(x.Else)
	f.putStr(b, buf, 0, size, false)
	if f.nullable(x) {
		nullB = f.nullness(b)
	}
	f.Jump(done)
	f.Go(done)
	if nullA != nil {
		null = f.Phi(nullA, nullB)
	}
	return str{kind: memStr, ptr: buf, size: size, null: null}
}

// assignStr lowers the assignment of a string and describes its value.
func (f *fn) assignStr(x *ast.Assign) str {
	if _, ok := f.prog.Refs[f.prog.Means.Unparen(x.X)].(*check.Var); !ok {
		if types.IsCharArray(f.typeOf(x.X)) {
			return f.fillChars(x)
		}
		return f.assignStrAt(x)
	}
	return f.setStr(x.X, f.settled(x.Y, x.X)) // a fault leaves the variable as it was
}

// setStr puts a string into the variable x, or into the element of an array that x names, and
// describes it there.
func (f *fn) setStr(x ast.Expr, s str) str {
	v := f.prog.Refs[f.prog.Means.Unparen(x)].(*check.Var)
	if ix, ok := f.prog.Means.Unparen(x).(*ast.Index); ok {
		return f.setElement(v, ix, s)
	}
	switch v.Scope {
	case ast.This, ast.Local:
		return f.setPlain(v, f.local(v), s)
	case ast.Self:
		return f.setSelf(v, s)
	}
	return f.setPlain(v, f.global(v), s)
}

// strClass returns how many bytes the string x may take, known before it is
// lowered.
func (l *lowerer) strClass(x ast.Expr) int {
	x = l.prog.Means.Unparen(x)
	if s, ok := l.prog.Strings[x]; ok {
		return min(round8(len(s)+1), l.strSize())
	}
	n := 0
	switch t := types.Resolve(l.typeOf(x)).(type) {
	case *types.String:
		n = t.Max
	case *types.Array:
		n = t.Len + 1
	}
	if _, isVar := l.prog.Refs[x].(*check.Var); n == 0 || isVar {
		return l.strSize()
	}
	return min(round8(n), l.strSize())
}
