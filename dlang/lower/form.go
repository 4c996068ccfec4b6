package lower

import (
	"slices"

	"dscope.dev/dlang/ast"
	"dscope.dev/dlang/check"
	"dscope.dev/dlang/ir"
	"dscope.dev/dlang/types"
)

// A form is one of those that an element of an aggregation's key has, where it is a
// stack or symbol. Nearly all elements have one. Those with several begin with a word
// that says which, and have a place for the stacks of each: where the number of a
// stack lies tells whose it is, and how deep.
type form struct {
	kind  check.KeyKind
	depth int // of a stack, in frames
	off   int // within the element
}

func (m form) isStack() bool { return m.kind == check.KeyStack || m.kind == check.KeyUstack }

// ofProcess reports whether the number of the process comes first.
func (m form) ofProcess() bool {
	switch m.kind {
	case check.KeyUstack, check.KeyUsym, check.KeyUmod, check.KeyUaddr:
		return true
	}
	return false
}

func (m form) size() int {
	if m.ofProcess() {
		return 16
	}
	return 8
}

// formOf returns the form of a key that is a stack or symbol.
func (l *lowerer) formOf(k ast.Expr, kind check.KeyKind) form {
	m := form{kind: kind}
	if call, ok := l.prog.Means.Unparen(k).(*ast.Call); ok && m.isStack() {
		if c := l.prog.Calls[call]; c != nil && c.Fn != nil {
			m.depth = l.frames(c)
		}
	}
	return m
}

// useForms notes the forms that the keys of one assignment have.
func (l *lowerer) useForms(as *check.AggAssign, keys []ast.Expr) {
	elems := l.tuples[as.Agg].elems
	for i, k := range keys[:min(len(keys), len(elems))] {
		if as.Kinds[i] == check.KeyValue {
			continue
		}
		if m := l.formOf(k, as.Kinds[i]); !slices.Contains(elems[i].forms, m) {
			elems[i].forms = append(elems[i].forms, m)
		}
	}
}

// unused gives a form to the elements of an aggregation that nothing fills.
func (l *lowerer) unused(a *check.Agg) {
	for i, k := range a.Keys {
		if e := &l.tuples[a].elems[i]; k.Kind != check.KeyValue && e.forms == nil {
			e.forms = []form{{kind: k.Kind, depth: 1}}
		}
	}
}

// placeForms gives the forms of an element their offsets in it. Symbols, which mix with
// what is as large, share their place.
func (e *elem) placeForms() {
	e.size = e.forms[0].size()
	if len(e.forms) == 1 {
		return
	}
	at := 8
	for i := range e.forms {
		m := &e.forms[i]
		m.off = at
		if m.isStack() || i == len(e.forms)-1 {
			at += m.size()
		}
	}
	e.size = at
}

// datum says how an element in form m is read.
func (e elem) datum(m form) Datum {
	d := Datum{Off: e.off + m.off, Size: m.size(), Type: types.VoidType}
	switch {
	case m.isStack() && m.ofProcess():
		d.Enc = EncUstack
	case m.isStack():
		d.Enc = EncStack
	case m.ofProcess():
		d.Enc = EncUsym
	default:
		d.Enc = EncSym
	}
	return d
}

// formed says how an element is read that is a stack or symbol.
func (e elem) formed(t types.Type) Datum {
	if len(e.forms) == 1 {
		d := e.datum(e.forms[0])
		d.Type = t
		return d
	}
	d := Datum{Off: e.off, Size: e.size, Type: t, Enc: EncForms}
	for _, m := range e.forms {
		d.Forms = append(d.Forms, Form{m.kind, e.datum(m)})
	}
	return d
}

// stacks lists the places of numbers of stacks in an element.
func (e elem) stacks() (list []ir.StackKey) {
	for _, m := range e.forms {
		if m.isStack() {
			list = append(list, ir.StackKey{Off: e.off + m.off + m.size() - 8, User: m.ofProcess(), Depth: m.depth})
		}
	}
	return list
}

// formVal computes what an element has in form m: the number of a stack, or an address.
func (f *fn) formVal(k ast.Expr, m form, skip *ir.Block) *ir.Value {
	if m.isStack() {
		return f.stackID(m, skip)
	}
	return f.symKey(k)
}

// placed returns m, which is a form of e, with its offset.
func (e elem) placed(m form) form {
	return e.forms[e.index(m)]
}

// index returns which of the forms of e is like m.
func (e elem) index(m form) int {
	return slices.IndexFunc(e.forms, func(o form) bool { return o.kind == m.kind && o.depth == m.depth })
}

// putForm writes an element that is in form m.
func (f *fn) putForm(buf *ir.Value, e elem, m form, k ast.Expr, w *ir.Value) {
	if len(e.forms) > 1 {
		f.Store(buf, int64(e.off), 8, f.Const(int64(e.index(m))))
		for off := 8; off < e.size; off += 8 { // one key for all that is equal
			if off < m.off || off >= m.off+m.size() {
				f.Store(buf, int64(e.off+off), 8, f.Const(0))
			}
		}
	}
	at := int64(e.off + m.off)
	if m.ofProcess() {
		f.Store(buf, at, 8, f.processID(k))
		at += 8
	}
	f.Store(buf, at, 8, w)
}
