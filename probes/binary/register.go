package binary

import "debug/elf"

// RegisterName returns the name of the register that DWARF numbers reg on a
// machine, as struct pt_regs of the kernel spells it (without the r of x86-64's older
// ones: di, si, ax, r8; x0 … x30 and sp on arm64), or "" if it has no such.
func RegisterName(m elf.Machine, reg int) string {
	switch {
	case m == elf.EM_X86_64 && reg >= 0 && reg <= 16:
		return [...]string{"ax", "dx", "cx", "bx", "si", "di", "bp", "sp",
			"r8", "r9", "r10", "r11", "r12", "r13", "r14", "r15", "ip"}[reg]
	case m == elf.EM_AARCH64 && reg >= 0 && reg <= 31:
		return [...]string{"x0", "x1", "x2", "x3", "x4", "x5", "x6", "x7", "x8", "x9", "x10", "x11", "x12", "x13", "x14", "x15",
			"x16", "x17", "x18", "x19", "x20", "x21", "x22", "x23", "x24", "x25", "x26", "x27", "x28", "x29", "x30", "sp"}[reg]
	}
	return ""
}
