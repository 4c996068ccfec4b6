package binary

import (
	"debug/elf"
	"encoding/binary"
	"fmt"
	"iter"
	"slices"
)

// addTables reads the symbol tables of a file.
func (s *Symbols) addTables(f *File) error {
	for i, sec := range f.elf.Sections {
		if sec.Type == elf.SHT_SYMTAB || sec.Type == elf.SHT_DYNSYM {
			if err := s.addTable(f, i); err != nil {
				return err
			}
		}
	}
	if f.Stripped() {
		return s.addGo(f)
	}
	return nil
}

// addTable reads one symbol table with its names: once to see how many functions there
// are, and what they will take, and then once more.
func (s *Symbols) addTable(f *File, table int) error {
	sec := f.elf.Sections[table]
	if sec.Type == elf.SHT_NOBITS || sec.Link == 0 || int(sec.Link) >= len(f.elf.Sections) {
		return nil
	}
	names, err := f.content(int(sec.Link), maxTable)
	if err != nil {
		return err
	}
	defer f.budget.Give(uint64(len(names)))
	count := 0
	for _, err := range f.functions(table, len(names)) {
		if count++; err != nil {
			return err
		}
		if len(s.syms)+count > maxSymbols {
			return fmt.Errorf("read symbols: it has more than %d functions", maxSymbols)
		}
	}
	base := uint64(len(s.strs))
	if err := s.pay(f, count, uint64(len(names))+1); err != nil {
		return err
	}
	s.strs = append(append(s.strs, names...), 0)
	for sym, err := range f.functions(table, len(names)) {
		if err != nil || len(s.syms) == cap(s.syms) { // somebody writes the file
			return err
		}
		s.add(f, sym, uint32(base))
	}
	return nil
}

// functions yields the symbols of a table that are functions, or places in code.
func (f *File) functions(table, names int) iter.Seq2[rawSymbol, error] {
	return func(yield func(rawSymbol, error) bool) {
		for sym, err := range f.table(table) {
			if err != nil {
				yield(sym, err)
				return
			}
			kind := elf.ST_TYPE(sym.info)
			if kind != elf.STT_FUNC && kind != elf.STT_GNU_IFUNC && kind != elf.STT_NOTYPE {
				continue
			}
			if sym.section == elf.SHN_UNDEF || sym.section >= elf.SHN_LORESERVE || uint64(sym.name) >= uint64(names) {
				continue
			}
			if int(sym.section) >= len(f.elf.Sections) || kind == elf.STT_NOTYPE && f.elf.Sections[sym.section].Flags&elf.SHF_EXECINSTR == 0 {
				continue
			}
			if !yield(sym, nil) {
				return
			}
		}
	}
}

// table yields the symbols of a table, which is read in pieces.
func (f *File) table(table int) iter.Seq2[rawSymbol, error] {
	return func(yield func(rawSymbol, error) bool) {
		step, read := 24, read64
		if f.elf.Class == elf.ELFCLASS32 {
			step, read = 16, read32
		}
		sec := f.elf.Sections[table]
		if sec.Flags&elf.SHF_COMPRESSED != 0 || sec.Size > maxTable || sec.Offset > uint64(f.size) || sec.Size > uint64(f.size)-sec.Offset {
			yield(rawSymbol{}, fmt.Errorf("read section %s: %w", sec.Name, errTooLarge))
			return
		}
		piece := make([]byte, min(uint64(step)<<14, sec.Size/uint64(step)*uint64(step)))
		for off := uint64(0); off+uint64(step) <= sec.Size; off += uint64(len(piece)) {
			piece = piece[:min(uint64(len(piece)), sec.Size-off)]
			if _, err := sec.ReadAt(piece, int64(off)); err != nil {
				yield(rawSymbol{}, fmt.Errorf("read section %s: %w", sec.Name, err))
				return
			}
			for at := 0; at+step <= len(piece); at += step {
				if !yield(read(f.elf.ByteOrder, piece[at:]), nil) {
					return
				}
			}
		}
	}
}

// add adds a function, whose names begin at base.
func (s *Symbols) add(f *File, sym rawSymbol, base uint32) {
	if f.base != nil {
		sym.value += f.base[sym.section]
	}
	fn := symbol{addr: sym.value, size: sym.size, name: base + sym.name, bind: elf.ST_BIND(sym.info)}
	switch elf.ST_TYPE(sym.info) {
	case elf.STT_GNU_IFUNC:
		fn.bind |= ifuncFlag
	case elf.STT_NOTYPE:
		fn.bind |= labelFlag
	}
	if fn.size == 0 {
		fn.open, fn.size = true, f.room(sym)
	}
	s.syms = append(s.syms, fn)
}

// pay takes memory for functions and for their names, from the budget of the file that
// has them.
func (s *Symbols) pay(f *File, funcs int, names uint64) error {
	if uint64(len(s.strs))+names > 1<<31 {
		return fmt.Errorf("read symbols: %w", errTooLarge)
	}
	if err := f.budget.Take("the names of its symbols", names, 1); err != nil {
		return err
	}
	if err := f.budget.Take("its symbols", uint64(funcs), symbolBytes); err != nil {
		return err
	}
	s.syms = slices.Grow(s.syms, funcs)
	s.strs = slices.Grow(s.strs, int(names))
	return nil
}

// room returns how many bytes there are from a symbol to the end of its section.
func (f *File) room(sym rawSymbol) uint64 {
	start, size := f.start(int(sym.section)), f.elf.Sections[sym.section].Size
	if at := sym.value - start; at < size {
		return size - at
	}
	return 0
}

// A rawSymbol is a symbol as it lies in the file.
type rawSymbol struct {
	name        uint32
	info        byte
	section     elf.SectionIndex
	value, size uint64
}

func read64(o binary.ByteOrder, b []byte) rawSymbol {
	return rawSymbol{o.Uint32(b), b[4], elf.SectionIndex(o.Uint16(b[6:])), o.Uint64(b[8:]), o.Uint64(b[16:])}
}

func read32(o binary.ByteOrder, b []byte) rawSymbol {
	return rawSymbol{o.Uint32(b), b[12], elf.SectionIndex(o.Uint16(b[14:])), uint64(o.Uint32(b[4:])), uint64(o.Uint32(b[8:]))}
}
