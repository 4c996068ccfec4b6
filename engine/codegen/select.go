package codegen

import (
	"fmt"
	"math"

	"github.com/cilium/ebpf/asm"

	"dscope.dev/dlang/ir"
	"dscope.dev/dlang/token"
)

// A selector turns one ir.Func into machine form: it chooses instructions, and
// leaves registers to the allocator. It holds to three rules that keep code
// short.
//
// A value that costs nothing to make where it is used is not made anywhere
// else: constants become immediates, pointers to scratch, globals and strings
// become a base and an offset within the instruction that goes through them.
// A comparison that only decides a branch is part of that branch. What only the
// verifier needs, such as telling a kernel pointer from a number, is written only
// where it matters.
type selector struct {
	g     *generator
	u     *unitContext
	fn    *ir.Func
	m     *mfunc
	cur   *block
	at    token.Span
	start map[*ir.Block]*block
	regs  map[*ir.Value]reg
	phis  map[*ir.Value]reg // the register that predecessors fill
	uses  map[*ir.Value][]*ir.Value
	types map[*ir.Value]ir.Type
	exit  *block

	ctx     reg // the program's context
	key     reg // the key of the firing site, none if not needed
	task    reg // the current task as a kernel address, none if the prologue does not read it
	tgid    reg // its process, none likewise
	pt      reg // struct pt_regs of the system call, none before it is read
	gen     reg // generation of the aggregations, none if read at each use
	scratch reg // base of the scratch memory that is not on the stack

	allocas map[*ir.Value]place
	region  int // bytes of scratch memory that is not on the stack
	home    *ir.Block
	tmp     int  // offset of a slot for the keys of arrays; 0 if there is none
	inner   bool // whether this is a subprogram
	large   bool // whether the verifier must be kept from remembering too much
	failed  error

	back    map[backEdge]bool
	headers map[*ir.Block]bool
	hidden0 int // offset of the slot for numbers that the verifier must not know

	done map[*ir.Value]bool // terminators that went with what they test

	fault, faultWord reg // of ERROR: what happened
	tasks            map[*ir.Value]reg
}

// A place is where an alloca lies.
type place struct {
	onStack bool
	off     int
}

// fail records the first thing that cannot be generated.
func (s *selector) fail(format string, args ...any) {
	if s.failed == nil {
		s.failed = &Error{At: s.at, Msg: fmt.Sprintf(format, args...)}
	}
}

// emit appends i to the current block.
func (s *selector) emit(i inst) {
	i.at = s.at
	s.cur.insts = append(s.cur.insts, i)
}

func (s *selector) newReg() reg { return s.m.newReg() }

// mov copies src to dst.
func (s *selector) mov(dst, src reg) {
	s.emit(inst{op: asm.Mov.Op(asm.RegSource), dst: dst, src: src})
}

// movImm sets dst to n, by the shortest instruction.
func (s *selector) movImm(dst reg, n int64) {
	switch {
	case fits32(n):
		s.emit(inst{op: asm.Mov.Op(asm.ImmSource), dst: dst, src: none, imm: n})
	case n == int64(uint32(n)):
		s.emit(inst{op: asm.Mov.Op32(asm.ImmSource), dst: dst, src: none, imm: int64(int32(n))})
	default:
		s.emit(inst{op: asm.LoadImmOp(asm.DWord), dst: dst, src: reg(asm.R0), imm: n})
	}
}

// mapPtr sets dst to the map of that name.
func (s *selector) mapPtr(dst reg, name string) {
	s.emit(inst{op: asm.LoadImmOp(asm.DWord), dst: dst, src: reg(asm.PseudoMapFD), ref: name})
}

// mapValue sets dst to the address of byte off of the only value of a map.
func (s *selector) mapValue(dst reg, name string, off int64) {
	s.emit(inst{op: asm.LoadImmOp(asm.DWord), dst: dst, src: reg(asm.PseudoMapValue), ref: name, imm: off << 32})
}

// alu does dst = dst op src.
func (s *selector) alu(op asm.ALUOp, dst, src reg) {
	s.emit(inst{op: op.Op(asm.RegSource), dst: dst, src: src})
}

// aluImm does dst = dst op n, where n fits 32 bits.
func (s *selector) aluImm(op asm.ALUOp, dst reg, n int64) {
	s.emit(inst{op: op.Op(asm.ImmSource), dst: dst, src: none, imm: n})
}

// load sets dst to size bytes at base + off.
func (s *selector) load(size int, dst, base reg, off int64) {
	base, off = s.reach(base, off)
	s.emit(inst{op: asm.LoadMemOp(asmSize(size)), dst: dst, src: base, off: int16(off)})
}

// store puts size bytes of src at base + off.
func (s *selector) store(size int, base reg, off int64, src reg) {
	base, off = s.reach(base, off)
	s.emit(inst{op: asm.StoreMemOp(asmSize(size)), dst: base, src: src, off: int16(off)})
}

