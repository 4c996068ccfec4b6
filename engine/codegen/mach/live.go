package mach

import (
	"slices"

	"github.com/cilium/ebpf/asm"
)

// A regset is a set of registers, ascending. However many a function has, few are
// live at once.
type regset []Reg

// find returns where r is or would be.
func (s regset) find(r Reg) int {
	from, to := 0, len(s)
	for from < to {
		if mid := (from + to) / 2; s[mid] < r {
			from = mid + 1
		} else {
			to = mid
		}
	}
	return from
}

func (s regset) has(r Reg) bool {
	i := s.find(r)
	return i < len(s) && s[i] == r
}

func (s *regset) add(r Reg) {
	if i := s.find(r); i == len(*s) || (*s)[i] != r {
		*s = slices.Insert(*s, i, r)
	}
}

func (s *regset) remove(r Reg) {
	if i := s.find(r); i < len(*s) && (*s)[i] == r {
		*s = slices.Delete(*s, i, i+1)
	}
}

// extend adds r to a set of registers that are at most r.
func (s *regset) extend(r Reg) bool {
	if n := len(*s); n > 0 && (*s)[n-1] == r {
		return false
	}
	if *s == nil {
		*s = make(regset, 0, 8) // most grow to about so many
	}
	*s = append(*s, r)
	return true
}

// clobbered is how many registers, from R0 on, a call overwrites.
const clobbered = 6

// step changes live, the registers live after i, to those live before it.
// R10 is always live and never listed.
func (i *Inst) step(live *regset) {
	if i.isCall() {
		for r := range Reg(clobbered) {
			live.remove(r)
		}
	} else if d := i.def(); d != None {
		live.remove(d)
	}
	var list [5]Reg
	for _, r := range i.reads(&list) {
		if r != RFP {
			live.add(r)
		}
	}
}

// atEnd sets live to what is live before the terminator of b.
func (b *Block) atEnd(live *regset) {
	*live = append((*live)[:0], b.out...)
	b.termUses(func(r *Reg) {
		if *r != RFP {
			live.add(*r)
		}
	})
}

// A flow finds what is live where. It follows each register by itself, from
// the blocks that read it backwards to those that write it: this costs as much as
// the answer is long.
type flow struct {
	m     *Func
	preds [][]*Block // by id

	// The blocks that read a register before they write it, and those that write
	// it: lists in links, whose first elements are in read and wrote.
	links       []mention
	read, wrote []int32
	seen        []visit
	work        []*Block
}

// A mention is an element of a list; next is 0 in the last.
type mention struct {
	b    *Block
	next int32
}

// A visit says in which block a register was last seen to be read and written.
type visit struct{ read, wrote *Block }

// begin prepares for a function whose blocks stay as they are.
func (f *flow) begin(m *Func) {
	f.m, f.preds, f.work = m, empty(f.preds, m.ids()), f.work[:0]
	for _, b := range m.Blocks {
		for _, c := range b.successors() {
			f.preds[c.id] = append(f.preds[c.id], b)
		}
	}
}

// liveness finds what is live at the borders of blocks.
func (f *flow) liveness() {
	f.links = append(f.links[:0], mention{})
	f.read, f.wrote, f.seen = zeros(f.read, f.m.Regs), zeros(f.wrote, f.m.Regs), zeros(f.seen, f.m.Regs)
	for _, b := range f.m.Blocks {
		b.in, b.out, b.writes = b.in[:0], b.out[:0], None
		f.survey(b)
	}
	for r := range f.m.Regs { // ascending: so are the sets
		if f.read[r] != 0 {
			f.follow(r)
		}
	}
}

// zeros returns n zeros, in the room of list if there is enough. They are written before
// anybody reads them: to read fresh memory and then to write it costs the kernel two faults.
func zeros[T any, N ~int | ~int32](list []T, n N) []T {
	list = slices.Grow(list[:0], int(n))[:n]
	clear(list)
	return list
}

