package ir

// A span of memory is what an access touches: Size bytes at an offset from a
// root, or anywhere from it.
type extent struct {
	root  *Value
	off   int64
	size  int64
	exact bool // whether off and size are known
}

// extentOf describes size bytes at p + off.
func extentOf(p *Value, off int64, size int) extent {
	e := extent{root: p, off: off, size: int64(size), exact: true}
	for e.root.Op == OpAdd {
		if c := e.root.Args[1]; c.Op == OpConst {
			e.off += c.Imm
		} else {
			e.exact = false
		}
		e.root = e.root.Args[0]
	}
	return e
}

// all is everything that can be reached from p.
func all(p *Value) extent {
	e := extentOf(p, 0, 0)
	e.exact = false
	return e
}

// sameRoot reports whether a and b point to the same place.
func sameRoot(a, b *Value) bool {
	if a == b {
		return true
	}
	return a.Op == b.Op && (a.Op == OpGlobal && a.Imm == b.Imm || a.Op == OpSelf)
}

// overlaps reports whether a and b may have a byte in common.
func (e extent) overlaps(o extent) bool {
	if sameRoot(e.root, o.root) {
		return !e.exact || !o.exact || e.off < o.off+o.size && o.off < e.off+e.size
	}
	return mayAlias(e.root, o.root)
}

// mayAlias reports whether two roots that are not known to be the same may
// still be: two cells of one aggregation, two elements of one array, and
// whatever came through a phi or a parameter.
func mayAlias(a, b *Value) bool {
	for _, v := range [...]*Value{a, b} {
		if v.Op == OpPhi || v.Op == OpParam {
			return true
		}
	}
	switch {
	case a.Op != b.Op:
		return false
	case a.Op == OpAggCell || a.Op == OpAssocGet:
		return a.Imm == b.Imm
	}
	return false
}

// covers reports whether e writes all that o does.
func (e extent) covers(o extent) bool {
	return sameRoot(e.root, o.root) && e.exact && o.exact && e.off <= o.off && o.off+o.size <= e.off+e.size
}

// written lists the memory that v may change. Ok is false if v changes none.
func written(v *Value) (list []extent, ok bool) {
	switch v.Op {
	case OpStore, OpAtomicAdd, OpFetchAdd, OpCmpXchg, OpZero, OpCopy, OpReadK, OpReadU, OpReadStrK, OpReadStrU, OpReadKN, OpReadUN:
		return []extent{extentOf(v.Args[0], v.Imm, v.Size)}, true
	case OpStack:
		return []extent{extentOf(v.Args[0], 0, v.Size)}, true
	case OpCall:
		for _, a := range v.Args {
			if a.Type() == Ptr {
				list = append(list, all(a))
			}
		}
		return list, true
	}
	return nil, false
}

// read lists the memory that v may read.
func read(v *Value) []extent {
	switch v.Op {
	case OpLoad, OpAtomicAdd, OpFetchAdd, OpCmpXchg:
		return []extent{extentOf(v.Args[0], v.Imm, v.Size)}
	case OpCopy:
		return []extent{extentOf(v.Args[1], 0, v.Size)}
	case OpStore, OpZero, OpStack, OpPtrEq0, OpAdd, OpPhi:
		return nil
	}
	var list []extent
	for i, a := range v.Args {
		if a.Type() == Ptr && !(i == 0 && isRead(v.Op)) {
			list = append(list, all(a))
		}
	}
	return list
}

// isRead reports whether op fills the memory at its first argument.
func isRead(op Op) bool { return OpReadK <= op && op <= OpReadUN }

// leaves reports whether v lets others see or change memory that outlives the
// firing: variables, cells and records.
func leaves(v *Value) bool {
	switch v.Op {
	case OpStore, OpAtomicAdd, OpFetchAdd, OpCmpXchg, OpZero, OpCopy, OpReadK, OpReadU, OpReadStrK, OpReadStrU, OpReadKN, OpReadUN, OpStack:
		return false
	}
	return infos[v.Op].eff == writes || infos[v.Op].eff == ends
}
