package ir

import "slices"

// maxThread is how many values a block may have for its branch to be decided
// anew for a predecessor.
const maxThread = 6

// thread sends a predecessor of a branch on to where the branch will take it, if
// the way from there decides that: reading a variable of a thread that has none
// gives 0, and what is tested next is whether it is 0. Blocks that do nothing
// are passed by. Loops are left alone.
func thread(f *Func) {
	for sweep(f) {
		fold(f)
	}
	skipEmpty(f)
	fold(f)
}

// sweep tries every block once and reports whether it changed anything. The
// tree of dominators is that from before: leading a way past j may only undo
// what j itself dominates, so blocks that have been passed are left alone until
// the next sweep.
func sweep(f *Func) bool {
	d := dominators(f)
	loops := hasLoops(d)
	passed := map[*Block]bool{}
	for _, j := range d.order {
		for i := 0; i < len(j.Preds) && threadable(j, loops); {
			t := &threading{d: d, passed: passed, j: j, i: i, pred: j.Preds[i]}
			if t.try() {
				passed[j] = true
				continue // the next predecessor has moved to i
			}
			i++
		}
	}
	return len(passed) > 0
}

// hasLoops reports whether a block leads back to one before it.
func hasLoops(d *dom) bool {
	for i, b := range d.order {
		for _, s := range b.Succs {
			if d.num[s.ID] <= i {
				return true
			}
		}
	}
	return false
}

// threadable reports whether j ends in a branch and computes nothing that has
// an effect or depends on memory.
func threadable(j *Block, loops bool) bool {
	if len(j.Vals) > maxThread || len(j.Preds) < 2 || j.Term().Op != OpBranch {
		return false
	}
	for _, v := range j.Vals[:len(j.Vals)-1] {
		if !v.Op.IsPure() {
			return false
		}
	}
	return !loops || !slices.Contains(reachable(j.Succs), j)
}

// reachable lists the blocks that control can come to from any of list, these
// included.
func reachable(list []*Block) []*Block {
	var out []*Block
	if len(list) == 0 {
		return nil
	}
	seen := make([]bool, list[0].Fn.nextB)
	work := slices.Clone(list)
	for len(work) > 0 {
		b := work[len(work)-1]
		work = work[:len(work)-1]
		if seen[b.ID] {
			continue
		}
		seen[b.ID] = true
		out = append(out, b)
		work = append(work, b.Succs...)
	}
	return out
}

// A threading leads the i-th predecessor of j past the branch of j.
type threading struct {
	d      *dom
	passed map[*Block]bool // what dominators is not to be asked about
	j      *Block
	i      int
	pred   *Block
	region []*Block // where the way leads, once that is known
	in     []bool   // the same by number
}

// try does it if it is possible.
func (t *threading) try() bool {
	cond := t.j.Term().Args[0]
	n, ok := t.constant(cond)
	if !ok {
		n, ok = t.sameBranch(cond)
	}
	if !ok {
		return false
	}
	to := t.j.Succs[1-truth(n != 0)]
	if slices.Contains(t.pred.Succs, to) || len(t.pred.Succs) > 1 && count(t.pred.Succs, t.j) > 1 {
		return false
	}
	outer, ok := t.repairs(to)
	if !ok {
		return false
	}
	for _, phi := range to.Phis() {
		if _, ok := t.carry(phi.Args[slices.Index(to.Preds, t.j)]); !ok {
			return false
		}
	}
	t.redirect(to, outer)
	return true
}

// constant computes v of block j as it is when control comes from pred.
func (t *threading) constant(v *Value) (int64, bool) {
	switch {
	case v.Op == OpConst:
		return v.Imm, true
	case v.Block != t.j:
		return 0, false
	case v.Op == OpPhi:
		a := v.Args[t.i]
		return a.Imm, a.Op == OpConst
	case len(v.Args) == 1 && v.Type() == Word:
		a, ok := t.constant(v.Args[0])
		switch {
		case !ok:
			return 0, false
		case v.Op == OpSExt || v.Op == OpZExt:
			return extendConst(v.Op, v.Size, a), true
		}
		return evaluateUnary(v, a)
	case len(v.Args) == 2 && v.Type() == Word:
		a, ok := t.constant(v.Args[0])
		b, ok2 := t.constant(v.Args[1])
		if ok && ok2 {
			return evaluate(v.Op, a, b)
		}
	}
	return 0, false
}

