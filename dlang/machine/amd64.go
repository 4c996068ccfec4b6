package machine

// amd64 is x86-64: struct pt_regs is that of arch/x86/include/uapi/asm/ptrace.h. The two low
// bits of cs are the privilege level. Functions take cx where system calls take r10, and find
// the address of the caller on top of the stack.
var amd64 = Machine{
	Name: "amd64",
	Words: []string{"r15", "r14", "r13", "r12", "bp", "bx", "r11", "r10", "r9", "r8", "ax", "cx", "dx", "si", "di",
		"orig_ax", "ip", "cs", "flags", "sp", "ss"},
	DWARF: []string{"ax", "dx", "cx", "bx", "si", "di", "bp", "sp", "r8", "r9", "r10", "r11", "r12", "r13", "r14", "r15", "ip"},

	Regs:   21,
	Thread: []string{"ds", "ds", "fsbase", "gsbase", "trap_nr"}, // es is read as ds is: Linux keeps one of them

	Syscall: []int{14, 13, 12, 7, 9, 8},  // di si dx r10 r8 r9
	Call:    []int{14, 13, 12, 11, 9, 8}, // di si dx cx r8 r9
	Result:  10,                          // ax
	SP:      19,
	PC:      16,
	Pushed:  8,

	Number:     8 * 15, // orig_ax
	NumberSize: 8,
	Mode:       17, // cs
	UserMask:   3,
	UserSet:    true,

	Back: 11,                          // cx: where SYSCALL puts the address behind it, and no other way into the kernel does
	VDSO: []uint32{96, 228, 229, 318}, // gettimeofday, clock_gettime, clock_getres, getrandom

	Enter:   10, // ax
	Restart: 15, // orig_ax
	Execve:  59,
	Trap:    []byte{0xcc}, // int3
	Behind:  true,
	Calls:   []byte{0x0f, 0x05}, // syscall
}

// The bits of the flags of x86 that jumps go by.
const (
	Carry    = 0
	Parity   = 2
	Zero     = 6
	Sign     = 7
	Overflow = 11
)
