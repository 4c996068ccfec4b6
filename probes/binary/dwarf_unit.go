package binary

import (
	"debug/elf"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"slices"
)

// A dwarfFile is the debug information of one ELF file, section by section.
type dwarfFile struct {
	f      *File
	order  binary.ByteOrder
	alt    uint64     // altBit if this is what other files share
	shared *dwarfFile // what this one shares with others; nil if nothing, or if it is not here

	units    []unit // ascending
	infoAt   int64  // where .debug_info lies in the file, if it is read unit by unit
	info     []byte // else all of it
	sections map[string][]byte
	types    map[uint64]ref // by signature

	ahead  int   // entries that are paid for and not read yet
	tired  error // why the question at hand could not be answered; nil if it was not the work
	held   []int // units whose bytes are kept, oldest first
	heldB  int
	tables map[uint64]*abbrevs
}

// unitBytes is about what a unit takes in memory, without its entries.
const unitBytes = 256

// atOnce is how many entries are paid for at once.
const atOnce = 1 << 10

// spend pays for entries that will be read.
func (d *dwarfFile) spend(entries int) error {
	if d.ahead -= entries; d.ahead >= 0 {
		return nil
	}
	owed := atOnce - d.ahead
	if err := d.f.budget.Spend("its debug information", uint64(owed)); err != nil {
		d.ahead, d.tired = 0, err
		return err
	}
	d.ahead = atOnce
	return nil
}

// earn begins a new question.
func (d *dwarfFile) earn() {
	d.tired = nil
	d.f.budget.Earn(workEarned)
}

// A ref is the place of an entry: an offset in .debug_info, with altBit if it is
// in what files share.
type ref uint64

const altBit = 1 << 63

// A unit is one of the parts that debug information is made of: as a rule, what
// one run of the compiler made.
type unit struct {
	d        *dwarfFile
	off, end uint64 // in .debug_info, with the header
	body     uint64 // where its first entry is
	abbrev   uint64
	version  int
	addrSize int
	offSize  int
	kind     uint8

	bytes []byte // nil if they are not kept; from off to end
	root  *root  // nil if it was not read
}

// A root is what the first entry of a unit says of the unit.
type root struct {
	tag     uint16
	lang    uint64
	low     uint64
	strBase uint64
	adrBase uint64
	rngBase uint64
	locBase uint64
	name    string
	dir     string
	lines   uint64
	hasLine bool
	ranges  []Range
}

// A Range is the addresses from Low to, but without, High.
type Range struct{ Low, High uint64 }

// has reports whether an address is in one of the ranges.
func has(list []Range, addr uint64) bool {
	for _, r := range list {
		if r.Low <= addr && addr < r.High {
			return true
		}
	}
	return false
}

// openDwarf reads the headers of the units.
func openDwarf(f *File, alt uint64) (*dwarfFile, error) {
	d := &dwarfFile{f: f, order: f.elf.ByteOrder, alt: alt, sections: map[string][]byte{}, tables: map[uint64]*abbrevs{}, types: map[uint64]ref{}}
	i := f.section(".debug_info")
	if i < 0 {
		return nil, errors.New("it has no debug information")
	}
	s := f.elf.Sections[i]
	if s.Flags&elf.SHF_COMPRESSED != 0 || f.base != nil {
		data, err := d.load(".debug_info")
		if err != nil {
			return nil, err
		}
		d.info = data
		return d, d.readUnits(io.NewSectionReader(bytesAt(data), 0, int64(len(data))), uint64(len(data)))
	}
	if s.Offset > uint64(f.size) || s.FileSize > uint64(f.size)-s.Offset {
		return nil, errShort
	}
	d.infoAt = int64(s.Offset)
	return d, d.readUnits(io.NewSectionReader(f.r, d.infoAt, int64(s.FileSize)), s.FileSize)
}

// bytesAt reads from memory.
type bytesAt []byte

func (b bytesAt) ReadAt(p []byte, off int64) (int, error) {
	if off < 0 || off >= int64(len(b)) {
		return 0, io.EOF
	}
	n := copy(p, b[off:])
	if n < len(p) {
		return n, io.EOF
	}
	return n, nil
}

// readUnits reads the headers of all units. A unit that makes no sense ends the
// list.
func (d *dwarfFile) readUnits(r io.ReaderAt, size uint64) error {
	var buf [40]byte
	for off := uint64(0); off+11 <= size; {
		n, err := r.ReadAt(buf[:min(uint64(len(buf)), size-off)], int64(off))
		if err != nil && err != io.EOF {
			return fmt.Errorf("read the debug information: %w", err)
		}
		u, sig, typeOff, err := d.header(buf[:n], off, size)
		if err != nil {
			break
		}
		if len(d.units) >= maxUnits {
			return errors.New("read the debug information: too many units")
		}
		if err := d.f.budget.Take("its units of debug information", 1, unitBytes); err != nil {
			return err
		}
		d.units = append(d.units, u)
		if u.kind == unitType {
			d.types[sig] = ref(off+typeOff) | ref(d.alt)
		}
		off = u.end
	}
	if len(d.units) == 0 {
		return errors.New("read the debug information: no unit makes sense")
	}
	return nil
}

