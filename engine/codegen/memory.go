package codegen

import (
	"slices"

	"github.com/cilium/ebpf/asm"

	"dscope.dev/dlang/ir"
	"dscope.dev/dlang/linux"
	"dscope.dev/engine/codegen/mach"
	"dscope.dev/engine/codegen/walk"
)

// unrolled is the most bytes that are cleared or copied word by word. Larger
// areas go through a helper.
const unrolled = 1024

// memory selects what moves bytes.
func (s *selector) memory(v *ir.Value) bool {
	switch v.Op {
	case ir.OpLoad:
		base, off := s.mem(v.Args[0], v.Imm)
		d := s.def(v)
		s.load(v.Size, d, base, off)
		if s.onStack(v.Args[0]) {
			s.unlearn(d)
		}
	case ir.OpStore:
		s.storeWord(v)
	case ir.OpAtomicAdd:
		r := s.reg(v.Args[1])
		base, off := s.mem(v.Args[0], v.Imm)
		base, off = s.reach(base, off)
		s.emit(mach.Inst{Op: asm.AddAtomic.OpCode(asmSize(v.Size)), Dst: base, Src: r, Off: int16(off)})
	case ir.OpFetchAdd:
		s.fetchAdd(v)
	case ir.OpCmpXchg:
		s.cmpXchg(v)
	case ir.OpZero:
		s.zero(v)
	case ir.OpCopy:
		s.copy(v)
	case ir.OpReadK, ir.OpReadU, ir.OpReadStrK, ir.OpReadStrU:
		s.read(v, readers[v.Op])
	case ir.OpReadKN, ir.OpReadUN:
		s.readSome(v)
	case ir.OpWriteUN:
		s.writeSome(v)
	case ir.OpWriteU:
		s.address(mach.R2, v.Args[0], 0)
		s.into(mach.R1, v.Args[1])
		s.movImm(mach.R3, int64(v.Size))
		s.call(asm.FnProbeWriteUser, 3)
		s.mov(s.def(v), mach.R0)
	default:
		return false
	}
	return true
}

var readers = map[ir.Op]asm.BuiltinFunc{
	ir.OpReadK: asm.FnProbeReadKernel, ir.OpReadKN: asm.FnProbeReadKernel,
	ir.OpReadU: asm.FnProbeReadUser, ir.OpReadUN: asm.FnProbeReadUser,
	ir.OpReadStrK: asm.FnProbeReadKernelStr, ir.OpReadStrU: asm.FnProbeReadUserStr,
}

// storeWord selects a store, of a constant where there is one that fits.
func (s *selector) storeWord(v *ir.Value) {
	p, w := v.Args[0], v.Args[1]
	for (w.Op == ir.OpSExt || w.Op == ir.OpZExt) && w.Size >= v.Size && v.Size < 8 {
		w = w.Args[0] // what was extended is cut off again
	}
	if w.Op == ir.OpConst && s.blurs() && s.onStack(p) {
		r := s.newReg()
		s.unknown(r, w.Imm)
		base, off := s.mem(p, v.Imm)
		s.store(v.Size, base, off, r)
		return
	}
	if w.Op == ir.OpConst {
		n := w.Imm
		if v.Size < 8 {
			n = int64(int32(n)) // the rest is cut off anyway
		}
		if fits32(n) {
			base, off := s.mem(p, v.Imm)
			s.storeImm(v.Size, base, off, n)
			return
		}
	}
	r := s.reg(w)
	base, off := s.mem(p, v.Imm)
	s.store(v.Size, base, off, r)
}

// zero clears memory.
func (s *selector) zero(v *ir.Value) {
	if v.Size <= unrolled {
		base, off := s.mem(v.Args[0], v.Imm)
		for i := 0; i < v.Size; i += 8 {
			s.storeImm(8, base, off+int64(i), 0)
		}
		return
	}
	s.g.needZeros(v.Size)
	s.address(mach.R1, v.Args[0], v.Imm)
	s.movImm(mach.R2, int64(v.Size))
	s.mapValue(mach.R3, mapZeros, 0)
	s.call(asm.FnProbeReadKernel, 3)
}

// copy copies memory.
func (s *selector) copy(v *ir.Value) {
	if v.Size > unrolled {
		s.address(mach.R1, v.Args[0], v.Imm)
		s.movImm(mach.R2, int64(v.Size))
		s.address(mach.R3, v.Args[1], 0)
		s.call(asm.FnProbeReadKernel, 3)
		return
	}
	dst, do := s.mem(v.Args[0], v.Imm)
	src, so := s.mem(v.Args[1], 0)
	for i := 0; i < v.Size; i += 8 {
		t := s.newReg()
		s.load(8, t, src, so+int64(i))
		s.store(8, dst, do+int64(i), t)
	}
}

// read selects a helper that reads memory that may be bad.
func (s *selector) read(v *ir.Value, fn asm.BuiltinFunc) {
	s.into(mach.R3, v.Args[1])
	s.address(mach.R1, v.Args[0], v.Imm)
	s.movImm(mach.R2, int64(v.Size))
	s.call(fn, 3)
	if len(s.uses[v.ID]) > 0 {
		s.mov(s.def(v), mach.R0)
	}
}

// readSome selects a read of a computed size.
func (s *selector) readSome(v *ir.Value) {
	n := s.newReg()
	s.hide(n, v.Args[2], TellsCopies)
	s.clamp(n, int64(v.Size))
	s.into(mach.R3, v.Args[1])
	s.address(mach.R1, v.Args[0], v.Imm)
	s.mov(mach.R2, n)
	s.call(readers[v.Op], 3)
	if len(s.uses[v.ID]) > 0 {
		s.mov(s.def(v), mach.R0)
	}
}

