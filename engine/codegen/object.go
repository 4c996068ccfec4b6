package codegen

import (
	"github.com/cilium/ebpf"

	"dscope.dev/dlang/ir"
	"dscope.dev/probes"
)

// A Unit is what one eBPF program serves: a hook, and the sites that share it.
// The engine groups sites into units before lowering; ir.Func.Unit is an index
// into the list.
type Unit struct {
	Hook   probes.Hook
	Sites  []*probes.Site // in ascending order of Key
	Shared bool           // a raw tracepoint program that is attached to several tracepoints: Hooks
	Hooks  []probes.Hook  // all the hooks of a shared unit; the key is the attach cookie
	Sleep  bool           // reserved for hooks whose programs may be preempted by themselves
}

// Features says what the running kernel offers; Object depends on it and on
// nothing else of the machine.
type Features struct {
	CPUs         int  // possible CPUs
	RawCookie    bool // attach cookies of raw tracepoints (6.10)
	SelfPID      int  // events of this process are left out; 0 leaves out nothing
	CompatStatus int  // offset in task_struct of the thread's status word, -1 if there are no 32-bit calls
	CompatMask   uint32
	BufSize      int // bytes of a CPU's record buffer, a power of two
	AggSize      int // bytes of a CPU's part of one aggregation
	DynVarSize   int // bytes of all associative arrays
}

// An Object is what the compiler makes of a script: programs and maps, not yet
// known to the kernel. It is the same for the same script, sites and features.
type Object struct {
	Spec  *ebpf.CollectionSpec
	Units []*Unit
	IR    *ir.Program
	Progs []string // Spec.Programs name of each unit
	Maps  MapNames
	Buf   int // bytes of each CPU's record buffer
}

// MapNames are the names in Spec.Maps under which the engine finds what it
// reads. Empty where the script needs none.
type MapNames struct {
	Control string   // array, 1 entry, mmapable: see Control
	Globals string   // array, 1 entry, mmapable: ir.GlobalVar
	Rings   string   // array of maps: one ring buffer for each CPU; the engine fills it
	Ring    string   // the ring buffer that is copied for each CPU
	Drops   string   // per-CPU array: one counter for each trace.DropKind
	Aggs    []string // one for each ir.Agg: per-CPU hashes "agg0_0" of generation 0; add 1 for the other
	Stacks  []string // stack trace maps of the two generations, by kernel and user
}
