// Package binary reads executables, libraries, kernel images and modules as
// data: where they were built, which functions they hold and where, and what
// their debug information says of types, arguments, inlined copies and lines.
//
// A File is one ELF file, opened by path (Open, Root.Open) or from memory
// (New). It knows its build id, its notes, its segments and hence the way from
// a place in the file to an address and back (Address, Offset), and its symbol
// table (Symbols). A file that was stripped may have its symbols elsewhere:
// packed into .gnu_debugdata, or in a file of its own that is found by build id
// or by .gnu_debuglink (Root.Debug). Functions puts all of these together.
//
// A Debug is the debug information (DWARF 2 to 5) of one file: functions with
// their ranges, parameters and types, inlined copies, chains of calls at a
// program counter, lines. It is read unit by unit when somebody asks; the names
// of all units are gathered once, at the first question for a name. Types come
// as dlang/types, with C++ classes and Rust structs as plain structs.
//
// Words: an address is one as the file has it, before it is loaded anywhere; an
// offset counts bytes from the beginning of the file. What can be probed is
// named by offset. In a relocatable file (a kernel module, .ko) every section
// begins at address 0; here they get addresses one after the other, and Place
// turns these into a section and a distance.
//
// Nothing read here is trusted. Root opens what anybody may have written, so:
// only regular files are opened, without following what a container's links say
// out of the container; every count and length is checked against the bytes
// that are there and against the file's budget before memory is taken for it
// (header.go, limits.go and package budget);
// recursion is bounded; a file that makes no sense is an error or has no
// symbols, and never a panic. A file that changes while it is read gives
// nonsense and no harm.
//
// The methods of File and Debug may be called from several goroutines.
package binary

import (
	"debug/elf"
	"encoding/hex"
	"fmt"
	"io"
	"sync"

	"dscope.dev/probes/budget"
)

// A File is one ELF file.
type File struct {
	elf  *elf.File
	r    io.ReaderAt
	size int64
	c    io.Closer // nil if there is nothing to close
	path string    // by which it was opened; "" if it was not

	budget *budget.Budget // of all that is read of it

	base []uint64 // of a relocatable file: the address given to each section

	symsOnce sync.Once
	syms     *Symbols
	symsErr  error
}

// New reads the headers of an ELF file of size bytes.
func New(r io.ReaderAt, size int64) (*File, error) {
	b := budget.New(fileLimits)
	e, err := Headers(r, size, b)
	if err != nil {
		return nil, err
	}
	f := &File{elf: e, r: r, size: size, budget: b}
	if e.Type == elf.ET_REL {
		f.layOut()
	}
	return f, nil
}

// guard turns a panic into an error: the packages that read formats are hardened,
// but this runs as root.
func guard(err *error, what string) {
	if p := recover(); p != nil {
		*err = fmt.Errorf("%s: the file makes no sense: %v", what, p)
	}
}

// layOut gives the sections of a relocatable file addresses, one after the other.
func (f *File) layOut() {
	f.base = make([]uint64, len(f.elf.Sections))
	next := uint64(1 << 12) // so that no function is at 0, which means nowhere
	for i, s := range f.elf.Sections {
		if s.Flags&elf.SHF_ALLOC == 0 || s.Size > 1<<32 {
			continue
		}
		const page = 1 << 12
		f.base[i] = next
		next = (next + s.Size + page) &^ (page - 1)
	}
}

// Close gives the file back. Symbols and what was read of it stay usable.
func (f *File) Close() error {
	if f.c == nil {
		return nil
	}
	return f.c.Close()
}

// Path returns the path by which f was opened, or "".
func (f *File) Path() string { return f.path }

// Name sets the path by which f is known in its root, for files that were opened
// otherwise: what f was stripped of is looked for beside it.
func (f *File) Name(path string) { f.path = path }

// ReadAt reads bytes of the file as they are.
func (f *File) ReadAt(p []byte, off int64) (int, error) { return f.r.ReadAt(p, off) }

// Size returns the size of the file in bytes.
func (f *File) Size() int64 { return f.size }

// Machine returns the processor that f was made for.
func (f *File) Machine() elf.Machine { return f.elf.Machine }

// Type returns what kind of file f is: elf.ET_EXEC, ET_DYN, ET_REL (a kernel
// module), …
func (f *File) Type() elf.Type { return f.elf.Type }

// Is64 reports whether f is of a 64-bit machine.
func (f *File) Is64() bool { return f.elf.Class == elf.ELFCLASS64 }

// Entry returns the address at which the program begins.
func (f *File) Entry() uint64 { return f.elf.Entry }

// BuildID returns the number that the linker gave the file, in hexadecimal, or
// "" if it has none. A file and its debug information have the same.
func (f *File) BuildID() string {
	for n := range f.Notes() {
		if n.Type == noteBuildID && n.Name == "GNU" && len(n.Desc) > 0 && len(n.Desc) <= maxBuildID {
			return hex.EncodeToString(n.Desc)
		}
	}
	return ""
}

