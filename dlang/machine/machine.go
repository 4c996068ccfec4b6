// Package machine knows the processors that dscope traces, one file each: the words of
// struct pt_regs, in which the kernel keeps the registers of what it interrupted, which of
// them hold what a call hands over, and how code calls the kernel. Whoever reads a register
// asks here.
package machine

import (
	"runtime"
	"slices"
)

// A Machine is a family of processors.
type Machine struct {
	Name string // as Go calls it

	Words []string // what the words of struct pt_regs are, as its declaration names them
	DWARF []string // the registers that debug information numbers, named as Words are

	Regs   int      // how many registers regs[] has, and uregs[] before those of Thread
	Thread []string // the members of task_struct.thread that uregs[] goes on with

	Syscall []int // words of the arguments of a system call
	Call    []int // of those of a function, as far as they are in registers
	Result  int   // of what a function returns
	SP, PC  int   // of the stack pointer and the program counter
	Pushed  int64 // bytes by which the first argument on the stack lies above the stack pointer as a function begins

	Number     int64 // offset in struct pt_regs of the number of a system call, as its return finds it
	NumberSize int   // bytes of it
	Mode       int   // the word that tells user from kernel mode
	UserMask   int64 // the bits of it that do
	UserSet    bool  // whether user mode has some of them set, rather than all clear

	Back int      // the word that is the program counter once more after a call of the machine's own width; -1 if none is
	VDSO []uint32 // the calls that code may make which the kernel maps into a process

	Enter   int    // the word in which code puts the number of a system call
	Restart int    // the word that says that a call is to be restarted; -1 if there is none
	Execve  uint64 // number of execve(2)
	Trap    []byte // the instruction at which a tracer is told
	Behind  bool   // whether the program counter is behind it then
	Calls   []byte // the instruction that calls the kernel
}

// Of returns the machine of that name, nil if dscope does not trace it.
func Of(name string) *Machine {
	for _, m := range []*Machine{&amd64, &arm64} {
		if m.Name == name {
			return m
		}
	}
	return nil
}

// Here returns the machine that scripts are for: the one that compiles them, for a script that
// runs elsewhere is compiled there. On one that dscope does not trace, where scripts can be
// checked all the same, it is x86-64.
func Here() *Machine {
	if m := Of(runtime.GOARCH); m != nil {
		return m
	}
	return &amd64
}

// AMD64 returns x86-64.
func AMD64() *Machine { return &amd64 }

// ARM64 returns the 64-bit machines of Arm.
func ARM64() *Machine { return &arm64 }

// Word returns which word of struct pt_regs is called so, -1 if none is.
func (m *Machine) Word(name string) int { return slices.Index(m.Words, name) }

// Register returns the word of a register that code computes with, -1 if none is called so.
func (m *Machine) Register(name string) int { return m.OfDWARF(slices.Index(m.DWARF, name)) }

// OfDWARF returns the word of a register that debug information numbers n, -1 if the kernel
// saves no such.
func (m *Machine) OfDWARF(n int) int {
	if n < 0 || n >= len(m.DWARF) {
		return -1
	}
	return m.Word(m.DWARF[n])
}
