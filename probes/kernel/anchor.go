package kernel

import (
	"fmt"
	"io/fs"
	"strings"
)

// A Spot is a place in the code of the kernel: its name, and a symbol that bears its
// name alone in its module, by which the place can be found again. As a rule that is
// the function itself; of several static functions of one name, what lies before.
type Spot struct {
	Addr     uint64
	Module   string
	Function string
	Offset   uint64 // from the start of the function

	Anchor string
	From   uint64 // of Addr from the anchor
}

// Spots names places in the code of the kernel. Those where there is no code any
// more, because it ran only while the kernel started, are left out.
func (k *Kernel) Spots(addrs []uint64) ([]Spot, error) {
	syms, err := k.symbols()
	if err != nil {
		return nil, err
	}
	names := syms.namesakes()
	var list []Spot
	for _, addr := range addrs {
		if e := &syms.edges; e.init <= addr && addr < e.initEnd {
			continue
		}
		module, function, offset, ok := syms.Lookup(addr)
		if !ok {
			continue
		}
		s := Spot{Addr: addr, Module: module, Function: function, Offset: offset}
		if s.Anchor, s.From, ok = syms.anchor(addr, module, names); ok {
			list = append(list, s)
		}
	}
	return list, nil
}

// namesakes counts by how many addresses each name of a function goes in a module.
func (s *Symbols) namesakes() map[string]int {
	count := make(map[string]int, len(s.addr)/2)
	for i := range s.addr {
		if isText(s.kind[i]) {
			count[s.mods[s.mod[i]]+"`"+s.name(i)]++
		}
	}
	return count
}

// anchor finds the last symbol up to an address whose name is no other's.
func (s *Symbols) anchor(addr uint64, module string, names map[string]int) (name string, from uint64, ok bool) {
	const far = 1 << 12 // symbols; beyond is another part of the kernel
	for i, n := s.before(addr), 0; i >= 0 && n < far; i, n = i-1, n+1 {
		sym := s.byAddr(i)
		if s.mods[s.mod[sym]] != module || !isText(s.kind[sym]) {
			continue
		}
		if name := s.name(sym); names[module+"`"+name] == 1 {
			return name, addr - s.addr[sym], true
		}
	}
	return "", 0, false
}

// Extent returns where the function that addr lies in begins, and where the next
// symbol does.
func (s *Symbols) Extent(addr uint64) (from [2]uint64, ok bool) {
	_, _, offset, ok := s.Lookup(addr)
	if !ok {
		return from, false
	}
	start := addr - offset
	return [2]uint64{start, start + uint64(s.extent(start))}, true
}

// Unsafe says why nothing in a function had better be traced, or "".
func (k *Kernel) Unsafe(module, function string) string {
	name, _, _ := strings.Cut(function, ".") // what the compiler made of a function is as bad
	return unsafeToTrace(Function{Module: module, Name: name}, nil)
}

// Loaded lists the modules that are loaded.
func (k *Kernel) Loaded() ([]string, error) {
	text, err := fs.ReadFile(k.roots.Proc, "modules")
	if err != nil {
		return nil, fmt.Errorf("list the modules: %w", err)
	}
	var list []string
	for line := range strings.Lines(string(text)) {
		if name, _, ok := strings.Cut(line, " "); ok {
			list = append(list, name)
		}
	}
	return list, nil
}
