package codegen

import (
	"fmt"

	"github.com/cilium/ebpf"

	"dscope.dev/dlang/diag"
	"dscope.dev/dlang/ir"
	"dscope.dev/dlang/token"
	"dscope.dev/engine/codegen/walk"
	"dscope.dev/probes"
)

// A Unit is what one eBPF program serves: a hook, and the sites that share it.
// The engine groups sites into units before lowering; ir.Func.Unit is an index
// into the list.
type Unit struct {
	Hook   probes.Hook
	Sites  []*probes.Site // in ascending order of Key
	Part   bool           // of a hook of all system calls: others serve other sites of it, and a dispatcher goes on to each
	Shared bool           // a program that is attached to several hooks: Hooks
	Multi  bool           // one link attaches the program to many hooks: of User to all places of a file (6.6), of Function to all functions (5.18)
	Why    string         // why a Function is hooked as it is; "" if there is no cheaper way
	Tramp  bool           // of Function: the program is called by a trampoline, as fentry or fexit
	Hooks  []probes.Hook  // all the hooks of a shared unit; the key is the attach cookie
	Inner  []Range        // __bpf_trace_… and __traceiter_… of the tracepoint, which no stack should show; needed for caller and stackdepth
	Skip   int            // frames that these usually take
}

// A Range is the addresses of kernel code from From up to, not including, To.
type Range struct{ From, To uint64 }

// A Cred holds offsets: of the credentials in task_struct, and of the real user and group in them.
// All are 0 if they are not known.
type Cred struct{ Task, UID, GID int }

func (c Cred) known() bool { return c.Task > 0 && c.UID > 0 && c.GID > 0 }

// Features says what the running kernel offers; Object depends on it and on
// nothing else of the machine.
type Features struct {
	Arch         string         // amd64 or arm64
	CPUs         int            // one more than the greatest number of a CPU that may ever come
	RawCookie    bool           // attach cookies of raw tracepoints (6.10)
	Verifier     Quirks         // what the verifier does: see QuirksOf
	OnlyCPU      int            // one more than the number of the CPU whose firings count; 0 if all do
	InGroup      bool           // only firings of threads in a control group count, or below it: MapNames.Group
	SelfPID      int            // events of this process, as numbered in the initial pid namespace, are left out; 0 leaves out nothing
	AskerPID     int            // and of this one, if SelfPID is not 0: it shows what we trace; 0 if that is nobody
	Readers      bool           // and of those at ControlReaders, if SelfPID is not 0: they read files for us
	OwnBelow     int64          // the code of all these lies below, but for what the kernel maps into them; 0 if that is not known
	Current      CurrentTasks   // where programs read the current task, if that is cheaper than the helper
	TaskTGID     int            // offset of tgid in task_struct; if it is 0, a slower helper tells our own process
	InterruptVar uint32         // BTF id of the variable of the CPU that counts interrupts; 0 if the task counts them
	InterruptOff int            // offset of that count, in the variable or in task_struct; both are 0 if it is not known
	TaskRuntime  int            // offset of se.sum_exec_runtime in task_struct, for vtimestamp; 0 if not known
	Cred         Cred           // where the user of a process is kept; if that is not known, a slower helper tells it
	CompatStatus int            // offset in task_struct of the thread's status word, -1 if there are no 32-bit calls
	CompatMask   uint32         // the bits of it that a 32-bit call sets: TS_COMPAT on x86, TIF_32BIT on arm64
	BufSize      int            // bytes of a CPU's record buffer, a power of two of at least a page; 0 for the usual
	AggSize      int            // bytes of a CPU's part of one generation of one aggregation; 0 for the usual
	DynVarSize   int            // bytes of all associative arrays; 0 for the usual
	AggRoom      []int          // what the key of each aggregation counts for, at least; may be shorter
	Unwind       *walk.Features // nil if stacks of processes are not walked by tables
	AssocRoom    []int          // the same of each variable that is an associative array
	Handover     bool           // the programs can give up their place to another run's
	Busy         bool           // programs of the run can nest in the helpers of one another, and must not: see busy.go
	ActiveVar    uint32         // BTF id of bpf_prog_active, for Busy; 0 if it cannot be read
}

// The sizes that Features may leave out.
const (
	defaultBufSize    = 4 << 20
	defaultAggSize    = 4 << 20
	defaultDynVarSize = 4 << 20
)

// An Object is what the compiler makes of a script: programs and maps, not yet
// known to the kernel. It is the same for the same script, sites and features.
type Object struct {
	Spec    *ebpf.CollectionSpec
	Units   []*Unit
	IR      *ir.Program
	Progs   []string // Spec.Programs name of each unit; "" for ERROR, which the others call
	Entries []Entry  // what is attached, in the order of the units
	Maps    MapNames
	Buf     int // bytes of each CPU's record buffer

	script *script
	spills int // registers that are kept on the stack
}

