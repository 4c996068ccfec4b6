package usdt

import (
	"bytes"
	"debug/elf"
	"encoding/binary"
)

// A program is an ELF file in the making: code at codeAddr, data at dataAddr, and
// the sections that tests want to have in it.
type program struct {
	machine  elf.Machine
	kind     elf.Type
	order    byteOrder
	base     uint64 // of .stapsdt.base
	notes    []byte
	symbols  []symbol
	stripped bool // of .symtab: then the symbols are dynamic
}

type byteOrder interface {
	binary.ByteOrder
	binary.AppendByteOrder
}

type symbol struct {
	name        string
	value, size uint64
	kind        elf.SymType
}

// The code is at offset 0x1000 of the file and the data at 0x2000.
const (
	codeAddr = 0x401000
	dataAddr = 0x604000
	segment  = 0x1000
)

// note adds a note.
func (p *program) note(pc, semaphore uint64, texts ...string) {
	var desc []byte
	for _, w := range []uint64{pc, 0x400500, semaphore} {
		desc = p.order.AppendUint64(desc, w)
	}
	for _, s := range texts {
		desc = append(append(desc, s...), 0)
	}
	p.raw("stapsdt\x00", noteType, desc)
}

// raw adds a note of any owner.
func (p *program) raw(owner string, kind uint32, desc []byte) {
	for _, w := range []uint32{uint32(len(owner)), uint32(len(desc)), kind} {
		p.notes = p.order.AppendUint32(p.notes, w)
	}
	for _, b := range [][]byte{[]byte(owner), desc} {
		p.notes = append(p.notes, b...)
		p.notes = append(p.notes, make([]byte, (4-len(b)%4)%4)...)
	}
}

// bytes lays the file out.
func (p *program) bytes() []byte {
	out := make([]byte, 3*segment)
	var names, strtab bytes.Buffer
	names.WriteByte(0)
	strtab.WriteByte(0)
	sections := []elf.Section64{{}}
	add := func(name string, s elf.Section64, data []byte) {
		s.Name = uint32(names.Len())
		names.WriteString(name + "\x00")
		if data != nil {
			s.Off, s.Size = uint64(len(out)), uint64(len(data))
			out = append(out, data...)
			out = append(out, make([]byte, (8-len(data)%8)%8)...)
		}
		sections = append(sections, s)
	}
	if p.base != 0 {
		add(".stapsdt.base", elf.Section64{Type: uint32(elf.SHT_PROGBITS), Addr: p.base, Size: 1, Off: segment}, nil)
	}
	if p.notes != nil {
		add(".note.stapsdt", elf.Section64{Type: uint32(elf.SHT_NOTE)}, p.notes)
	}
	var table bytes.Buffer
	table.Write(make([]byte, 24))
	for _, s := range p.symbols {
		binary.Write(&table, p.order, elf.Sym64{Name: uint32(strtab.Len()), Info: elf.ST_INFO(elf.STB_GLOBAL, s.kind), Shndx: 1, Value: s.value, Size: s.size})
		strtab.WriteString(s.name + "\x00")
	}
	kind, name := elf.SHT_SYMTAB, ".symtab"
	if p.stripped {
		kind, name = elf.SHT_DYNSYM, ".dynsym"
	}
	add(name, elf.Section64{Type: uint32(kind), Link: uint32(len(sections) + 1), Entsize: 24}, table.Bytes())
	add(".strtab", elf.Section64{Type: uint32(elf.SHT_STRTAB)}, strtab.Bytes())
	add(".shstrtab", elf.Section64{Type: uint32(elf.SHT_STRTAB)}, append(names.Bytes(), ".shstrtab\x00"...))

	h := elf.Header64{Type: uint16(p.kind), Machine: uint16(p.machine), Version: 1, Phoff: 64, Shoff: uint64(len(out)), Ehsize: 64,
		Phentsize: 56, Phnum: 2, Shentsize: 64, Shnum: uint16(len(sections)), Shstrndx: uint16(len(sections) - 1)}
	data := elf.ELFDATA2LSB
	if p.order == byteOrder(binary.BigEndian) {
		data = elf.ELFDATA2MSB
	}
	copy(h.Ident[:], []byte{0x7f, 'E', 'L', 'F', byte(elf.ELFCLASS64), byte(data), 1})
	var head bytes.Buffer
	binary.Write(&head, p.order, h)
	binary.Write(&head, p.order, elf.Prog64{Type: uint32(elf.PT_LOAD), Flags: uint32(elf.PF_R | elf.PF_X), Off: segment, Vaddr: codeAddr, Filesz: segment, Memsz: segment})
	binary.Write(&head, p.order, elf.Prog64{Type: uint32(elf.PT_LOAD), Flags: uint32(elf.PF_R | elf.PF_W), Off: 2 * segment, Vaddr: dataAddr, Filesz: segment, Memsz: 2 * segment})
	copy(out, head.Bytes())
	var tail bytes.Buffer
	for _, s := range sections {
		binary.Write(&tail, p.order, s)
	}
	return append(out, tail.Bytes()...)
}

// sample is a program with some of everything.
func sample() *program {
	p := &program{machine: elf.EM_X86_64, kind: elf.ET_DYN, order: binary.LittleEndian, base: 0x400500, symbols: []symbol{
		{"main", codeAddr, 0x100, elf.STT_FUNC},
		{"main@@VERS_1", codeAddr, 0x100, elf.STT_FUNC},
		{"inner", codeAddr + 0x200, 0x20, elf.STT_FUNC},
		{"label", codeAddr + 0x204, 0, elf.STT_NOTYPE},
		{"counter", dataAddr + 8, 4, elf.STT_OBJECT},
	}}
	p.raw("GNU\x00", 3, []byte("an identity"))
	p.note(codeAddr+0x10, dataAddr+0x100, "shop", "sale__start", "-4@%edi 8@-8(%rbp) 8f@%xmm0")
	p.note(codeAddr+0x205, 0, "shop", "sale__start", "-4@$7 4@counter(%rip)")
	p.note(codeAddr+0x300, 0, "shop", "sale__done", "")
	return p
}
