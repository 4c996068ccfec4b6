package lower

import (
	"slices"

	"dscope.dev/dlang/ast"
	"dscope.dev/dlang/check"
	"dscope.dev/dlang/ir"
	"dscope.dev/dlang/linux"
	"dscope.dev/dlang/types"
)

// A tuple is the layout of an encoded key: of an associative array or of an
// aggregation. All uses in the script share it, so it is settled before any
// of them is lowered.
type tuple struct {
	elems []elem
	size  int // bytes, a multiple of 8
}

// An elem is one element of a tuple. Every element is padded to 8 bytes.
type elem struct {
	off, size int
	str       bool
	obj       bool   // a struct or array, by its bytes
	probe     int    // the part of the probe's name that every use gives, or -1
	forms     []form // of a stack or symbol, one for each that assignments give
}

// findTuples walks the script for all keys. A string takes as many bytes as the
// longest that any use can give.
func (l *lowerer) findTuples() {
	for _, v := range l.prog.Vars {
		if v.Keys != nil {
			l.tuples[v] = &tuple{elems: make([]elem, len(v.Keys))}
		}
	}
	for _, a := range l.prog.Aggs {
		l.tuples[a] = &tuple{elems: make([]elem, len(a.Keys))}
	}
	seen := map[check.Ref]bool{}
	l.prog.Means.Walk(l.prog.Chosen, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.Index:
			if v, ok := l.prog.Refs[n].(*check.Var); ok && v.Keys != nil {
				l.use(v, n.Args, !seen[v], false)
				seen[v] = true
			}
		case *ast.AggAssign:
			if as := l.prog.AggAssigns[n]; as != nil {
				l.use(as.Agg, n.Agg.Keys, !seen[as.Agg], true)
				l.useForms(as, n.Agg.Keys)
				seen[as.Agg] = true
			}
		}
		return true
	})
	for _, v := range l.prog.Vars {
		if t := l.tuples[v]; t != nil {
			t.place(l.threadKey(v))
		}
	}
	for _, a := range l.prog.Aggs {
		l.unused(a)
		l.tuples[a].place(0)
	}
}

// use notes the keys of one use of an array or aggregation.
func (l *lowerer) use(r check.Ref, keys []ast.Expr, first, agg bool) {
	t := l.tuples[r]
	for i, k := range keys[:min(len(keys), len(t.elems))] {
		e := &t.elems[i]
		if first {
			e.probe = l.probePart(k)
		}
		if !agg || e.probe != l.probePart(k) {
			e.probe = -1
		}
		if isStr(l.keyType(r, i)) {
			e.str = true
			e.size = max(e.size, l.strClass(k))
			continue
		}
		if t := l.keyType(r, i); isObject(t) {
			e.obj, e.size = true, t.Size()
			continue
		}
		e.size = 8
	}
}

func (l *lowerer) keyType(r check.Ref, i int) types.Type {
	if a, ok := r.(*check.Agg); ok {
		if a.Keys[i].Kind != check.KeyValue {
			return types.Long
		}
		return a.Keys[i].Type
	}
	return r.(*check.Var).Keys[i]
}

// probePart returns which part of the probe's name x is, or -1.
func (l *lowerer) probePart(x ast.Expr) int {
	if b, ok := l.prog.Refs[l.prog.Means.Unparen(x)].(*check.Builtin); ok {
		if part, ok := probeParts[b.Name]; ok {
			return part
		}
	}
	return -1
}

// place gives the elements their offsets, after the bytes that the key begins
// with. The longest string comes last: what is behind its end need not be kept.
func (t *tuple) place(off int) {
	order := make([]*elem, len(t.elems))
	for i := range t.elems {
		order[i] = &t.elems[i]
	}
	slices.SortStableFunc(order, func(a, b *elem) int { return a.text() - b.text() })
	for _, e := range order {
		if e.probe >= 0 && e.str {
			e.size = 8
		}
		if e.forms != nil {
			e.placeForms()
		}
		e.off = off
		off += max(round8(e.size), 8)
	}
	t.size = max(off, 8)
	if off == 0 {
		t.size = 0
	}
}

// text returns the bytes of an element that is a long string, 0 for others.
func (e *elem) text() int {
	if !e.str || e.probe >= 0 || e.size < longText {
		return 0
	}
	return e.size
}

// Most strings that are keys are names and paths of a few dozen bytes, but have room for
// strsize. A firing of @[copyinstr(arg1)] = count() was seen to take 490 ns with keys of 264
// bytes and 290 with 64. So keys whose long string, which comes last, is short have tables of
// their own.
const (
	longText  = 128
	shortText = 64 // with the zero at its end
)

// short returns how many bytes are worth keeping of a key whose long string is short, 0 if
// it has none.
func (t *tuple) short() int {
	for _, e := range t.elems {
		if e.text() > 0 && e.off+round8(e.size) == t.size {
			return e.off + shortText
		}
	}
	return 0
}

// threadKey returns how many bytes the key of v begins with to tell threads
// apart: the number of the thread and, as numbers come back, when it started.
func (l *lowerer) threadKey(v *check.Var) int {
	if v.Scope != ast.Self {
		return 0
	}
	return 16
}

// key encodes the key of an associative array in working memory.
func (f *fn) key(v *check.Var, args []ast.Expr) *ir.Value {
	t := f.tuples[v]
	var vals []keyVal
	for i, x := range args {
		vals = append(vals, f.keyVal(x, t.elems[i], v.Keys[i], args[i+1:]))
	}
	buf := f.Alloca(t.size)
	if v.Scope == ast.Self {
		f.Store(buf, 0, 8, f.taskWord(args[0], linux.TaskPID))
		f.Store(buf, 8, 8, f.taskWord(args[0], linux.TaskStart))
	}
	for i, val := range vals {
		f.putKey(buf, t.elems[i], val)
	}
	return buf
}

// A keyVal is the value of one element before it is written.
type keyVal struct {
	w *ir.Value
	s str
	p place
}

// keyVal computes one element of a key, in the type that the tuple has there. The
// last element, if it is a string, is read right into the key; later are those behind x.
func (f *fn) keyVal(x ast.Expr, e elem, t types.Type, later []ast.Expr) keyVal {
	switch {
	case e.str && len(later) == 0:
		return keyVal{s: f.str(x)}
	case e.str:
		return keyVal{s: f.there(f.settled(x, later...))}
	case e.obj && slices.ContainsFunc(later, f.changes):
		return keyVal{p: f.objectCopy(x)}
	case e.obj:
		return keyVal{p: f.object(x)}
	}
	return keyVal{w: f.as(x, types.Decay(t))}
}

func (f *fn) putKey(buf *ir.Value, e elem, v keyVal) {
	switch {
	case e.str && e.probe >= 0:
		site := f.Op(ir.OpOr, f.Op(ir.OpKey), f.Const(int64(f.index)<<KeyUnitShift))
		f.Store(buf, int64(e.off), 8, site)
	case e.str:
		f.putStr(v.s, buf, int64(e.off), e.size, true)
	case e.obj:
		if e.size%8 != 0 {
			f.Store(buf, int64(e.off+round8(e.size)-8), 8, f.Const(0))
		}
		f.copyObject(buf, int64(e.off), v.p, e.size)
	default:
		f.Store(buf, int64(e.off), 8, v.w)
	}
}