// writeSome selects a write of a computed size, of which the verifier must see that it
// is not 0.
func (s *selector) writeSome(v *ir.Value) {
	n := s.newReg()
	s.hide(n, v.Args[2], TellsCopies)
	s.aluImm(asm.Sub, n, 1)
	s.clamp(n, int64(v.Size)-1)
	s.aluImm(asm.Add, n, 1)
	s.address(mach.R2, v.Args[0], 0)
	s.into(mach.R1, v.Args[1])
	s.mov(mach.R3, n)
	s.call(asm.FnProbeWriteUser, 3)
	s.mov(s.def(v), mach.R0)
}

// placeAllocas gives each alloca a place: the small ones on the stack while
// they fit, the rest in memory of the CPU that is looked up when it is needed.
// The stack of a program and of what it calls is 512 bytes in all.
func (s *selector) placeAllocas() {
	var all []*ir.Value
	for _, v := range s.fn.Blocks[0].Vals {
		if v.Op == ir.OpAlloca && len(s.uses[v.ID]) > 0 {
			all = append(all, v)
		}
	}
	for _, b := range s.fn.Blocks {
		for _, v := range b.Vals {
			if (v.Op == ir.OpBuiltin || v.Op == ir.OpStackID) && s.factSize(v) > 0 && len(s.uses[v.ID]) > 0 || v.Op == ir.OpStack && s.walked(v) {
				all = append(all, v)
			}
		}
	}
	size := func(v *ir.Value) int { return s.roomOf(v) }
	if s.u.preempted {
		s.workSize = claimSize
	}
	least := s.workSize
	slices.SortStableFunc(all, func(a, b *ir.Value) int { return size(a) - size(b) })
	for _, v := range all {
		if s.m.Frame+size(v) <= s.stackBudget() && !s.wanders(v) && !s.walked(v) {
			s.allocas[v] = place{true, s.m.Slot(size(v))}
			continue
		}
		s.allocas[v] = place{false, s.workSize}
		s.workSize += size(v)
	}
	if s.workSize > least {
		s.home = s.commonHome()
	}
	s.claimHome()
}

// roomOf returns how many bytes of working memory v takes.
func (s *selector) roomOf(v *ir.Value) int {
	n := s.factSize(v)
	if v.Op == ir.OpAlloca {
		n = v.Size
	}
	if s.walked(v) {
		n += walk.RoomSize
	}
	return (n + 7) &^ 7
}

// stackBudget returns how many bytes of stack working memory may take.
func (s *selector) stackBudget() int {
	if s.blurs() {
		return 0 // see tidy
	}
	return s.g.stack(s.inner)
}

// wanders reports whether v, a piece of working memory, is given to a subroutine or
// reached at computed offsets: on the stack the verifier wants every access
// aligned and every byte written before.
func (s *selector) wanders(v *ir.Value) bool {
	for _, u := range s.uses[v.ID] {
		switch u.Op {
		case ir.OpCall, ir.OpPhi:
			return true
		case ir.OpAdd:
			if !s.lazy(u) || s.wanders(u) {
				return true
			}
		}
	}
	return false
}

// usesWork reports whether v goes through memory that is not on the stack,
// or takes a buffer that must be given back before the program can leave.
func (s *selector) usesWork(v *ir.Value) bool {
	if v.Op == ir.OpReserve {
		return true
	}
	if p, ok := s.allocas[v]; ok && v.Op != ir.OpAlloca && !p.onStack {
		return true
	}
	for _, a := range v.Args {
		base, _ := s.resolve(a, 0)
		if p, ok := s.allocas[base]; ok && !p.onStack {
			return true
		}
	}
	return false
}

// commonHome returns the block in which working memory must be found: the
// nearest one through which every use is reached.
func (s *selector) commonHome() *ir.Block {
	dom := ir.Dominators(s.fn)
	var home *ir.Block
	for _, b := range s.fn.Blocks {
		if !dom.Reached(b) || !slices.ContainsFunc(b.Vals, s.usesWork) {
			continue
		}
		home = dom.Common(home, b)
		for _, v := range b.Vals {
			if v.Op != ir.OpPhi {
				continue
			}
			for i, a := range v.Args { // a phi takes its arguments at the end of its predecessors
				if base, _ := s.resolve(a, 0); !s.allocas[base].onStack && base.Op == ir.OpAlloca {
					home = dom.Common(home, b.Preds[i])
				}
			}
		}
	}
	return home
}

// findWork looks up the memory of this program on this CPU. Most programs do
// not run twice at once on one CPU: the kernel skips the second firing. Those
// that do have several pieces; see claim.go.
func (s *selector) findWork() {
	if s.workSize > linux.PerCPUMost {
		s.tooLarge(float64(s.workSize)/linux.PerCPUMost, "the clauses of one hook need %d bytes of working memory, more than the %d of a per-CPU map; lower strsize, or make the structs and arrays of this-> smaller", s.workSize, linux.PerCPUMost)
	}
	if s.claims() {
		s.claim(s.g.workFor(s.workSize, levels))
		return
	}
	slot := s.slot4()
	s.storeImm(4, mach.RFP, int64(slot), int64(s.g.workFor(s.workSize, 1)))
	s.mapPtr(mach.R1, mapWork)
	s.slotArg(mach.R2, slot)
	s.call(asm.FnMapLookupElem, 2)
	s.work = s.newReg()
	s.mov(s.work, mach.R0)
	s.leaveIf(testImm(asm.JEq, s.work, 0), s.exitBlock())
}

// slot4 returns the offset of four bytes of stack for the key of an array.
func (s *selector) slot4() int {
	if s.tmp == 0 {
		s.tmp = s.m.Slot(8)
	}
	return s.tmp
}
