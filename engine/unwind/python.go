package unwind

import (
	"encoding/binary"

	"dscope.dev/engine/python"
	exe "dscope.dev/probes/binary"
)

// What programs in the kernel are told of the interpreter of a process, at PyPlace behind its
// pieces of code. The key is 0 where there is none that is understood.
const (
	PyKey      = PyPlace      // address of the key of thread specific data, uint64
	PySpecific = PyPlace + 8  // in a thread, the pointers to its specific data: uint32
	PyCurrent  = PyPlace + 12 // in a thread state, uint32
	PyCFrame   = PyPlace + 16 // in a cframe, int32; -1 if there is none
	PyBytecode = PyPlace + 20 // in a code object, uint32
	PyCode     = PyPlace + 24 // in a frame, and below: uint8
	PyPrevious = PyPlace + 25
	PyInstr    = PyPlace + 26
	PyOwner    = PyPlace + 27
	PyShim     = PyPlace + 28 // an owner
	PyEntry    = PyPlace + 29
	PySize     = 32
)

// maxEval is how many bytes of code the function that evaluates has at most. It has some 50,000.
const maxEval = 1 << 20

// evaluates notes the code by which an interpreter evaluates.
func (t *table) evaluates(f *exe.File, py *python.Interpreter) {
	if py == nil || py.Layout == nil || py.Eval.High-py.Eval.Low > maxEval {
		return
	}
	code := make([]byte, py.Eval.High-py.Eval.Low)
	if n, _ := f.ReadAt(code, int64(py.Offset)); n == len(code) {
		t.eval, t.evalCode = span{py.Eval.Low, py.Eval.High}, code
	}
}

// markPython marks the rows of the function that evaluates. What of it is seldom run the compiler has put
// elsewhere, as a function without a name of its own (in a stripped file): its frame is that of the
// whole from its first instruction on, and what evaluates jumps to it.
func (t *table) markPython() {
	var body Row
	for _, f := range t.funcs {
		if f.from == t.eval.from && t.eval.to > 0 {
			body = t.widest(f)
			t.mark(f)
		}
	}
	if body == 0 {
		return
	}
	for _, f := range t.funcs {
		if f.from != t.eval.from && f.rows.from < f.rows.to && t.rows[f.rows.from].same(body) && t.jumpsTo(f.span) {
			t.mark(f)
		}
	}
}

// widest returns the row of a function that holds for most of its code.
func (t *table) widest(f fun) (body Row) {
	most := map[Row]uint32{}
	for i := f.rows.from; i+1 < f.rows.to; i++ {
		r := t.rows[i]
		key := Row(uint32(r))
		if most[key] += t.rows[i+1].Place() - r.Place(); most[key] > most[Row(uint32(body))] {
			body = r
		}
	}
	if body.Kind() != FromSP && body.Kind() != FromFP {
		return 0
	}
	return body
}

// mark marks the rows of a function that say where its frame is.
func (t *table) mark(f fun) {
	for i := f.rows.from; i < f.rows.to; i++ {
		if r := t.rows[i]; r.Kind() == FromSP || r.Kind() == FromFP {
			t.rows[i] = r | Row(Python)<<8
		}
	}
}

// jumpsTo reports whether the code that evaluates has a jump to a place. Any byte is taken for the first of
// a jump (jmp, jcc, of 32 bits); that one which is none leads there is less than likely.
func (t *table) jumpsTo(to span) bool {
	code := t.evalCode
	for i := 0; i+6 <= len(code); i++ {
		size := 5
		switch {
		case code[i] == 0xe9:
		case code[i] == 0x0f && code[i+1]&0xf0 == 0x80:
			size = 6
		default:
			continue
		}
		target := t.eval.from + uint64(i+size) + uint64(int64(int32(binary.LittleEndian.Uint32(code[i+size-4:]))))
		if to.from <= target && target < to.to {
			return true
		}
	}
	return false
}
