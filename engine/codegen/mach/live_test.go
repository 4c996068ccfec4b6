package mach

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
		f := new(flow)
		f.begin(m)
		f.liveness()
		f.liveness() // finds the same again
		in := map[*Block]map[Reg]bool{}
		for again := true; again; {
			again = false
			for _, b := range m.Blocks {
				if live := b.before(in); len(live) != len(in[b]) {
					in[b], again = live, true
				}
			}
		}
		for _, b := range m.Blocks {
			out := map[Reg]bool{}
			for _, c := range b.successors() {
				for r := range in[c] {
					out[r] = true
				}
			}
			for name, p := range map[string]struct {
				got  regset
				want map[Reg]bool
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
func (b *Block) before(in map[*Block]map[Reg]bool) map[Reg]bool {
	live := map[Reg]bool{}
	for _, c := range b.successors() {
		for r := range in[c] {
			live[r] = true
		}
	}
	b.termUses(func(r *Reg) { live[*r] = true })
	for i := len(b.Insts) - 1; i >= 0; i-- {
		switch in := &b.Insts[i]; {
		case in.isCall():
			for r := range Reg(clobbered) {
				delete(live, r)
			}
		case in.def() != None:
			delete(live, in.def())
		}
		b.Insts[i].uses(func(r *Reg) { live[*r] = true })
	}
	delete(live, RFP)
	return live
}

// randomBlocks makes a function that means nothing, with loops.
func randomBlocks(r *rand.Rand) *Func {
	m := &Func{Name: "f", Regs: Virtual + Reg(1+r.IntN(20))}
	any := func() Reg { return Reg(r.IntN(int(m.Regs))) }
	for range 1 + r.IntN(12) {
		m.NewBlock(false)
	}
	for _, b := range m.Blocks {
		for range r.IntN(6) {
			in := Inst{Op: asm.Add.Op(asm.RegSource), Dst: Virtual + Reg(r.IntN(int(m.Regs-Virtual))), Src: any()}
			switch r.IntN(6) {
			case 0:
				in = Inst{Op: asm.Call.Op(asm.ImmSource), Dst: R0, Src: R0, Args: int8(r.IntN(6))}
			case 1:
				in.Op = asm.Mov.Op(asm.RegSource)
			case 2:
				in.Op = asm.LoadMemOp(asm.DWord)
			case 3:
				in.Op = asm.StoreMemOp(asm.DWord)
			case 4:
				in.Op = CmpXchg
			}
			b.Insts = append(b.Insts, in)
		}
		to := func() *Block { return m.Blocks[r.IntN(len(m.Blocks))] }
		switch r.IntN(4) {
		case 0:
			b.Kind = Exit
		case 1:
			b.Succs[0] = to()
		default:
			b.Kind, b.Succs, b.Test = Branch, [2]*Block{to(), to()}, Test{Op: asm.JEq, X: any(), Y: None}
		}
	}
	m.DropUnreached()
	return m
}
