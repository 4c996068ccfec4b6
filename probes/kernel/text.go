package kernel

import (
	"bytes"
	"debug/elf"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"slices"
	"sort"
)

// A Code is the machine code of a function as it is in memory now, with all that
// the kernel has patched into it.
type Code struct {
	Addr  uint64
	Bytes []byte
}

// ErrSeveral is what Code wraps if several functions bear the name.
var ErrSeveral = errors.New("several functions are called so")

// mostCode is more than the longest function has.
const mostCode = 1 << 20

// Code reads the machine code of a function: from its symbol to the next, by way of
// /proc/kcore.
func (k *Kernel) Code(f Function) (Code, error) {
	syms, err := k.symbols()
	if err != nil {
		return Code{}, err
	}
	addrs := syms.named(f.Module, f.Name)
	switch len(addrs) {
	case 0:
		return Code{}, fmt.Errorf("function %s: %w", f.Name, ErrNoSymbol)
	case 1:
	default:
		return Code{}, fmt.Errorf("function %s: %w", f.Name, ErrSeveral)
	}
	c := Code{Addr: addrs[0]}
	c.Bytes, err = k.memory(c.Addr, syms.extent(c.Addr))
	return c, err
}

// named returns the addresses of the functions of that name.
func (s *Symbols) named(module, name string) []uint64 {
	var addrs []uint64
	want := []byte("\x00" + name + "\x00")
	for from := 0; ; {
		i := bytes.Index(s.names[from:], want)
		if i < 0 {
			return addrs
		}
		from += i + len(want) - 1
		n, _ := slices.BinarySearch(s.at, uint32(from-len(want)+2))
		if s.mods[s.mod[n]] == module && isText(s.kind[n]) && !slices.Contains(addrs, s.addr[n]) {
			addrs = append(addrs, s.addr[n])
		}
	}
}

// extent returns how far it is from addr to the next symbol.
func (s *Symbols) extent(addr uint64) int {
	i := sort.Search(len(s.addr), func(i int) bool { return s.addr[s.byAddr(i)] > addr })
	if i == len(s.addr) {
		return mostCode
	}
	return int(min(s.addr[s.byAddr(i)]-addr, mostCode))
}

// memory reads n bytes of the kernel's memory.
func (k *Kernel) memory(addr uint64, n int) ([]byte, error) {
	m, err := k.Memory()
	if err != nil {
		return nil, err
	}
	defer m.Close()
	return m.Read(addr, n)
}

// A Memory is what is in the kernel's memory now. Close it after use.
type Memory struct {
	f    fs.File
	r    io.ReaderAt
	core *elf.File
}

// Memory opens the kernel's memory for reading, by way of /proc/kcore.
func (k *Kernel) Memory() (*Memory, error) {
	f, err := k.roots.Proc.Open("kcore")
	if err != nil {
		return nil, noMemory(err)
	}
	r, ok := f.(io.ReaderAt)
	if !ok {
		f.Close()
		return nil, noMemory(errors.New("it cannot be read in part"))
	}
	core, err := elf.NewFile(io.NewSectionReader(r, 0, 1<<62))
	if err != nil {
		f.Close()
		return nil, noMemory(err)
	}
	return &Memory{f, r, core}, nil
}

// Close gives the file back.
func (m *Memory) Close() error { return m.f.Close() }

// Read reads up to n bytes.
func (m *Memory) Read(addr uint64, n int) ([]byte, error) {
	for _, p := range m.core.Progs {
		if p.Type != elf.PT_LOAD || addr < p.Vaddr || addr-p.Vaddr >= p.Memsz {
			continue
		}
		b := make([]byte, min(uint64(n), p.Memsz-(addr-p.Vaddr)))
		if _, err := m.r.ReadAt(b, int64(p.Off+addr-p.Vaddr)); err != nil {
			return nil, noMemory(err)
		}
		return b, nil
	}
	return nil, noMemory(fmt.Errorf("it does not hold address %#x", addr))
}

func noMemory(err error) error {
	m := &Missing{What: "kernel code", Why: "/proc/kcore: " + err.Error(), Err: err}
	switch {
	case errors.Is(err, fs.ErrNotExist):
		m.Remedy = "use a kernel built with CONFIG_PROC_KCORE=y"
	case errors.Is(err, fs.ErrPermission):
		m.Remedy = "run as root with CAP_SYS_RAWIO, on a kernel that is not locked down"
	}
	return m
}
