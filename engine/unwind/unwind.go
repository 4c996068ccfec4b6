// Package unwind lets programs in the kernel walk the stacks of processes that keep
// no frame pointers, as most of what distributions ship, the C library above all.
//
// # The way
//
// The kernel's own walk follows the chain of frame pointers. Where a compiler has
// taken that register for something better, the chain lacks callers or ends. What
// every binary does have is .eh_frame, the table that exceptions are thrown by: at each
// address, how far the caller's frame is from the stack pointer and where the
// caller's registers are. Here it is read once per file, cut down to what matters
// (Row: eight bytes per change; programs of Go have a table of their own, golang.go), and put into maps, where a program looks up one
// frame after another (package codegen, unwind.go).
//
//	procs   tgid → its start, and up to 256 pieces of code: address, length, where their rows are; its interpreter
//	rows    number → a shard of 32,768 units of eight bytes: pieces (store.go)
//	misses  tgid → what a program met and could not look up
//
// A piece of a file is an index and its rows, ascending by their place, which counts
// from the piece's beginning. The index has the row that holds where each block of
// 64 bytes of code begins, and no block has more than 31 rows; so a row is found with
// one look into the index and six at most, mostly four, into rows that lie side by side.
//
// Where a process runs a Python that package python understands, the rows of the function by
// which it evaluates are marked, and its entry says where the interpreter's own frames are
// (python.go). Code that Python makes to call its functions through has rows, too (trampoline_linux.go).
//
// A Tables fills the maps. It hears from the kernel of new processes and of code that one
// maps (run_linux.go), and of the others when a program has missed them: until that is
// looked at, some milliseconds later, the kernel walks the stacks; of what that walk takes for callers, those are
// shown that lie in code (symbol.Table.Believe), and how many processes that was is told at the end (Late). Processes that are there before a run begins
// can be added at once (Add). A process
// that has executed another program, or another process of the same number, is
// told apart by the count of its executions and the time of its start.
//
// # How far it reaches
//
// x86-64, code of 64 bits. Understood are frames at a distance from the stack pointer
// or the frame pointer, the stubs of procedure linkage tables, stacks that were aligned
// anew (the frame's address lies at the frame pointer), and frames of signals.
// Any other expression, and code without a table (generated at run time), is walked by frame pointer from there; if there is none
// either, the stack ends. An address to return to that the kernel has replaced, because
// a return probe waits for the function, ends the stack likewise. On arm64 distributions build with frame pointers, and the
// kernel's walk serves.
//
// # What it costs
//
// Reading the memory of a process is what takes longest, some 60 ns each time; so a walk
// reads 512 bytes of the stack at once and finds most frames there. All else for a
// frame takes some 20 ns. A stack of 29 frames as a key takes 1.1 µs, where the
// kernel's own walk along frame pointers takes 1.65 (BenchmarkStacks in engine); of one or two
// frames 0.1 µs more than that. Samples come a millisecond apart, and what they look at
// has left the caches by then; so a search looks at no more lines of memory than it must. Reading the table of the C library takes 16 ms, once.
// A file's rows take eight bytes each and their index a byte for 32 of code (libc: 28,000
// rows, 270 KB), a process 6 KiB. A stack with 20 frames of Python takes 3 µs, where the
// frames of C alone took 0.8 (BenchmarkPythonStacks). Option nounwind leaves the walk to the kernel.
package unwind

// A Row says how to leave a function from some place in a file on, up to the next row.
//
//	| place in the file or piece: 32 bits | distance of the frame: 16 | kind: 8 | frame pointer: 8 |
//
// Both distances count words of eight bytes and have a sign. The frame is where the
// stack pointer was before the call: the return address lies just below it.
// The frame pointer's is where the caller's was saved, counted from the frame; 0 if it is
// still in its register.
type Row uint64

// A Kind is how the frame is found.
type Kind uint8

// The kinds. Package codegen knows them by number.
const (
	FromSP    Kind = iota // at a distance from the stack pointer
	FromFP                // at a distance from the frame pointer
	End                   // there is no caller
	Unknown               // by an expression that is not understood, or not at all
	Stub                  // of a procedure linkage table: the stack pointer plus 8, plus 8 more from its middle on
	Signal                // the kernel has put all registers on the stack
	Realigned             // the address lies at a distance from the frame pointer, which was saved where it points
	Switched              // at a distance from the frame pointer, on another stack

	// Python is a mark on FromSP or FromFP: this is where Python evaluates its functions, and
	// what they are is told by the interpreter's own frames (package python).
	Python Kind = 1 << 6
)

// MakeRow puts a row together.
func MakeRow(place uint32, kind Kind, frame int16, fp int8) Row {
	return Row(uint64(place)<<32 | uint64(uint16(frame))<<16 | uint64(kind)<<8 | uint64(uint8(fp)))
}

// Place returns where the row begins to hold, in bytes from the beginning of the file,
// or, in the maps, of the piece.
func (r Row) Place() uint32 { return uint32(r >> 32) }

// Kind returns how the frame is found.
func (r Row) Kind() Kind { return Kind(r >> 8) }

// Frame returns the distance of the frame in words.
func (r Row) Frame() int16 { return int16(r >> 16) }

// FP returns where the frame pointer was saved, in words from the frame.
func (r Row) FP() int8 { return int8(r) }

// same reports whether two rows differ in nothing but their place.
func (r Row) same(s Row) bool { return uint32(r) == uint32(s) }

// The sizes of what lies in the maps, for package codegen too.
const (
	MaxPieces  = 256     // of code of one process; a power of two
	ShardUnits = 1 << 15 // eight bytes each
	MaxShards  = 1 << 10

	BlockShift = 6  // a block of code is 64 bytes
	BlockRows  = 31 // rows that begin in a block, one less than a power of two

	HeadSize  = 16                             // start uint64, executions uint32, pieces uint32
	EntrySize = 24                             // address uint64, length uint32, place in the piece uint32, shard uint16, unit of the index uint16, last block uint32
	PyPlace   = HeadSize + MaxPieces*EntrySize // where the interpreter's frames are found: python.go
	ProcSize  = PyPlace + PySize
	ShardSize = 8 * (ShardUnits + BlockRows + 1) // so that what lies behind any unit can be read
	MissSize  = 16                               // start uint64, executions uint32, padding

	AnyExec = 1<<32 - 1  // executions of a process that was added without having been missed
	Tick    = 10_000_000 // nanoseconds: the start of a process is told in hundredths of a second
)
