package ir

import "slices"

// dropDead removes values that nobody uses and that do nothing.
func dropDead(f *Func) {
	live := make([]bool, f.nextV)
	var work []*Value
	mark := func(v *Value) {
		if !live[v.ID] {
			live[v.ID] = true
			work = append(work, v)
		}
	}
	for _, b := range f.Blocks {
		for _, v := range b.Vals {
			if hasEffect(v) {
				mark(v)
			}
		}
	}
	for len(work) > 0 {
		v := work[len(work)-1]
		work = work[:len(work)-1]
		for _, a := range v.Args {
			mark(a)
		}
	}
	for _, b := range f.Blocks {
		b.Vals = slices.DeleteFunc(b.Vals, func(v *Value) bool { return !live[v.ID] })
	}
}

// hasEffect reports whether v does something beside having a result. Looking for the
// thread's cell does nothing; making it does.
func hasEffect(v *Value) bool {
	if v.Op == OpSelf {
		return v.Imm != 0
	}
	return infos[v.Op].eff >= stores
}

// dropDeadStores removes stores that nobody can see: to working memory that is
// never read, and those that a later store of the block overwrites before
// anything may look.
func dropDeadStores(f *Func) {
	unread := unreadAllocas(f)
	dead := map[*Value]bool{}
	for _, b := range f.Blocks {
		var later []extent // written further down, with nobody looking in between
		for _, v := range slices.Backward(b.Vals) {
			if v.Op.overwrites() {
				e := extentOf(v.Args[0], v.Imm, v.Size)
				if unread[e.root] || slices.ContainsFunc(later, func(l extent) bool { return l.covers(e) }) {
					dead[v] = true
					continue
				}
				if e.exact {
					if len(later) == mostPieces { // the furthest is forgotten
						later = slices.Delete(later, 0, 1)
					}
					later = append(later, e)
				}
			}
			later = see(v, later) // after its own writing: a copy may read what it writes
		}
	}
	for _, b := range f.Blocks {
		b.Vals = slices.DeleteFunc(b.Vals, func(v *Value) bool { return dead[v] })
	}
}

// see drops from later what v may look at.
func see(v *Value, later []extent) []extent {
	for _, e := range read(v) {
		later = slices.DeleteFunc(later, func(l extent) bool { return l.overlaps(e) })
	}
	if leaves(v) {
		later = slices.DeleteFunc(later, func(l extent) bool { return l.root.Op != OpAlloca })
	}
	return later
}

// unreadAllocas finds the working memory that is only ever written.
func unreadAllocas(f *Func) map[*Value]bool {
	unread := map[*Value]bool{}
	for _, v := range f.Entry().Vals {
		if v.Op == OpAlloca {
			unread[v] = true
		}
	}
	for _, b := range f.Blocks {
		for _, v := range b.Vals {
			for i, a := range v.Args {
				onlyWritten := i == 0 && v.Op.overwrites()
				if a.Type() == Ptr && !onlyWritten {
					delete(unread, extentOf(a, 0, 0).root)
				}
			}
		}
	}
	return unread
}
