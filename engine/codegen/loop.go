package codegen

import (
	"github.com/cilium/ebpf/asm"

	"dscope.dev/dlang/ir"
	"dscope.dev/engine/codegen/mach"
)

// The verifier follows a loop round by round, and two loops one within the other
// soon exhaust it. Since Linux 6.9 it has a better way, open to loops with a
// may_goto instruction, which leaves the loop after some millions of rounds: it
// compares the state of one round with that of the one before, and is content
// if nothing new has been learned. For that the counter must not begin as a
// number that it knows; each round would then have its own.

// loops finds the edges that go back to a block through which they came, and
// the blocks that they lead to. A loop that asks by itself whether it may go on
// needs no may_goto besides.
func (s *selector) loops() {
	dom := ir.Dominators(s.fn)
	for _, b := range s.fn.Blocks {
		s.asks = s.asks || len(b.Succs) == 2 && b.Term().Args[0].Op == ir.OpMayGo
		for i, to := range b.Succs {
			if dom.Dominates(to, b) {
				s.back[backEdge{b, i}] = !asks(b, to)
				s.asked[backEdge{b, i}] = s.g.f.MayGoto && asks(b, to)
				s.headers[to] = true
			}
		}
	}
	if s.asks && !s.g.f.MayGoto {
		s.weigh()
	}
}

// asks reports whether control comes from head to b, which goes back there, by
// OpMayGo only.
func asks(b, head *ir.Block) bool {
	seen := map[*ir.Block]bool{b: true}
	for todo := []*ir.Block{b}; len(todo) > 0; {
		b := todo[len(todo)-1]
		todo = todo[:len(todo)-1]
		if t := b.Term(); t.Op == ir.OpBranch && t.Args[0].Op == ir.OpMayGo {
			continue
		}
		if b == head {
			return false
		}
		for _, p := range b.Preds {
			if !seen[p] {
				seen[p] = true
				todo = append(todo, p)
			}
		}
	}
	return true
}

// mayGo ends the current block by asking whether a loop may go on. Before there
// was may_goto the verifier counted the rounds itself, and no loop goes on for ever.
func (s *selector) mayGo(yes, no *mach.Block) {
	if !s.g.f.MayGoto {
		s.jump(yes)
		return
	}
	s.m.Extra = mayGotoStack
	s.branch(mach.Test{Op: asm.JCOND, X: mach.None, Y: mach.None}, no, yes)
}

// blurs reports whether the verifier is kept from knowing what the function chooses
// between. It follows each way on which a number differs that decides something
// later on, so that a round of a loop that makes k such choices was followed in 2^k
// ways: phis, the results of comparisons and what is read from the stack are numbers of
// which it knows nothing.
func (s *selector) blurs() bool { return s.asks && s.g.f.MayGoto }

// A backEdge is the n-th way out of a block.
type backEdge struct {
	from *ir.Block
	n    int
}

// again ends the current block by the n-th way out of from, to to.
func (s *selector) again(from *ir.Block, n int, to *mach.Block) {
	if !s.back[backEdge{from, n}] || !s.g.f.MayGoto {
		s.jump(to)
		return
	}
	s.m.Extra = mayGotoStack
	s.branch(mach.Test{Op: asm.JCOND, X: mach.None, Y: mach.None}, s.giveUp(), to)
}

// mayGotoStack is what the verifier adds to the stack of a function with
// may_goto, for its counter.
const mayGotoStack = 16

// giveUp returns the block that a loop without end would leave to.
func (s *selector) giveUp() *mach.Block { return s.exitBlock() }

// intoPhi puts v into the register of a phi of to. A constant with which a loop
// begins is hidden from the verifier: what is written to the stack in two halves
// is for it a number of which it knows nothing.
func (s *selector) intoPhi(dst mach.Reg, v *ir.Value, to *ir.Block) {
	if v.Op != ir.OpConst || !s.headers[to] || !s.g.f.MayGoto {
		s.into(dst, v)
		return
	}
	s.hide(dst, v.Imm)
}

// hide puts a constant into dst of which the verifier knows nothing.
func (s *selector) hide(dst mach.Reg, n int64) {
	if s.veil == 0 {
		s.veil = s.m.Slot(8)
	}
	s.load(8, dst, mach.RFP, int64(s.veil))
	switch {
	case n == 0:
	case fits32(n):
		s.aluImm(asm.Add, dst, n)
	default:
		t := s.newReg()
		s.movImm(t, n)
		s.alu(asm.Add, dst, t)
	}
}

// storeVeil begins the function by writing the zero that hide reads, if it does. The
// verifier must not know it: it is 1 less 1, where the 1 was written as two halves. Of
// halves the verifier makes no word that it knows, unless it knows both to be zero; so the
// result is written as two halves that it does not know either.
func (s *selector) storeVeil() {
	if s.veil == 0 {
		return
	}
	off := int64(s.veil)
	s.cur = s.m.Blocks[0]
	rest := s.cur.Insts
	s.cur.Insts = nil
	s.storeImm(4, mach.RFP, off, 1)
	s.storeImm(4, mach.RFP, off+4, 0)
	zero := s.newReg()
	s.load(8, zero, mach.RFP, off)
	s.aluImm(asm.Sub, zero, 1)
	s.store(4, mach.RFP, off, zero)
	s.store(4, mach.RFP, off+4, zero)
	s.cur.Insts = append(s.cur.Insts, rest...)
}

// onStack reports whether p points to memory on the stack, of which the verifier
// knows what was stored there: in a program with loops that is too much.
func (s *selector) onStack(p *ir.Value) bool {
	for p.Op == ir.OpAdd {
		p = p.Args[0]
	}
	return p.Op == ir.OpAlloca && s.allocas[p].onStack
}

// unlearn keeps from the verifier what a round of a loop has made of r. What the
// script does in a loop is not made for it as the subroutines are: a value that
// differs a little from round to round, and decides something, would have every
// round verified anew.
func (s *selector) unlearn(r mach.Reg) {
	zero := s.newReg()
	s.hide(zero, 0)
	s.alu(asm.Add, r, zero)
}
