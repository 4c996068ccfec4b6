package binary

import (
	"bytes"
	"encoding/binary"
)

// The index of all names of a kernel takes a second and a half to make. Who asks for
// one name need not wait for it: what is written in C and was compiled file by file
// names a function in each unit that has copies of it, by the place of the string.
// Units that do not have that number among their bytes are passed over unread.

const (
	mostSought = 4 // questions that are answered so; who asks more is better served by the index
	mostPlaces = 8 // places where a string may begin: it can be the end of longer ones
)

// seek returns an index that holds all entries of functions of that name, and their
// copies. Where that cannot be told without reading everything it is the index of all
// names.
func (d *Debug) seek(name string) (*index, error) {
	if d.index != nil || d.alt != nil || d.sought >= mostSought {
		return d.names()
	}
	want, ok := d.main.writtenAs(name)
	if !ok {
		return d.names()
	}
	d.sought++
	ix := newIndex()
	defer func() { d.main.f.budget.Give(uint64(ix.paid * namedBytes)) }() // it serves one question
	for i := range d.main.units {
		u := &d.main.units[i]
		has, err := ix.mentions(u, want)
		if err != nil {
			return nil, err
		}
		if !has {
			continue
		}
		if err := ix.add(u); err != nil {
			return nil, err
		}
	}
	ix.sort()
	return ix, nil
}

// writtenAs returns what stands in a unit in which a name occurs: the string itself,
// and each place in the table of strings. It does not know where names have numbers,
// or entries refer to those of other units.
func (d *dwarfFile) writtenAs(name string) (want [][]byte, ok bool) {
	const abstractToAnywhere = "\x31\x10" // DW_AT_abstract_origin, DW_FORM_ref_addr
	if len(d.section(".debug_str_offsets")) > 0 || bytes.Contains(d.section(".debug_abbrev"), []byte(abstractToAnywhere)) {
		return nil, false
	}
	places := offsetsOf(d.section(".debug_str"), name)
	if len(places) > mostPlaces || name == "" {
		return nil, false
	}
	want = append(want, append([]byte(name), 0))
	for at := range places {
		b := make([]byte, 4)
		if d.order == binary.BigEndian {
			binary.BigEndian.PutUint32(b, at)
		} else {
			binary.LittleEndian.PutUint32(b, at)
		}
		want = append(want, b)
	}
	return want, true
}

// mentions reports whether one of some runs of bytes occurs in a unit. A place of
// eight bytes has the four that count among them.
func (ix *index) mentions(u *unit, want [][]byte) (bool, error) {
	b, err := ix.bytes(u)
	if err != nil {
		return false, err
	}
	for _, w := range want {
		if bytes.Contains(b, w) {
			return true, nil
		}
	}
	return false, nil
}
