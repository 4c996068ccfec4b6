package binary

import (
	"cmp"
	"iter"
	"slices"
	"strings"
)

// A Func is a function as the debug information describes it.
type Func struct {
	Name     string  // as its source calls it, without what it belongs to
	Scope    string  // the namespaces and classes it belongs to: ns::cls; "" in C
	Linkage  string  // what the linker calls it; "" if that is Name
	Ranges   []Range // its code; several where the compiler put what is rare elsewhere
	Entry    uint64  // where it begins
	External bool    // it can be seen from other units
	File     string  // where it is declared
	Line     int

	d  *Debug
	at ref // the entry that has the code
}

// Full returns the name with what it belongs to.
func (f *Func) Full() string {
	if f.Scope == "" {
		return f.Name
	}
	return f.Scope + "::" + f.Name
}

// A span is the code of a function within a unit.
type span struct {
	Range
	at ref
}

// Functions returns the functions with code of their own that are called name, in
// the source (with or without what they belong to) or by the linker, ascending by
// address. There may be several of one name, static ones in several units.
func (d *Debug) Functions(name string) (list []*Func, err error) {
	defer d.ask()()
	defer guard(&err, "read the debug information")
	ix, err := d.names()
	if err != nil {
		return nil, err
	}
	for at := range d.parts(ix, name, d.bodies) {
		if f, err := d.function(at); err == nil && len(f.Ranges) > 0 {
			list = append(list, f)
		}
	}
	slices.SortFunc(list, func(a, b *Func) int { return cmp.Compare(a.Entry, b.Entry) })
	return list, nil
}

// parts yields what the functions that are called name have of a kind, each once.
func (d *Debug) parts(ix *index, name string, of func(ref) []ref) iter.Seq[ref] {
	return func(yield func(ref) bool) {
		seen := map[ref]bool{}
		for _, at := range d.named(ix, name) {
			for _, part := range of(at) {
				if !seen[part] {
					seen[part] = true
					if !yield(part) {
						return
					}
				}
			}
		}
	}
}

// named returns the entries of functions that are called name.
func (d *Debug) named(ix *index, name string) []ref {
	last := name[strings.LastIndex(name, ":")+1:]
	var list []ref
	for _, n := range ix.called(ix.funcs, last, 0) {
		e, _, err := d.entry(n.at)
		if err != nil {
			continue
		}
		own := e.text(attrName)
		switch {
		case own == name, e.text(attrLinkageName) == name, e.text(attrMIPSLinkage) == name:
			list = append(list, n.at)
		case own == last && strings.HasSuffix("::"+d.scope(n.at)+"::"+own, "::"+name):
			list = append(list, n.at)
		}
	}
	return list
}

// bodies returns the entries that may have the code of a function: its own, and
// those that say that they are it.
func (d *Debug) bodies(at ref) []ref {
	list := []ref{at}
	for i := 0; i < len(list) && len(list) < maxMembers; i++ {
		for _, o := range d.index.copies(list[i]) {
			if !o.inlined {
				list = append(list, o.at)
			}
		}
	}
	return list
}

// function reads the entry of a function.
func (d *Debug) function(at ref) (*Func, error) {
	e, _, err := d.entry(at)
	if err != nil {
		return nil, err
	}
	f := &Func{d: d, at: at, Ranges: e.u.ranges(e)}
	if len(f.Ranges) > 0 {
		f.Entry = e.u.entryOf(e, f.Ranges)
	}
	d.describe(f, at)
	return f, nil
}

// mostHops is how many entries are followed that say that they are another one.
const mostHops = 8

// describe fills in what f is called and where it is declared, which an entry may
// leave to the one that it is a copy of.
func (d *Debug) describe(f *Func, at ref) {
	for range mostHops {
		e, _, err := d.entry(at)
		if err != nil {
			return
		}
		if f.Name == "" {
			f.Name = e.text(attrName)
			if f.Name != "" {
				f.Scope = d.scope(at)
			}
		}
		if f.Linkage == "" {
			f.Linkage = cmp.Or(e.text(attrLinkageName), e.text(attrMIPSLinkage))
		}
		f.External = f.External || e.flag(attrExternal)
		if f.Line == 0 {
			f.Line = int(min(e.number(attrDeclLine), 1<<30))
			if v, ok := e.get(attrDeclFile); ok {
				f.File = d.fileName(e.u, v.u)
			}
		}
		next, ok := e.ref(attrAbstract)
		if !ok {
			next, ok = e.ref(attrSpecification)
		}
		if !ok {
			break
		}
		at = next
	}
	if f.Linkage == f.Name {
		f.Linkage = ""
	}
}

