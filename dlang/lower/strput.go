package lower

import (
	"encoding/binary"

	"dscope.dev/dlang/ast"
	"dscope.dev/dlang/ir"
	"dscope.dev/dlang/linux"
)

// putStr writes s to dst + off, where size bytes may be written. With pad, all
// bytes behind the terminator become zero too, so that equal strings are equal
// bytes. What may be longer than size is cut.
func (f *fn) putStr(s str, dst *ir.Value, off int64, size int, pad bool) {
	switch s.kind {
	case constStr:
		f.putConst(s.text, dst, off, size, pad)
	case commStr:
		f.putComm(dst, off, size, pad)
	case probeStr:
		f.copyMem(dst, off, f.probePtr(s), 0, min(size, s.size))
		if f.uneven() && f.strLimit() <= size {
			f.cut(dst, off)
		}
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
		if 8*i < size {
			f.Store(dst, off+int64(8*i), 8, w)
		}
	}
	if f.strLimit() < commSize {
		f.cut(dst, off)
		f.zeroBehind(dst, off, pad)
	}
	if pad && size > commSize {
		f.zero(dst, off+commSize, size-commSize)
	}
}

// cut ends a string where the longest strings end.
func (f *fn) cut(dst *ir.Value, off int64) {
	f.Store(dst, off+int64(f.strLimit()-1), 1, f.Const(0))
}

// uneven reports whether the memory for a string is larger than a string, so that
// filling it would make the string too long.
func (f *fn) uneven() bool { return f.strLimit() < f.strSize() }

// zeroBehind makes the bytes of the last word of the longest string zero that lie
// behind it.
func (f *fn) zeroBehind(dst *ir.Value, off int64, pad bool) {
	if !pad {
		return
	}
	for n := f.strLimit(); n < f.strSize(); n++ {
		f.Store(dst, off+int64(n), 1, f.Const(0))
	}
}

// comm returns the words of the name of the process.
func (f *fn) comm() [2]*ir.Value {
	off, _ := f.target.Offset(linux.TaskComm)
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
	case scriptSpace:
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

// readScratchStr reads a string from an address that most likely lies in memory
// of the script.
func (f *fn) readScratchStr(s str, dst *ir.Value, off int64, n int) {
	f.locate(s.addr, sized{most: n}, finding{
		least:  1,
		here:   func(p *ir.Value) { f.Emit(ir.Value{Op: ir.OpReadStrK, Imm: off, Size: n}, dst, p) },
		absent: func() { f.Store(dst, off, 1, f.Const(0)) },
		nowhere: func() {
			got := f.Emit(ir.Value{Op: ir.OpReadStrK, Imm: off, Size: n}, dst, s.addr)
			f.fault(f.Op(ir.OpLtS, got, f.Const(0)), faultBadAddr, s.addr)
		},
	})
}

// memory makes s into bytes in memory, unless it is that already.
func (f *fn) memory(s str) str {
	if s.kind == memStr {
		return s
	}
	if s.kind == probeStr && !f.uneven() {
		return str{kind: memStr, ptr: f.probePtr(s), size: s.size, tidy: true}
	}
	buf := f.Alloca(s.size)
	f.putStr(s, buf, 0, s.size, false)
	return str{kind: memStr, ptr: buf, size: s.size, null: s.null, tidy: s.kind == constStr || s.kind == commStr && f.strLimit() >= commSize}
}

// settled is the string x, or NULL, as it is before what is computed later: what can fail has been
// read.
func (f *fn) settled(x ast.Expr, later ...ast.Expr) str {
	s := f.before(x, later...)
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
	if s.kind == probeStr && s.size >= size && !f.uneven() {
		return f.probePtr(s)
	}
	buf := f.Alloca(size)
	f.putStr(s, buf, 0, size, false)
	return buf
}
