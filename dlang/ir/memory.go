package ir

import "strings"

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
	to := infos[a.Op].to
	return a.Op == b.Op && (to == only || to == named && a.Imm == b.Imm)
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
	if infos[a.Op].to == unknown || infos[b.Op].to == unknown {
		return true
	}
	return a.Op == b.Op && infos[a.Op].to == among && a.Imm == b.Imm
}

// covers reports whether e writes all that o does.
func (e extent) covers(o extent) bool {
	return sameRoot(e.root, o.root) && e.exact && o.exact && e.off <= o.off && o.off+o.size <= e.off+e.size
}

// written lists the memory that v may change.
func written(v *Value) []extent { return v.touched("wux") }

// read lists the memory that v may read.
func read(v *Value) []extent { return v.touched("ruax") }

// touched lists the memory to which v does one of what, which are letters of opInfo.does.
func (v *Value) touched(what string) (list []extent) {
	for i, a := range v.Args {
		switch does := v.does(i); {
		case strings.IndexByte(what, does) < 0 || a.Type() != Ptr:
		case does == 'a' || does == 'x':
			list = append(list, all(a))
		case i == 0 && infos[v.Op].imm == offset:
			list = append(list, extentOf(a, v.Imm, v.Size))
		default:
			list = append(list, extentOf(a, 0, v.Size))
		}
	}
	return list
}

// does says what v does to the memory that its i-th argument points to.
func (v *Value) does(i int) byte {
	info := &infos[v.Op]
	if info.args == "*" {
		return info.does[0]
	}
	return info.does[i]
}

// leaves reports whether v lets others see or change memory that outlives the
// firing: variables, cells and records.
func leaves(v *Value) bool { return infos[v.Op].eff >= makes }
