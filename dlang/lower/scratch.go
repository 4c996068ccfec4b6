package lower

import (
	"dscope.dev/dlang/ast"
	"dscope.dev/dlang/check"
	"dscope.dev/dlang/ir"
)

// scratchBase is the address that the script sees at the start of its scratch
// memory: a number that is no address on any machine, so that a pointer into
// scratch memory can be told from one into the kernel, kept in a variable, and
// computed with.
const scratchBase = 0x0d5c << 48

// defaultScratch is how much alloca() and copyin() give out in a clause unless the
// scratchsize option says otherwise, in bytes.
const defaultScratch = 4096

// mostScratch is how many bytes the clauses of a firing are given together before
// their memory is given out again, unless one alone may have more: a CPU's memory
// must have room for the rest of what a program works in.
const mostScratch = 8192

// eraStep is how far apart the addresses of two eras are.
const eraStep = 1 << 32

// scratch is the memory that alloca() and copyin() give out: to each clause up to what
// the option says. Every clause begins with all of it, and what was given before is
// out of reach, as in DTrace; but what a this-> or self-> variable hands on to another
// clause lives as long as the firing. There a clause is given what the clauses before
// have left, and one for which that may be too little begins a new era: the memory is
// given out again, under other addresses. How much there is follows from the calls if
// all of them say so, else from the option.
type scratch struct {
	mem    *ir.Value
	top    *ir.Value   // memory of a word: how many bytes of this era have been given
	base   *ir.Value   // how many that was where the clause began
	start  *ir.Value   // memory of a word: the address at which this era begins; nil while there is but one
	before int         // what the clauses of this era before this one may have been given
	sum    int         // what the calls of this clause ask for so far
	open   bool        // whether one asks for a size that is not known, or may come again
	most   int         // the most that an era may have been given
	widest int         // bytes that one access touches behind where it starts
	bounds []*ir.Value // on offsets into it, to be known when the function is complete
}

func (f *lowerer) scratchLimit() int {
	if f.opts.ScratchSize > 0 {
		return f.opts.ScratchSize
	}
	return defaultScratch
}

// beginScratch says where a clause begins what it has been given: nothing of its own.
func (f *fn) beginScratch() {
	if !f.allocates {
		return
	}
	s := &f.scratch
	if s.base == nil || !f.keeps {
		s.sum, s.open, s.base = 0, false, f.Const(0)
		f.Store(f.scratchTop(), 0, 8, s.base)
		return
	}
	s.before += s.given(f.scratchLimit())
	s.sum, s.open = 0, false
	if room := max(mostScratch-f.scratchLimit(), 0); s.before > room {
		f.leaveScratch(room)
	}
	s.base = f.Load(s.top, 0, 8)
}

// handsOnScratch reports whether a variable that is no global one is named by several
// clauses and has pointed into scratch memory.
func (l *lowerer) handsOnScratch() bool {
	first := map[*check.Var]*check.Clause{}
	found := false
	for _, c := range l.prog.Clauses {
		l.walk(c.AST, func(n ast.Node) bool {
			x, _ := n.(ast.Expr)
			v, ok := l.prog.Refs[x].(*check.Var)
			if !ok || !v.Scratch || v.Scope == ast.Global {
				return !found
			}
			if first[v] == nil {
				first[v] = c
			}
			found = found || first[v] != c
			return !found
		})
	}
	return found
}

// leaveScratch begins a new era if the clauses before were given more than room.
func (f *fn) leaveScratch(room int) {
	s := &f.scratch
	if s.start == nil {
		s.start = f.Builder.Alloca(8)
		f.Store(s.start, 0, 8, f.Const(scratchBase))
	}
	full, on := f.Block(), f.Block()
	f.Branch(f.Op(ir.OpLtU, f.Const(int64(room)), f.Load(s.top, 0, 8)), full, on)
	f.Go(full)
	f.Store(s.top, 0, 8, f.Const(0))
	f.Store(s.start, 0, 8, f.Op(ir.OpAdd, f.Load(s.start, 0, 8), f.Const(eraStep)))
	f.Jump(on)
	f.Go(on)
	s.before = room
}

// given is how many bytes the clause may have been given so far.
func (s *scratch) given(limit int) int {
	if s.open {
		return limit
	}
	return min(s.sum, limit)
}

// scratchStart is the address that the script sees at the start of the memory now.
func (f *fn) scratchStart() *ir.Value {
	if f.scratch.start == nil {
		return f.Const(scratchBase)
	}
	return f.Load(f.scratch.start, 0, 8)
}

