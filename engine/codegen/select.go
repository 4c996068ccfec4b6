package codegen

import (
	"slices"

	"dscope.dev/dlang/ir"
	"dscope.dev/dlang/token"
	"dscope.dev/engine/codegen/mach"
)

// A selector turns one ir.Func into machine form: it chooses instructions, and
// leaves registers to the allocator. It holds to three rules that keep code
// short.
//
// A value that costs nothing to make where it is used is not made anywhere
// else: constants become immediates, pointers to working memory, globals and strings
// become a base and an offset within the instruction that goes through them.
// A comparison that only decides a branch is part of that branch. What only the
// verifier needs, such as telling a kernel pointer from a number, is written only
// where it matters.
type selector struct {
	g     *generator
	u     *unitContext
	fn    *ir.Func
	m     *mach.Func
	cur   *mach.Block
	at    token.Span
	start map[*ir.Block]*mach.Block
	regs  []mach.Reg             // by number of the value; none if it is made where it is used
	phis  map[*ir.Value]mach.Reg // the register that predecessors fill
	uses  [][]*ir.Value          // by number of the value
	types []ir.Type              // likewise
	exit  *mach.Block

	ctx   mach.Reg // the program's context
	key   mach.Reg // the key of the firing site, none if not needed
	task  mach.Reg // the current task as a kernel address, none if the prologue does not read it
	tgid  mach.Reg // its process, none likewise
	reads bool     // whether the task is read where the CPU has it
	pt    mach.Reg // struct pt_regs of the system call, none before it is read
	gen   mach.Reg // generation of the aggregations, none if read at each use
	work  mach.Reg // base of the working memory that is not on the stack
	fired mach.Reg // the time of the firing, none if it is read at each use
	busy  mach.Reg // the address of the CPU's word that says that a program is under way, none if it is not asked for; see busy.go
	held  mach.Reg // the same once it has been taken and 0 before, where it must be taken; see claim.go

	allocas  map[*ir.Value]place
	workSize int // bytes of working memory that is not on the stack
	home     *ir.Block
	tmp      int    // offset of a slot for the keys of arrays; 0 if there is none
	inner    bool   // whether this is a subprogram
	quirks   Quirks // of the verifier, that matter to the function
	cells    int    // of aggregations, that are asked for
	emitted  int    // instructions
	failed   error

	back    map[backEdge]bool
	asked   map[backEdge]bool
	headers map[*ir.Block]bool
	asks    bool // whether a loop asks whether it may go on: see OpMayGo
	veil    int  // offset of the slot with a zero that the verifier must not know, 0 if there is none

	done map[*ir.Value]bool // terminators that went with what they test

	fault, faultWord mach.Reg // of ERROR: what happened
	faultID, faultPC mach.Reg // of ERROR: to which probe, and at which instruction
	tasks            map[*ir.Value]mach.Reg
}

// A place is where an alloca lies.
type place struct {
	onStack bool
	off     int
}

// run selects the whole function.
func (s *selector) run() error {
	if s.survey(); s.failed != nil {
		return s.failed
	}
	for _, b := range s.fn.Blocks {
		s.start[b] = s.m.NewBlock(b.Cold)
	}
	s.cur = s.start[s.fn.Blocks[0]]
	s.prologue()
	begun := s.begin()
	if s.failed != nil {
		return s.failed
	}
	pt := s.pt // all others come after these blocks
	for _, b := range s.fn.Blocks {
		if begun[b] {
			continue
		}
		s.cur, s.pt = s.start[b], pt
		if s.block(b); s.failed != nil {
			return s.failed
		}
	}
	s.giveBackAtExit()
	s.storeVeil()
	return nil
}

// survey counts uses and finds types, and places working memory.
func (s *selector) survey() {
	s.regs, s.uses, s.types = s.g.room.of(s.fn)
	for _, b := range s.fn.Blocks {
		for _, v := range b.Vals {
			if v.Op == ir.OpAggCell {
				s.cells++
			}
			for _, a := range v.Args {
				s.uses[a.ID] = append(s.uses[a.ID], v)
			}
		}
	}
	s.dropUnused()
	for _, b := range s.fn.Blocks {
		for _, v := range b.Vals {
			s.types[v.ID] = v.Type()
		}
	}
	s.reads = s.mayReadTask()
	s.loops()
	s.suffers()
	s.placeAllocas()
}

// A room has the memory of what a selector knows of values, for the next function.
type room struct {
	regs  []mach.Reg
	uses  [][]*ir.Value
	types []ir.Type
}

