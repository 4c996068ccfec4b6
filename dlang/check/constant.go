package check

import (
	"runtime"
	"strconv"

	"dscope.dev/dlang/types"
)

// constants holds the names that the guides give to numbers: NULL, the faults
// that an ERROR probe tells in arg4, errors, signals, and the registers of uregs[].
var constants = func() map[string]*inline {
	m := map[string]*inline{}
	add := func(name string, v int64, t types.Type) { m[name] = &inline{name: name, typ: t, value: &v} }
	add("NULL", 0, types.IntType)
	for i, name := range []string{"UNKNOWN", "BADADDR", "BADALIGN", "ILLOP", "DIVZERO", "NOSCRATCH", "KPRIV", "UPRIV",
		"TUPOFLOW", "BADSTACK", "BADSIZE", "BADINDEX"} {
		add("DTRACEFLT_"+name, int64(i), types.IntType)
	}
	for name, n := range registers() {
		add(name, int64(n), types.IntType)
	}
	for name, n := range numbered() {
		add(name, int64(n), types.IntType)
	}
	return m
}()

// frameRegs is how many registers struct pt_regs holds that can be asked for, and
// userRegs how many uregs[] has: on x86 some lie in the thread's own struct.
func frameRegs() int {
	if runtime.GOARCH == "arm64" {
		return 34
	}
	return 21
}

func userRegs() int {
	if runtime.GOARCH == "arm64" {
		return 34
	}
	return 26
}

// registers numbers the registers of this machine in the order of struct pt_regs.
func registers() map[string]int {
	m := map[string]int{}
	if runtime.GOARCH == "arm64" {
		for i := range 31 {
			m["R_X"+strconv.Itoa(i)] = i
		}
		m["R_FP"], m["R_LR"], m["R_SP"], m["R_PC"], m["R_PSTATE"], m["R_R0"] = 29, 30, 31, 32, 33, 0
		return m
	}
	for i, name := range []string{"R15", "R14", "R13", "R12", "RBP", "RBX", "R11", "R10", "R9", "R8", "RAX", "RCX", "RDX",
		"RSI", "RDI", "ERR", "RIP", "CS", "RFL", "RSP", "SS", "DS", "ES", "FS", "GS", "TRAPNO"} {
		m["R_"+name] = i
	}
	for alias, of := range map[string]string{"EBX": "RBX", "ECX": "RCX", "EDX": "RDX", "ESI": "RSI", "EDI": "RDI", "EBP": "RBP",
		"EAX": "RAX", "EIP": "RIP", "EFL": "RFL", "ESP": "RSP", "PC": "RIP", "FP": "RBP", "SP": "RSP", "PS": "RFL", "R0": "RAX", "R1": "RBX"} {
		m["R_"+alias] = m["R_"+of]
	}
	return m
}
