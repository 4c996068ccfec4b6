package binary

import (
	"fmt"
	"slices"
	"sync"

	"dscope.dev/dlang/types"
)

// A Debug is the debug information of a file. See the package comment.
type Debug struct {
	mu   sync.Mutex
	f    *File
	own  []*File // what Close closes
	main *dwarfFile
	alt  *dwarfFile // nil if there is none

	pcs     []unitRange // ascending; nil if not yet known
	funcs   map[*unit][]span
	spanned int // places in funcs
	index   *index
	sought  int // questions that were answered without the index
	types   typeCache
	byRef   map[*types.Struct]bool // classes that are passed by address
	lines   lineCache
}

// A unitRange says which unit describes the code at some addresses.
type unitRange struct {
	Range
	u *unit
}

// DebugOf opens the debug information of f within r, whether f has it itself or it
// lies in another file. The result must be closed before f is.
func (r Root) DebugOf(f *File) (*Debug, error) {
	file, err := r.Debug(f)
	if err != nil {
		return nil, err
	}
	d := &Debug{f: file}
	if file != f {
		d.own = append(d.own, file)
	}
	if d.main, err = openDwarf(file, 0); err != nil {
		d.Close()
		return nil, err
	}
	alt, err := r.alt(file)
	if err != nil {
		return d, nil // what is shared is missed where it is asked for
	}
	if alt != nil {
		d.own = append(d.own, alt)
		if d.alt, err = openDwarf(alt, altBit); err == nil {
			d.main.shared = d.alt
		}
	}
	return d, nil
}

// NewDebug returns the debug information that f itself has.
func NewDebug(f *File) (*Debug, error) {
	main, err := openDwarf(f, 0)
	if err != nil {
		return nil, err
	}
	return &Debug{f: f, main: main}, nil
}

// ask begins to answer a question: it takes the lock, and what it returns gives it
// back.
func (d *Debug) ask() (done func()) {
	d.mu.Lock()
	for _, file := range []*dwarfFile{d.main, d.alt} {
		if file != nil {
			file.earn()
		}
	}
	return d.mu.Unlock
}

// File returns the file that the debug information lies in.
func (d *Debug) File() *File { return d.f }

// Held returns about how many bytes of memory d takes.
func (d *Debug) Held() uint64 {
	held := d.main.f.budget.Taken()
	if d.alt != nil {
		held += d.alt.f.budget.Taken()
	}
	return held
}

// Close gives back the files that d has opened itself.
func (d *Debug) Close() error {
	d.mu.Lock()
	defer d.mu.Unlock()
	var first error
	for _, f := range d.own {
		if err := f.Close(); err != nil && first == nil {
			first = err
		}
	}
	d.own = nil
	return first
}

// at returns the unit that an entry lies in and its offset there.
func (d *Debug) at(r ref) (*unit, uint64, error) {
	file, off := d.main, uint64(r)
	if uint64(r)&altBit != 0 {
		file, off = d.alt, off&^altBit
	}
	if file == nil {
		return nil, 0, fmt.Errorf("the debug information refers to a file that is not here")
	}
	u := file.unitAt(off)
	if u == nil {
		return nil, 0, errShort
	}
	return u, off, nil
}

// entry reads the entry at a place. It stays valid.
func (d *Debug) entry(r ref) (*entry, *reader, error) {
	u, off, err := d.at(r)
	if err != nil {
		return nil, nil, err
	}
	if _, err := u.head(); err != nil {
		return nil, nil, err
	}
	rd, err := u.read(off)
	if err != nil {
		return nil, nil, err
	}
	e := rd.next()
	if e == nil {
		return nil, nil, errShort
	}
	keep := *e
	keep.vals = slices.Clone(e.vals)
	return &keep, rd, nil
}

// ref returns the place of an entry that an attribute refers to.
func (e *entry) ref(name uint16) (ref, bool) {
	v, ok := e.get(name)
	if !ok {
		return 0, false
	}
	return e.u.refer(v)
}

func (u *unit) refer(v value) (ref, bool) {
	switch v.form {
	case formGNURefAlt, formRefSup4, formRefSup8:
		return ref(v.u | altBit), u.d.alt == 0 && v.u < altBit
	case formRefSig8:
		r, ok := u.d.types[v.u]
		return r, ok
	}
	off, ok := u.local(v)
	return ref(off | u.d.alt), ok && off < altBit
}

// place returns the place of e itself.
func (e *entry) place() ref { return ref(e.off | e.u.d.alt) }

// pcBytes is what a range of a unit takes, twice.
const pcBytes = 64

// unitsByPC works out which unit describes which code.
func (d *Debug) unitsByPC() []unitRange {
	if d.pcs != nil {
		return d.pcs
	}
	d.pcs = []unitRange{}
	for i := range d.main.units {
		u := &d.main.units[i]
		if u.kind != unitCompile && u.kind != unitSkeleton {
			continue
		}
		h, err := u.head()
		if err != nil || h.tag != tagCompileUnit && h.tag != unitSkeletonTag {
			continue
		}
		if d.main.f.budget.Take("what code its units describe", uint64(len(h.ranges)), pcBytes) != nil {
			break
		}
		for _, r := range h.ranges {
			d.pcs = append(d.pcs, unitRange{r, u})
		}
	}
	slices.SortFunc(d.pcs, func(a, b unitRange) int {
		switch {
		case a.Low < b.Low:
			return -1
		case a.Low > b.Low:
			return 1
		}
		return 0
	})
	return d.pcs
}

const unitSkeletonTag = 0x4a

// unitOf returns the unit that describes the code at an address.
func (d *Debug) unitOf(pc uint64) *unit {
	list := d.unitsByPC()
	i, exact := slices.BinarySearchFunc(list, pc, func(r unitRange, pc uint64) int {
		switch {
		case r.Low < pc:
			return -1
		case r.Low > pc:
			return 1
		}
		return 0
	})
	if !exact {
		i--
	}
	for back := 0; i >= 0 && back < 8; i, back = i-1, back+1 {
		if pc < list[i].High {
			return list[i].u
		}
	}
	return nil
}