// storeImm puts size bytes of n at base + off; n fits 32 bits.
func (s *selector) storeImm(size int, base reg, off, n int64) {
	base, off = s.reach(base, off)
	s.emit(inst{op: asm.StoreImmOp(asmSize(size)), dst: base, src: none, off: int16(off), imm: n})
}

// reach makes an offset fit an instruction.
func (s *selector) reach(base reg, off int64) (reg, int64) {
	if off >= math.MinInt16 && off <= math.MaxInt16-8 {
		return base, off
	}
	t := s.newReg()
	s.mov(t, base)
	s.aluImm(asm.Add, t, off)
	return t, 0
}

// call calls a helper that takes its arguments in R1 to Rn and answers in R0.
func (s *selector) call(fn asm.BuiltinFunc, n int) {
	s.emit(inst{op: asm.Call.Op(asm.ImmSource), dst: r0, src: r0, imm: int64(fn), args: int8(n)})
}

// jump ends the current block.
func (s *selector) jump(to *block) {
	s.cur.kind, s.cur.succs[0], s.cur.at = termJump, to, s.at
}

// branch ends the current block by a test.
func (s *selector) branch(t test, yes, no *block) {
	s.cur.kind, s.cur.test, s.cur.succs, s.cur.at = termBranch, t, [2]*block{yes, no}, s.at
}

// leaveIf goes to to if t holds, and continues in a new block.
func (s *selector) leaveIf(t test, to *block) {
	next := s.m.newBlock(s.cur.cold)
	s.branch(t, to, next)
	s.cur = next
}

// testImm compares x with n.
func testImm(op asm.JumpOp, x reg, n int64) test { return test{op: op, x: x, y: none, imm: n} }

// exitBlock returns the block that leaves a program without a result.
func (s *selector) exitBlock() *block {
	if s.exit == nil {
		s.exit = s.m.newBlock(false)
		s.exit.kind = termExit
		s.exit.insts = []inst{{op: asm.Mov.Op(asm.ImmSource), dst: r0, src: none}}
	}
	return s.exit
}

func fits32(n int64) bool { return n == int64(int32(n)) }

func asmSize(n int) asm.Size {
	switch n {
	case 1:
		return asm.Byte
	case 2:
		return asm.Half
	case 4:
		return asm.Word
	case 8:
		return asm.DWord
	}
	panic(fmt.Sprintf("codegen: no load of %d bytes", n))
}

// run selects the whole function.
func (s *selector) run() error {
	s.survey()
	for _, b := range s.fn.Blocks {
		s.start[b] = s.m.newBlock(b.Cold)
	}
	s.cur = s.start[s.fn.Blocks[0]]
	s.prologue()
	pt := none
	for i, b := range s.fn.Blocks {
		if i > 0 {
			s.cur = s.start[b]
			s.pt = pt
		}
		s.block(b)
		if i == 0 {
			pt = s.pt // the entry comes before all others
		}
		if s.failed != nil {
			return s.failed
		}
	}
	return nil
}

// survey counts uses and finds types, and places scratch.
func (s *selector) survey() {
	values := 0
	for _, b := range s.fn.Blocks {
		values += len(b.Vals)
		for _, v := range b.Vals {
			for _, a := range v.Args {
				s.uses[a] = append(s.uses[a], v)
			}
		}
	}
	s.large = values > large
	s.dropUnused()
	for _, b := range s.fn.Blocks {
		for _, v := range b.Vals {
			s.types[v] = v.Type()
		}
	}
	s.loops()
	s.placeAllocas()
}

// dropUnused forgets the uses that unused pure values make of others.
func (s *selector) dropUnused() {
	for changed := true; changed; {
		changed = false
		for _, b := range s.fn.Blocks {
			for _, v := range b.Vals {
				if len(s.uses[v]) > 0 || !droppable(v.Op) || len(v.Args) == 0 {
					continue
				}
				for _, a := range v.Args {
					kept := s.uses[a][:0:0]
					for _, u := range s.uses[a] {
						if u != v {
							kept = append(kept, u)
						}
					}
					changed = changed || len(kept) != len(s.uses[a])
					s.uses[a] = kept
				}
			}
		}
	}
}

// droppable reports whether a value of op need not be made if nobody uses it.
func droppable(op ir.Op) bool { return op.IsPure() || op == ir.OpLoad }

// block selects the values of b.
func (s *selector) block(b *ir.Block) {
	for _, v := range b.Vals {
		if v.Op != ir.OpPhi {
			break
		}
		if len(s.uses[v]) > 0 {
			d := s.newReg()
			s.mov(d, s.phi(v))
			s.regs[v] = d
		}
	}
	for _, v := range b.Vals {
		if b == s.home && s.scratch == none && (s.usesScratch(v) || v.Op.IsTerminator()) {
			s.findScratch()
		}
		if v.Op != ir.OpPhi && !s.done[v] {
			s.at = v.At
			s.value(v)
		}
	}
}

// phi returns the register in which predecessors leave the value of v.
func (s *selector) phi(v *ir.Value) reg {
	r, ok := s.phis[v]
	if !ok {
		r = s.newReg()
		s.phis[v] = r
	}
	return r
}

