package binary

import (
	"bytes"
	"debug/elf"
	"encoding/binary"
	"errors"
	"fmt"
)

// HasGo reports whether a file has code that was compiled from Go.
func (f *File) HasGo() bool {
	return f.goTable() >= 0 || f.HasSection(".note.go.buildid")
}

// goTable returns the section with the table that Go's runtime unwinds by, -1 if there
// is none.
func (f *File) goTable() int {
	if table := f.section(".gopclntab"); table >= 0 {
		return table
	}
	return f.section(".data.rel.ro.gopclntab") // where it is when it must be relocated
}

// The numbers that such tables begin with, by the version of Go from which on they do
// (src/debug/gosym/pclntab.go).
const (
	goTable12 = 0xfffffffb
	goTable16 = 0xfffffffa
	goTable18 = 0xfffffff0
)

// GoRegisters reports whether functions in Go are called with their arguments in
// registers, as those are that Go 1.18 or later has compiled, and not on the stack. Of Go
// 1.17, which began with it on x86-64, the table does not tell.
func (f *File) GoRegisters() (bool, error) {
	table := f.goTable()
	if table < 0 {
		return false, errors.New("the file does not tell by which version of Go it was made")
	}
	var magic [4]byte
	s := f.elf.Sections[table]
	if _, err := f.ReadAt(magic[:], int64(s.Offset)); err != nil {
		return false, fmt.Errorf("read the version of Go: %w", err)
	}
	switch n := f.elf.ByteOrder.Uint32(magic[:]); {
	case n == goTable12:
		return false, nil
	case n == goTable16:
		return false, errors.New("it was made by Go 1.16 or 1.17, which pass arguments in different ways, and the file does not tell by which")
	case n >= goTable18 && n < goTable16:
		return true, nil
	}
	return false, errors.New("how its version of Go passes arguments is not known")
}

// addGo takes the functions of a Go program from the table that its runtime
// unwinds by, which stays in the binary when the symbols are stripped.
func (s *Symbols) addGo(f *File) error {
	table := f.goTable()
	text := f.section(".text")
	if table < 0 || text < 0 {
		return nil
	}
	data, err := f.content(table, maxTable)
	if err != nil {
		return err
	}
	defer f.budget.Give(uint64(len(data)))
	t, err := newGoTable(data, f.elf.Sections[text].Addr)
	if err != nil {
		return fmt.Errorf("read functions of a Go program: %w", err)
	}
	count, names := 0, uint64(0)
	for i := range t.count {
		if name, from, to := t.function(i); len(name) > 0 && from <= to {
			count, names = count+1, names+uint64(len(name))+1
		}
	}
	if count > maxSymbols {
		return fmt.Errorf("read functions of a Go program: it has more than %d", maxSymbols)
	}
	if err := s.pay(f, count, names); err != nil {
		return err
	}
	for i := range t.count {
		if name, from, to := t.function(i); len(name) > 0 && from <= to {
			s.syms = append(s.syms, symbol{addr: from, size: to - from, name: uint32(len(s.strs)), bind: elf.STB_LOCAL})
			s.strs = append(append(s.strs, name...), 0)
		}
	}
	return nil
}

// A goTable is the functions of a Go program, of any version since 1.2:
//
//	header   magic uint32, two bytes 0, quantum, size of words; count and places of parts
//	functab  for each function: where it begins, where its _func lies; where the last ends
//	_func    where it begins, the place of its name, …
//
// Package gosym of the standard library reads it too, but copies each name up to the
// next zero, however far that is, and so makes any size of memory of a small table.
type goTable struct {
	count       uint64
	funcs       []byte // functab
	infos       []byte // what places of _funcs count from
	names       []byte // what places of names count from
	word, field int    // bytes of a word, and of a field of functab
	nameAt      int    // in a _func
	text        uint64 // what places of functions count from
	order       binary.ByteOrder
}

// The first words of the tables, by the version of Go that they changed with.
const (
	goMagic2  = 0xfffffffb
	goMagic16 = 0xfffffffa
	goMagic18 = 0xfffffff0
	goMagic20 = 0xfffffff1
)

var errNoGoTable = errors.New("no table")

// newGoTable reads the header of a table.
func newGoTable(data []byte, text uint64) (*goTable, error) {
	t := &goTable{order: binary.LittleEndian}
	if len(data) < 16 {
		return nil, errNoGoTable
	}
	magic := func() uint32 { return t.order.Uint32(data) }
	if m := magic(); m>>8 != 0xffffff {
		t.order = binary.BigEndian
	}
	if t.word = int(data[7]); t.word != 4 && t.word != 8 {
		return nil, errNoGoTable
	}
	var places int // the number among the words of the header of that of functab
	switch magic() {
	case goMagic2:
		t.field, t.infos, t.names, t.funcs, t.nameAt = t.word, data, data, data[min(8+t.word, len(data)):], t.word
	case goMagic16:
		t.field, t.nameAt, places = t.word, t.word, 2
	case goMagic18, goMagic20:
		t.field, t.nameAt, places, t.text = 4, 4, 3, text
	default:
		return nil, errNoGoTable
	}
	t.count = t.at(data, uint64(8), t.word)
	if places > 0 {
		t.names = after(data, t.at(data, uint64(8+places*t.word), t.word))
		t.infos = after(data, t.at(data, uint64(8+(places+4)*t.word), t.word))
		t.funcs = t.infos
	}
	if entry := uint64(2 * t.field); t.count > uint64(len(t.funcs))/entry {
		return nil, errNoGoTable
	}
	return t, nil
}

// function returns the name of function i and where its code is, no name if it makes
// no sense.
func (t *goTable) function(i uint64) (name []byte, from, to uint64) {
	entry := uint64(2 * t.field)
	from = t.text + t.at(t.funcs, i*entry, t.field)
	to = t.text + t.at(t.funcs, (i+1)*entry, t.field)
	info := t.at(t.funcs, i*entry+uint64(t.field), t.field)
	if info >= uint64(len(t.infos)) {
		return nil, 0, 0
	}
	text := after(t.names, t.at(t.infos, info+uint64(t.nameAt), 4))
	end := bytes.IndexByte(text[:min(len(text), maxName)], 0)
	return text[:max(end, 0)], from, to
}

// at returns the number of so many bytes at a place, 0 if there is none.
func (t *goTable) at(b []byte, off uint64, size int) uint64 {
	b = after(b, off)
	switch {
	case len(b) < size:
		return 0
	case size == 4:
		return uint64(t.order.Uint32(b))
	}
	return t.order.Uint64(b)
}

// after returns what lies behind a place.
func after(b []byte, off uint64) []byte {
	if off > uint64(len(b)) {
		return nil
	}
	return b[off:]
}