// sameBranch decides cond if the only way to pred has branched on it.
func (t *threading) sameBranch(cond *Value) (int64, bool) {
	if cond.Op == OpPhi && cond.Block == t.j {
		cond = cond.Args[t.i]
	}
	for to, from := t.j, t.pred; ; to, from = from, from.Preds[0] {
		term := from.Term()
		if term.Op == OpBranch && term.Args[0] == cond && from.Succs[0] != from.Succs[1] {
			return truth(from.Succs[0] == to), true
		}
		if len(from.Preds) != 1 {
			return 0, false
		}
	}
}

// carry returns what v of j is when control comes from pred: a value that is
// computed there, or a constant.
func (t *threading) carry(v *Value) (func() *Value, bool) {
	if v.Block != t.j {
		return func() *Value { return v }, true
	}
	if v.Op == OpPhi {
		return func() *Value { return v.Args[t.i] }, true
	}
	n, ok := t.constant(v)
	return func() *Value { return insertConst(t.pred.Term(), n) }, ok
}

// repairs lists the values of j that are used where to leads. They need a phi in
// to, which is possible if to has had no other way in.
func (t *threading) repairs(to *Block) ([]*Value, bool) {
	t.region = reachable([]*Block{to})
	t.in = make([]bool, to.Fn.nextB)
	for _, b := range t.region {
		t.in[b.ID] = true
	}
	if t.in[t.pred.ID] || t.in[t.j.ID] {
		return nil, false
	}
	only := len(to.Preds) == 1 && !t.passed[to] // so that to may dominate its users
	var outer []*Value
	for _, b := range t.region {
		for _, v := range b.Vals {
			for k, a := range v.Args {
				if a.Block != t.j || v.Op == OpPhi && b.Preds[k] == t.j {
					continue
				}
				use := b
				if v.Op == OpPhi {
					use = b.Preds[k]
				}
				if !t.in[use.ID] {
					continue // comes by the other way
				}
				if _, ok := t.carry(a); !ok || a.Type() != Word || !only || !t.d.dominates(to, use) {
					return nil, false
				}
				if !slices.Contains(outer, a) {
					outer = append(outer, a)
				}
			}
		}
	}
	slices.SortFunc(outer, func(a, b *Value) int { return a.ID - b.ID })
	return outer, true
}

// redirect makes the edge from pred to j one from pred to to.
func (t *threading) redirect(to *Block, outer []*Value) {
	f := t.j.Fn
	at := slices.Index(to.Preds, t.j)
	var more []*Value // of each phi in to
	for _, phi := range to.Phis() {
		get, _ := t.carry(phi.Args[at])
		more = append(more, get())
	}
	r := map[*Value]*Value{}
	for _, v := range outer {
		get, _ := t.carry(v)
		more = append(more, get())
		phi := f.newValue(OpPhi, v.At, v)
		phi.Block = to
		to.Vals = slices.Insert(to.Vals, len(to.Phis()), phi)
		r[v] = phi
	}
	for _, b := range t.region {
		for _, v := range b.Vals {
			for k, a := range v.Args {
				fromJ := v.Op == OpPhi && (b == to || !t.in[b.Preds[k].ID])
				if phi := r[a]; phi != nil && v != phi && !fromJ {
					v.Args[k] = phi
				}
			}
		}
	}
	t.pred.Succs[slices.Index(t.pred.Succs, t.j)] = to
	dropPred(t.j, t.i)
	to.Preds = append(to.Preds, t.pred)
	for k, phi := range to.Phis() {
		phi.Args = append(phi.Args, more[k])
	}
}

// skipEmpty leads edges past blocks that only jump.
func skipEmpty(f *Func) {
	for _, b := range f.Blocks {
		if len(b.Vals) != 1 || b.Term().Op != OpJump || b == f.Entry() || b.Succs[0] == b {
			continue
		}
		to := b.Succs[0]
		at := slices.Index(to.Preds, b)
		for _, p := range slices.Clone(b.Preds) {
			if slices.Contains(p.Succs, to) && len(to.Phis()) > 0 {
				continue
			}
			p.Succs[slices.Index(p.Succs, b)] = to
			b.Preds = slices.Delete(b.Preds, slices.Index(b.Preds, p), slices.Index(b.Preds, p)+1)
			to.Preds = append(to.Preds, p)
			for _, phi := range to.Phis() {
				phi.Args = append(phi.Args, phi.Args[at])
			}
		}
	}
	dropUnreachable(f)
}
