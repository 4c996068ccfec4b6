package usdt

import (
	"bytes"
	"cmp"
	"debug/elf"
	"io"
	"slices"
	"strings"
)

// Limits on the symbols of a file.
const (
	maxSymbols  = 1 << 21 // that are looked through
	symbolBytes = 24
	maxCovering = 64  // functions that an address may lie in
	maxSymbol   = 512 // bytes of a name that is read for one of them
)

// tables yields the tables of symbols that can be believed: .symtab, and, for files
// that were stripped of it, .dynsym.
func (x *image) tables(yield func(symbols, names *elf.Section) bool) {
	for _, kind := range []elf.SectionType{elf.SHT_SYMTAB, elf.SHT_DYNSYM} {
		s := x.file.SectionByType(kind)
		if s == nil || s.FileSize/symbolBytes > maxSymbols || int(s.Link) >= len(x.file.Sections) {
			continue
		}
		if names := x.file.Sections[s.Link]; x.inside(s) && x.inside(names) && !yield(s, names) {
			return
		}
	}
}

// inside reports whether a section lies in the file as it is.
func (x *image) inside(s *elf.Section) bool {
	return s.Type != elf.SHT_NOBITS && s.Flags&elf.SHF_COMPRESSED == 0 &&
		s.Offset <= uint64(x.size) && s.FileSize <= uint64(x.size)-s.Offset
}

// A candidate is a function that an address lies in.
type candidate struct {
	start uint64
	name  uint32 // where it begins among the names
}

// functions returns the names of the functions that addresses lie in. Of several names
// of a function the shortest is taken, as the others mostly are its versions.
//
// Files have tens of thousands of symbols and few notes; so the symbols are gone
// through once, as they lie in the file, and names are read of those that count.
func (x *image) functions(addrs []uint64) map[uint64]string {
	sorted := slices.Compact(slices.Sorted(slices.Values(addrs)))
	names := make(map[uint64]string, len(sorted))
	if len(sorted) == 0 {
		return names
	}
	for symbols, texts := range x.tables {
		data := make([]byte, symbols.FileSize)
		if _, err := symbols.ReaderAt.ReadAt(data, 0); err != nil || len(data) <= symbolBytes { // the first is none
			continue
		}
		for i, list := range x.covering(data, sorted) {
			if name := shortest(texts, list); name != "" {
				names[sorted[i]] = name
			}
		}
		break
	}
	return names
}

// covering returns the functions of a table in which each of the addresses lies.
func (x *image) covering(data []byte, addrs []uint64) [][]candidate {
	order := x.file.ByteOrder
	found := make([][]candidate, len(addrs))
	budget := maxCovering * (len(addrs) + len(data)/symbolBytes) // for files that were made to keep us busy
	for ; len(data) >= symbolBytes; data = data[symbolBytes:] {
		start, size := order.Uint64(data[8:]), order.Uint64(data[16:])
		section := elf.SectionIndex(order.Uint16(data[6:]))
		if elf.ST_TYPE(data[4]) != elf.STT_FUNC || section == elf.SHN_UNDEF || start > addrs[len(addrs)-1] {
			continue
		}
		i, _ := slices.BinarySearch(addrs, start)
		for ; i < len(addrs) && addrs[i]-start < size && budget > 0; i++ {
			budget--
			if len(found[i]) < maxCovering {
				found[i] = append(found[i], candidate{start, order.Uint32(data)})
			}
		}
	}
	return found
}

// shortest returns the shortest name of functions, of the innermost one if there are
// several, or "".
func shortest(texts *elf.Section, list []candidate) string {
	slices.SortStableFunc(list, func(a, b candidate) int { return cmp.Compare(b.start, a.start) })
	best := ""
	for _, c := range list {
		name, _, _ := strings.Cut(nameAt(texts, c.name), "@") // what follows is a version
		if isName(name) && (best == "" || len(name) < len(best)) {
			best = name
		}
	}
	return best
}

// nameAt reads a name, or "" if it is too long for a function's.
func nameAt(texts *elf.Section, at uint32) string {
	var buf [maxSymbol]byte
	n, err := texts.ReaderAt.ReadAt(buf[:], int64(at))
	if err != nil && err != io.EOF {
		return ""
	}
	name, _, ended := bytes.Cut(buf[:n], []byte{0})
	if !ended {
		return ""
	}
	return string(name)
}

// symbol returns the address of a symbol of a function or of data.
func (x *image) symbol(name string) (uint64, bool) {
	if x.byName == nil {
		x.byName = map[string]uint64{}
		for s := range x.symbols {
			switch elf.ST_TYPE(s.info) {
			case elf.STT_TLS, elf.STT_SECTION, elf.STT_FILE:
			default:
				if s.section != elf.SHN_UNDEF && x.budget.Take("its symbols", uint64(len(s.name))+namedBytes, 1) == nil {
					x.byName[string(s.name)] = s.value
				}
			}
		}
	}
	addr, ok := x.byName[name]
	return addr, ok
}

// namedBytes is about what a symbol takes that is found by its name.
const namedBytes = 96

// A named is a symbol with its name.
type named struct {
	name    []byte // without its version
	info    byte
	section elf.SectionIndex
	value   uint64
}

// symbols yields the symbols of the first table that has any.
func (x *image) symbols(yield func(named) bool) {
	for symbols, texts := range x.tables {
		if x.budget.Take("its symbols", symbols.FileSize+texts.FileSize, 1) != nil {
			continue
		}
		data, names := make([]byte, symbols.FileSize), make([]byte, texts.FileSize)
		_, err1 := symbols.ReaderAt.ReadAt(data, 0)
		_, err2 := texts.ReaderAt.ReadAt(names, 0)
		if err1 == nil && err2 == nil && len(data) > symbolBytes { // the first is none
			x.list(data, names, yield)
		}
		x.budget.Give(uint64(len(data) + len(names)))
		if len(data) > symbolBytes {
			return
		}
	}
}

// list yields the symbols of a table but for the first.
func (x *image) list(data, names []byte, yield func(named) bool) {
	order := x.file.ByteOrder
	for data = data[symbolBytes:]; len(data) >= symbolBytes; data = data[symbolBytes:] {
		at := min(uint64(order.Uint32(data)), uint64(len(names)))
		name, _, ended := bytes.Cut(names[at:min(at+maxSymbol, uint64(len(names)))], []byte{0})
		if !ended {
			continue
		}
		name, _, _ = bytes.Cut(name, []byte("@"))
		if !yield(named{name, data[4], elf.SectionIndex(order.Uint16(data[6:])), order.Uint64(data[8:])}) {
			return
		}
	}
}
