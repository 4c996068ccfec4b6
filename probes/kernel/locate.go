package kernel

import (
	"bytes"
	"slices"
)

// Locate finds the addresses of functions, all that bear each name in the module. A
// function may be asked for several times.
func (s *Symbols) Locate(list []Function) [][]uint64 {
	index := newFunctionIndex(list, s.mods)
	found := make([][]uint64, len(list))
	room := make([]uint64, len(list)) // most have one address
	for i := range s.addr {
		if !isText(s.kind[i]) {
			continue
		}
		name := s.names[s.at[i]:]
		name = name[:bytes.IndexByte(name, 0)]
		n := index.find(s.mod[i], name)
		switch {
		case n < 0:
		case found[n] == nil:
			room[n] = s.addr[i]
			found[n] = room[n : n+1 : n+1]
		case !slices.Contains(found[n], s.addr[i]):
			found[n] = append(found[n], s.addr[i])
		}
	}
	for i, first := range index.again {
		found[i] = slices.Clone(found[first])
	}
	return found
}

// A functionIndex finds functions by module and name. It is a table of its own
// because all symbols of the kernel are looked up in it: that takes a third of the
// time that a map takes.
type functionIndex struct {
	list  []Function
	mod   []int32     // of each function, its module's number among those of the symbols; -1 if that is not there
	slots []int32     // one more than the number of a function; 0 if the slot is free
	again map[int]int // functions that have been asked for before, and where
}

func newFunctionIndex(list []Function, mods []string) *functionIndex {
	size := 16
	for size < 2*len(list) {
		size *= 2
	}
	x := &functionIndex{list: list, mod: make([]int32, len(list)), slots: make([]int32, size), again: map[int]int{}}
	for i, f := range list {
		if i > 0 && f.Module == list[i-1].Module {
			x.mod[i] = x.mod[i-1]
		} else {
			x.mod[i] = int32(slices.Index(mods, f.Module))
		}
		if x.mod[i] < 0 {
			continue
		}
		slot, first := lookUp(x, uint16(x.mod[i]), f.Name)
		if first >= 0 {
			x.again[i] = first
			continue
		}
		x.slots[slot] = int32(i + 1)
	}
	return x
}

// find returns the number of a function, or -1.
func (x *functionIndex) find(mod uint16, name []byte) int {
	_, n := lookUp(x, mod, name)
	return n
}

// lookUp returns the slot of a function and its number, or the slot where it belongs
// and -1.
func lookUp[T string | []byte](x *functionIndex, mod uint16, name T) (slot uint32, n int) {
	hash := uint32(2166136261) // FNV-1a
	for i := range len(name) {
		hash = (hash ^ uint32(name[i])) * 16777619
	}
	mask := uint32(len(x.slots) - 1)
	for slot = (hash ^ hash>>15) & mask; ; slot = (slot + 1) & mask {
		n = int(x.slots[slot]) - 1
		if n < 0 || x.mod[n] == int32(mod) && x.list[n].Name == string(name) {
			return slot, n
		}
	}
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
	data, err := k.readTracing("available_filter_functions_addrs", "addresses of functions")
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