// MapNames are the names in Spec.Maps under which the engine finds what it
// reads. Empty where the script needs none.
type MapNames struct {
	Control  string      // array, 1 entry, mmapable: see ControlStop and what follows it
	Globals  string      // array, 1 entry, mmapable: ir.GlobalVar
	Rings    string      // array of maps: one ring buffer for each CPU; the engine fills it with copies of its InnerMap
	Spare    int         // bytes of a second buffer for each CPU, behind those of all CPUs in Rings, for clauses that call exit() when the first is full; 0 if there are none
	Drops    string      // per-CPU array of uint64: one counter for each trace.DropKind, for each of OustedUnits (used if Busy is there), then see FirstNamed
	Self     string      // task storage: the cell of a thread
	Assocs   []string    // by index of ir.Vars; "" for those that are no associative arrays
	Aggs     []AggMaps   // by index of ir.Aggs
	Fronts   string      // per-CPU array, of the two generations: see Front
	Keys     string      // array, 1 entry, mmapable: see Table
	Cells    string      // array, an entry for each CPU in each generation, mmapable: see Table
	Stacks   []StackMaps // the stack trace maps
	Group    string      // array of control groups, 1 entry: that whose firings count; the engine fills it
	Busy     string      // per-CPU array of uint64, 1 entry: whether a program of any run is under way; the engine shares it between runs
	Handover string      // array, 1 entry, mmapable: HandBaton and what follows it; the engine shares it between a run and the one that takes its place
	Unwind   bool        // whether stacks are walked by tables: there are the maps of package walk
}

// AggMaps are the maps of an aggregation.
//
// With keys there are tables: one, or two if ir.Agg.Short bytes are all that is kept of keys
// that are short, which have the second. Without, there is a per-CPU array, in which the
// generation is the index. Aggregations of one pool have the same tables, and so have those
// that share cells. Front is that of all tables; there is none without keys.
type AggMaps struct {
	Array  string
	Tables []Table
	Front  Front
}

// StackMaps are the stack trace maps, one for each generation, that hold stacks
// of one kind and depth; see Name.
type StackMaps struct {
	User   bool
	Depth  int
	Walked bool // hashes of stacks that the programs have walked, by numbers of eight bytes
}

// kept returns how many frames a map of stacks that the kernel walks has room for.
func (s StackMaps) kept(o ir.Options) int {
	if s.User {
		return s.Depth
	}
	return min(s.Depth+ir.TracerFrames, mostFrames(o))
}

// Name returns the map of a generation.
func (s StackMaps) Name(gen int) string {
	kind := "stack"
	if s.User {
		kind = "ustack"
	}
	return fmt.Sprintf("%s%d_%d", kind, s.Depth, gen)
}

// The control map holds words that the engine and the programs share. These are
// the offsets, in bytes.
const (
	ControlStop = 0  // uint32: Exited, Killed or Held, then only END and ERROR fire; or Leaving or Coming
	ControlGen  = 4  // uint32: generation of aggregations that programs use, 0 or 1
	ControlWall = 8  // int64: nanoseconds of the wall clock less those of the monotonic one; the engine sets it before BEGIN
	ControlLate = 16 // int64: nanoseconds for which the engine has given no sign of life
	ControlLook = 24 // int64: when somebody looked last
	ControlMine = 32 // uint64: number of the run in a handover
	// MostReaders times uint32: numbers of processes as SelfPID is one; 0 is nobody
	ControlReaders = 40
	ControlSize    = ControlReaders + 4*MostReaders // of these; the words of TickWord come behind
)

// MostReaders is how many processes may read files for us at once.
const MostReaders = 4

// What the word at ControlStop says if it is not 0.
const (
	Exited = 1 // the script called exit()
	Killed = 2 // the probes left the machine no time for anything else
	Held   = 3 // the probes are being attached or detached

	Leaving = 4 // another run takes the place of this one; see handover.go
	Coming  = 5 // this run takes the place of another
)

// The names of the maps that a script has at most one of. They are short,
// because the kernel keeps 15 characters.
const (
	mapControl  = "control"
	mapGlobals  = "globals"
	mapRodata   = "rodata"
	mapZeros    = "zeros"
	mapFronts   = "fronts"
	mapKeys     = "keys"
	mapCells    = "cells"
	mapChill    = "chill" // per-CPU: when the second began in which was spun, and for how long
	mapRings    = "rings"
	mapDrops    = "drops"
	mapSelf     = "self"
	mapWork     = "work"
	mapBusy     = "dscope_busy"
	mapHandover = "handover"
	mapGroup    = "group"
)

// errorName is the subprogram that holds the clauses of ERROR.
const errorName = "error"

// An Error is something in the script that cannot be generated.
type Error struct {
	At  token.Span
	Msg string

	// Unit is the index of a unit whose program is so many Times as large as one may be,
	// if that is what is wrong: in parts it may do. Else Times is 0.
	Unit  int
	Times float64

	Mishap *diag.Diagnostic // a panic of the generator, made a complaint; nil for what a program cannot do
}

// Error returns the message without the place, which is for whoever shows it.
func (e *Error) Error() string { return e.Msg }
