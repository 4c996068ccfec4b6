// Package walk writes the functions that walk stacks of processes by tables (package
// engine/unwind), because most code keeps no frame pointers. They are instructions of the
// machine, put together by hand, and know nothing of D. The walk is a subprogram, one for each
// depth:
//
//	bytes = uw20(frames, hash, ctx, room, task)
//
// It writes the addresses to frames, a zero after the last if there is room, and at hash
// what tells this stack from others; room is where it keeps what it knows of the walk. What it
// answers is what bpf_get_stack would have; and where a process is not known yet that is what
// is asked.
//
// One frame is one round of a second function, which asks by may_goto whether it may go on, or
// where the kernel cannot follow that, one call of it by bpf_loop: either way the verifier
// follows it once. The searches have no branches, for the same reason: each step adds its
// distance or nothing, by a mask.
//
// Frames of Python are found in between, see python.go.
package walk

import (
	"fmt"
	"strings"

	"github.com/cilium/ebpf"

	"dscope.dev/engine/codegen/mach"
	"dscope.dev/engine/unwind"
)

// Features are offsets of task_struct that tell processes apart.
type Features struct {
	TGID   int // tgid
	ExecID int // self_exec_id
	Leader int // group_leader
	Start  int // start_boottime
	FSBase int // thread.fsbase, where a thread's own data are; 0 if frames of Python are not looked for
}

// The names of the maps that stacks are walked by.
const (
	MapProcs  = "uw_procs"
	MapRows   = "uw_rows"
	MapMisses = "uw_misses"
)

// prefix begins the names of the subprograms.
const prefix = "uw"

// Name names the subprogram that walks stacks of a depth.
func Name(depth int) string { return fmt.Sprintf("%s%d", prefix, depth) }

// Is reports whether a subprogram is one of these, and of what depth.
func Is(name string) (depth int, ok bool) {
	if !strings.HasPrefix(name, prefix) {
		return 0, false
	}
	n, err := fmt.Sscanf(name, prefix+"%d", &depth)
	return depth, err == nil && n == 1 && name == Name(depth)
}

// Funcs returns the functions that walk stacks of a depth. asks tells that the kernel can follow
// loops that ask by may_goto whether they may go on.
func Funcs(depth int, f *Features, asks bool) []*mach.Func {
	w := &walker{f: f, name: Name(depth), depth: int32(depth), asks: asks}
	step, hash, extra := w.name+"s", w.name+"h", 0
	if asks {
		extra = mach.MayGotoStack
	}
	return []*mach.Func{
		{Name: w.name, Frame: walkFrame, Calls: []string{step, hash}, Code: w.outer(step, hash)},
		{Name: step, Frame: stepFrame, Extra: extra, Code: w.step(step)},
		{Name: hash, Frame: 8, Code: w.hash(hash)},
	}
}

// userStack and noPrealloc are BPF_F_USER_STACK and BPF_F_NO_PREALLOC.
const (
	userStack  = 1 << 8
	noPrealloc = 1 << 0
)

// Maps describes the maps that stacks are walked by.
func Maps(add func(string, *ebpf.MapSpec) string) {
	const processes = 4096
	add(MapProcs, &ebpf.MapSpec{Type: ebpf.Hash, KeySize: 4, ValueSize: unwind.ProcSize, MaxEntries: processes, Flags: noPrealloc})
	add(MapRows, &ebpf.MapSpec{Type: ebpf.ArrayOfMaps, KeySize: 4, ValueSize: 4, MaxEntries: unwind.MaxShards, InnerMap: Shard()})
	add(MapMisses, &ebpf.MapSpec{Type: ebpf.Hash, KeySize: 4, ValueSize: unwind.MissSize, MaxEntries: processes})
}

// Shard describes a shard of rows.
func Shard() *ebpf.MapSpec {
	return &ebpf.MapSpec{Name: "uw_shard", Type: ebpf.Array, KeySize: 4, ValueSize: unwind.ShardSize, MaxEntries: 1}
}
