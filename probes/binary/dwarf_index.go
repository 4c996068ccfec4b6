package binary

import (
	"cmp"
	"errors"
	"hash/maphash"
	"slices"

	"dscope.dev/probes/budget"
)

// An index finds entries of all units by name. It keeps numbers made of names
// and no names: an entry that is found is read to see what it is called.
type index struct {
	seed    maphash.Seed
	funcs   []named // functions, by their own name or that of the linker
	types   []named // types
	origins []origin
	buf     []byte // of the unit that is being read
	paid    int    // names and copies
}

// What is taken for the index at once, and for each name or copy, which grow
// in lists that are twice as long as they must be for a while.
const (
	atOnceNames = 1 << 12
	namedBytes  = 32
)

// pay takes memory for what the next entry may add.
func (ix *index) pay(from *budget.Budget) error {
	const mostNames = 3 // of an entry
	if len(ix.funcs)+len(ix.types)+len(ix.origins)+mostNames <= ix.paid {
		return nil
	}
	ix.paid += atOnceNames
	return from.Take("the names of its debug information", atOnceNames, namedBytes)
}

// A named is an entry that has a name.
type named struct {
	hash uint64
	at   ref
}

// An origin is an entry that is a copy of another one.
type origin struct {
	of, at  ref
	inlined bool
}

// names returns the index, which is made when it is first asked for.
func (d *Debug) names() (*index, error) {
	if d.index != nil {
		return d.index, nil
	}
	ix := newIndex()
	for _, file := range []*dwarfFile{d.main, d.alt} {
		if file == nil {
			continue
		}
		for i := range file.units {
			if err := ix.add(&file.units[i]); err != nil {
				return nil, err
			}
		}
	}
	ix.sort()
	d.index = ix
	return ix, nil
}

func newIndex() *index { return &index{seed: maphash.MakeSeed()} }

// sort makes what was taken an index.
func (ix *index) sort() {
	byHash := func(a, b named) int { return cmp.Or(cmp.Compare(a.hash, b.hash), cmp.Compare(a.at, b.at)) }
	slices.SortFunc(ix.funcs, byHash)
	slices.SortFunc(ix.types, byHash)
	ix.types = slices.Clip(slices.CompactFunc(ix.types, func(a, b named) bool { return a.hash == b.hash }))
	slices.SortFunc(ix.origins, func(a, b origin) int { return cmp.Or(cmp.Compare(a.of, b.of), cmp.Compare(a.at, b.at)) })
	ix.buf = nil
}

// add goes through the entries of one unit. A unit that makes no sense ends where
// it stops to.
func (ix *index) add(u *unit) error {
	if _, err := u.head(); err != nil {
		return nil
	}
	r, err := ix.read(u)
	if err != nil {
		return nil
	}
	for r.c.err == nil && r.c.pos < len(r.c.b) {
		e := r.nextOf(interesting)
		if e == nil {
			continue
		}
		if err := ix.pay(u.d.f.budget); err != nil {
			return err
		}
		ix.take(e)
	}
	return nil
}

// read begins to read u in memory that the next unit is read to as well, because
// the index keeps nothing of it.
func (ix *index) read(u *unit) (*reader, error) {
	if u.d.info != nil || u.bytes != nil {
		return u.read(u.body)
	}
	t, err := u.shapes()
	if err != nil {
		return nil, err
	}
	b, err := ix.bytes(u)
	if err != nil {
		return nil, err
	}
	return &reader{u: u, t: t, c: cursor{b: b, pos: int(u.body - u.off), order: u.d.order}}, nil
}

// bytes reads u whole, to be used until the next one is read.
func (ix *index) bytes(u *unit) ([]byte, error) {
	if u.d.info != nil {
		return u.d.info[u.off:u.end], nil
	}
	if u.bytes != nil {
		return u.bytes, nil
	}
	ix.buf = slices.Grow(ix.buf[:0], int(u.end-u.off))[:u.end-u.off]
	if _, err := u.d.f.r.ReadAt(ix.buf, u.d.infoAt+int64(u.off)); err != nil {
		return nil, err
	}
	return ix.buf, nil
}

