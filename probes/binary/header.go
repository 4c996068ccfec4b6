package binary

import (
	"bytes"
	"debug/elf"
	"encoding/binary"
	"errors"
	"fmt"
	"io"

	"dscope.dev/probes/budget"
)

// Package elf of the standard library makes memory for whatever a header claims: a
// file of 20 KB on disk, sparse behind, may say that it has 2^30 sections. So the tables
// that it will read are read here first, held against the file and the budget, and it
// is given those very bytes: what is checked is what is used, even if the file is
// written meanwhile.

// Headers reads the headers of an ELF file of size bytes, on a budget.
func Headers(r io.ReaderAt, size int64, b *budget.Budget) (e *elf.File, err error) {
	defer guard(&err, "read the headers")
	h := &heads{r: io.NewSectionReader(r, 0, size), size: uint64(size), budget: b}
	if err := h.read(); err != nil {
		return nil, fmt.Errorf("read the headers: %w", err)
	}
	if e, err = elf.NewFile(h); err != nil {
		return nil, fmt.Errorf("read the headers: %w", err)
	}
	for _, p := range h.parts {
		b.Give(uint64(len(p.bytes)))
	}
	h.parts = nil
	return e, nil
}

// heads are the tables that a file begins with: it reads like the file, but for them,
// which it has in memory.
type heads struct {
	r      io.ReaderAt
	size   uint64
	budget *budget.Budget
	parts  []part
}

// A part is bytes of a file and where they lie.
type part struct {
	off   uint64
	bytes []byte
}

func (h *heads) ReadAt(p []byte, off int64) (int, error) {
	for _, part := range h.parts {
		if at := uint64(off) - part.off; at <= uint64(len(part.bytes)) && uint64(len(p)) <= uint64(len(part.bytes))-at {
			return copy(p, part.bytes[at:]), nil
		}
	}
	return h.r.ReadAt(p, off)
}

// take reads a table of so many entries into memory.
func (h *heads) take(what string, off, count, size uint64) ([]byte, error) {
	if size != 0 && count > h.size/size || off > h.size || count*size > h.size-off {
		return nil, fmt.Errorf("%s would go beyond the end of the file", what)
	}
	if count*size == 0 {
		return nil, nil
	}
	if err := h.budget.Take(what, count, size); err != nil {
		return nil, err
	}
	data := make([]byte, count*size)
	if _, err := h.r.ReadAt(data, int64(off)); err != nil {
		return nil, err
	}
	h.parts = append(h.parts, part{off, data})
	return data, nil
}

// A shape says where a class of files has what matters here.
type shape struct {
	header, section                        uint64 // sizes
	word                                   int    // bytes of a place
	progsAt, sectionsAt, numbersAt         int    // in the header
	sectionOffset, sectionSize, sectionRef int    // in a section
}

var shapes = map[elf.Class]shape{
	elf.ELFCLASS32: {header: 52, section: 40, word: 4, progsAt: 28, sectionsAt: 32, numbersAt: 42, sectionOffset: 16, sectionSize: 20, sectionRef: 24},
	elf.ELFCLASS64: {header: 64, section: 64, word: 8, progsAt: 32, sectionsAt: 40, numbersAt: 54, sectionOffset: 24, sectionSize: 32, sectionRef: 40},
}

// inHead is about what a section takes in memory once it is read, its name aside.
const inHead = 512

// read reads and checks all tables.
func (h *heads) read() error {
	ident, err := h.take("its first bytes", 0, 1, elf.EI_NIDENT)
	if err != nil || !bytes.HasPrefix(ident, []byte(elf.ELFMAG)) {
		return errors.New("it is not an ELF file")
	}
	s, ok := shapes[elf.Class(ident[elf.EI_CLASS])]
	var order binary.ByteOrder = binary.LittleEndian
	if elf.Data(ident[elf.EI_DATA]) == elf.ELFDATA2MSB {
		order = binary.BigEndian
	} else if elf.Data(ident[elf.EI_DATA]) != elf.ELFDATA2LSB || !ok {
		return errors.New("its class or byte order is unknown")
	}
	head, err := h.take("its header", 0, 1, s.header)
	if err != nil {
		return err
	}
	word := func(b []byte) uint64 {
		if s.word == 4 {
			return uint64(order.Uint32(b))
		}
		return order.Uint64(b)
	}
	number := func(i int) uint64 { return uint64(order.Uint16(head[s.numbersAt+2*i:])) }
	progs, progSize, count, size, names := number(1), number(0), number(3), number(2), number(4)
	if progs > maxSegments {
		return fmt.Errorf("%d segments are too many", progs)
	}
	if _, err := h.take("the table of its segments", word(head[s.progsAt:]), progs, progSize); err != nil {
		return err
	}
	at := word(head[s.sectionsAt:])
	if at == 0 {
		return nil // it has none, or package elf refuses it
	}
	if count == 0 { // more than fit into the header: the first section has their number
		first, err := h.take("its first section", at, 1, s.section)
		if err != nil {
			return err
		}
		count = word(first[s.sectionSize:])
		if names == uint64(elf.SHN_XINDEX) {
			names = uint64(order.Uint32(first[s.sectionRef:]))
		}
	}
	if count > maxSections {
		return fmt.Errorf("%d sections are too many", count)
	}
	if err := h.budget.Take("the table of its sections", count, inHead); err != nil {
		return err
	}
	table, err := h.take("the table of its sections", at, count, size)
	if err != nil {
		return err
	}
	if size < s.section || names == 0 || names >= count {
		return nil // package elf refuses the one and needs no names for the other
	}
	named := table[names*size:]
	if order.Uint32(named[4:]) != uint32(elf.SHT_STRTAB) || word(named[8:])&uint64(elf.SHF_COMPRESSED) != 0 {
		return errors.New("its names of sections are no table of names")
	}
	text, err := h.take("its names of sections", word(named[s.sectionOffset:]), word(named[s.sectionSize:]), 1)
	if err != nil {
		return err
	}
	return h.names(text, count, func(i uint64) uint64 { return uint64(order.Uint32(table[i*size:])) })
}

// names holds that the names of sections, which will be copied one by one, are as long
// as names are.
func (h *heads) names(text []byte, count uint64, at func(i uint64) uint64) error {
	for i := range count {
		from := at(i)
		if from >= uint64(len(text)) {
			continue // package elf refuses it
		}
		name := text[from:min(from+maxName, uint64(len(text)))]
		end := bytes.IndexByte(name, 0)
		if end < 0 {
			return fmt.Errorf("the name of section %d does not end", i)
		}
		if err := h.budget.Take("its names of sections", uint64(end), 1); err != nil {
			return err
		}
	}
	return nil
}
