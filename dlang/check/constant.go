package check

import (
	"runtime"

	"dscope.dev/dlang/types"
)

// constants holds the names of numbers that D has even without its library.
var constants = func() map[string]*inline {
	null := int64(0)
	return map[string]*inline{"NULL": {name: "NULL", typ: types.IntType, value: &null}}
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
