package codegen

import (
	"fmt"
	"slices"
	"strings"

	"github.com/cilium/ebpf"
	"github.com/cilium/ebpf/asm"

	"dscope.dev/dlang/ir"
	"dscope.dev/dlang/token"
	"dscope.dev/engine/codegen/mach"
	"dscope.dev/engine/unwind"
)

// Stacks of processes are walked by tables (package unwind), because most code keeps
// no frame pointers. The walk is a subprogram, one for each depth:
//
//	bytes = uw20(frames, hash, ctx, room)
//
// It writes the addresses to frames, a zero after the last if there is room, and at
// hash what tells this stack from others; room is where it keeps what it knows of the walk. What it answers is what bpf_get_stack
// would have; and where a process is not known yet that is what is asked.
//
// One frame is one call of a second function by bpf_loop, so that the verifier follows
// it once. The searches have no branches, for the same reason: each step adds its
// distance or nothing, by a mask.
//
// Stacks that are keys are kept in hashes of our own by that hash, of 63 bits, since
// the kernel's stack maps take only what the kernel has walked.

// UnwindFeatures are offsets of task_struct that tell processes apart.
type UnwindFeatures struct {
	ExecID int // self_exec_id
	Leader int // group_leader
	Start  int // start_boottime
	FSBase int // thread.fsbase, where a thread's own data are; 0 if frames of Python are not looked for
}

// The names of the maps that stacks are walked by.
const (
	mapUwProcs  = "uw_procs"
	mapUwRows   = "uw_rows"
	mapUwMisses = "uw_misses"

	// UnwindProcs, UnwindRows and UnwindMisses are their names in Object.Spec.Maps.
	UnwindProcs, UnwindRows, UnwindMisses = mapUwProcs, mapUwRows, mapUwMisses
)

// unwindPrefix begins the names of the subprograms.
const unwindPrefix = "uw"

// unwindName names the subprogram that walks stacks of a depth.
func unwindName(depth int) string { return fmt.Sprintf("%s%d", unwindPrefix, depth) }

// isUnwind reports whether a subprogram is one of these, and of what depth.
func isUnwind(name string) (depth int, ok bool) {
	if !strings.HasPrefix(name, unwindPrefix) {
		return 0, false
	}
	n, err := fmt.Sscanf(name, unwindPrefix+"%d", &depth)
	return depth, err == nil && n == 1 && name == unwindName(depth)
}

// unwinds reports whether the stacks of processes are walked by tables.
func (g *generator) unwinds() bool { return g.f.Unwind != nil && g.f.Arch == "amd64" }

// walked reports whether v is worked out from a stack of the process in scratch memory,
// which must not be our own stack: of that the verifier wants to see each byte written.
func (s *selector) walked(v *ir.Value) bool {
	return ofProcess(v) && s.g.unwinds()
}

// ofProcess reports whether v is worked out from a stack of the process.
func ofProcess(v *ir.Value) bool {
	return v.Op == ir.OpStackID && v.Imm == 1 || v.Op == ir.OpStack && v.Imm == 1 || v.Op == ir.OpBuiltin && (v.Aux == ir.Sym("ucaller") || v.Aux == ir.Sym("ustackdepth"))
}

// WalksProcesses reports whether programs of p walk stacks of processes.
func WalksProcesses(p *ir.Program) bool {
	for _, fn := range p.Funcs {
		for _, b := range fn.Blocks {
			if slices.ContainsFunc(b.Vals, ofProcess) {
				return true
			}
		}
	}
	return false
}

