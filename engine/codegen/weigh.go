package codegen

import "dscope.dev/dlang/ir"

// mostSteps is how many values of loops the verifier follows on kernels without
// may_goto. Its limit is a million instructions; a value becomes two or three, and
// several ways may lead through a round.
const mostSteps = 200_000

// weigh refuses loops that the verifier would have to follow for too long.
func (s *selector) weigh() {
	rounds := map[*ir.Block]float64{} // of each block of a loop
	var longest *ir.Value
	for e, guarded := range s.back {
		if guarded {
			continue
		}
		blocks := loopBlocks(e.from, e.from.Succs[e.n])
		ask := asking(e.from, blocks)
		if ask == nil {
			continue
		}
		for b := range blocks {
			rounds[b] = max(rounds[b], 1) * float64(max(ask.Imm, 1))
		}
		if longest == nil || ask.Imm > longest.Imm || ask.Imm == longest.Imm && ask.ID < longest.ID {
			longest = ask
		}
	}
	steps := 0.0
	for b, n := range rounds {
		steps += n * float64(len(b.Vals))
	}
	if steps > mostSteps {
		s.at = longest.At
		s.fail("kernels before Linux 6.9 follow loops round by round when they check a program, and the %.0f steps "+
			"of this one are too many: let it go fewer rounds", steps)
	}
}

// asking returns the OpMayGo of the loop that goes back from a block.
func asking(from *ir.Block, in map[*ir.Block]bool) *ir.Value {
	seen := map[*ir.Block]bool{from: true}
	for todo := []*ir.Block{from}; len(todo) > 0; todo = todo[1:] {
		b := todo[0]
		if t := b.Term(); t.Op == ir.OpBranch && t.Args[0].Op == ir.OpMayGo {
			return t.Args[0]
		}
		for _, p := range b.Preds {
			if in[p] && !seen[p] {
				seen[p] = true
				todo = append(todo, p)
			}
		}
	}
	return nil
}

// loopBlocks returns the blocks of the loop that goes back from one block to another.
func loopBlocks(from, header *ir.Block) map[*ir.Block]bool {
	in := map[*ir.Block]bool{header: true}
	work := []*ir.Block{from}
	for len(work) > 0 {
		b := work[len(work)-1]
		work = work[:len(work)-1]
		if !in[b] {
			in[b] = true
			work = append(work, b.Preds...)
		}
	}
	return in
}
