package machine

// arm64: struct pt_regs is that of arch/arm64/include/asm/ptrace.h. The exception level in
// pstate is 0 in user mode.
var arm64 = Machine{
	Name: "arm64",
	Words: []string{"x0", "x1", "x2", "x3", "x4", "x5", "x6", "x7", "x8", "x9", "x10", "x11", "x12", "x13", "x14", "x15",
		"x16", "x17", "x18", "x19", "x20", "x21", "x22", "x23", "x24", "x25", "x26", "x27", "x28", "x29", "x30",
		"sp", "pc", "pstate", "orig_x0", "syscallno"},
	DWARF: []string{"x0", "x1", "x2", "x3", "x4", "x5", "x6", "x7", "x8", "x9", "x10", "x11", "x12", "x13", "x14", "x15",
		"x16", "x17", "x18", "x19", "x20", "x21", "x22", "x23", "x24", "x25", "x26", "x27", "x28", "x29", "x30", "sp"},

	Regs: 34,

	Syscall: []int{0, 1, 2, 3, 4, 5},
	Call:    []int{0, 1, 2, 3, 4, 5, 6, 7},
	Result:  0,
	SP:      31,
	PC:      32,

	Number:     8 * 35, // syscallno, half a word
	NumberSize: 4,
	Mode:       33, // pstate
	UserMask:   0xf,

	Back: -1,

	Enter:   8,
	Restart: -1,
	Execve:  221,
	Trap:    []byte{0x00, 0x00, 0x20, 0xd4}, // brk #0
	Calls:   []byte{0x01, 0x00, 0x00, 0xd4}, // svc #0
}
