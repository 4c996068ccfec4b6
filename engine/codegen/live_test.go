package codegen

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/cilium/ebpf/asm"
)

// TestLiveness compares what is live at the borders of the blocks of random
// functions with the definition: the least sets of which each holds what its
// block reads before it writes, and what the next blocks need and it does not
// write.
func TestLiveness(t *testing.T) {
	for seed := range uint64(300) {
		m := randomBlocks(rand.New(rand.NewPCG(seed, 2)))
		f := newFlow(m)
		f.liveness()
		f.liveness() // finds the same again
		in := map[*block]map[reg]bool{}
		for again := true; again; {
			again = false
			for _, b := range m.blocks {
				if live := b.before(in); len(live) != len(in[b]) {
					in[b], again = live, true
				}
			}
		}
		for _, b := range m.blocks {
			out := map[reg]bool{}
			for _, c := range b.successors() {
				for r := range in[c] {
					out[r] = true
				}
			}
			for name, p := range map[string]struct {
				got  regset
				want map[reg]bool
			}{"in": {b.in, in[b]}, "out": {b.out, out}} {
				var want regset
				for r := range p.want {
					want = append(want, r)
				}
				slices.Sort(want)
				if !slices.Equal(p.got, want) {
					t.Fatalf("seed %d, %s of block %d: %v, want %v", seed, name, b.id, p.got, want)
				}
			}
		}
	}
}

// before returns what is live before b, by what is known of the other blocks.
func (b *block) before(in map[*block]map[reg]bool) map[reg]bool {
	live := map[reg]bool{}
	for _, c := range b.successors() {
		for r := range in[c] {
			live[r] = true
		}
	}
	b.termUses(func(r *reg) { live[*r] = true })
	for i := len(b.insts) - 1; i >= 0; i-- {
		switch in := &b.insts[i]; {
		case in.isCall():
			for r := range reg(clobbered) {
				delete(live, r)
			}
		case in.def() != none:
			delete(live, in.def())
		}
		b.insts[i].uses(func(r *reg) { live[*r] = true })
	}
	delete(live, rfp)
	return live
}

// randomBlocks makes a function that means nothing, with loops.
func randomBlocks(r *rand.Rand) *mfunc {
	m := &mfunc{name: "f", regs: virtual + reg(1+r.IntN(20))}
	any := func() reg { return reg(r.IntN(int(m.regs))) }
	for range 1 + r.IntN(12) {
		m.newBlock(false)
	}
	for _, b := range m.blocks {
		for range r.IntN(6) {
			in := inst{op: asm.Add.Op(asm.RegSource), dst: virtual + reg(r.IntN(int(m.regs-virtual))), src: any()}
			switch r.IntN(6) {
			case 0:
				in = inst{op: asm.Call.Op(asm.ImmSource), dst: r0, src: r0, args: int8(r.IntN(6))}
			case 1:
				in.op = asm.Mov.Op(asm.RegSource)
			case 2:
				in.op = asm.LoadMemOp(asm.DWord)
			case 3:
				in.op = asm.StoreMemOp(asm.DWord)
			case 4:
				in.op = cmpXchg
			}
			b.insts = append(b.insts, in)
		}
		to := func() *block { return m.blocks[r.IntN(len(m.blocks))] }
		switch r.IntN(4) {
		case 0:
			b.kind = termExit
		case 1:
			b.succs[0] = to()
		default:
			b.kind, b.succs, b.test = termBranch, [2]*block{to(), to()}, test{op: asm.JEq, x: any(), y: none}
		}
	}
	m.dropUnreached()
	return m
}
