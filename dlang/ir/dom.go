package ir

// A Dom is the tree of dominators of a function, and the order of its blocks.
type Dom struct {
	order []*Block // reverse postorder of the blocks that can be reached
	num   []int    // position in order by number of the block, -1 if it is not reached
	idom  []int    // by position; the entry is its own
	kids  []int    // the first child in the tree, by position; 0 if there is none
	next  []int    // the next child of the same, by position; 0 behind the last
	in    []int    // when a walk of the tree enters a block, by position
	out   []int    // when it leaves
}

// Dominators works out f's tree, after Cooper, Harvey and Kennedy.
func Dominators(f *Func) *Dom {
	d := &Dom{order: reversePostorder(f)}
	d.num = make([]int, f.nextB)
	for i := range d.num {
		d.num[i] = -1
	}
	for i, b := range d.order {
		d.num[b.ID] = i
	}
	d.idom = make([]int, len(d.order))
	for i := range d.idom {
		d.idom[i] = -1
	}
	d.idom[0] = 0
	for changed := true; changed; {
		changed = false
		for i := 1; i < len(d.order); i++ {
			if next := d.join(d.order[i]); next != d.idom[i] {
				d.idom[i], changed = next, true
			}
		}
	}
	d.kids, d.next = make([]int, len(d.order)), make([]int, len(d.order))
	for i := len(d.order) - 1; i > 0; i-- {
		d.kids[d.idom[i]], d.next[i] = i, d.kids[d.idom[i]]
	}
	d.in, d.out = make([]int, len(d.order)), make([]int, len(d.order))
	clock := 0
	d.number(0, &clock)
	return d
}

// join returns the nearest common dominator of the predecessors of b that have
// one already.
func (d *Dom) join(b *Block) int {
	best := -1
	for _, p := range b.Preds {
		i := d.num[p.ID]
		if i < 0 || d.idom[i] < 0 {
			continue
		}
		if best < 0 {
			best = i
			continue
		}
		best = d.meet(best, i)
	}
	return best
}

// meet returns the nearest common dominator of two blocks, by position.
func (d *Dom) meet(i, j int) int {
	for i != j {
		for i > j {
			i = d.idom[i]
		}
		for j > i {
			j = d.idom[j]
		}
	}
	return i
}

// Common returns the nearest block that dominates both a and b; nil, and a block that is
// not reached, stand for all.
func (d *Dom) Common(a, b *Block) *Block {
	switch {
	case a == nil || !d.Reached(a):
		return b
	case !d.Reached(b):
		return a
	}
	return d.order[d.meet(d.num[a.ID], d.num[b.ID])]
}

func (d *Dom) number(i int, clock *int) {
	*clock++
	d.in[i] = *clock
	for k := d.kids[i]; k != 0; k = d.next[k] {
		d.number(k, clock)
	}
	*clock++
	d.out[i] = *clock
}

// Reached reports whether control can come to b.
func (d *Dom) Reached(b *Block) bool { return d.num[b.ID] >= 0 }

// Dominates reports whether every way to b leads through a.
func (d *Dom) Dominates(a, b *Block) bool {
	i, j := d.num[a.ID], d.num[b.ID]
	return i >= 0 && j >= 0 && d.in[i] <= d.in[j] && d.out[j] <= d.out[i]
}

// parent returns the immediate dominator of b, or nil of the entry.
func (d *Dom) parent(b *Block) *Block {
	i := d.num[b.ID]
	if i == 0 {
		return nil
	}
	return d.order[d.idom[i]]
}

// reversePostorder lists the blocks that can be reached so that, loops aside,
// each comes after its predecessors. Of two successors the first comes first.
func reversePostorder(f *Func) []*Block {
	order := make([]*Block, 0, len(f.Blocks))
	seen := make([]bool, f.nextB)
	var walk func(b *Block)
	walk = func(b *Block) {
		seen[b.ID] = true
		for i := len(b.Succs) - 1; i >= 0; i-- {
			if s := b.Succs[i]; !seen[s.ID] {
				walk(s)
			}
		}
		order = append(order, b)
	}
	walk(f.Entry())
	for i, j := 0, len(order)-1; i < j; i, j = i+1, j-1 {
		order[i], order[j] = order[j], order[i]
	}
	return order
}
