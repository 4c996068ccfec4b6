package ir

import "slices"

// Rounds makes the loops of f that ask by OpMayGo as their rounds, one behind another: for
// verifiers that follow each round anyway, and forget in the fourth where the first had led. The
// innermost come first; those that would make f larger than most values stay, with those around
// them. It is for what lowering makes: no phi stands at the head of a loop, and nothing that is
// computed in one is used behind it.
func Rounds(f *Func, most int) {
	kept := map[*Block]bool{}
	for values(f.Blocks) < most {
		l := innermost(f, kept)
		if l == nil {
			return
		}
		n := l.asks.Term().Args[0].Imm
		if n < 1 || n > int64(most) || values(f.Blocks)+int(n)*values(l.blocks) > most || !l.closed(kept) {
			kept[l.asks] = true
			continue
		}
		l.unroll(int(n))
	}
}

// eachCall is how many values a call counts for: what is called is followed anew in each round.
const eachCall = 150

func values(blocks []*Block) (n int) {
	for _, b := range blocks {
		n += len(b.Vals)
		for _, v := range b.Vals {
			if v.Op == OpCall {
				n += eachCall
			}
		}
	}
	return n
}

// A loop goes back to its head by the n-th way out of a block, and asks in another, or the same,
// whether it may.
type loop struct {
	head, from, asks *Block
	n                int
	in               map[*Block]bool
	blocks           []*Block // those, as they stand in the function
}

// innermost returns a loop that is not kept and has none within that is not; nil if there is none.
func innermost(f *Func, kept map[*Block]bool) (least *loop) {
	d := Dominators(f)
	for _, from := range f.Blocks {
		if !d.Reached(from) {
			continue
		}
		for n, head := range from.Succs {
			if !d.Dominates(head, from) {
				continue
			}
			l := &loop{head: head, from: from, n: n, in: LoopBlocks(from, head)}
			l.asks = Asks(from, l.in)
			if l.order(); l.asks != nil && !kept[l.asks] && (least == nil || len(l.blocks) < len(least.blocks)) {
				least = l
			}
		}
	}
	return least
}

// order lists the blocks.
func (l *loop) order() {
	l.blocks = l.blocks[:0]
	for _, b := range l.from.Fn.Blocks {
		if l.in[b] {
			l.blocks = append(l.blocks, b)
		}
	}
}

// closed reports whether the loop can be made as its rounds: there is no loop within, and no value
// goes around, or out of it. What a round leaves the loop through, such as the giving up of a
// record, may use its values, and becomes part of it.
func (l *loop) closed(kept map[*Block]bool) bool {
	back := 0
	for _, p := range l.head.Preds {
		if l.in[p] {
			back++
		}
	}
	if back != 1 || len(l.head.Phis()) > 0 || len(l.asks.Succs[1].Phis()) > 0 || slices.ContainsFunc(l.blocks, func(b *Block) bool { return kept[b] }) {
		return false
	}
	for {
		b := l.user()
		if b == nil {
			break
		}
		if slices.ContainsFunc(b.Preds, func(p *Block) bool { return !l.in[p] }) {
			return false
		}
		l.in[b] = true
	}
	l.order()
	return true
}

// user returns a block outside that uses a value of the loop; nil if there is none.
func (l *loop) user() *Block {
	for _, b := range l.from.Fn.Blocks {
		for _, v := range b.Vals {
			for i, a := range v.Args {
				at := b
				if v.Op == OpPhi {
					at = b.Preds[i]
				}
				if l.in[a.Block] && !l.in[at] {
					return at
				}
			}
		}
	}
	return nil
}

// unroll puts so many rounds more behind the first: in the last it turns out that the loop has
// ended, or it gives up.
func (l *loop) unroll(rounds int) {
	f, over := l.from.Fn, l.asks.Succs[1]
	at := slices.Index(f.Blocks, l.blocks[len(l.blocks)-1]) + 1
	behind := slices.Clone(f.Blocks[at:])
	f.Blocks = f.Blocks[:at]
	all := []*loop{l}
	for range rounds {
		all = append(all, l.copy())
	}
	f.Blocks = append(f.Blocks, behind...)
	for i, round := range all {
		round.stopAsking()
		to := over
		if i < rounds {
			to = all[i+1].head
		}
		dropPred(round.head, slices.Index(round.head.Preds, round.from))
		round.from.Succs[round.n], to.Preds = to, append(to.Preds, round.from)
	}
}

// stopAsking has the round go on.
func (l *loop) stopAsking() {
	t := l.asks.Term()
	ask := t.Args[0]
	removeEdge(l.asks, 1)
	t.become(OpJump)
	l.asks.Vals = slices.DeleteFunc(l.asks.Vals, func(v *Value) bool { return v == ask })
}

// copy makes another round, which goes back to its own head.
func (l *loop) copy() *loop {
	blocks, vals := map[*Block]*Block{}, map[*Value]*Value{}
	for _, b := range l.blocks {
		c := b.Fn.NewBlock()
		c.Cold, blocks[b] = b.Cold, c
		for _, v := range b.Vals {
			made := b.Fn.newValue(v.Op, v.At, slices.Clone(v.Args)...)
			made.Imm, made.Size, made.Aux, made.Block = v.Imm, v.Size, v.Aux, c
			c.Vals, vals[v] = append(c.Vals, made), made
		}
	}
	for _, b := range l.blocks {
		c := blocks[b]
		for _, v := range c.Vals {
			for i, a := range v.Args {
				if other, ok := vals[a]; ok {
					v.Args[i] = other
				}
			}
		}
		for _, from := range b.Preds {
			if l.in[from] { // nothing but the loop before leads to its head from elsewhere
				c.Preds = append(c.Preds, blocks[from])
			}
		}
		for _, to := range b.Succs {
			if l.in[to] {
				c.Succs = append(c.Succs, blocks[to])
				continue
			}
			for _, phi := range to.Phis() {
				a := phi.Args[slices.Index(to.Preds, b)]
				if other, ok := vals[a]; ok {
					a = other
				}
				phi.Args = append(phi.Args, a)
			}
			c.Succs, to.Preds = append(c.Succs, to), append(to.Preds, c)
		}
	}
	return &loop{head: blocks[l.head], from: blocks[l.from], asks: blocks[l.asks], n: l.n}
}