func (f *fn) scratchMem() *ir.Value {
	if f.scratch.mem == nil {
		f.scratch.mem = f.Builder.Alloca(8)
	}
	return f.scratch.mem
}

func (f *fn) scratchTop() *ir.Value {
	if f.scratch.top == nil {
		f.scratch.top = f.Builder.Alloca(8)
	}
	return f.scratch.top
}

// inScratchMem is the scratch memory at an offset, moved into it if it lies
// outside, where size bytes can be touched. The second result is the offset.
func (f *fn) inScratchMem(off *ir.Value, size int) (p, at *ir.Value) {
	f.scratch.widest = max(f.scratch.widest, size)
	at = f.Emit(ir.Value{Op: ir.OpBound}, off)
	f.scratch.bounds = append(f.scratch.bounds, at)
	return f.Op(ir.OpAdd, f.scratchMem(), at), at
}

// take gives n more bytes, and returns where they begin. Behind them a word is
// zero, so that a string ends there at the latest. With clear, they are zero too.
func (f *fn) take(n sized, clear bool) (p, addr *ir.Value) {
	s := &f.scratch
	s.sum += round8(n.most)
	s.open = s.open || n.w != nil || f.nested > 0
	s.most = max(s.most, s.before+s.given(f.scratchLimit()))
	start := f.Load(f.scratchTop(), 0, 8)
	next := f.Op(ir.OpAdd, start, f.Const(int64(round8(n.most))))
	if n.w != nil {
		next = f.Op(ir.OpAnd, f.Op(ir.OpAdd, f.Op(ir.OpAdd, start, n.w), f.Const(7)), f.Const(^7))
	}
	if s.open || s.sum > f.scratchLimit() {
		end := f.Op(ir.OpAdd, s.base, f.Const(int64(f.scratchLimit())))
		f.fault(f.Op(ir.OpLtU, end, next), faultNoScratch, f.size(n))
	}
	f.Store(s.top, 0, 8, next)
	p, at := f.inScratchMem(start, round8(n.most)+8)
	switch {
	case n.w == nil && clear:
		f.zero(p, 0, round8(n.most)+8)
	case clear:
		f.wipe(at, next)
	default:
		f.endsInZero(p, start, n)
	}
	return p, f.Op(ir.OpAdd, start, f.scratchStart())
}

// endsInZero clears the last word of n bytes that are about to be written, and the
// one behind them.
func (f *fn) endsInZero(p, start *ir.Value, n sized) {
	if n.w == nil {
		if last := n.most &^ 7; last < n.most {
			f.Store(p, int64(last), 8, f.Const(0))
		}
		f.Store(p, int64(round8(n.most)), 8, f.Const(0))
		return
	}
	last, _ := f.inScratchMem(f.Op(ir.OpAdd, start, f.Op(ir.OpAnd, n.w, f.Const(^7))), 16)
	f.Store(last, 0, 8, f.Const(0))
	f.Store(last, 8, 8, f.Const(0))
}

// wipe clears scratch memory between two offsets, and the word behind.
func (f *fn) wipe(from, to *ir.Value) {
	f.run("wipe", f.scratchMem(), from, to)
}

// size is n as a word.
func (f *fn) size(n sized) *ir.Value {
	if n.w != nil {
		return n.w
	}
	return f.Const(int64(n.most))
}

// settle fills in what depends on the size of scratch memory. Behind its end there
// is room for the widest access.
func (s *scratch) settle() {
	if s.mem == nil {
		return
	}
	for _, b := range s.bounds {
		b.Imm = int64(s.most) + 1
	}
	s.mem.Size = max(round8(s.most+max(s.widest, 16)), 8)
}

// inScratch branches on whether addr lies in scratch memory that was given in
// this era, and so many bytes from there on, of which size may be touched. It goes on
// in the block where they do, with a pointer to them, and returns the other block.
func (f *fn) inScratch(addr *ir.Value, size int, given *ir.Value) (p *ir.Value, outside *ir.Block) {
	p, at := f.inScratchMem(f.Op(ir.OpSub, addr, f.scratchStart()), size)
	inside, outside := f.Block(), f.Block()
	f.Branch(f.Op(ir.OpLeU, f.Op(ir.OpAdd, at, given), f.givenTop()), inside, outside)
	f.Go(inside)
	return p, outside
}

// givenTop is how many bytes of this era have been given.
func (f *fn) givenTop() *ir.Value {
	if !f.allocates {
		return f.Const(0)
	}
	return f.Load(f.scratchTop(), 0, 8)
}
