package usdt

import (
	"cmp"
	"debug/elf"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"dscope.dev/dlang/types"
	"dscope.dev/probes"
	"dscope.dev/probes/binary"
	"dscope.dev/probes/budget"
	"dscope.dev/probes/resolver"
	"dscope.dev/probes/space"
)

// A Point is a place in a file that can be probed. Several may have the same
// name: the compiler copied the code around it.
type Point struct {
	Provider  string // without the number of a process
	Function  string // "" if no symbol of the file covers the place
	Name      string // with - for __
	Offset    uint64 // in the file, of the instruction
	Semaphore uint64 // in the file, of the counter; 0 if there is none
	Args      []probes.Operand
}

// ErrForeign is what ReadFile wraps of files that no process of this machine's own
// kind runs.
var ErrForeign = errors.New("not a 64-bit program for this machine")

// noteSection is the name of the section that holds the notes.
const noteSection = ".note.stapsdt"

// ReadFile reads the notes of an ELF file. A file without notes has none; a
// damaged one has those before the damage, and an error.
func ReadFile(r io.ReaderAt, size int64, arch string) ([]Point, error) {
	b := budget.New(budget.Limits{Memory: maxMemory})
	f, err := binary.Headers(r, size, b)
	if err != nil {
		return nil, err
	}
	if f.Class != elf.ELFCLASS64 || f.Machine != machines[arch] {
		return nil, fmt.Errorf("%w: it is for %s", ErrForeign, strings.TrimPrefix(f.Machine.String(), "EM_"))
	}
	x := &image{file: f, size: size, arch: arch, budget: b}
	s := f.Section(noteSection)
	if s == nil {
		return nil, nil
	}
	data, err := x.content(s)
	if err != nil {
		return nil, err
	}
	notes, err := parseNotes(data, f.ByteOrder)
	list, placing := x.points(notes)
	return list, cmp.Or(err, placing)
}

// machines says what files of our own are for.
var machines = map[string]elf.Machine{"amd64": elf.EM_X86_64, "arm64": elf.EM_AARCH64}

// An image is a file that is being read.
type image struct {
	file *elf.File
	size int64
	arch string

	budget *budget.Budget
	byName map[string]uint64 // addresses of symbols; nil before they are needed
}

// content returns the bytes of a section as they lie in the file.
func (x *image) content(s *elf.Section) ([]byte, error) {
	if s.Type == elf.SHT_NOBITS || s.Flags&elf.SHF_COMPRESSED != 0 {
		return nil, fmt.Errorf("section %q has no content that can be read in place", clip(s.Name))
	}
	if s.FileSize > maxSection || s.Offset > uint64(x.size) || s.FileSize > uint64(x.size)-s.Offset {
		return nil, fmt.Errorf("section %q is said to have %d bytes", clip(s.Name), s.FileSize)
	}
	if err := x.budget.Take("section "+clip(s.Name), 1, s.FileSize); err != nil {
		return nil, err
	}
	data := make([]byte, s.FileSize)
	if _, err := s.ReaderAt.ReadAt(data, 0); err != nil && err != io.EOF {
		return nil, err
	}
	return data, nil
}

// points finds where the notes' addresses lie in the file. A note whose place is
// in no part of the file that is executed is left out, and told.
func (x *image) points(notes []note) (list []Point, err error) {
	var moved uint64 // how far the file has been moved since the notes were written (prelink)
	var pcs []uint64
	base := x.file.Section(".stapsdt.base")
	for _, n := range notes {
		if base != nil && n.base != 0 {
			moved = base.Addr - n.base
		}
		p := Point{Provider: n.provider, Name: dashed(n.name)}
		pc, ok := n.pc+moved, false
		if p.Offset, ok = x.offset(pc, elf.PF_X); !ok {
			err = fmt.Errorf("%s:%s lies at %#x, which no code is loaded to", n.provider, n.name, pc)
			continue
		}
		if n.semaphore != 0 {
			if p.Semaphore, ok = x.offset(n.semaphore+moved, elf.PF_W); !ok {
				err = fmt.Errorf("the counter of %s:%s lies at %#x, which no data is loaded to", n.provider, n.name, n.semaphore+moved)
				continue
			}
		}
		where := place{arch: x.arch, pc: pc, fixed: x.file.Type == elf.ET_EXEC, symbol: x.symbol}
		p.Args = where.parseArgs(n.args)
		list, pcs = append(list, p), append(pcs, pc)
	}
	names := x.functions(pcs)
	for i, pc := range pcs {
		list[i].Function = names[pc]
	}
	return list, err
}

// dashed replaces two underscores by a dash, as DTrace does, since names in C
// have no dashes.
func dashed(name string) string { return strings.ReplaceAll(name, "__", "-") }

// offset returns where in the file an address lies, in a segment with a flag.
func (x *image) offset(addr uint64, flag elf.ProgFlag) (uint64, bool) {
	for _, p := range x.file.Progs {
		if p.Type == elf.PT_LOAD && p.Flags&flag != 0 && addr >= p.Vaddr && addr-p.Vaddr < p.Filesz {
			off := addr - p.Vaddr + p.Off
			return off, off >= p.Off && off < uint64(x.size)
		}
	}
	return 0, false
}

// Open reads the notes of the file of a name. A name that leads to no plain file is
// refused.
func Open(name, arch string) ([]Point, error) {
	f, err := binary.Root{}.OpenPlain(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	list, err := pointsOf(resolver.File{File: f.File, Stamp: space.StampOf(f.Info), Name: name}, arch)
	slices.SortStableFunc(list, func(a, b Point) int {
		return cmp.Or(cmp.Compare(a.Provider, b.Provider), cmp.Compare(a.Function, b.Function), cmp.Compare(a.Name, b.Name))
	})
	return list, err
}

// Types returns D's types of the arguments.
func (p Point) Types() []types.Type {
	var list []types.Type
	for _, o := range p.Args {
		list = append(list, typeOf(o))
	}
	return list
}