// walk records the stack of a process, for v, in size bytes at base + off and leaves in
// R0 what bpf_get_stack answers. It returns where the stack's hash is.
func (s *selector) walk(v *ir.Value, base mach.Reg, off, size int64) (hash int) {
	s.g.need.unwind = true
	hash = s.m.Slot(8)
	s.storeImm(8, mach.RFP, int64(hash), 0)
	s.mov(mach.R1, base)
	if off != 0 {
		s.aluImm(asm.Add, mach.R1, off)
	}
	s.slotArg(mach.R2, hash)
	s.mov(mach.R3, s.ctx)
	hidden, at := s.hidden(v) // which ends with the room
	s.mov(mach.R4, hidden)
	s.aluImm(asm.Add, mach.R4, at+int64(s.scratchSize(v)))
	s.emit(mach.Inst{Op: asm.Call.Op(asm.ImmSource), Dst: mach.R0, Src: mach.Reg(asm.PseudoCall), Imm: -1, Ref: unwindName(int(size / 8)), Args: 4})
	return hash
}

// walkedID selects the number of a user stack that is kept in our own hash of the
// generation in use. A stack that cannot be kept has a negative number.
func (s *selector) walkedID(v *ir.Value, st StackMaps) {
	d := s.def(v)
	gen := s.generation()
	base, off := s.hidden(v)
	hash := s.walk(v, base, off, int64(8*st.Depth))
	s.mov(d, mach.R0)
	cold := s.cur.Cold
	kept, next := s.m.NewBlock(cold), s.m.NewBlock(cold)
	s.branch(testImm(asm.JSGT, d, 0), kept, next)
	s.cur = kept
	s.load(8, d, mach.RFP, int64(hash))
	first, second := s.m.NewBlock(cold), s.m.NewBlock(cold)
	s.branch(testImm(asm.JEq, gen, 0), first, second)
	for i, b := range []*mach.Block{first, second} {
		s.cur = b
		s.mapPtr(mach.R1, st.Name(i))
		s.slotArg(mach.R2, hash)
		s.call(asm.FnMapLookupElem, 2)
		s.leaveIf(testImm(asm.JNE, mach.R0, 0), next)
		s.mapPtr(mach.R1, st.Name(i))
		s.slotArg(mach.R2, hash)
		s.mov(mach.R3, base)
		s.aluImm(asm.Add, mach.R3, off)
		s.movImm(mach.R4, 1) // BPF_NOEXIST
		s.call(asm.FnMapUpdateElem, 4)
		s.leaveIf(testImm(asm.JEq, mach.R0, 0), next)
		s.leaveIf(testImm(asm.JEq, mach.R0, -17), next) // EEXIST: another CPU was quicker
		s.mov(d, mach.R0)
		s.jump(next)
	}
	s.cur = next
}

// walkers returns the functions that walk stacks of a depth.
func (g *generator) walkers(depth int) []*mach.Func {
	w := &walker{g: g, name: unwindName(depth), depth: int32(depth)}
	step, hash := w.name+"s", w.name+"h"
	list := []*mach.Func{
		{Name: w.name, Frame: walkFrame, Calls: []string{step, hash}, Code: w.outer(step, hash)},
		{Name: step, Frame: stepFrame, Code: w.step(step)},
		{Name: hash, Frame: 8, Code: w.hash(hash)},
	}
	for _, m := range list { // which come from no place of the script
		m.Code[0] = m.Code[0].WithSource(&source{token.Span{}, g.script})
	}
	return list
}

// unwindMaps describes the maps that stacks are walked by.
func unwindMaps(add func(string, *ebpf.MapSpec) string) {
	const processes = 4096
	add(mapUwProcs, &ebpf.MapSpec{Type: ebpf.Hash, KeySize: 4, ValueSize: unwind.ProcSize, MaxEntries: processes, Flags: noPrealloc})
	add(mapUwRows, &ebpf.MapSpec{Type: ebpf.ArrayOfMaps, KeySize: 4, ValueSize: 4, MaxEntries: unwind.MaxShards,
		InnerMap: UnwindShard()})
	add(mapUwMisses, &ebpf.MapSpec{Type: ebpf.Hash, KeySize: 4, ValueSize: unwind.MissSize, MaxEntries: processes})
}

// UnwindShard describes a shard of rows.
func UnwindShard() *ebpf.MapSpec {
	return &ebpf.MapSpec{Name: "uw_shard", Type: ebpf.Array, KeySize: 4, ValueSize: unwind.ShardSize, MaxEntries: 1}
}
