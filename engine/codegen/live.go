package codegen

import (
	"math/bits"

	"github.com/cilium/ebpf/asm"
)

// each calls f with every register of s, ascending.
func (s bitset) each(f func(reg)) {
	for i, w := range s {
		for w != 0 {
			f(reg(i*64 + bits.TrailingZeros64(w)))
			w &= w - 1
		}
	}
}

// clobbered is how many registers, from R0 on, a call overwrites.
const clobbered = 6

// step changes live, the registers live after i, to those live before it.
func (i *inst) step(live bitset) {
	if i.isCall() {
		for r := range reg(clobbered) {
			live.remove(r)
		}
	} else if d := i.def(); d != none {
		live.remove(d)
	}
	i.uses(func(r *reg) { live.add(*r) })
}

// liveness finds what is live at the borders of blocks.
func (m *mfunc) liveness() {
	order := m.postorder()
	for _, b := range m.blocks {
		b.in, b.out = newBitset(m.regs), newBitset(m.regs)
	}
	live := newBitset(m.regs)
	for changed := true; changed; {
		changed = false
		for _, b := range order {
			for _, c := range b.successors() {
				b.out.union(c.in)
			}
			live.copyFrom(b.out)
			b.termUses(func(r *reg) { live.add(*r) })
			for i := len(b.insts) - 1; i >= 0; i-- {
				b.insts[i].step(live)
			}
			if !b.in.equal(live) {
				b.in.copyFrom(live)
				changed = true
			}
		}
	}
}

// postorder returns the blocks that can be reached, successors first where
// there are no loops. A successor that is not tested for comes before others, so
// that in reverse the first successor of a branch follows it.
func (m *mfunc) postorder() []*block {
	seen := make(map[*block]bool, len(m.blocks))
	var order []*block
	var visit func(b *block)
	visit = func(b *block) {
		seen[b] = true
		next := b.successors()
		for i := len(next) - 1; i >= 0; i-- {
			if !seen[next[i]] {
				visit(next[i])
			}
		}
		order = append(order, b)
	}
	visit(m.blocks[0])
	return order
}

// dropUnreached removes blocks that nothing leads to.
func (m *mfunc) dropUnreached() {
	reached := map[*block]bool{}
	for _, b := range m.postorder() {
		reached[b] = true
	}
	kept := m.blocks[:0]
	for _, b := range m.blocks {
		if reached[b] {
			kept = append(kept, b)
		}
	}
	m.blocks = kept
}

// dropDead removes instructions whose only effect is on a register that nobody
// reads.
func (m *mfunc) dropDead() {
	for again := true; again; {
		again = false
		m.liveness()
		live := newBitset(m.regs)
		for _, b := range m.blocks {
			live.copyFrom(b.out)
			b.termUses(func(r *reg) { live.add(*r) })
			kept := len(b.insts)
			for i := len(b.insts) - 1; i >= 0; i-- {
				in := b.insts[i]
				if d := in.def(); d >= virtual && !live.has(d) && !in.isCall() {
					continue
				}
				in.step(live)
				kept--
				b.insts[kept] = in
			}
			b.insts = b.insts[kept:]
			again = again || !live.equal(b.in) // what the blocks before compute for it may be dead
		}
	}
}

// rematerial reports whether it is cheaper to repeat i than to keep its result
// in memory.
func (i *inst) rematerial() bool {
	return i.op.Class() == asm.LdClass || i.op.Class().IsALU() && i.op.ALUOp() == asm.Mov && i.src == none
}
