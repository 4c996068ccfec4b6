package codegen

import (
	"slices"

	"github.com/cilium/ebpf/asm"

	"dscope.dev/dlang/ir"
	"dscope.dev/engine/codegen/mach"
	"dscope.dev/engine/codegen/walk"
)

// Stacks of processes are walked by the functions of package walk; stacks that are keys are
// kept in hashes of our own by what these tell of a stack, a number of 63 bits, since the
// kernel's stack maps take only what the kernel has walked.

// unwinds reports whether the stacks of processes are walked by tables.
func (g *generator) unwinds() bool { return g.f.Unwind != nil && g.f.Arch == "amd64" }

// walked reports whether v is worked out from a stack of the process in working memory,
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

// walkers returns the functions that walk stacks of a depth. They test pointers in their loop,
// which kernels of MissesReads are not trusted to follow.
func (g *generator) walkers(depth int) []*mach.Func {
	return walk.Funcs(depth, g.f.Unwind, !g.f.Verifier.Has(RoundByRound|MissesReads))
}

// walk records the stack of a process, for v, in size bytes at base + off and leaves in
// R0 what bpf_get_stack answers. It returns where the stack's hash is.
func (s *selector) walk(v *ir.Value, base mach.Reg, off, size int64) (hash int) {
	s.g.need.unwind = true
	hash = s.m.Slot(8)
	task := s.taskReg()
	s.storeImm(8, mach.RFP, int64(hash), 0)
	s.point(mach.R1, base, off)
	s.slotArg(mach.R2, hash)
	s.mov(mach.R3, s.ctx)
	hidden, at := s.hidden(v) // which ends with the room
	s.point(mach.R4, hidden, at+int64(s.factSize(v)))
	s.mov(mach.R5, task)
	s.emit(mach.Inst{Op: asm.Call.Op(asm.ImmSource), Dst: mach.R0, Src: mach.Reg(asm.PseudoCall), Imm: -1, Ref: walk.Name(int(size / 8)), Args: 5})
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
		s.point(mach.R3, base, off)
		s.movImm(mach.R4, 1) // BPF_NOEXIST
		s.call(asm.FnMapUpdateElem, 4)
		s.leaveIf(testImm(asm.JEq, mach.R0, 0), next)
		s.leaveIf(testImm(asm.JEq, mach.R0, -17), next) // EEXIST: another CPU was quicker
		s.mov(d, mach.R0)
		s.jump(next)
	}
	s.cur = next
}
