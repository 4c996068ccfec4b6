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
	var room usersRoom
	for sweep(f, &room) {
		fold(f)
	}
	skipEmpty(f)
	fold(f)
}

// A sweeping tries every block once. What it knows of the function is from before:
// the tree of dominators, of which leading a way past j may only undo what j
// itself dominates, so that blocks that have been passed are left alone until
// the next sweep; and the order of the blocks, which stays one in which, loops
// aside, all edges lead forward, as a way past j leads where j did.
type sweeping struct {
	d      *Dom
	loops  bool
	passed []bool     // by number of the block: what d is not to be asked about
	users  [][]*Value // by number of the value; some may use it no longer
	seen   []int      // by number of the block: the search that came by last
	search int
}

// sweep reports whether it changed anything.
func sweep(f *Func, room *usersRoom) bool {
	d := Dominators(f)
	s := &sweeping{d: d, loops: hasLoops(d), passed: make([]bool, f.nextB), seen: make([]int, f.nextB), users: allUsers(f, room)}
	changed := false
	for _, j := range d.order {
		for i := 0; i < len(j.Preds) && s.threadable(j); {
			t := &threading{sweeping: s, j: j, i: i, pred: j.Preds[i]}
			if t.try() {
				s.passed[j.ID], changed = true, true
				continue // the next predecessor has moved to i
			}
			i++
		}
	}
	return changed
}

// A usersRoom has the memory of what allUsers returned last, for who asks again.
type usersRoom struct {
	users [][]*Value
	uses  []int32
	list  []*Value
}

// allUsers lists the users of every value of f by its number, each once.
func allUsers(f *Func, room *usersRoom) [][]*Value {
	room.users, room.uses = slices.Grow(room.users[:0], f.nextV)[:f.nextV], slices.Grow(room.uses[:0], f.nextV)[:f.nextV]
	users, uses := room.users, room.uses
	clear(uses)
	all := 0
	for _, b := range f.Blocks {
		for _, v := range b.Vals {
			for _, a := range v.Args {
				uses[a.ID]++
			}
			all += len(v.Args)
		}
	}
	room.list = slices.Grow(room.list[:0], all)[:all]
	list := room.list
	for i, n := range uses {
		users[i], list = list[:0:n], list[n:]
	}
	for _, b := range f.Blocks {
		for _, v := range b.Vals {
			for _, a := range v.Args {
				if known := users[a.ID]; len(known) == 0 || known[len(known)-1] != v {
					users[a.ID] = append(known, v)
				}
			}
		}
	}
	return users
}

func (s *sweeping) usersOf(v *Value) []*Value {
	if v.ID >= len(s.users) {
		return nil // made since, and used by nobody
	}
	return s.users[v.ID]
}

// used notes that u has come to use v.
func (s *sweeping) used(v, u *Value) {
	for v.ID >= len(s.users) {
		s.users = append(s.users, nil)
	}
	if !slices.Contains(s.users[v.ID], u) {
		s.users[v.ID] = append(s.users[v.ID], u)
	}
}

// leadsTo reports whether control can come from a block to another. The search
// goes no further down than it has to, unless there are loops.
func (s *sweeping) leadsTo(from, to *Block) bool {
	s.search++
	work := []*Block{from}
	for len(work) > 0 {
		b := work[len(work)-1]
		work = work[:len(work)-1]
		if b == to {
			return true
		}
		if s.seen[b.ID] == s.search || !s.loops && s.d.num[b.ID] > s.d.num[to.ID] {
			continue
		}
		s.seen[b.ID] = s.search
		work = append(work, b.Succs...)
	}
	return false
}

// hasLoops reports whether a block leads back to one before it.
func hasLoops(d *Dom) bool {
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
func (s *sweeping) threadable(j *Block) bool {
	if len(j.Vals) > maxThread || len(j.Preds) < 2 || j.Term().Op != OpBranch {
		return false
	}
	for _, v := range j.Vals[:len(j.Vals)-1] {
		if !v.Op.IsPure() {
			return false
		}
	}
	return !s.loops || !s.leadsTo(j.Succs[0], j) && !s.leadsTo(j.Succs[1], j)
}

// A threading leads the i-th predecessor of j past the branch of j.
type threading struct {
	*sweeping
	j     *Block
	i     int
	pred  *Block
	outer []*Value // values of j that are used where the way leads: they need a phi there
	uses  []use    // where
}

// A use is an argument of a value.
type use struct {
	by  *Value
	arg int
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
	if !t.repairs(to) {
		return false
	}
	for _, phi := range to.Phis() {
		if _, ok := t.carry(phi.Args[slices.Index(to.Preds, t.j)]); !ok {
			return false
		}
	}
	t.redirect(to)
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

// repairs lists the values of j that are used where to leads, and their uses.
// They need a phi in to, which is possible if to has had no other way in.
func (t *threading) repairs(to *Block) bool {
	if t.loops && (t.leadsTo(to, t.pred) || t.leadsTo(to, t.j)) {
		return false
	}
	for _, a := range t.j.Vals {
		for _, v := range t.usersOf(a) {
			for k, arg := range v.Args {
				if arg == a && !t.repair(to, a, use{v, k}) {
					return false
				}
			}
		}
	}
	return true
}

// repair looks at one use of a, a value of j.
func (t *threading) repair(to *Block, a *Value, u use) bool {
	at := u.by.Block
	if u.by.Op == OpPhi {
		at = at.Preds[u.arg]
	}
	if at == t.j {
		return true
	}
	if !t.d.Dominates(to, at) {
		return !t.leadsTo(to, at) // or else it comes by the other way
	}
	if _, ok := t.carry(a); !ok || a.Type() != Word || len(to.Preds) > 1 || t.passed[to.ID] {
		return false
	}
	if !slices.Contains(t.outer, a) {
		t.outer = append(t.outer, a)
	}
	t.uses = append(t.uses, u)
	return true
}

// redirect makes the edge from pred to j one from pred to to.
func (t *threading) redirect(to *Block) {
	at := slices.Index(to.Preds, t.j)
	var more []*Value // of each phi in to
	for _, phi := range to.Phis() {
		get, _ := t.carry(phi.Args[at])
		more = append(more, get())
	}
	more = append(more, t.addPhis(to)...)
	t.pred.Succs[slices.Index(t.pred.Succs, t.j)] = to
	dropPred(t.j, t.i)
	to.Preds = append(to.Preds, t.pred)
	for k, phi := range to.Phis() {
		phi.Args = append(phi.Args, more[k])
		t.used(more[k], phi)
	}
}

// addPhis gives to a phi for each of the values that are used there, and returns
// what they are when control comes from pred.
func (t *threading) addPhis(to *Block) []*Value {
	var more []*Value
	r := rewrite{}
	for _, v := range t.outer {
		get, _ := t.carry(v)
		more = append(more, get())
		phi := to.Fn.newValue(OpPhi, v.At, v)
		phi.Block = to
		to.Vals = slices.Insert(to.Vals, len(to.Phis()), phi)
		r[v] = phi
	}
	for _, u := range t.uses {
		phi := r[u.by.Args[u.arg]]
		u.by.Args[u.arg] = phi
		t.used(phi, u.by)
	}
	for v, phi := range r {
		t.used(v, phi)
	}
	return more
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
