package codegen

import (
	"github.com/cilium/ebpf/asm"

	"dscope.dev/dlang/ir"
	"dscope.dev/engine/codegen/mach"
)

// A loop is allowed if it asks by a may_goto instruction whether it may go on, which it may
// not after some millions of rounds. Kernels of RoundByRound have none: there the rounds must
// be few enough for the verifier to follow them.

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
				s.asked[backEdge{b, i}] = s.mayGoto() && asks(b, to)
				s.headers[to] = true
			}
		}
	}
	if s.asks && !s.mayGoto() {
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

// mayGoto reports whether the kernel has that instruction.
func (s *selector) mayGoto() bool { return !s.g.f.Verifier.Has(RoundByRound) }

// mayGo ends the current block by asking whether a loop may go on. Before there
// was may_goto the verifier counted the rounds itself, and no loop goes on for ever.
func (s *selector) mayGo(yes, no *mach.Block) {
	if !s.mayGoto() {
		s.jump(yes)
		return
	}
	s.m.Extra = mach.MayGotoStack
	s.branch(mach.Test{Op: asm.JCOND, X: mach.None, Y: mach.None}, no, yes)
}

// A backEdge is the n-th way out of a block.
type backEdge struct {
	from *ir.Block
	n    int
}

// again ends the current block by the n-th way out of from, to to.
func (s *selector) again(from *ir.Block, n int, to *mach.Block) {
	if !s.back[backEdge{from, n}] || !s.mayGoto() {
		s.jump(to)
		return
	}
	s.m.Extra = mach.MayGotoStack
	s.branch(mach.Test{Op: asm.JCOND, X: mach.None, Y: mach.None}, s.giveUp(), to)
}

// giveUp returns the block that a loop without end would leave to.
func (s *selector) giveUp() *mach.Block { return s.exitBlock() }

// intoPhi puts v into the register of a phi of to. The verifier must not know a constant with
// which a loop begins: see AlikeRounds.
func (s *selector) intoPhi(dst mach.Reg, v *ir.Value, to *ir.Block) {
	if v.Op != ir.OpConst || !s.headers[to] || !s.g.f.Verifier.Has(AlikeRounds) {
		s.into(dst, v)
		return
	}
	s.unknown(dst, v.Imm)
}

// onStack reports whether p points to memory on the stack, of which the verifier
// knows what was stored there.
func (s *selector) onStack(p *ir.Value) bool {
	for p.Op == ir.OpAdd {
		p = p.Args[0]
	}
	return p.Op == ir.OpAlloca && s.allocas[p].onStack
}
