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

// maxScratch is the most bytes that one call of alloca() or copyin() gives when
// its size is not a constant.
const maxScratch = 256

// scratch is the memory that alloca() and copyin() give out. Every call has its
// own part: D has no loops in which a call could come twice.
type scratch struct {
	mem    *ir.Value
	size   int
	bounds []bound
}

// A bound is an access whose limit depends on the size of all scratch memory,
// which is known only when the function is complete.
type bound struct {
	limit *ir.Value // the constant: the largest offset that is good
	clamp *ir.Value // the OpBound
	size  int
}

// take returns the offset of n more bytes, and makes room for them.
func (f *fn) take(n int) int {
	s := &f.scratch
	f.scratchMem()
	at := s.size
	s.size += round8(n)
	return at
}

func (f *fn) scratchMem() *ir.Value {
	if f.scratch.mem == nil {
		f.scratch.mem = f.Builder.Alloca(8)
	}
	return f.scratch.mem
}

// settle fills in what depends on the size of scratch memory. Behind the last
// part there is room for the widest access, so that a string may begin at the
// last byte.
func (s *scratch) settle() {
	if s.mem == nil {
		return
	}
	widest := 0
	for _, b := range s.bounds {
		widest = max(widest, b.size)
		b.limit.Imm, b.clamp.Imm = int64(s.size), int64(s.size)+1
	}
	s.mem.Size = max(round8(s.size+widest), 8)
}

// inScratch branches on whether addr lies in scratch memory, where size bytes
// are going to be used. It
// goes on in the block where they do, with a pointer to them, and returns the
// other block.
func (f *fn) inScratch(addr *ir.Value, size int) (p *ir.Value, outside *ir.Block) {
	off := f.Op(ir.OpSub, addr, f.Const(scratchBase))
	limit := f.Const(0)
	inside, outside := f.Block(), f.Block()
	f.Branch(f.Op(ir.OpLeU, off, limit), inside, outside)
	f.Go(inside)
	clamp := f.Emit(ir.Value{Op: ir.OpBound}, off)
	f.scratch.bounds = append(f.scratch.bounds, bound{limit, clamp, size})
	return f.Op(ir.OpAdd, f.scratchMem(), clamp), outside
}