// empty returns n empty lists, in the room of those in all if there are enough.
func empty[T any, N ~int | ~int32](all [][]T, n N) [][]T {
	all = all[:cap(all)]
	all = append(all, make([][]T, max(int(n)-len(all), 0))...)[:n]
	for i := range all {
		all[i] = all[i][:0]
	}
	return all
}

// survey lists what b reads and writes.
func (f *flow) survey(b *Block) {
	read := func(r Reg) {
		if s := &f.seen[r]; r != RFP && s.read != b && s.wrote != b {
			s.read = b
			f.push(&f.read[r], b)
		}
	}
	write := func(r Reg) {
		if s := &f.seen[r]; s.wrote != b {
			s.wrote = b
			f.push(&f.wrote[r], b)
		}
	}
	var list [5]Reg
	for i := range b.Insts {
		in := &b.Insts[i]
		for _, r := range in.reads(&list) {
			read(r)
		}
		if in.isCall() {
			for r := range Reg(clobbered) {
				write(r)
			}
		} else if d := in.def(); d != None {
			write(d)
		}
	}
	b.termUses(func(r *Reg) { read(*r) })
}

func (f *flow) push(list *int32, b *Block) {
	f.links = append(f.links, mention{b, *list})
	*list = int32(len(f.links) - 1)
}

// follow adds r to the sets of all blocks in which it is live.
func (f *flow) follow(r Reg) {
	for i := f.wrote[r]; i != 0; i = f.links[i].next {
		f.links[i].b.writes = r
	}
	for i := f.read[r]; i != 0; i = f.links[i].next {
		b := f.links[i].b
		b.in.extend(r)
		f.work = append(f.work, b)
	}
	for len(f.work) > 0 {
		b := f.work[len(f.work)-1]
		f.work = f.work[:len(f.work)-1]
		for _, p := range f.preds[b.id] {
			if p.out.extend(r) && p.writes != r && p.in.extend(r) {
				f.work = append(f.work, p)
			}
		}
	}
}

// postorder returns the blocks that can be reached, successors first where
// there are no loops. A successor that is not tested for comes before others, so
// that in reverse the first successor of a branch follows it.
func (m *Func) postorder() []*Block {
	seen := make([]bool, m.ids())
	order := make([]*Block, 0, len(m.Blocks))
	var visit func(b *Block)
	visit = func(b *Block) {
		seen[b.id] = true
		next := b.successors()
		for i := len(next) - 1; i >= 0; i-- {
			if !seen[next[i].id] {
				visit(next[i])
			}
		}
		order = append(order, b)
	}
	visit(m.Blocks[0])
	return order
}

// DropUnreached removes blocks that nothing leads to.
func (m *Func) DropUnreached() {
	reached := map[*Block]bool{}
	for _, b := range m.postorder() {
		reached[b] = true
	}
	kept := m.Blocks[:0]
	for _, b := range m.Blocks {
		if reached[b] {
			kept = append(kept, b)
		}
	}
	m.Blocks = kept
}

// dropDead removes instructions whose only effect is on a register that nobody
// reads. It leaves behind what is live.
func (f *flow) dropDead() {
	var live regset
	for again := true; again; {
		again = false
		f.liveness()
		for _, b := range f.m.Blocks {
			b.atEnd(&live)
			kept := len(b.Insts)
			for i := len(b.Insts) - 1; i >= 0; i-- {
				in := b.Insts[i]
				if d := in.def(); d >= Virtual && !live.has(d) && !in.isCall() {
					continue
				}
				in.step(&live)
				kept--
				b.Insts[kept] = in
			}
			b.Insts = b.Insts[kept:]
			again = again || !slices.Equal(live, b.in) // what the blocks before compute for it may be dead
		}
	}
}

// rematerial reports whether it is cheaper to repeat i than to keep its result
// in memory.
func (i *Inst) rematerial() bool {
	return i.Op.Class() == asm.LdClass || i.Op.Class().IsALU() && i.Op.ALUOp() == asm.Mov && i.Src == None
}
