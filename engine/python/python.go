// Package python knows how CPython keeps the frames of its functions, so that they can
// be told from outside, of a process that was started as usual.
//
// # What is where
//
// Since 3.11 the interpreter runs a function that is called by another in the same C function,
// _PyEval_EvalFrameDefault, without a call of C; so a stack of C frames says little. Its
// own frames are a chain:
//
//	thread specific data ─► thread state ─(3.11, 3.12: ► cframe)─► frame ─► previous frame ─► …
//
// A frame names its code object and the instruction that it is at. The frame that a C frame of
// the evaluation began with is marked (3.11), or followed by one that lies on the C stack
// and stands for no function (3.12 on).
//
// Thread specific data, and not a variable of the runtime, leads to the thread state: that
// is right also for a thread that waits for the interpreter's lock, and is what
// PyGILState_GetThisThreadState reads. Where it lies in a thread is said by the tables that
// the C library keeps for debuggers (libthread_db).
//
// # Who does what
//
// Package unwind tells programs in the kernel where all that is, for each process; package
// codegen follows the chain while it walks the stack, and puts a mark where the frame of the
// evaluation would be: the address of a code object and the number of its instruction, in one
// word that no address of a process looks like (mark.go). Stacks travel as before, in keys and
// records. Package symbol has the mark read: the name, the file and, by the table of lines,
// the line.
//
// # How far it reaches
//
// CPython 3.11, 3.12 and 3.13 as they are usually built, on x86-64 and glibc; no debug
// builds, and none without the global lock. Other versions, other libraries of C and other
// interpreters are not understood, and their stacks are shown as C has them. So is a function
// whose code object is no more when it is looked at, but for its place: of a process that has
// ended, or of code that is compiled, run once and forgotten. Between the
// instructions by which an evaluation begins, and by which it ends, the chain does not fit the
// stack of C: of one sample in some hundreds the functions are shown at another frame of C.
//
// All that is read here is data of a process, which can be anything: every read is
// bounded, and what makes no sense has no name.
package python

import (
	"encoding/binary"
	"fmt"
	"path"
	"strings"

	exe "dscope.dev/probes/binary"
)

// An Interpreter is a file that CPython is in: the program, or libpython.
type Interpreter struct {
	Major, Minor int
	Runtime      uint64    // address of _PyRuntime in the file
	CodeType     uint64    // of PyCode_Type
	Eval         exe.Range // _PyEval_EvalFrameDefault
	Offset       uint64    // of its code in the file
	Layout       *Layout   // nil if this version, or its build, is not understood
}

// The symbols that are looked for. A debug build has the last one, and other structures.
const (
	symRuntime  = "_PyRuntime"
	symVersion  = "Py_Version" // from 3.11 on
	symCodeType = "PyCode_Type"
	symDebug    = "_Py_NegativeRefcount"
)

// Evaluates is the function of C that evaluates functions of Python, in all versions.
const Evaluates = "_PyEval_EvalFrameDefault"

// Of returns the interpreter that is in a file, nil if there is none from 3.11 on.
func Of(f *exe.File) (in *Interpreter) {
	defer func() {
		if recover() != nil { // what is called is hardened, but this runs as root
			in = nil
		}
	}()
	at := f.Exported(symRuntime, symVersion, Evaluates, symCodeType, symDebug, symThisThread)
	runtime, version, eval, codeType := at[symRuntime], at[symVersion], at[Evaluates], at[symCodeType]
	if runtime.Low == 0 || version.Low == 0 || eval.Low >= eval.High || codeType.Low == 0 {
		return nil
	}
	var b [8]byte
	if !readAt(f, version.Low, b[:]) {
		return nil
	}
	hex := binary.LittleEndian.Uint64(b[:]) // PY_VERSION_HEX
	off, ok := f.Offset(eval.Low)
	if !ok {
		return nil
	}
	in = &Interpreter{Major: int(hex >> 24 & 0xff), Minor: int(hex >> 16 & 0xff),
		Runtime: runtime.Low, CodeType: codeType.Low, Eval: eval, Offset: off}
	if _, debug := at[symDebug]; !debug {
		in.Layout = layoutOf(in, f)
	}
	if in.Layout != nil {
		in.Layout.Key = readKey(f, runtime, at[symThisThread], in.Layout.Key)
	}
	return in
}

// Believe returns an interpreter that another process has found in a file, with what is known
// here of its version: of the layout only the key is that process's to say. It may be nil.
func Believe(in *Interpreter) *Interpreter {
	if in == nil || in.Layout == nil {
		return in
	}
	l, ok := layouts[[2]int{in.Major, in.Minor}]
	out := *in
	if l.Key = in.Layout.Key; ok {
		out.Layout = &l
	} else {
		out.Layout = nil
	}
	return &out
}

// String returns what the interpreter is called: Python 3.11.
func (in *Interpreter) String() string { return fmt.Sprintf("Python %d.%d", in.Major, in.Minor) }

// readAt reads what a file has at an address.
func readAt(f *exe.File, addr uint64, b []byte) bool {
	off, ok := f.Offset(addr)
	if !ok {
		return false
	}
	n, err := f.ReadAt(b, int64(off))
	return err == nil && n == len(b)
}

// Bias returns how far from the addresses of its file the interpreter was loaded by a process that has mapped
// the code from an offset of the file on from start to end; ok is false if that is other code.
func (in *Interpreter) Bias(start, end, offset uint64) (bias uint64, ok bool) {
	if in.Offset < offset || in.Offset-offset >= end-start {
		return 0, false
	}
	return start + in.Offset - offset - in.Eval.Low, true
}

// Specific returns where in a thread the pointers to its specific data are, by the tables of
// a C library for debuggers; 0 if f is none, or not glibc.
func Specific(f *exe.File) uint32 {
	const symbol = "_thread_db_pthread_specific" // three numbers: bits, how many, where
	addr := f.Exported(symbol)[symbol].Low
	if addr == 0 && strings.HasPrefix(path.Base(f.Path()), "libpthread") { // which has it before 2.34, and gives it to nobody
		addr, _ = f.SymbolAddress(symbol)
	}
	var b [12]byte
	if addr == 0 || !readAt(f, addr, b[:]) {
		return 0
	}
	at := binary.LittleEndian.Uint32(b[8:])
	if at%8 != 0 || at > 1<<14 {
		return 0
	}
	return at
}
