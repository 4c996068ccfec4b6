// Package binarytest makes binaries for tests: small ones byte by byte, where it matters
// what exactly they say (elf.go), and programs by the compiler of the machine, where what
// matters is what compilers really do: how they lay out a stack, what they inline, and what
// they write down about it (compile.go).
package binarytest

import (
	"bytes"
	"debug/elf"
	"encoding/binary"
)

// A Symbol is a symbol of a binary that a test makes.
type Symbol struct {
	Name       string
	Addr, Size uint64
	Info       byte
}

// Info joins what a symbol is with who sees it.
func Info(bind elf.SymBind, kind elf.SymType) byte { return elf.ST_INFO(bind, kind) }

// Function is the Info of a usual function.
var Function = Info(elf.STB_GLOBAL, elf.STT_FUNC)

// ELF makes a small binary: one segment of 0x1000 bytes at offset 0x1000
// that wants to lie at 0x401000, one section of code, and symbols.
func ELF(syms ...Symbol) []byte {
	strs, table := []byte{0}, make([]byte, 24)
	for _, s := range syms {
		sym := elf.Sym64{Name: uint32(len(strs)), Info: s.Info, Shndx: 1, Value: s.Addr, Size: s.Size}
		var b bytes.Buffer
		binary.Write(&b, binary.LittleEndian, sym)
		table = append(table, b.Bytes()...)
		strs = append(append(strs, s.Name...), 0)
	}
	const sections, at = 4, 0x2000
	head := elf.Header64{
		Type: uint16(elf.ET_EXEC), Machine: uint16(elf.EM_X86_64), Version: 1,
		Phoff: 64, Shoff: at, Ehsize: 64, Phentsize: 56, Phnum: 1, Shentsize: 64, Shnum: sections, Shstrndx: 3,
	}
	copy(head.Ident[:], "\x7fELF\x02\x01\x01")
	strsAt := uint64(at + 64*sections)
	tableAt := strsAt + uint64(len(strs))
	var b bytes.Buffer
	binary.Write(&b, binary.LittleEndian, head)
	binary.Write(&b, binary.LittleEndian, elf.Prog64{Type: uint32(elf.PT_LOAD), Off: 0x1000, Vaddr: 0x401000, Filesz: 0x1000, Memsz: 0x1000})
	b.Write(make([]byte, at-b.Len()))
	binary.Write(&b, binary.LittleEndian, []elf.Section64{
		{},
		{Type: uint32(elf.SHT_PROGBITS), Flags: uint64(elf.SHF_ALLOC | elf.SHF_EXECINSTR), Addr: 0x401000, Off: 0x1000, Size: 0x1000},
		{Type: uint32(elf.SHT_SYMTAB), Off: tableAt, Size: uint64(len(table)), Link: 3, Entsize: 24},
		{Type: uint32(elf.SHT_STRTAB), Off: strsAt, Size: uint64(len(strs))},
	})
	b.Write(strs)
	b.Write(table)
	return b.Bytes()
}
