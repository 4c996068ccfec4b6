package lower

import (
	"slices"

	"dscope.dev/dlang/ir"
)

// A pool is the memory that statements compute in: keys, strings, what is read
// from an address. A statement leaves nothing in it that a later one needs, so
// they take turns; what a program needs is what its largest statement does.
type pool struct{ free, taken []*ir.Value }

// Alloca gives size bytes until the statement ends, with anything in them.
func (f *fn) Alloca(size int) *ir.Value {
	p := &f.pool
	i := slices.IndexFunc(p.free, func(v *ir.Value) bool { return v.Size == round8(size) })
	if i < 0 {
		v := f.Builder.Alloca(size)
		p.taken = append(p.taken, v)
		return v
	}
	v := p.free[i]
	p.free = slices.Delete(p.free, i, i+1)
	p.taken = append(p.taken, v)
	return v
}

// endStatement takes back what the statement has computed in.
func (p *pool) endStatement() {
	p.free = append(p.free, p.taken...)
	p.taken = nil
}

// scratchBase is the address that the script sees at the start of its scratch
// memory: a number that is no address on any machine, so that a pointer into
// scratch memory can be told from one into the kernel, kept in a variable, and
// computed with.
const scratchBase = 0x0d5c << 48

// defaultScratch is how much alloca() and copyin() give out in a clause unless the
// scratchsize option says otherwise, in bytes.
const defaultScratch = 4096

// scratch is the memory that alloca() and copyin() give out. Every clause begins
// with none of it; what was given before is then out of reach, and its place given
// out again. How much there is follows from the calls if all of them say so, else
// from the option.
type scratch struct {
	mem    *ir.Value
	top    *ir.Value // memory of a word: how many bytes the clause has been given
	sum    int       // what the calls of this clause ask for so far
	most   int       // the largest sum of a clause
	open   bool      // whether a call asks for a size that is not known, or may come again
	widest int       // bytes that one access touches behind where it starts
	limits []limit
}

// A limit is a constant that depends on the size of all scratch memory, which is
// known only when the function is complete.
type limit struct {
	v    *ir.Value
	more int64 // than the size
}

func (f *lowerer) scratchLimit() int {
	if f.opts.ScratchSize > 0 {
		return f.opts.ScratchSize
	}
	return defaultScratch
}

// noScratch says where a clause begins that it has been given nothing.
func (f *fn) noScratch() {
	if f.allocates {
		f.scratch.sum = 0
		f.Store(f.scratchTop(), 0, 8, f.Const(0))
	}
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

// limited is v, whose number will be the size of scratch memory and more.
func (f *fn) limited(v *ir.Value, more int64) *ir.Value {
	f.scratch.limits = append(f.scratch.limits, limit{v, more})
	return v
}

// inScratchMem is the scratch memory at an offset, moved into it if it lies
// outside, where size bytes can be touched. The second result is the offset.
func (f *fn) inScratchMem(off *ir.Value, size int) (p, at *ir.Value) {
	f.scratch.widest = max(f.scratch.widest, size)
	at = f.limited(f.Emit(ir.Value{Op: ir.OpBound}, off), 1)
	return f.Op(ir.OpAdd, f.scratchMem(), at), at
}

// take gives n more bytes, and returns where they begin. Behind them a word is
// zero, so that a string ends there at the latest. With clear, they are zero too.
func (f *fn) take(n sized, clear bool) (p, addr *ir.Value) {
	s := &f.scratch
	s.sum += round8(n.most)
	s.most = max(s.most, s.sum)
	s.open = s.open || n.w != nil || f.nested > 0
	start := f.Load(f.scratchTop(), 0, 8)
	next := f.Op(ir.OpAdd, start, f.Const(int64(round8(n.most))))
	if n.w != nil {
		next = f.Op(ir.OpAnd, f.Op(ir.OpAdd, f.Op(ir.OpAdd, start, n.w), f.Const(7)), f.Const(^7))
	}
	f.fault(f.Op(ir.OpLtU, f.limited(f.Const(0), 0), next), faultNoScratch, f.size(n))
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
	return p, f.Op(ir.OpAdd, start, f.Const(scratchBase))
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
func (s *scratch) settle(most int) {
	if s.mem == nil {
		return
	}
	size := min(s.most, most)
	if s.open {
		size = most
		s.widest = max(s.widest, 16)
	}
	for _, l := range s.limits {
		l.v.Imm = int64(size) + l.more
	}
	s.mem.Size = max(round8(size+s.widest), 8)
}

// inScratch branches on whether addr lies in scratch memory that the clause was
// given, and so many bytes from there on, of which size may be touched. It goes on
// in the block where they do, with a pointer to them, and returns the other block.
func (f *fn) inScratch(addr *ir.Value, size int, given *ir.Value) (p *ir.Value, outside *ir.Block) {
	p, at := f.inScratchMem(f.Op(ir.OpSub, addr, f.Const(scratchBase)), size)
	inside, outside := f.Block(), f.Block()
	f.Branch(f.Op(ir.OpLeU, f.Op(ir.OpAdd, at, given), f.givenTop()), inside, outside)
	f.Go(inside)
	return p, outside
}

// givenTop is how many bytes the clause has been given.
func (f *fn) givenTop() *ir.Value {
	if !f.allocates {
		return f.Const(0)
	}
	return f.Load(f.scratchTop(), 0, 8)
}
