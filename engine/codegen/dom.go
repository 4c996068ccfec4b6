package codegen

import "dscope.dev/dlang/ir"

// dominators knows through which blocks every path to a block leads.
type dominators struct {
	idom  map[*ir.Block]*ir.Block
	order map[*ir.Block]int // in reverse postorder
}

// newDominators computes them as Cooper, Harvey and Kennedy do.
func newDominators(f *ir.Func) *dominators {
	d := &dominators{idom: map[*ir.Block]*ir.Block{}, order: map[*ir.Block]int{}}
	var post []*ir.Block
	seen := map[*ir.Block]bool{}
	var visit func(b *ir.Block)
	visit = func(b *ir.Block) {
		seen[b] = true
		for _, c := range b.Succs {
			if !seen[c] {
				visit(c)
			}
		}
		post = append(post, b)
	}
	visit(f.Blocks[0])
	for i, b := range post {
		d.order[b] = len(post) - 1 - i
	}
	d.idom[f.Blocks[0]] = f.Blocks[0]
	for changed := true; changed; {
		changed = false
		for i := len(post) - 2; i >= 0; i-- {
			b := post[i]
			var dom *ir.Block
			for _, p := range b.Preds {
				if d.idom[p] != nil {
					dom = d.common(dom, p)
				}
			}
			if d.idom[b] != dom {
				d.idom[b] = dom
				changed = true
			}
		}
	}
	return d
}

// reached reports whether the entry leads to b.
func (d *dominators) reached(b *ir.Block) bool { return d.idom[b] != nil }

// common returns the nearest block that dominates both; nil stands for all.
func (d *dominators) common(a, b *ir.Block) *ir.Block {
	if a == nil {
		return b
	}
	for a != b {
		for d.order[a] > d.order[b] {
			a = d.idom[a]
		}
		for d.order[b] > d.order[a] {
			b = d.idom[b]
		}
	}
	return a
}
