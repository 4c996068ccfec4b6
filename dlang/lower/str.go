package lower

import (
	"encoding/binary"
	"slices"

	"dscope.dev/dlang/ast"
	"dscope.dev/dlang/check"
	"dscope.dev/dlang/ir"
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
const commSize = 16

// str lowers an expression that is a string, or stands where one is due.
func (f *fn) str(x ast.Expr) str {
	x = ast.Unparen(x)
	if s, ok := f.prog.Strings[x]; ok {
		return f.constant(s)
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
			return f.str(x.Y)
		}
	case *ast.Cast:
		if types.IsString(t) {
			return f.str(x.X)
		}
	case *ast.Unary:
		if x.Op == token.KwStringof {
			return f.str(x.X)
		}
	}
	switch {
	case types.IsString(t):
		return f.varStr(x)
	case types.IsCharArray(t):
		return f.arrayStr(x)
	}
	return str{kind: readStr, from: f.spaceOf(x), addr: f.word(x), size: f.strSize()}
}

// constant describes a string constant, cut at the size that strings have.
func (f *fn) constant(s string) str {
	if i := slices.Index([]byte(s), 0); i >= 0 {
		s = s[:i]
	}
	s = s[:min(len(s), f.strSize()-1)]
	return str{kind: constStr, text: s, size: round8(len(s) + 1)}
}

func (f *fn) builtinStr(x ast.Expr, b *check.Builtin) str {
	if part, ok := probeParts[b.Name]; ok {
		return str{kind: probeStr, part: part, size: f.strSize()}
	}
	if b.Name == "execname" {
		if _, ok := f.taskMember(x, "comm"); ok {
			return str{kind: commStr, size: commSize}
		}
		return f.constant("")
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
		f.errorf(x, "this string is not supported yet")
		return f.constant("")
	}
	size := f.strSize()
	if ix, ok := x.(*ast.Index); ok {
		p := f.Emit(ir.Value{Op: ir.OpAssocGet, Imm: f.vars[v]}, f.key(v, ix.Args))
		return f.copyOrEmpty(p, 0)
	}
	switch v.Scope {
	case ast.This:
		return str{kind: memStr, ptr: f.local(v), size: size}
	case ast.Self:
		return f.copyOrEmpty(f.self(0), int64(f.out.Vars[f.vars[v]].Offset))
	}
	return str{kind: memStr, ptr: f.global(v), size: size}
}