// of returns lists for the values of a function, of which nothing is known yet.
func (r *room) of(fn *ir.Func) (regs []mach.Reg, uses [][]*ir.Value, types []ir.Type) {
	n := fn.Size()
	r.regs, r.types = slices.Grow(r.regs[:0], n)[:n], slices.Grow(r.types[:0], n)[:n]
	for i := range r.regs {
		r.regs[i] = mach.None
	}
	clear(r.types)
	if r.uses = r.uses[:cap(r.uses)]; len(r.uses) < n {
		r.uses = append(r.uses, make([][]*ir.Value, n-len(r.uses))...)
	}
	for i := range n {
		r.uses[i] = r.uses[i][:0]
	}
	return r.regs, r.uses[:n], r.types
}

// dropUnused forgets the uses that unused pure values make of others.
func (s *selector) dropUnused() {
	for changed := true; changed; {
		changed = false
		for _, b := range s.fn.Blocks {
			for _, v := range b.Vals {
				if len(s.uses[v.ID]) > 0 || !droppable(v.Op) || len(v.Args) == 0 {
					continue
				}
				for _, a := range v.Args {
					kept := s.uses[a.ID][:0:0]
					for _, u := range s.uses[a.ID] {
						if u != v {
							kept = append(kept, u)
						}
					}
					changed = changed || len(kept) != len(s.uses[a.ID])
					s.uses[a.ID] = kept
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
		if len(s.uses[v.ID]) > 0 {
			d := s.newReg()
			s.mov(d, s.phi(v))
			s.regs[v.ID] = d
			if v.Type() == ir.Word && !s.headers[b] {
				s.unlearn(d)
			}
		}
	}
	for _, v := range b.Vals {
		if b == s.home && s.work == mach.None && (s.usesWork(v) || v.Op.IsTerminator()) {
			s.findWork()
		}
		if s.emitted > maxSelected {
			s.tooLarge(maxSelected/maxInsns, "the clauses of one hook take far more than %d instructions", maxInsns)
			return
		}
		if v.Op != ir.OpPhi && !s.done[v] {
			s.at = v.At
			s.value(v)
		}
	}
}

// phi returns the register in which predecessors leave the value of v.
func (s *selector) phi(v *ir.Value) mach.Reg {
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
		if len(s.uses[v.ID]) > 0 {
			s.intoPhi(s.phi(v), v.Args[pred], to)
			if s.asked[backEdge{from, n}] && v.Type() == ir.Word && v.Args[pred].Op != ir.OpConst {
				s.unlearn(s.phi(v))
			}
		}
	}
}

// edge returns the machine block to go to for the n-th successor of from; if
// that has phis, a block of its own fills them.
func (s *selector) edge(from *ir.Block, n int) *mach.Block {
	to := from.Succs[n]
	if len(to.Phis()) == 0 && !s.back[backEdge{from, n}] {
		return s.start[to]
	}
	saved := s.cur
	e := s.m.NewBlock(to.Cold || from.Cold)
	s.cur = e
	s.fillPhis(from, n)
	s.again(from, n, s.start[to])
	s.cur = saved
	return e
}

// value selects v.
func (s *selector) value(v *ir.Value) {
	if droppable(v.Op) && len(s.uses[v.ID]) == 0 {
		return
	}
	switch v.Op {
	case ir.OpConst, ir.OpAlloca, ir.OpString, ir.OpGlobal, ir.OpMayGo:
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
	if s.takes() {
		r := s.newReg()
		s.into(r, v.Args[0])
		s.giveBackAll()
		s.mov(mach.R0, r)
	} else {
		s.into(mach.R0, v.Args[0])
	}
	s.cur.Kind, s.cur.At = mach.Exit, s.at
}

// def gives v a register that is about to be written.
func (s *selector) def(v *ir.Value) mach.Reg {
	r := s.newReg()
	s.regs[v.ID] = r
	return r
}

// made returns the register that has held v since it was made, if one does.
func (s *selector) made(v *ir.Value) (r mach.Reg, ok bool) {
	r = s.regs[v.ID]
	return r, r != mach.None
}

// reg returns a register that holds v.
func (s *selector) reg(v *ir.Value) mach.Reg {
	if r, ok := s.made(v); ok {
		return r
	}
	r := s.newReg()
	s.into(r, v)
	return r
}

// into puts v into the register dst.
func (s *selector) into(dst mach.Reg, v *ir.Value) {
	if r, ok := s.made(v); ok {
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
