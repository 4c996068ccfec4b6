package kernel

import (
	"bytes"
	"io/fs"
	"slices"
)

// Locate finds the addresses of functions, all that bear each name in the module. A
// function may be asked for several times.
func (s *Symbols) Locate(list []Function) [][]uint64 {
	type key struct {
		mod  uint16
		name string
	}
	index := make(map[key]int, len(list))
	again := map[int]int{} // what has been asked for before, and where
	for i, f := range list {
		m := slices.Index(s.mods, f.Module)
		if m < 0 {
			continue
		}
		at := key{uint16(m), f.Name}
		if first, ok := index[at]; ok {
			again[i] = first
			continue
		}
		index[at] = i
	}
	found := make([][]uint64, len(list))
	for i := range s.addr {
		if !isText(s.kind[i]) {
			continue
		}
		name := s.names[s.at[i]:]
		name = name[:bytes.IndexByte(name, 0)]
		if n, ok := index[key{s.mod[i], string(name)}]; ok && !slices.Contains(found[n], s.addr[i]) {
			found[n] = append(found[n], s.addr[i])
		}
	}
	for i, first := range again {
		found[i] = slices.Clone(found[first])
	}
	return found
}

// A Located function is one with the addresses at which it can be traced.
type Located struct {
	Function
	Addrs []uint64

	// Doubtful says that there are more functions by the name than can be traced,
	// and that the kernel does not tell which those are.
	Doubtful bool
}

// Locate finds where functions can be traced. Of several by one name some may be
// such that cannot be.
func (k *Kernel) Locate(list []Function) ([]Located, error) {
	syms, err := k.symbols()
	if err != nil {
		return nil, err
	}
	addrs := syms.Locate(list)
	located := make([]Located, len(list))
	var patched []uint64
	asked := false
	for i, f := range list {
		located[i] = Located{Function: f, Addrs: addrs[i]}
		if len(addrs[i]) < 2 {
			continue
		}
		known, ok := k.listed(f)
		if !ok || known.Copies == len(addrs[i]) {
			continue
		}
		if !asked {
			patched, asked = k.patchAddresses(), true
		}
		if patched == nil {
			located[i].Doubtful = true
			continue
		}
		located[i].Addrs = slices.DeleteFunc(addrs[i], func(a uint64) bool { return !traceableAt(patched, a) })
	}
	return located, nil
}

// listed finds what the list of functions knows of f.
func (k *Kernel) listed(f Function) (Function, bool) {
	funcs, err := k.functions()
	if err != nil {
		return Function{}, false
	}
	return funcs.Find(f.Module, f.Name)
}

// entrySize is how far behind its first instruction a function may have the place
// that is patched: there may be a mark for indirect branches before it.
const entrySize = 16

// traceableAt reports whether the function at addr has a place that is patched.
func traceableAt(patched []uint64, addr uint64) bool {
	i, _ := slices.BinarySearch(patched, addr)
	return i < len(patched) && patched[i] < addr+entrySize
}

// patchAddresses reads where the function tracer patches functions (6.5), sorted.
// It is nil if the kernel does not tell.
func (k *Kernel) patchAddresses() []uint64 {
	tracing, err := k.tracing()
	if err != nil {
		return nil
	}
	data, err := fs.ReadFile(tracing, "available_filter_functions_addrs")
	if err != nil {
		return nil
	}
	var addrs []uint64
	for len(data) > 0 {
		addr, _, ok := hex(data)
		if ok && addr != 0 {
			addrs = append(addrs, addr)
		}
		next := bytes.IndexByte(data, '\n')
		if next < 0 {
			break
		}
		data = data[next+1:]
	}
	slices.Sort(addrs)
	return addrs
}
