package user

import (
	"cmp"
	"debug/elf"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"

	"github.com/ianlancetaylor/demangle"
)

// A source is an ELF file.
type source struct {
	elf  *elf.File
	f    *os.File
	path string
	id   fileID
	segs []segment
	arch elf.Machine
}

// A segment is a part of a file that is executed, and at which addresses it wants to lie.
type segment struct{ off, size, addr uint64 }

// mostTable is how many bytes of a table of a file are believed.
const mostTable = 256 << 20

// openSource opens the file of that name, if it still is the same.
func openSource(name string, id fileID) (s source, err error) {
	f, err := os.OpenFile(name, openFlags, 0)
	if err != nil {
		return s, bare(err)
	}
	defer func() {
		if err != nil {
			f.Close()
		}
	}()
	info, err := f.Stat()
	if err != nil {
		return s, bare(err)
	}
	if !info.Mode().IsRegular() || identify(info) != id {
		return s, errors.New("it is another file by now")
	}
	s = source{f: f, path: name, id: id}
	err = guarded(func() error {
		if s.elf, err = elf.NewFile(io.NewSectionReader(f, 0, info.Size())); err != nil {
			return err
		}
		s.arch = s.elf.Machine
		for _, p := range s.elf.Progs {
			if p.Type == elf.PT_LOAD && p.Flags&elf.PF_X != 0 {
				s.segs = append(s.segs, segment{p.Off, p.Filesz, p.Vaddr})
			}
		}
		return nil
	})
	return s, err
}

// guarded runs a reader of files that nobody vouches for.
func guarded(read func() error) (err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("it makes no sense: %v", p)
		}
	}()
	return read()
}

func (s *source) close() { s.f.Close() }

// read returns the functions of the file, and the file without what is open.
func (s *source) read() (source, []*function, error) {
	byAddr := map[uint64]*function{}
	binds := map[uint64][]elf.Symbol{}
	err := guarded(func() error {
		for _, table := range []func() ([]elf.Symbol, error){s.elf.Symbols, s.elf.DynamicSymbols} {
			list, err := table()
			if err != nil && !errors.Is(err, elf.ErrNoSymbols) {
				return err
			}
			for _, sym := range list {
				s.add(byAddr, binds, sym)
			}
		}
		return nil
	})
	if err != nil {
		return source{}, nil, err
	}
	var list []*function
	for addr, fn := range byAddr {
		slices.SortStableFunc(binds[addr], preferred)
		for _, sym := range binds[addr] {
			if !slices.Contains(fn.names, sym.Name) {
				fn.names = append(fn.names, sym.Name)
			}
		}
		list = append(list, fn)
	}
	slices.SortFunc(list, func(a, b *function) int { return cmp.Compare(a.addr, b.addr) })
	for i, fn := range list {
		if fn.size == 0 && i+1 < len(list) {
			fn.size = list[i+1].addr - fn.addr
		}
	}
	kept := *s
	kept.elf, kept.f = nil, nil
	return kept, list, nil
}

// add notes a symbol if it is of code.
func (s *source) add(byAddr map[uint64]*function, binds map[uint64][]elf.Symbol, sym elf.Symbol) {
	kind := elf.ST_TYPE(sym.Info)
	if sym.Section == elf.SHN_UNDEF || sym.Name == "" || kind != elf.STT_FUNC && kind != elf.STT_GNU_IFUNC && kind != elf.STT_NOTYPE {
		return
	}
	if i := strings.IndexByte(sym.Name, '@'); i > 0 {
		sym.Name = sym.Name[:i]
	}
	off, ok := s.offset(sym.Value)
	if !ok {
		return
	}
	fn := byAddr[sym.Value]
	if fn == nil {
		fn = &function{addr: sym.Value, off: off, label: true}
		byAddr[sym.Value] = fn
	}
	fn.size = max(fn.size, sym.Size)
	fn.indir = fn.indir || kind == elf.STT_GNU_IFUNC
	fn.label = fn.label && (kind == elf.STT_NOTYPE || strings.Contains(sym.Name, ".cold"))
	binds[sym.Value] = append(binds[sym.Value], sym)
}

// preferred orders the names of one address: global before weak before local,
// with few underscores in front.
func preferred(a, b elf.Symbol) int {
	return cmp.Or(cmp.Compare(bindRank(a), bindRank(b)), cmp.Compare(underscores(a), underscores(b)),
		cmp.Compare(len(a.Name), len(b.Name)), cmp.Compare(a.Name, b.Name))
}

func bindRank(s elf.Symbol) int {
	if elf.ST_BIND(s.Info) == elf.STB_LOCAL {
		return 1
	}
	return 0
}

func underscores(s elf.Symbol) int { return len(s.Name) - len(strings.TrimLeft(s.Name, "_")) }

// offset returns where in the file an address lies that is executed.
func (s *source) offset(addr uint64) (uint64, bool) {
	for _, g := range s.segs {
		if addr >= g.addr && addr-g.addr < g.size {
			return addr - g.addr + g.off, true
		}
	}
	return 0, false
}

// unwinds reports whether the code of the file reads the addresses on its stack,
// as C++ and Rust do to unwind and Go does to move it.
func (s *source) unwinds() bool {
	for _, name := range []string{".gcc_except_table", ".gopclntab", ".note.go.buildid"} {
		if s.elf.Section(name) != nil {
			return true
		}
	}
	return false
}

func isMangled(name string) bool {
	return strings.HasPrefix(name, "_Z") || strings.HasPrefix(name, "_R") || strings.HasPrefix(name, "__Z")
}

func demangled(name string) string {
	if !isMangled(name) {
		return name
	}
	return demangle.Filter(name, demangle.MaxLength(12))
}

func bareName(name string) string {
	return demangle.Filter(name, demangle.NoParams, demangle.MaxLength(12))
}
