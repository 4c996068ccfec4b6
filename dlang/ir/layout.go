package ir

import "slices"

// splitEdges puts an empty block on every edge from a block with two successors
// to one with phis, so that there is a place for what the phi takes on this way.
func splitEdges(f *Func) {
	for _, b := range slices.Clone(f.Blocks) {
		if len(b.Succs) < 2 {
			continue
		}
		for i, s := range b.Succs {
			if len(s.Preds) < 2 || len(s.Phis()) == 0 {
				continue
			}
			mid := f.NewBlock()
			mid.Cold = b.Cold || s.Cold
			jump := f.newValue(OpJump, b.Term().At)
			jump.Block = mid
			mid.Vals = []*Value{jump}
			mid.Succs, mid.Preds = []*Block{s}, []*Block{b}
			b.Succs[i] = mid
			s.Preds[slices.Index(s.Preds, b)] = mid
		}
	}
}

// layout orders the blocks: each, if possible, right before the successor that
// is likelier taken, and what is rarely taken behind everything else. Blocks and
// values are numbered in that order.
func layout(f *Func) {
	spreadCold(f)
	var hot, cold []*Block
	for _, b := range reversePostorder(f) {
		if b.Cold && b != f.Entry() {
			cold = append(cold, b)
			continue
		}
		hot = append(hot, b)
	}
	f.Blocks = append(hot, cold...)
	f.nextB, f.nextV = 0, 0
	for _, b := range f.Blocks {
		b.ID = f.nextB
		f.nextB++
		for _, v := range b.Vals {
			v.ID = f.nextV
			f.nextV++
		}
	}
}

// spreadCold marks blocks cold that only cold blocks lead to, or that lead only
// to cold ones.
func spreadCold(f *Func) {
	isCold := func(b *Block) bool { return b.Cold }
	order := reversePostorder(f)
	seen := map[*Block]bool{}
	for _, b := range order {
		// What goes back to b comes from b: a loop is as cold as its way in.
		// Otherwise it would come before what it uses.
		if b != f.Entry() && !slices.ContainsFunc(b.Preds, func(p *Block) bool { return seen[p] && !isCold(p) }) {
			b.Cold = true
		}
		seen[b] = true
	}
	for _, b := range slices.Backward(order) {
		if len(b.Succs) > 0 && b != f.Entry() && !slices.ContainsFunc(b.Succs, func(s *Block) bool { return !isCold(s) }) {
			b.Cold = true
		}
	}
}
