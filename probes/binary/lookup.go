package binary

import (
	"bytes"
	"debug/elf"
)

// SymbolAddress returns the address of the first symbol of that name, whatever it
// is. It reads the tables as they are, which is quicker than to sort them, for those
// who need one symbol of a hundred thousand.
func (f *File) SymbolAddress(name string) (addr uint64, ok bool) {
	var err error
	defer guard(&err, "read symbols")
	for i, s := range f.elf.Sections {
		if s.Type != elf.SHT_SYMTAB || int(s.Link) >= len(f.elf.Sections) {
			continue
		}
		names, err := f.content(int(s.Link), maxTable)
		if err != nil {
			continue
		}
		at := offsetsOf(names, name)
		f.budget.Give(uint64(len(names)))
		for sym, err := range f.table(i) {
			if err != nil || len(at) == 0 {
				break
			}
			if at[sym.name] && sym.section != elf.SHN_UNDEF {
				return sym.value, true
			}
		}
	}
	return 0, false
}

// Exported returns where the symbols of those names lie that f gives to others, functions
// and data, with their versions or without. It is quick to say that there are none.
func (f *File) Exported(names ...string) map[string]Range {
	found := map[string]Range{}
	var err error
	defer guard(&err, "read symbols")
	for i, s := range f.elf.Sections {
		if s.Type != elf.SHT_DYNSYM || int(s.Link) >= len(f.elf.Sections) {
			continue
		}
		strs, err := f.content(int(s.Link), maxTable)
		if err != nil {
			continue
		}
		at := map[uint32]string{}
		for _, name := range names {
			for off := range offsetsOf(strs, name) {
				at[off] = name
			}
		}
		f.budget.Give(uint64(len(strs)))
		if len(at) == 0 {
			continue
		}
		for sym, err := range f.table(i) {
			if err != nil {
				break
			}
			if name := at[sym.name]; name != "" && sym.section != elf.SHN_UNDEF {
				found[name] = Range{sym.value, sym.value + sym.size}
			}
		}
	}
	return found
}

// offsetsOf returns where a table has a string, as a string of its own or at the end
// of another one.
func offsetsOf(table []byte, s string) map[uint32]bool {
	at := map[uint32]bool{}
	want := append([]byte(s), 0)
	for from := 0; ; {
		i := bytes.Index(table[from:], want)
		if i < 0 {
			return at
		}
		at[uint32(from+i)] = true
		from += i + 1
	}
}

// Extent returns the addresses of a section that is loaded, whether its content is
// in this file or not.
func (f *File) Extent(section string) (Range, bool) {
	for i, s := range f.elf.Sections {
		if s.Name == section && s.Flags&elf.SHF_ALLOC != 0 {
			start := f.start(i)
			return Range{start, start + s.Size}, s.Size > 0 && start+s.Size > start
		}
	}
	return Range{}, false
}
