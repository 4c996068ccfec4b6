package python

import (
	"golang.org/x/arch/x86/x86asm"

	exe "dscope.dev/probes/binary"
)

// Where the key of thread specific data lies in the runtime depends on much that comes before
// it, and on more than the version. PyGILState_GetThisThreadState reads the key and little
// else: where its code says that it is, it is.
const (
	symThisThread = "PyGILState_GetThisThreadState"
	maxThisThread = 64 // bytes of it that are looked at
)

// readKey returns where in the runtime the key is by the code of a function that reads it, or
// what is believed if that says nothing.
func readKey(f *exe.File, runtime, function exe.Range, believed uint32) uint32 {
	code := make([]byte, min(function.High-function.Low, maxThisThread))
	if function.Low == 0 || !readAt(f, function.Low, code) {
		return believed
	}
	return keyIn(code, function.Low, runtime, believed)
}

// keyIn is readKey of code that lies at an address.
func keyIn(code []byte, at uint64, runtime exe.Range, key uint32) uint32 {
	for len(code) > 0 {
		in, err := x86asm.Decode(code, 64)
		if err != nil {
			break
		}
		at, code = at+uint64(in.Len), code[in.Len:]
		off, ok := into(&in, at, runtime)
		switch {
		case !ok:
		case in.Op == x86asm.LEA, in.Args[0] == x86asm.EDI && isImm(in.Args[1]): // the address of the whole
			key = off
		case in.Op == x86asm.MOV && in.Args[0] == x86asm.EDI: // the key alone, for pthread_getspecific
			key = off - 4
		}
	}
	return key
}

// into returns how far into the runtime the second operand of an instruction leads, which
// ends at an address. A register is taken for one that holds the address of the runtime, from the table
// by which libraries find what they have in common.
func into(in *x86asm.Inst, end uint64, runtime exe.Range) (off uint32, ok bool) {
	var at uint64
	switch a := in.Args[1].(type) {
	case x86asm.Imm:
		at = uint64(a)
	case x86asm.Mem:
		switch {
		case a.Index != 0:
			return 0, false
		case a.Base == x86asm.RIP:
			at = end + uint64(a.Disp)
		case a.Base != 0:
			at = runtime.Low + uint64(a.Disp)
		default:
			at = uint64(a.Disp)
		}
	default:
		return 0, false
	}
	if at <= runtime.Low || at >= runtime.High || at-runtime.Low > 1<<20 {
		return 0, false
	}
	return uint32(at - runtime.Low), true
}

func isImm(a x86asm.Arg) bool {
	_, ok := a.(x86asm.Imm)
	return ok
}
