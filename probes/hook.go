package probes

// A Hook is a way in which the kernel calls a program. Hooks are compared:
// equal hooks are one attachment.
type Hook struct {
	Kind   HookKind
	Target string // the tracepoint, or the function; "begin", "end", "error" for Test; the probe's name for Timer, where tick-1 and tick-1s are two
	Every  uint64 // of a Timer: nanoseconds between two firings; of a Counter: events
	PerCPU bool   // of a Timer or Counter: whether every CPU fires, or just one
	Module string // of a Function or Instruction: vmlinux or the kernel module
	Select Select

	Type   uint32 // of a Counter: the event, as perf_event_open(2) has it
	Config uint64 // with Type
	Mode   Mode   // of a Counter: in which modes of the processor it counts

	File      string // of User: the path by which the binary is opened
	Offset    uint64 // of User: where the instruction lies in the file; of an Instruction: bytes from the start of the function
	Return    bool   // whether what fires is not the call but that it returns
	AtEnd     bool   // of User that returns: Offset is that of the instruction that does, not of the function's first
	PID       int    // of User: the process; 0 is every process
	Semaphore uint64 // of User: where in the file the counter lies that the kernel keeps above 0 while the probe is enabled; 0 if there is none
}

// A Mode is a set of the modes of the processor.
type Mode uint8

// The modes.
const (
	UserMode Mode = 1 << iota
	KernelMode
)

// A HookKind is the mechanism of a Hook.
type HookKind uint8

// The hooks.
const (
	// Test programs run when the engine asks the kernel for a test run of them.
	Test HookKind = iota

	// Tracepoint programs run at a kernel tracepoint: with BTF where one program
	// serves one tracepoint, raw where one program serves many.
	Tracepoint

	// Timer programs run from a software clock event of perf.
	Timer

	// User programs run where a process executes an instruction of a file, or
	// where the function that begins there returns.
	User

	// Function programs run as a function of the kernel is entered or returns:
	// by a trampoline, a kprobe of many functions, or one of its own.
	Function

	// Instruction programs run before one instruction of a function of the kernel.
	Instruction

	// Counter programs run from an event of perf that has happened so often.
	Counter
)

// Looks returns how often the clock of a Timer looks for each time that the hook fires.
// The kernel passes the program of a clock by, and tells nobody, if the CPU is inside that
// of a function of the kernel, or a thread of it inside a table of programs
// (bpf_prog_active in bpf_overflow_handler). A hook of one CPU that is to fire at its time
// therefore looks every 10 ms, or a thousand times if that is less: then what was passed by
// is late and not lost. What fires more often than every 20 ms has no looks to spare.
func (h Hook) Looks() uint64 {
	const every, most = 10_000_000, 1000
	if h.Kind != Timer || h.PerCPU {
		return 1
	}
	return max(1, min(h.Every/every, most))
}

// Select is how a program tells which site fired.
type Select uint8

// The ways to tell.
const (
	// Sole hooks have one site.
	Sole Select = iota

	// BySyscall hooks are sys_enter and sys_exit: Key is the number of the system
	// call in the machine's native ABI. Calls by another ABI (32-bit, x32)
	// bear other numbers and must be told apart before Key is compared.
	BySyscall
)

// Where raw arguments lie follows from the hook:
//
//	Test        arg0… are the words given to the test run
//	Tracepoint  arg0… are the tracepoint's own arguments
//	sys_enter   arg0… are the call's arguments, in the saved registers
//	sys_exit    arg0 and arg1 are both the value returned
//	Counter     as Timer
//	Timer       arg0 is the kernel's program counter or 0, arg1 the process's or 0
//	User        arg0… are the words that a function is called with: in registers,
//	            those that do not fit there on the stack; if it is about a
//	            return, arg0 and arg1 are both the value returned
//	Function    arg0… are the words of the function's parameters; where it returns,
//	            arg1 is what it returns, and arg0 is -1: no hook of Linux tells
//	            from which instruction it returned
//	Instruction there are none, but where a function begins that was inlined there:
//	            Operands then say where its parameters lie
