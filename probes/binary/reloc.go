package binary

import (
	"debug/elf"
	"fmt"
)

// relocate puts into the bytes of section i what its relocations say, as a linker
// would. Only the kinds are known that debug information has.
func (f *File) relocate(i int, data []byte) error {
	for _, s := range f.elf.Sections {
		if s.Type != elf.SHT_RELA || int(s.Info) != i || int(s.Link) >= len(f.elf.Sections) {
			continue
		}
		table, err := f.contentOf(s)
		if err != nil {
			return err
		}
		syms, err := f.contentOf(f.elf.Sections[s.Link])
		f.budget.Give(uint64(len(table) + len(syms)))
		if err != nil {
			return err
		}
		for ; len(table) >= 24; table = table[24:] {
			o := f.elf.ByteOrder
			off, info, addend := o.Uint64(table), o.Uint64(table[8:]), o.Uint64(table[16:])
			size := relocSize(f.elf.Machine, uint32(info))
			at := (info >> 32) * 24
			if size == 0 || off > uint64(len(data)) || uint64(size) > uint64(len(data))-off || at+24 > uint64(len(syms)) {
				continue
			}
			sym := read64(o, syms[at:])
			v := sym.value + addend
			if int(sym.section) < len(f.base) {
				v += f.base[sym.section]
			}
			if size == 8 {
				o.PutUint64(data[off:], v)
			} else {
				o.PutUint32(data[off:], uint32(v))
			}
		}
	}
	return nil
}

func (f *File) contentOf(s *elf.Section) ([]byte, error) {
	for i := range f.elf.Sections {
		if f.elf.Sections[i] == s {
			return f.content(i, maxTable)
		}
	}
	return nil, fmt.Errorf("there is no section %s", s.Name)
}

// relocSize returns how many bytes a relocation writes, 0 if it is of a kind that
// debug information does not have.
func relocSize(m elf.Machine, kind uint32) int {
	switch {
	case m == elf.EM_X86_64 && kind == uint32(elf.R_X86_64_64),
		m == elf.EM_AARCH64 && kind == uint32(elf.R_AARCH64_ABS64):
		return 8
	case m == elf.EM_X86_64 && (kind == uint32(elf.R_X86_64_32) || kind == uint32(elf.R_X86_64_32S)),
		m == elf.EM_AARCH64 && kind == uint32(elf.R_AARCH64_ABS32):
		return 4
	}
	return 0
}