// header reads the header of the unit at off.
func (d *dwarfFile) header(b []byte, off, size uint64) (u unit, sig, typeOff uint64, err error) {
	c := cursor{b: b, order: d.order}
	u = unit{d: d, off: off, offSize: 4, kind: unitCompile}
	length := uint64(c.u32())
	if length == 0xffffffff {
		u.offSize, length = 8, c.u64()
	}
	if length > size-off-uint64(c.pos) || length > maxUnit {
		return u, 0, 0, errShort
	}
	u.end = off + uint64(c.pos) + length
	u.version = int(c.u16())
	switch {
	case u.version >= 2 && u.version <= 4:
		u.abbrev = c.uint(u.offSize)
		u.addrSize = int(c.u8())
	case u.version == 5:
		u.kind = c.u8()
		u.addrSize = int(c.u8())
		u.abbrev = c.uint(u.offSize)
		switch u.kind {
		case unitType, unitSplitType:
			sig, typeOff = c.u64(), c.uint(u.offSize)
		case unitSkeleton, unitSplit:
			c.u64()
		}
	default:
		return u, 0, 0, fmt.Errorf("version %d of DWARF is not known", u.version)
	}
	if u.addrSize != 4 && u.addrSize != 8 {
		return u, 0, 0, errors.New("addresses of an unknown size")
	}
	u.body = off + uint64(c.pos)
	if c.err == nil && u.body > u.end {
		c.err = errShort
	}
	return u, sig, typeOff, c.err
}

// load reads a section whole; a section that is not there is empty.
func (d *dwarfFile) load(name string) ([]byte, error) {
	if b, ok := d.sections[name]; ok {
		return b, nil
	}
	i := d.f.section(name)
	if i < 0 {
		d.sections[name] = nil
		return nil, nil
	}
	b, err := d.f.content(i, maxTable)
	if err == nil && d.f.base != nil {
		err = d.f.relocate(i, b)
	}
	d.sections[name] = b
	return b, err
}

// section returns the bytes of a section, none if it cannot be read.
func (d *dwarfFile) section(name string) []byte {
	b, err := d.load(name)
	if err != nil {
		return nil
	}
	return b
}

// data returns the bytes of a unit, which are kept for a while.
func (u *unit) data() ([]byte, error) {
	d := u.d
	if d.info != nil {
		return d.info[u.off:u.end:u.end], nil
	}
	if u.bytes != nil {
		return u.bytes, nil
	}
	size := int(u.end - u.off)
	for d.heldB+size > maxHeld && len(d.held) > 0 {
		old := &d.units[d.held[0]]
		d.heldB -= len(old.bytes)
		d.f.budget.Give(uint64(len(old.bytes)))
		old.bytes = nil
		d.held = d.held[1:]
	}
	if err := d.f.budget.Take("a unit of its debug information", 1, uint64(size)); err != nil {
		return nil, err
	}
	b := make([]byte, size)
	if _, err := d.f.r.ReadAt(b, d.infoAt+int64(u.off)); err != nil {
		d.f.budget.Give(uint64(size))
		return nil, fmt.Errorf("read the debug information: %w", err)
	}
	u.bytes = b
	d.heldB += len(b)
	d.held = append(d.held, d.index(u))
	return b, nil
}

// index returns which unit u is.
func (d *dwarfFile) index(u *unit) int {
	i, _ := slices.BinarySearchFunc(d.units, u.off, func(v unit, off uint64) int {
		switch {
		case v.off < off:
			return -1
		case v.off > off:
			return 1
		}
		return 0
	})
	return i
}

// unitAt returns the unit that an offset of .debug_info lies in.
func (d *dwarfFile) unitAt(off uint64) *unit {
	i, exact := slices.BinarySearchFunc(d.units, off, func(v unit, off uint64) int {
		switch {
		case v.off < off:
			return -1
		case v.off > off:
			return 1
		}
		return 0
	})
	if !exact {
		i--
	}
	if i < 0 || off < d.units[i].body || off >= d.units[i].end {
		return nil
	}
	return &d.units[i]
}

// mostTables is how many tables of shapes are kept.
const mostTables = 64

// shapes returns the table that the entries of u are read by.
func (u *unit) shapes() (*abbrevs, error) {
	if t, ok := u.d.tables[u.abbrev]; ok {
		return t, nil
	}
	t, err := u.readShapes(false)
	if err != nil {
		return nil, err
	}
	if len(u.d.tables) >= mostTables {
		for _, old := range u.d.tables {
			u.d.f.budget.Give(old.bytes())
		}
		clear(u.d.tables)
	}
	u.d.tables[u.abbrev] = t
	return t, nil
}

func (u *unit) readShapes(one bool) (*abbrevs, error) {
	b := u.d.section(".debug_abbrev")
	if u.abbrev >= uint64(len(b)) {
		return nil, errShort
	}
	t, err := readAbbrevs(b[u.abbrev:], u.d.order, u.addrSize, u.offSize, one, u.d.f.budget)
	if err != nil {
		return nil, err
	}
	if one {
		u.d.f.budget.Give(t.bytes()) // it is looked at and forgotten
	}
	return t, u.d.spend(t.paid)
}
