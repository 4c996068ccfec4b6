package symbol

import (
	"bytes"
	"cmp"
	"debug/elf"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/ianlancetaylor/demangle"
)

// elfBinary is the symbol table of one executable or library.
type elfBinary struct {
	syms  []elfSymbol // ascending by address, one for each address
	strs  []byte      // their names
	segs  []segment
	named map[int]string // demangled names that were asked for
}

// An elfSymbol is one function.
type elfSymbol struct {
	addr uint64
	size uint64
	name uint32 // offset in strs
	bind elf.SymBind
	open bool // its size was not given: it ends at the next symbol or with its section
}

// A segment says at which addresses a part of the file wants to lie.
type segment struct{ off, size, addr uint64 }

// Limits on what is believed of a binary. The largest programs in use have a
// few million symbols.
const (
	maxTable    = 256 << 20 // bytes of a symbol or string table
	maxSegments = 1 << 10
	maxName     = 1 << 12 // bytes of a name
)

var errTooLarge = errors.New("symbol table too large")

// readELF reads the functions of a binary of size bytes. It does not trust it:
// whatever is wrong with it is an error.
func readELF(r io.ReaderAt, size int64) (b *elfBinary, err error) {
	defer func() {
		if p := recover(); p != nil { // package elf guards itself, but this runs as root
			b, err = nil, fmt.Errorf("read symbols: %v", p)
		}
	}()
	f, err := elf.NewFile(io.NewSectionReader(r, 0, size))
	if err != nil {
		return nil, fmt.Errorf("read symbols: %w", err)
	}
	if f.Class != elf.ELFCLASS64 && f.Class != elf.ELFCLASS32 {
		return nil, errors.New("read symbols: unknown class")
	}
	b = &elfBinary{named: make(map[int]string)}
	for _, p := range f.Progs {
		if p.Type == elf.PT_LOAD && len(b.segs) < maxSegments {
			b.segs = append(b.segs, segment{p.Off, p.Filesz, p.Vaddr})
		}
	}
	stripped := true
	for _, s := range f.Sections {
		if s.Type == elf.SHT_SYMTAB || s.Type == elf.SHT_DYNSYM {
			stripped = stripped && s.Type != elf.SHT_SYMTAB
			if err := b.addTable(f, s, size); err != nil {
				return nil, err
			}
		}
	}
	if stripped {
		if err := b.addGo(f, size); err != nil {
			return nil, err
		}
	}
	b.settle()
	return b, nil
}

// addTable reads one symbol table with its names.
func (b *elfBinary) addTable(f *elf.File, s *elf.Section, size int64) error {
	if s.Link == 0 || int(s.Link) >= len(f.Sections) {
		return nil
	}
	names, err := content(f.Sections[s.Link], size)
	if err != nil {
		return err
	}
	data, err := content(s, size)
	if err != nil {
		return err
	}
	base := uint64(len(b.strs))
	if base+uint64(len(names)) > 1<<31 {
		return errTooLarge
	}
	b.strs = append(append(b.strs, names...), 0)
	step, read := 24, read64
	if f.Class == elf.ELFCLASS32 {
		step, read = 16, read32
	}
	for ; len(data) >= step; data = data[step:] {
		sym := read(f.ByteOrder, data)
		kind := elf.ST_TYPE(sym.info)
		if kind != elf.STT_FUNC && kind != elf.STT_GNU_IFUNC && kind != elf.STT_NOTYPE {
			continue
		}
		if sym.section == elf.SHN_UNDEF || sym.section >= elf.SHN_LORESERVE || uint64(sym.name) >= uint64(len(names)) {
			continue
		}
		if kind == elf.STT_NOTYPE && !isCode(f, sym.section) {
			continue
		}
		s := elfSymbol{addr: sym.value, size: sym.size, name: uint32(base) + sym.name, bind: elf.ST_BIND(sym.info)}
		if s.size == 0 {
			s.open, s.size = true, room(f, sym)
		}
		b.syms = append(b.syms, s)
	}
	return nil
}

// room returns how many bytes there are from a symbol to the end of its section.
func room(f *elf.File, sym rawSymbol) uint64 {
	if int(sym.section) >= len(f.Sections) {
		return 0
	}
	if at := sym.value - f.Sections[sym.section].Addr; at < f.Sections[sym.section].Size {
		return f.Sections[sym.section].Size - at
	}
	return 0
}

// isCode reports whether a section is executed.
func isCode(f *elf.File, index elf.SectionIndex) bool {
	return int(index) < len(f.Sections) && f.Sections[index].Flags&elf.SHF_EXECINSTR != 0
}

