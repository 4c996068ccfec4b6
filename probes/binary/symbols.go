package binary

import (
	"bytes"
	"cmp"
	"debug/elf"
	"slices"
	"sync"
)

// Symbols are the functions of a file, ascending by address.
type Symbols struct {
	syms []symbol
	strs []byte // their names
	segs []Segment

	mu    sync.Mutex
	shown map[int]string // demangled names that were asked for
}

// A symbol is one name of one function.
type symbol struct {
	addr uint64
	size uint64
	name uint32 // offset in strs
	bind elf.SymBind
	open bool // its size was not given: it ends at the next symbol or with its section
	dup  bool // another name of the address is preferred
}

// A Function is a function as a symbol table has it.
type Function struct {
	Name   string // as it is in the file: mangled, with its version
	Addr   uint64
	Size   uint64 // in bytes; 0 if not known
	Local  bool   // static, or hidden
	Weak   bool
	Label  bool   // the file does not call it a function: a place in assembly
	IFunc  bool   // what is there returns the address of the function proper
	Alias  bool   // another name of the same address is the usual one
	Offset uint64 // in the file; 0 if it is not there
}

// The flags in symbol.bind.
const (
	ifuncFlag = 0x80
	labelFlag = 0x40
)

// Symbols returns the functions of f's own symbol tables, .symtab and .dynsym
// together; of a Go program without any, those of its runtime's table.
func (f *File) Symbols() (*Symbols, error) {
	f.symsOnce.Do(func() { f.syms, f.symsErr = f.readSymbols() })
	return f.syms, f.symsErr
}

func (f *File) readSymbols() (s *Symbols, err error) {
	defer guard(&err, "read symbols")
	s = &Symbols{segs: f.loaded(), shown: make(map[int]string)}
	if err := s.addTables(f); err != nil {
		return nil, err
	}
	s.settle()
	return s, nil
}

// Symbols returns the functions of f with those that it was stripped of, as far as
// they can be found within r: packed into f itself, or in a file of its debug
// information. What cannot be found or makes no sense is left out.
func (r Root) Symbols(f *File) (s *Symbols, err error) {
	if !f.Stripped() {
		return f.Symbols()
	}
	defer guard(&err, "read symbols")
	s = &Symbols{segs: f.loaded(), shown: make(map[int]string)}
	if err := s.addTables(f); err != nil {
		return nil, err
	}
	if mini, err := f.Mini(); err == nil && mini != nil {
		s.extend(mini)
	}
	if file, err := r.Debug(f); err == nil && file != f {
		s.extend(file)
		file.Close()
	}
	s.settle()
	return s, nil
}

// extend adds the functions of another file, or nothing if they make no sense.
func (s *Symbols) extend(f *File) {
	syms, strs := len(s.syms), len(s.strs)
	if err := s.addTables(f); err != nil {
		s.syms, s.strs = s.syms[:syms], s.strs[:strs]
	}
}

// loaded returns the parts of f that have addresses: of a relocatable file, its
// sections.
func (f *File) loaded() []Segment {
	if f.base == nil {
		return f.Segments()
	}
	var list []Segment
	for i, s := range f.elf.Sections {
		if f.base[i] != 0 && s.Type != elf.SHT_NOBITS {
			list = append(list, Segment{s.Offset, s.Size, f.base[i], s.Flags&elf.SHF_EXECINSTR != 0})
		}
	}
	return list
}

// Stripped reports whether f lacks the full symbol table.
func (f *File) Stripped() bool {
	return !slices.ContainsFunc(f.elf.Sections, func(s *elf.Section) bool { return s.Type == elf.SHT_SYMTAB })
}

// settle sorts the symbols, the best name of each address first.
func (s *Symbols) settle() {
	s.syms = slices.DeleteFunc(s.syms, func(x symbol) bool { return isMarker(s.raw(x)) })
	slices.SortFunc(s.syms, func(x, y symbol) int {
		return cmp.Or(cmp.Compare(x.addr, y.addr), s.prefer(x, y))
	})
	s.syms = slices.Clip(slices.CompactFunc(s.syms, func(x, y symbol) bool {
		return x.addr == y.addr && bytes.Equal(s.raw(x), s.raw(y))
	}))
	for i := 1; i < len(s.syms); i++ {
		s.syms[i].dup = s.syms[i].addr == s.syms[i-1].addr
	}
}

// isMarker reports whether a name marks a place for the linker or, on arm64,
// where code and data meet.
func isMarker(name []byte) bool {
	return len(name) == 0 || name[0] == '$' || bytes.HasPrefix(name, []byte(".L"))
}

