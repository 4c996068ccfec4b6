package binary

import (
	"cmp"
	"slices"
	"strings"
)

// A Copy is a place where a function was put into another one instead of being
// called.
type Copy struct {
	Func   *Func   // what was put there; without ranges of its own
	Into   *Func   // the function with code of its own that holds it
	Entry  uint64  // where the compiler says that it is entered; may be a little before its code
	Ranges []Range // its code
	Depth  int     // 1 if Into calls it, more if it is in another copy
	File   string  // of the call
	Line   int

	d  *Debug
	at ref
}

// Copies returns the places where functions called name were put into others,
// ascending by address. Copies whose code was thrown away are left out.
func (d *Debug) Copies(name string) (list []*Copy, err error) {
	defer d.ask()()
	defer guard(&err, "read the debug information")
	ix, err := d.seek(name[strings.LastIndex(name, ":")+1:])
	if err != nil {
		return nil, err
	}
	inlined := func(at ref) (list []ref) {
		for _, o := range ix.copies(at) {
			if o.inlined {
				list = append(list, o.at)
			}
		}
		return list
	}
	for at := range d.parts(ix, name, inlined) {
		if c := d.copy(at); c != nil {
			list = append(list, c)
		}
	}
	slices.SortFunc(list, func(a, b *Copy) int { return cmp.Or(cmp.Compare(a.Entry, b.Entry), cmp.Compare(a.at, b.at)) })
	return list, nil
}

// copy reads the entry of a copy, nil if it has no code.
func (d *Debug) copy(at ref) *Copy {
	e, _, err := d.entry(at)
	if err != nil {
		return nil
	}
	c := &Copy{d: d, at: at, Ranges: e.u.ranges(e)}
	if len(c.Ranges) == 0 {
		return nil
	}
	c.Entry = e.u.entryOf(e, c.Ranges)
	if c.Into, c.Depth = d.holder(at, c.Ranges[0].Low); c.Into == nil {
		return nil
	}
	c.Func = &Func{d: d, at: at}
	d.describe(c.Func, at)
	c.Line = int(min(e.number(attrCallLine), 1<<30))
	if v, ok := e.get(attrCallFile); ok {
		c.File = d.fileName(e.u, v.u)
	}
	return c
}

// entryOf returns where the code of a copy is entered.
func (u *unit) entryOf(e *entry, ranges []Range) uint64 {
	v, ok := e.get(attrEntryPC)
	if !ok {
		return ranges[0].Low
	}
	addr, ok := u.address(v)
	if !ok {
		addr = ranges[0].Low + v.u // DWARF 5: a distance from the lowest address
	}
	return addr
}

// holder returns the function whose code a copy at pc is in, and how deep.
func (d *Debug) holder(at ref, pc uint64) (*Func, int) {
	body, ok := d.bodyAt(pc)
	if !ok {
		return nil, 0
	}
	f, err := d.function(body)
	if err != nil {
		return nil, 0
	}
	for i, l := range d.levels(body, pc) {
		if l.at == at {
			return f, i + 1
		}
	}
	return f, 1
}

// A level is a copy that the code at an address belongs to.
type level struct {
	at     ref
	file   uint64
	line   uint64
	ranges []Range
	u      *unit
}

// levels returns the copies that pc belongs to within a function, outermost
// first.
func (d *Debug) levels(body ref, pc uint64) []level {
	e, r, err := d.entry(body)
	if err != nil || !e.kids {
		return nil
	}
	var list []level
	for open := 1; open > 0 && r.c.err == nil && len(list) < maxDepth; {
		e := r.next()
		switch {
		case e == nil:
			open--
		case e.tag == tagInlined || e.tag == tagLexicalBlock:
			ranges := e.u.ranges(e)
			inside := has(ranges, pc)
			switch {
			case !inside && len(ranges) > 0:
				r.skip(e)
			case e.kids:
				open++
			}
			if inside && e.tag == tagInlined {
				list = append(list, level{e.place(), e.number(attrCallFile), e.number(attrCallLine), ranges, e.u})
			}
		default:
			r.skip(e)
		}
	}
	return list
}

// A Call is one of the functions that are active at an address, as the source has
// them.
type Call struct {
	Func    string // its name with what it belongs to
	Inlined bool   // it was put into the next one of the chain
	Start   uint64 // where its code, or that of the copy, is entered
	File    string // the line that is being executed in it
	Line    int
}

// Chain returns the functions that are active at an address, innermost first: the
// inlined ones, and last the one with code of its own. It is empty where nothing
// is known.
func (d *Debug) Chain(pc uint64) (chain []Call) {
	defer d.ask()()
	var err error
	defer func() {
		if err != nil {
			chain = nil
		}
	}()
	defer guard(&err, "read the debug information")
	body, ok := d.bodyAt(pc)
	if !ok {
		return nil
	}
	f, err := d.function(body)
	if err != nil {
		return nil
	}
	file, line, _ := d.line(pc)
	levels := d.levels(body, pc)
	for _, l := range slices.Backward(levels) {
		inner := &Func{d: d}
		d.describe(inner, l.at)
		start := l.ranges[0].Low
		if e, _, err := d.entry(l.at); err == nil {
			start = e.u.entryOf(e, l.ranges)
		}
		chain = append(chain, Call{Func: inner.Full(), Inlined: true, Start: start, File: file, Line: line})
		file, line = d.fileName(l.u, l.file), int(min(l.line, 1<<30))
	}
	return append(chain, Call{Func: f.Full(), Start: f.Entry, File: file, Line: line})
}