// scope returns what an entry belongs to: namespaces and classes, from the outside
// in. Only languages that have such are looked at, for the way to an entry must be
// walked from the start of its unit.
func (d *Debug) scope(at ref) string {
	u, off, err := d.at(at)
	if err != nil {
		return ""
	}
	h, err := u.head()
	if err != nil || !scoped(h.lang) {
		return ""
	}
	r, err := u.read(u.body)
	if err != nil {
		return ""
	}
	var path []string
	for r.c.err == nil && r.c.pos < len(r.c.b) {
		e := r.next()
		if e == nil {
			if len(path) > 0 {
				path = path[:len(path)-1]
			}
			continue
		}
		if e.off >= off {
			break
		}
		if !e.kids {
			continue
		}
		if v, ok := e.get(attrSibling); ok {
			if to, ok := u.local(v); ok && to <= off && to > u.off+uint64(r.c.pos) {
				r.c.pos = int(to - u.off)
				continue
			}
		}
		if len(path) >= maxDepth {
			return ""
		}
		name := ""
		switch e.tag {
		case tagNamespace, tagStructureType, tagClassType, tagUnionType, tagEnumerationType:
			name = cmp.Or(e.text(attrName), "(anonymous)")
		}
		path = append(path, name)
	}
	var names []string
	for _, name := range path {
		if name != "" {
			names = append(names, name)
		}
	}
	return strings.Join(names, "::")
}

// scoped reports whether a language has namespaces.
func scoped(lang uint64) bool {
	switch lang {
	case langCPlus, langCPlus11, langCPlus14, langCPlus17, langCPlus20, langRust:
		return true
	}
	return false
}

// FuncAt returns the function that the code at an address belongs to.
func (d *Debug) FuncAt(pc uint64) (f *Func, ok bool) {
	defer d.ask()()
	var err error
	defer func() {
		if err != nil {
			f, ok = nil, false
		}
	}()
	defer guard(&err, "read the debug information")
	at, found := d.bodyAt(pc)
	if !found {
		return nil, false
	}
	f, err = d.function(at)
	return f, err == nil
}

// bodyAt returns the entry of the function whose code is at an address.
func (d *Debug) bodyAt(pc uint64) (ref, bool) {
	u := d.unitOf(pc)
	if u == nil {
		return 0, false
	}
	list := d.spans(u)
	i, exact := slices.BinarySearchFunc(list, pc, func(s span, pc uint64) int { return cmp.Compare(s.Low, pc) })
	if !exact {
		i--
	}
	if i < 0 || pc >= list[i].High {
		return 0, false
	}
	return list[i].at, true
}

// For how many units the places of functions are kept, and how many places.
const (
	mostSpans = 1 << 12
	maxSpans  = 4 << 20
)

// spans returns the code of all functions of a unit, ascending.
func (d *Debug) spans(u *unit) []span {
	if list, ok := d.funcs[u]; ok {
		return list
	}
	if d.funcs == nil || len(d.funcs) >= mostSpans || d.spanned >= maxSpans {
		d.funcs, d.spanned = make(map[*unit][]span), 0
	}
	var list []span
	if r, err := u.read(u.body); err == nil {
		for r.c.err == nil && r.c.pos < len(r.c.b) && len(list) < maxSpans {
			e := r.nextOf(func(tag uint16) bool { return tag == tagSubprogram })
			if e == nil {
				continue
			}
			for _, x := range u.ranges(e) {
				list = append(list, span{x, e.place()})
			}
		}
	}
	d.spanned += len(list)
	slices.SortFunc(list, func(a, b span) int { return cmp.Compare(a.Low, b.Low) })
	d.funcs[u] = list
	return list
}