// content returns the bytes of a section.
func content(s *elf.Section, fileSize int64) ([]byte, error) {
	if s.Type == elf.SHT_NOBITS || s.Flags&elf.SHF_COMPRESSED != 0 {
		return nil, nil
	}
	if s.FileSize > maxTable || s.FileSize > uint64(fileSize) {
		return nil, errTooLarge
	}
	data := make([]byte, s.FileSize)
	n, err := s.ReadAt(data, 0)
	if err != nil && err != io.EOF {
		return nil, fmt.Errorf("read symbols: %w", err)
	}
	return data[:n], nil
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

// settle sorts the symbols and keeps the best name of each address.
func (b *elfBinary) settle() {
	b.syms = slices.DeleteFunc(b.syms, func(s elfSymbol) bool { return isMarker(b.raw(s)) })
	slices.SortFunc(b.syms, func(x, y elfSymbol) int {
		return cmp.Or(cmp.Compare(x.addr, y.addr), b.prefer(x, y))
	})
	b.syms = slices.Clip(slices.CompactFunc(b.syms, func(x, y elfSymbol) bool { return x.addr == y.addr }))
}

// isMarker reports whether a name marks a place for the linker or, on arm64,
// where code and data meet.
func isMarker(name []byte) bool {
	return len(name) == 0 || name[0] == '$' || bytes.HasPrefix(name, []byte(".L"))
}

// prefer orders the names of one address: a function with a size, fewer
// underscores in front (malloc, not __libc_malloc), global before weak
// before local, then the shorter one.
func (b *elfBinary) prefer(x, y elfSymbol) int {
	nx, ny := b.raw(x), b.raw(y)
	return cmp.Or(
		cmp.Compare(flag(x.open), flag(y.open)),
		cmp.Compare(underscores(nx), underscores(ny)),
		cmp.Compare(bindRank(x.bind), bindRank(y.bind)),
		cmp.Compare(len(nx), len(ny)),
		bytes.Compare(nx, ny),
	)
}

func flag(set bool) int {
	if set {
		return 1
	}
	return 0
}

// underscores counts those in front, but not the one of a mangled name.
func underscores(name []byte) int {
	if bytes.HasPrefix(name, []byte("_Z")) || bytes.HasPrefix(name, []byte("_R")) {
		return 0
	}
	n := 0
	for n < len(name) && name[n] == '_' {
		n++
	}
	return n
}

func bindRank(b elf.SymBind) int {
	switch b {
	case elf.STB_GLOBAL:
		return 0
	case elf.STB_WEAK:
		return 1
	}
	return 2
}

// raw returns the name of a symbol as it is in the file.
func (b *elfBinary) raw(s elfSymbol) []byte {
	name := b.strs[s.name:]
	name = name[:min(len(name), maxName)]
	if i := bytes.IndexByte(name, 0); i >= 0 {
		name = name[:i]
	}
	return name
}

// lookup finds the function that the byte at off of the file belongs to.
func (b *elfBinary) lookup(off uint64) (name string, offset uint64, ok bool) {
	addr, ok := b.address(off)
	if !ok {
		return "", 0, false
	}
	i, exact := slices.BinarySearchFunc(b.syms, addr, func(s elfSymbol, a uint64) int { return cmp.Compare(s.addr, a) })
	if !exact {
		i--
	}
	// A function may hold others, such as entry points of assembly.
	for back := 0; i >= 0 && back < 8; i, back = i-1, back+1 {
		s := b.syms[i]
		if addr == s.addr || addr-s.addr < s.size && (back == 0 || !s.open) {
			return b.name(i), addr - s.addr, true
		}
	}
	return "", 0, false
}

// symbolBytes is what an elfSymbol takes.
const symbolBytes = 32

// bytes returns about how much memory b takes. A nil binary takes none.
func (b *elfBinary) bytes() int {
	if b == nil {
		return 0
	}
	return len(b.strs) + len(b.syms)*symbolBytes
}

// address returns where the byte at off of the file wants to lie.
func (b *elfBinary) address(off uint64) (uint64, bool) {
	for _, s := range b.segs {
		if off >= s.off && off-s.off < s.size {
			return off - s.off + s.addr, true
		}
	}
	return 0, false
}

// name returns the name of a symbol as it is shown.
func (b *elfBinary) name(i int) string {
	if n, ok := b.named[i]; ok {
		return n
	}
	n := Demangle(string(b.raw(b.syms[i])))
	b.named[i] = n
	return n
}

// Demangle returns a symbol's name as its source spells it: without a version,
// and in the syntax of C++ or Rust if it is a mangled name of these.
func Demangle(name string) string {
	if i := strings.IndexByte(name, '@'); i > 0 {
		name = name[:i]
	}
	if !strings.HasPrefix(name, "_Z") && !strings.HasPrefix(name, "_R") && !strings.HasPrefix(name, "__Z") {
		return name
	}
	return demangle.Filter(name, demangle.MaxLength(12))
}
