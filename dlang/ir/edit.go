package ir

import "slices"

// removeEdge takes the i-th successor of b away, with what phis there say of b.
func removeEdge(b *Block, i int) {
	to := b.Succs[i]
	b.Succs = slices.Delete(b.Succs, i, i+1)
	dropPred(to, slices.Index(to.Preds, b))
}

// dropPred takes the j-th predecessor of b away.
func dropPred(b *Block, j int) {
	b.Preds = slices.Delete(b.Preds, j, j+1)
	for _, phi := range b.Phis() {
		phi.Args = slices.Delete(phi.Args, j, j+1)
	}
}

// insert puts a new value before place, which is in a block.
func insert(place *Value, op Op, args ...*Value) *Value {
	b := place.Block
	v := b.Fn.newValue(op, place.At, args...)
	v.Block = b
	at := len(b.Vals) - 1 // most places are terminators
	if b.Vals[at] != place {
		at = slices.Index(b.Vals, place)
	}
	b.Vals = slices.Insert(b.Vals, at, v)
	return v
}

// insertConst puts a constant before place.
func insertConst(place *Value, n int64) *Value {
	v := insert(place, OpConst)
	v.Imm = n
	return v
}

// become turns v into another operation in place.
func (v *Value) become(op Op, args ...*Value) {
	v.Op, v.Args, v.Imm, v.Size, v.Aux = op, args, 0, 0, nil
}

func (v *Value) becomeConst(n int64) {
	v.become(OpConst)
	v.Imm = n
}

// A rewrite maps values to those that take their place.
type rewrite map[*Value]*Value

// final follows r to its end.
func (r rewrite) final(v *Value) *Value {
	for {
		next, ok := r[v]
		if !ok {
			return v
		}
		v = next
	}
}

// apply replaces all uses in f and removes what was replaced.
func (r rewrite) apply(f *Func) {
	if len(r) == 0 {
		return
	}
	for _, b := range f.Blocks {
		for _, v := range b.Vals {
			for i, a := range v.Args {
				v.Args[i] = r.final(a)
			}
		}
		b.Vals = slices.DeleteFunc(b.Vals, func(v *Value) bool { return r[v] != nil })
	}
}

// dropUnreachable removes the blocks that control cannot come to.
func dropUnreachable(f *Func) {
	order := reversePostorder(f)
	if len(order) == len(f.Blocks) {
		return
	}
	seen := make([]bool, f.nextB)
	for _, b := range order {
		seen[b.ID] = true
	}
	for _, b := range f.Blocks {
		if seen[b.ID] {
			continue
		}
		for len(b.Succs) > 0 {
			removeEdge(b, 0)
		}
	}
	f.Blocks = slices.DeleteFunc(f.Blocks, func(b *Block) bool { return !seen[b.ID] })
}