// A Segment says at which addresses a part of the file is loaded.
type Segment struct {
	Off, Size uint64 // in the file, in bytes
	Addr      uint64
	Exec      bool
}

// Segments returns the parts of f that are loaded.
func (f *File) Segments() []Segment {
	var list []Segment
	for _, p := range f.elf.Progs {
		if p.Type == elf.PT_LOAD {
			list = append(list, Segment{p.Off, p.Filesz, p.Vaddr, p.Flags&elf.PF_X != 0})
		}
	}
	return list
}

// Offset returns where in the file the byte at an address lies.
func (f *File) Offset(addr uint64) (off uint64, ok bool) {
	if f.base != nil {
		i, at, ok := f.place(addr)
		if !ok || f.elf.Sections[i].Type == elf.SHT_NOBITS {
			return 0, false
		}
		return f.elf.Sections[i].Offset + at, true
	}
	for _, p := range f.elf.Progs {
		if p.Type == elf.PT_LOAD && addr >= p.Vaddr && addr-p.Vaddr < p.Filesz {
			return addr - p.Vaddr + p.Off, true
		}
	}
	return 0, false
}

// Address returns the address of the byte at an offset of the file.
func (f *File) Address(off uint64) (addr uint64, ok bool) {
	if f.base != nil {
		for i, s := range f.elf.Sections {
			if f.base[i] != 0 && s.Type != elf.SHT_NOBITS && off >= s.Offset && off-s.Offset < s.Size {
				return f.base[i] + off - s.Offset, true
			}
		}
		return 0, false
	}
	for _, p := range f.elf.Progs {
		if p.Type == elf.PT_LOAD && off >= p.Off && off-p.Off < p.Filesz {
			return off - p.Off + p.Vaddr, true
		}
	}
	return 0, false
}

// Place returns the section that an address lies in and how far, for kernel
// modules, whose sections are loaded each where there is room.
func (f *File) Place(addr uint64) (section string, at uint64, ok bool) {
	i, at, ok := f.place(addr)
	if !ok {
		return "", 0, false
	}
	return f.elf.Sections[i].Name, at, true
}

func (f *File) place(addr uint64) (section int, at uint64, ok bool) {
	for i, s := range f.elf.Sections {
		start := f.start(i)
		if s.Flags&elf.SHF_ALLOC != 0 && addr >= start && addr-start < s.Size {
			return i, addr - start, true
		}
	}
	return 0, 0, false
}

// start returns the address of section i.
func (f *File) start(i int) uint64 {
	if f.base != nil {
		return f.base[i]
	}
	return f.elf.Sections[i].Addr
}

// Section returns the address and the bytes of a section that is in the file,
// unpacked if it was compressed.
func (f *File) Section(name string) (addr uint64, data []byte, err error) {
	i := f.section(name)
	if i < 0 {
		return 0, nil, fmt.Errorf("there is no section %s", name)
	}
	data, err = f.content(i, maxTable)
	f.budget.Give(uint64(len(data))) // it is the caller's from now on
	return f.start(i), data, err
}

// HasSection reports whether f has a section with content.
func (f *File) HasSection(name string) bool { return f.section(name) >= 0 }

// section returns the number of a section that has content here, or -1.
func (f *File) section(name string) int {
	for i, s := range f.elf.Sections {
		if s.Name == name && s.Type != elf.SHT_NOBITS {
			return i
		}
	}
	return -1
}

// content returns the bytes of a section of at most limit bytes. Their memory is taken
// from the budget; who does not keep them gives it back.
func (f *File) content(i int, limit uint64) (data []byte, err error) {
	s := f.elf.Sections[i]
	defer guard(&err, "read section "+s.Name)
	if s.Type == elf.SHT_NOBITS {
		return nil, nil
	}
	if s.FileSize > uint64(f.size) || s.Size > limit {
		return nil, fmt.Errorf("read section %s: %w", s.Name, errTooLarge)
	}
	if s.Flags&elf.SHF_COMPRESSED != 0 && s.Size/mostPacked > s.FileSize {
		return nil, fmt.Errorf("read section %s: %d bytes cannot be packed into %d", s.Name, s.Size, s.FileSize)
	}
	if s.Flags&elf.SHF_COMPRESSED == 0 && s.Size > uint64(f.size) {
		return nil, fmt.Errorf("read section %s: %w", s.Name, errTooLarge)
	}
	if err := f.budget.Take("section "+s.Name, 1, s.Size); err != nil {
		return nil, err
	}
	data, err = s.Data()
	if err != nil {
		f.budget.Give(s.Size)
		return nil, fmt.Errorf("read section %s: %w", s.Name, err)
	}
	return data, nil
}