// fillPhis gives the phis of the n-th successor of from what they are on that
// edge. A block may follow another twice.
func (s *selector) fillPhis(from *ir.Block, n int) {
	to := from.Succs[n]
	skip := 0
	for _, b := range from.Succs[:n] {
		if b == to {
			skip++
		}
	}
	pred := 0
	for i, p := range to.Preds {
		if p != from {
			continue
		}
		pred = i
		if skip--; skip < 0 {
			break
		}
	}
	for _, v := range to.Phis() {
		if len(s.uses[v]) > 0 {
			s.intoPhi(s.phi(v), v.Args[pred], to)
		}
	}
}

// edge returns the machine block to go to for the n-th successor of from; if
// that has phis, a block of its own fills them.
func (s *selector) edge(from *ir.Block, n int) *block {
	to := from.Succs[n]
	if len(to.Phis()) == 0 && !s.back[backEdge{from, n}] {
		return s.start[to]
	}
	saved := s.cur
	e := s.m.newBlock(to.Cold || from.Cold)
	s.cur = e
	s.fillPhis(from, n)
	s.again(from, n, s.start[to])
	s.cur = saved
	return e
}

// value selects v.
func (s *selector) value(v *ir.Value) {
	if droppable(v.Op) && len(s.uses[v]) == 0 {
		return
	}
	switch v.Op {
	case ir.OpConst, ir.OpAlloca, ir.OpString, ir.OpGlobal:
		// made where it is used
	case ir.OpJump:
		s.fillPhis(v.Block, 0)
		s.again(v.Block, 0, s.start[v.Block.Succs[0]])
	case ir.OpBranch:
		s.branchOn(v)
	case ir.OpReturn:
		s.ret(v)
	default:
		if s.arith(v) || s.memory(v) || s.fact(v) || s.storage(v) {
			return
		}
		s.fail("internal error: no code for %s", v)
	}
}

// ret ends the function.
func (s *selector) ret(v *ir.Value) {
	if len(v.Args) == 0 {
		s.jump(s.exitBlock())
		return
	}
	s.into(r0, v.Args[0])
	s.cur.kind, s.cur.at = termExit, s.at
}

// def gives v a register that is about to be written.
func (s *selector) def(v *ir.Value) reg {
	r := s.newReg()
	s.regs[v] = r
	return r
}

// reg returns a register that holds v.
func (s *selector) reg(v *ir.Value) reg {
	if r, ok := s.regs[v]; ok {
		return r
	}
	r := s.newReg()
	s.into(r, v)
	return r
}

// into puts v into the register dst.
func (s *selector) into(dst reg, v *ir.Value) {
	if r, ok := s.regs[v]; ok {
		s.mov(dst, r)
		return
	}
	if v.Op == ir.OpConst {
		s.movImm(dst, v.Imm)
		return
	}
	if s.lazy(v) {
		s.address(dst, v, 0)
		return
	}
	s.fail("internal error: %s is used before it is made", v)
}

// lazy reports whether v is an address made where it is used.
func (s *selector) lazy(v *ir.Value) bool {
	switch v.Op {
	case ir.OpAlloca, ir.OpString, ir.OpGlobal:
		return true
	case ir.OpAdd:
		return s.types[v] == ir.Ptr && v.Args[1].Op == ir.OpConst && fits32(v.Args[1].Imm)
	}
	return false
}

// address puts the address v + off into the register dst.
func (s *selector) address(dst reg, v *ir.Value, off int64) {
	base, off := s.resolve(v, off)
	switch base.Op {
	case ir.OpAlloca:
		p := s.allocas[base]
		off += int64(p.off)
		if p.onStack {
			s.mov(dst, rfp)
		} else {
			s.mov(dst, s.scratch)
		}
	case ir.OpString:
		s.mapValue(dst, mapRodata, s.g.str(int(base.Imm))+off)
		return
	case ir.OpGlobal:
		s.mapValue(dst, mapGlobals, int64(s.g.ir.Vars[base.Imm].Offset)+off)
		return
	default:
		s.mov(dst, s.regs[base])
	}
	if off != 0 {
		s.aluImm(asm.Add, dst, off)
	}
}

// resolve follows additions of constants from v + off to the value they begin
// at.
func (s *selector) resolve(v *ir.Value, off int64) (*ir.Value, int64) {
	for v.Op == ir.OpAdd && s.lazy(v) {
		off += v.Args[1].Imm
		v = v.Args[0]
	}
	return v, off
}

// mem returns a base register and an offset for an access to v + off.
func (s *selector) mem(v *ir.Value, off int64) (reg, int64) {
	base, off := s.resolve(v, off)
	if base.Op == ir.OpAlloca {
		p := s.allocas[base]
		if p.onStack {
			return rfp, off + int64(p.off)
		}
		return s.scratch, off + int64(p.off)
	}
	if s.lazy(base) {
		r := s.newReg()
		s.address(r, base, off)
		return r, 0
	}
	return s.regs[base], off
}