func (f *fn) copyOrEmpty(p *ir.Value, off int64) str {
	size := f.strSize()
	buf := f.Alloca(size)
	null, there, done := f.Block(), f.Block(), f.Block()
	f.Branch(f.Op(ir.OpPtrEq0, p), null, there)
	f.Go(null)
	f.Store(buf, 0, 8, f.Const(0))
	f.Jump(done)
	f.Go(there)
	f.copyMem(buf, 0, p, off, size)
	f.Jump(done)
	f.Go(done)
	return str{kind: memStr, ptr: buf, size: size}
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

// arrayStr describes an array of characters as a string.
func (f *fn) arrayStr(x ast.Expr) str {
	size := f.strSize()
	if a, ok := types.Resolve(f.typeOf(x)).(*types.Array); ok && a.Len > 0 {
		size = min(size, a.Len+1) // the array need not hold a terminator
	}
	p := f.place(x)
	if p.space == taskSpace {
		if off, ok := f.target.member("comm"); ok && off == p.off {
			return str{kind: commStr, size: commSize}
		}
		p.space = kernelSpace
	}
	if p.space == ownSpace {
		return str{kind: readStr, from: ownSpace, ptr: p.base, off: p.off, size: size}
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
	f.put1(f.str(x.Then), buf, 0, size, false)
	f.Jump(done)
	f.Go(no)
	f.put1(f.str(x.Else), buf, 0, size, false)
	f.Jump(done)
	f.Go(done)
	return str{kind: memStr, ptr: buf, size: size}
}

// assignStr lowers the assignment of a string and describes its value.
func (f *fn) assignStr(x *ast.Assign) str {
	size := f.strSize()
	v, ok := f.prog.Refs[ast.Unparen(x.X)].(*check.Var)
	if !ok {
		f.errorf(x, "only variables can hold strings")
		return f.constant("")
	}
	s := f.settled(x.Y) // a fault leaves the variable as it was
	_, isElement := ast.Unparen(x.X).(*ast.Index)
	if s.kind == constStr && s.text == "" && (isElement || v.Scope == ast.Self) {
		return f.freeStr(v, x)
	}
	if ix, ok := ast.Unparen(x.X).(*ast.Index); ok {
		buf := f.Alloca(size)
		f.put1(s, buf, 0, size, true)
		f.put(v, f.key(v, ix.Args), buf)
		return str{kind: memStr, ptr: buf, size: size, tidy: true}
	}
	switch v.Scope {
	case ast.This:
		f.put1(s, f.local(v), 0, size, false)
		return str{kind: memStr, ptr: f.local(v), size: size}
	case ast.Self:
		s = f.memory(s)
		off := int64(f.out.Vars[f.vars[v]].Offset)
		f.withSelf(false, func(p *ir.Value) { f.put1(s, p, off, size, false) })
		return s
	}
	f.put1(s, f.global(v), 0, size, false)
	return str{kind: memStr, ptr: f.global(v), size: size}
}

// freeStr lowers the assignment of 0, which for a string is "", to a variable of
// a thread or an element of an array: what is not there reads as "" too.
func (f *fn) freeStr(v *check.Var, x *ast.Assign) str {
	if ix, ok := ast.Unparen(x.X).(*ast.Index); ok {
		f.Emit(ir.Value{Op: ir.OpAssocDel, Imm: f.vars[v]}, f.key(v, ix.Args))
		return f.constant("")
	}
	off := int64(f.out.Vars[f.vars[v]].Offset)
	f.withSelf(true, func(p *ir.Value) { f.Store(p, off, 8, f.Const(0)) })
	return f.constant("")
}

// put1 writes s to dst + off, where size bytes may be written. With pad, all
// bytes behind the terminator become zero too, so that equal strings are equal
// bytes. What may be longer than size is cut.
func (f *fn) put1(s str, dst *ir.Value, off int64, size int, pad bool) {
	switch s.kind {
	case constStr:
		f.putConst(s.text, dst, off, size, pad)
	case commStr:
		f.putComm(dst, off, size, pad)
	case probeStr:
		f.copyMem(dst, off, f.probePtr(s), 0, min(size, s.size))
	case memStr:
		f.putMem(s, dst, off, size, pad)
	case readStr:
		f.putRead(s, dst, off, size, pad)
	}
}

func (f *fn) putConst(text string, dst *ir.Value, off int64, size int, pad bool) {
	text = text[:min(len(text), size-1)]
	words := constWords(text)
	for i, w := range words {
		f.Store(dst, off+int64(8*i), 8, f.Const(w))
	}
	if rest := size - 8*len(words); pad && rest > 0 {
		f.zero(dst, off+int64(8*len(words)), rest)
	}
}

// constWords returns the bytes of text and its terminator as words, padded with
// zeros.
func constWords(text string) []int64 {
	b := make([]byte, round8(len(text)+1))
	copy(b, text)
	var words []int64
	for i := 0; i < len(b); i += 8 {
		words = append(words, int64(binary.LittleEndian.Uint64(b[i:])))
	}
	return words
}

func (f *fn) zero(dst *ir.Value, off int64, size int) {
	if size == 8 {
		f.Store(dst, off, 8, f.Const(0))
		return
	}
	f.Emit(ir.Value{Op: ir.OpZero, Imm: off, Size: size}, dst)
}

func (f *fn) putComm(dst *ir.Value, off int64, size int, pad bool) {
	for i, w := range f.comm() {
		f.Store(dst, off+int64(8*i), 8, w)
	}
	if pad && size > commSize {
		f.zero(dst, off+commSize, size-commSize)
	}
}

// comm returns the words of the name of the process.
func (f *fn) comm() [2]*ir.Value {
	off, _ := f.target.member("comm")
	var words [2]*ir.Value
	for i := range words {
		words[i] = f.Emit(ir.Value{Op: ir.OpTaskLoad, Imm: off + int64(8*i), Size: 8}, f.Op(ir.OpTask))
	}
	return words
}

func (f *fn) probePtr(s str) *ir.Value {
	return f.Emit(ir.Value{Op: ir.OpProbeStr, Imm: int64(s.part), Size: s.size})
}

func (f *fn) putMem(s str, dst *ir.Value, off int64, size int, pad bool) {
	src := f.offset(s.ptr, s.off)
	if pad && !s.tidy {
		f.zero(dst, off, size)
		f.Emit(ir.Value{Op: ir.OpReadStrK, Imm: off, Size: min(size, s.size)}, dst, src)
		return
	}
	n := round8(min(size, s.size))
	f.copyMem(dst, off, src, 0, n)
	if size < s.size {
		f.Store(dst, off+int64(size-1), 1, f.Const(0))
	}
	if pad && size > n {
		f.zero(dst, off+int64(n), size-n)
	}
}

func (f *fn) putRead(s str, dst *ir.Value, off int64, size int, pad bool) {
	if pad {
		f.zero(dst, off, size)
	}
	n := min(size, s.size)
	switch s.from {
	case ownSpace:
		f.Emit(ir.Value{Op: ir.OpReadStrK, Imm: off, Size: n}, dst, f.offset(s.ptr, s.off))
		return
	case scratchSpace:
		f.readScratchStr(s, dst, off, n)
		return
	}
	op := ir.OpReadStrK
	if s.from == userSpace {
		op = ir.OpReadStrU
	}
	got := f.Emit(ir.Value{Op: op, Imm: off, Size: n}, dst, s.addr)
	f.fault(f.Op(ir.OpLtS, got, f.Const(0)), faultBadAddr, s.addr)
}

// readScratchStr reads a string from an address that most likely lies in scratch
// memory.
func (f *fn) readScratchStr(s str, dst *ir.Value, off int64, n int) {
	done := f.Block()
	p, outside := f.inScratch(s.addr, n)
	f.Emit(ir.Value{Op: ir.OpReadStrK, Imm: off, Size: n}, dst, p)
	f.Jump(done)
	f.Go(outside)
	got := f.Emit(ir.Value{Op: ir.OpReadStrK, Imm: off, Size: n}, dst, s.addr)
	f.fault(f.Op(ir.OpLtS, got, f.Const(0)), faultBadAddr, s.addr)
	f.Jump(done)
	f.Go(done)
}

// memory makes s into bytes in memory, unless it is that already.
func (f *fn) memory(s str) str {
	if s.kind == memStr {
		return s
	}
	if s.kind == probeStr {
		return str{kind: memStr, ptr: f.probePtr(s), size: s.size, tidy: true}
	}
	buf := f.Alloca(s.size)
	f.put1(s, buf, 0, s.size, false)
	return str{kind: memStr, ptr: buf, size: s.size, tidy: s.kind == constStr || s.kind == commStr}
}

// settled is the string x as it is now: what can fail has been read.
func (f *fn) settled(x ast.Expr) str {
	s := f.str(x)
	if s.kind == readStr {
		return f.memory(s)
	}
	return s
}

// full returns a pointer to a string in at least size bytes of memory.
func (f *fn) full(s str, size int) *ir.Value {
	if s.kind == memStr && s.size >= size {
		return f.offset(s.ptr, s.off)
	}
	if s.kind == probeStr && s.size >= size {
		return f.probePtr(s)
	}
	buf := f.Alloca(size)
	f.put1(s, buf, 0, size, false)
	return buf
}

// strClass returns how many bytes the string x may take, known before it is
// lowered.
func (l *lowerer) strClass(x ast.Expr) int {
	x = ast.Unparen(x)
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
