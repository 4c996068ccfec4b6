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
		blocks := ir.LoopBlocks(e.from, e.from.Succs[e.n])
		asks := ir.Asks(e.from, blocks)
		if asks == nil {
			continue
		}
		ask := asks.Term().Args[0]
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
