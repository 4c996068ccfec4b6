package binary

import (
	"debug/elf"

	"dscope.dev/dlang/machine"
)

// RegisterName returns the name of the register that DWARF numbers reg on a
// machine, as struct pt_regs of the kernel spells it (without the r of x86-64's older
// ones: di, si, ax, r8; x0 … x30 and sp on arm64), or "" if it has no such.
func RegisterName(m elf.Machine, reg int) string {
	var of *machine.Machine
	switch m {
	case elf.EM_X86_64:
		of = machine.AMD64()
	case elf.EM_AARCH64:
		of = machine.ARM64()
	}
	if of == nil || reg < 0 || reg >= len(of.DWARF) {
		return ""
	}
	return of.DWARF[reg]
}