// interesting reports whether the index is interested in entries of a kind.
func interesting(tag uint16) bool {
	switch tag {
	case tagSubprogram, tagInlined, tagStructureType, tagUnionType, tagClassType, tagEnumerationType, tagTypedef, tagBaseType:
		return true
	}
	return false
}

// take puts an entry into the index.
func (ix *index) take(e *entry) {
	switch e.tag {
	case tagInlined:
		if of, ok := e.ref(attrAbstract); ok {
			ix.origins = append(ix.origins, origin{of, e.place(), true})
		}
	case tagSubprogram:
		if of, ok := e.ref(attrAbstract); ok {
			ix.origins = append(ix.origins, origin{of, e.place(), false})
			return
		}
		if of, ok := e.ref(attrSpecification); ok {
			ix.origins = append(ix.origins, origin{of, e.place(), false})
		}
		ix.funcs = ix.addName(ix.funcs, e, attrName)
		if ix.funcs = ix.addName(ix.funcs, e, attrLinkageName); e.u.version < 4 {
			ix.funcs = ix.addName(ix.funcs, e, attrMIPSLinkage)
		}
	default:
		if !e.flag(attrDeclaration) {
			n := len(ix.types)
			if ix.types = ix.addName(ix.types, e, attrName); len(ix.types) > n {
				ix.types[n].hash += uint64(kindOf(e.tag))
			}
		}
	}
}

func (ix *index) addName(list []named, e *entry, attr uint16) []named {
	v, ok := e.get(attr)
	if !ok {
		return list
	}
	name := e.u.text(v)
	if len(name) == 0 {
		return list
	}
	return append(list, named{maphash.Bytes(ix.seed, name), e.place()})
}

// kindOf returns what tells types of one name apart: struct x, union x, enum x
// and x. A class is a struct.
func kindOf(tag uint16) uint16 {
	switch tag {
	case tagClassType:
		return tagStructureType
	case tagBaseType:
		return tagTypedef
	}
	return tag
}

// called returns the entries of a list whose name may be name; types also
// by kind.
func (ix *index) called(list []named, name string, kind uint16) []named {
	h := maphash.String(ix.seed, name) + uint64(kind)
	i, _ := slices.BinarySearchFunc(list, h, func(n named, h uint64) int { return cmp.Compare(n.hash, h) })
	j := i
	for j < len(list) && list[j].hash == h {
		j++
	}
	return list[i:j]
}

// copies returns the copies of an entry.
func (ix *index) copies(of ref) []origin {
	i, _ := slices.BinarySearchFunc(ix.origins, of, func(o origin, r ref) int { return cmp.Compare(o.of, r) })
	j := i
	for j < len(ix.origins) && ix.origins[j].of == of {
		j++
	}
	return ix.origins[i:j]
}

// nextOf reads the next entry if it is of a wanted kind, and goes past it quickly
// if not: then it returns nil, as at the end of a list.
func (r *reader) nextOf(wanted func(tag uint16) bool) *entry {
	if !r.goOn() {
		return nil
	}
	start := r.c.pos
	code := r.c.uleb()
	if code == 0 || r.c.err != nil {
		return nil
	}
	ab := r.t.find(code)
	if ab == nil {
		r.c.err = errors.New("an entry of unknown shape")
		return nil
	}
	if wanted(ab.tag) {
		r.c.pos = start
		return r.next()
	}
	if ab.size >= 0 {
		r.c.take(uint64(ab.size))
		return nil
	}
	for _, a := range r.t.of(ab) {
		if n := fixedSize(a.form, r.u.addrSize, r.u.offSize); n >= 0 {
			r.c.take(uint64(n))
		} else {
			r.value(a.form, a.implicit)
		}
	}
	return nil
}