// prefer orders the names of one address: a function with a size, local ones
// last, fewer underscores in front (malloc, not __libc_malloc), global before
// weak, then the shorter one.
func (s *Symbols) prefer(x, y symbol) int {
	nx, ny := s.raw(x), s.raw(y)
	return cmp.Or(
		cmp.Compare(flag(x.open), flag(y.open)),
		cmp.Compare(flag(bindRank(x.bind) == 2), flag(bindRank(y.bind) == 2)),
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
	switch b &^ (ifuncFlag | labelFlag) {
	case elf.STB_GLOBAL:
		return 0
	case elf.STB_WEAK:
		return 1
	}
	return 2
}

// raw returns the name of a symbol as it is in the file.
func (s *Symbols) raw(x symbol) []byte {
	name := s.strs[x.name:]
	name = name[:min(len(name), maxName)]
	if i := bytes.IndexByte(name, 0); i >= 0 {
		name = name[:i]
	}
	return name
}

// Len returns the number of names. A nil table has none.
func (s *Symbols) Len() int {
	if s == nil {
		return 0
	}
	return len(s.syms)
}

// At returns function i, of Len.
func (s *Symbols) At(i int) Function {
	x := s.syms[i]
	fn := Function{
		Name: string(s.raw(x)), Addr: x.addr, Size: x.size, Alias: x.dup,
		Local: bindRank(x.bind) == 2, Weak: bindRank(x.bind) == 1, IFunc: x.bind&ifuncFlag != 0, Label: x.bind&labelFlag != 0,
	}
	if x.open {
		fn.Size = min(fn.Size, s.next(i)-x.addr)
	}
	fn.Offset, _ = s.offset(x.addr)
	return fn
}

// next returns the address of the function after the i-th one.
func (s *Symbols) next(i int) uint64 {
	addr := s.syms[i].addr
	if j := s.from(addr + 1); addr+1 != 0 && j < len(s.syms) {
		return s.syms[j].addr
	}
	return 1<<64 - 1
}

// from returns the first symbol at an address or beyond it. An address may have any
// number of names, and nobody walks through them.
func (s *Symbols) from(addr uint64) int {
	i, _ := slices.BinarySearchFunc(s.syms, addr, func(x symbol, a uint64) int { return cmp.Compare(x.addr, a) })
	return i
}

// Find returns the function that an address lies in and how far into it, by the
// name that is preferred.
func (s *Symbols) Find(addr uint64) (i int, offset uint64, ok bool) {
	i = s.from(addr)
	if i == len(s.syms) || s.syms[i].addr != addr {
		i--
	}
	// A function may hold others, such as entry points of assembly.
	for back := 0; i >= 0 && back < 8; i-- {
		if s.syms[i].dup {
			i = s.from(s.syms[i].addr)
		}
		x := s.syms[i]
		if addr == x.addr || addr-x.addr < x.size && (back == 0 || !x.open) {
			return i, addr - x.addr, true
		}
		back++
	}
	return 0, 0, false
}

// Lookup finds the function that the byte at an offset of the file belongs to,
// and returns its name as it is shown.
func (s *Symbols) Lookup(off uint64) (name string, offset uint64, ok bool) {
	addr, ok := s.Address(off)
	if !ok {
		return "", 0, false
	}
	i, offset, ok := s.Find(addr)
	if !ok {
		return "", 0, false
	}
	return s.Shown(i), offset, true
}

// Shown returns the name of function i as it is shown.
func (s *Symbols) Shown(i int) string {
	s.mu.Lock()
	defer s.mu.Unlock()
	if n, ok := s.shown[i]; ok {
		return n
	}
	n := Demangle(string(s.raw(s.syms[i])))
	s.shown[i] = n
	return n
}

// symbolBytes is what a symbol takes.
const symbolBytes = 32

// Bytes returns about how much memory s takes. A nil table takes none.
func (s *Symbols) Bytes() int {
	if s == nil {
		return 0
	}
	return len(s.strs) + len(s.syms)*symbolBytes
}

// Address returns the address of the byte at an offset of the file.
func (s *Symbols) Address(off uint64) (uint64, bool) {
	for _, g := range s.segs {
		if off >= g.Off && off-g.Off < g.Size {
			return off - g.Off + g.Addr, true
		}
	}
	return 0, false
}

// offset is the reverse of Address.
func (s *Symbols) offset(addr uint64) (uint64, bool) {
	for _, g := range s.segs {
		if addr >= g.Addr && addr-g.Addr < g.Size {
			return addr - g.Addr + g.Off, true
		}
	}
	return 0, false
}
