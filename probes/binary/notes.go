package binary

import (
	"bytes"
	"debug/elf"
	"iter"
)

// A Note is a remark in a file, such as its build id or a probe of USDT.
type Note struct {
	Section string // "" if it was found by segment
	Name    string
	Type    uint32
	Desc    []byte
}

// noteBuildID is NT_GNU_BUILD_ID.
const noteBuildID = 3

// Notes yields the notes of f: those of its sections, or of its segments if it
// has no sections. Notes that make no sense end the list of their section.
func (f *File) Notes() iter.Seq[Note] {
	return func(yield func(Note) bool) {
		found := false
		for i, s := range f.elf.Sections {
			if s.Type != elf.SHT_NOTE {
				continue
			}
			found = true
			data, err := f.content(i, maxNotes)
			if err != nil {
				continue
			}
			goOn := f.notes(s.Name, data, s.Addralign, yield)
			f.budget.Give(uint64(len(data)))
			if !goOn {
				return
			}
		}
		for _, p := range f.elf.Progs {
			if found || p.Type != elf.PT_NOTE || p.Filesz > maxNotes || p.Filesz > uint64(f.size) {
				continue
			}
			data := make([]byte, p.Filesz)
			if _, err := p.ReadAt(data, 0); err != nil {
				continue
			}
			if !f.notes("", data, p.Align, yield) {
				return
			}
		}
	}
}

// notes yields the notes of one section, which are
//
//	| size of name | size of desc | type | name, padded | desc, padded |
//
// with each part padded to four bytes, or to eight where the section says so.
func (f *File) notes(section string, data []byte, align uint64, yield func(Note) bool) bool {
	pad := uint64(4)
	if align == 8 {
		pad = 8
	}
	up := func(n uint64) uint64 { return (n + pad - 1) &^ (pad - 1) }
	for len(data) >= 12 {
		nameSize := uint64(f.elf.ByteOrder.Uint32(data))
		descSize := uint64(f.elf.ByteOrder.Uint32(data[4:]))
		n := Note{Section: section, Type: f.elf.ByteOrder.Uint32(data[8:])}
		descAt := up(12 + nameSize)
		if 12+nameSize > uint64(len(data)) || descAt+descSize > uint64(len(data)) {
			return true
		}
		n.Name = string(bytes.TrimRight(data[12:12+nameSize], "\x00"))
		n.Desc = data[descAt : descAt+descSize : descAt+descSize]
		if !yield(n) {
			return false
		}
		data = data[min(up(descAt+descSize), uint64(len(data))):]
	}
	return true
}
