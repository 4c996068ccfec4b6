package codegen

import (
	"fmt"
	"math/bits"

	"github.com/cilium/ebpf"
	"github.com/cilium/ebpf/btf"

	"dscope.dev/dlang/ir"
	"dscope.dev/dlang/linux"
	"dscope.dev/engine/codegen/walk"
)

// The flags of maps, from include/uapi/linux/bpf.h.
const (
	noPrealloc    = 1 << 0  // BPF_F_NO_PREALLOC: task storage must have it
	readOnlyProgs = 1 << 7  // BPF_F_RDONLY_PROG
	mmapable      = 1 << 10 // BPF_F_MMAPABLE
)

// The bounds of the number of keys of an aggregation in one generation. All
// entries are made beforehand, so that a burst of new keys never waits for
// memory. A key takes of aggsize what it counts for, as long as the usual size comes to no
// more keys of all aggregations than manyKeys, and to no more bytes of cells of one than
// cellRoom. For fewKeys of each there is room anyway.
const (
	fewKeys  = 8192
	manyKeys = 128 << 10 // to make one takes the start 30 ns
	cellRoom = 64 << 20  // in both generations, on all CPUs
)

// mostRoom is how many times the room of one aggregation a pool of them has at
// most.
const mostRoom = 4

// members counts the aggregations that share the table of the one with number i.
func (g *generator) members(i int) int {
	n := 0
	for j := range g.ir.Aggs {
		if g.ir.Table(j) == i {
			n++
		}
	}
	return n
}

// keysIn returns how many keys there is room for in the table of aggregation i, which others
// may share. Those that lie in its cells have its keys: together they need no more of them
// than the one needs that would have the most by itself.
func (g *generator) keysIn(i int) int {
	a := &g.ir.Aggs[i]
	key := keyRoom(g.f.AggRoom, i, a.Key)
	entries := min(g.keysOf(g.f.AggSize*min(g.members(i), mostRoom), key+8*a.Words+8, a.Words), g.reached(a))
	within := g.ir.Within(i)
	if len(within) == 0 {
		return entries
	}
	alone, own := 0, a.Words
	for _, j := range within {
		words := g.ir.Aggs[j].Words
		own -= words
		alone = max(alone, g.keysOf(g.f.AggSize, key+8*words+8, a.Words))
	}
	return min(entries, max(alone, g.keysOf(g.f.AggSize, key+8*own+8, a.Words)))
}

// keyed returns how many aggregations have tables of their own.
func (g *generator) keyed() (n int) {
	for i, a := range g.ir.Aggs {
		if a.Key > 0 && g.ir.Table(i) == i {
			n++
		}
	}
	return n
}

// reached returns how many keys of a there can be at most, or the programs could not reach all
// tables.
func (g *generator) reached(a *ir.Agg) int {
	const head = 8 // of the keys of a generation
	most := mostOffset / g.keyed()
	if a.Short > 0 {
		most /= 2
	}
	return min(most/max(8*a.Words, 1), (most/2-head)/a.Key)
}

// keysOf returns how many keys there is room for in a generation of size bytes,
// each of which counts for n and has a cell of so many words.
func (g *generator) keysOf(size, n, words int) int {
	most := max(fewKeys, min(manyKeys/g.keyed(), cellRoom/(2*8*max(words, 1)*g.f.CPUs)))
	if size > defaultAggSize {
		most = int(float64(most) * float64(size) / defaultAggSize)
	}
	return max(min(size/n, most), 1)
}

// keyRoom returns what the key of element i counts for: at least what it takes.
func keyRoom(list []int, i, least int) int {
	if i < len(list) {
		return max(list[i], least)
	}
	return least
}

// stackEntries is the number of stacks that a generation holds.
const stackEntries = 16384

// maps describes the maps that the programs name, and says which is which.
func (g *generator) maps() (map[string]*ebpf.MapSpec, MapNames, error) {
	all := map[string]*ebpf.MapSpec{}
	add := func(name string, m *ebpf.MapSpec) string {
		m.Name = name
		all[name] = m
		return name
	}
	var n MapNames
	if g.need.control {
		n.Control = add(mapControl, array(ControlSize+8*ticks(g.units), mmapable, nil))
	}
	if g.need.zeros > 0 {
		add(mapZeros, array(g.need.zeros, readOnlyProgs, make([]byte, (g.need.zeros+7)&^7)))
	}
	if len(g.rodata) > 0 {
		add(mapRodata, array(len(g.rodata), 0, padded(g.rodata)))
	}
	if g.need.drops {
		n.Drops = add(mapDrops, &ebpf.MapSpec{Type: ebpf.PerCPUArray, KeySize: 4, ValueSize: 8, MaxEntries: uint32(counters(g.ir))})
	}
	if g.frontSize > 0 {
		n.Fronts = add(mapFronts, frontsMap(g.frontSize))
	}
	if g.need.busy {
		n.Busy = add(mapBusy, &ebpf.MapSpec{Type: ebpf.PerCPUArray, KeySize: 4, ValueSize: 8, MaxEntries: 1})
	}
	if g.need.group {
		n.Group = add(mapGroup, &ebpf.MapSpec{Type: ebpf.CGroupArray, KeySize: 4, ValueSize: 4, MaxEntries: 1})
	}
	if g.need.handover {
		n.Handover = add(mapHandover, array(HandCPU+8*g.f.CPUs, mmapable, nil))
	}
	if g.need.chill {
		add(mapChill, &ebpf.MapSpec{Type: ebpf.PerCPUArray, KeySize: 4, ValueSize: 16, MaxEntries: 1})
	}
	if g.need.rings {
		entries := g.f.CPUs
		if n.Spare = g.spare(); n.Spare > 0 {
			entries *= 2
		}
		n.Rings = add(mapRings, &ebpf.MapSpec{Type: ebpf.ArrayOfMaps, KeySize: 4, ValueSize: 4, MaxEntries: uint32(entries),
			InnerMap: &ebpf.MapSpec{Name: "ring", Type: ebpf.RingBuf, MaxEntries: uint32(g.f.BufSize)}})
	}
	if len(g.works) > 0 {
		size := 0
		for _, r := range g.works {
			size = max(size, r)
		}
		add(mapWork, &ebpf.MapSpec{Type: ebpf.PerCPUArray, KeySize: 4, ValueSize: uint32(size), MaxEntries: uint32(len(g.works))})
	}
	for _, s := range g.need.stacks {
		n.Stacks = append(n.Stacks, s)
		for gen := range 2 {
			if s.Walked {
				add(s.Name(gen), &ebpf.MapSpec{Type: ebpf.Hash, KeySize: 8, ValueSize: uint32(8 * s.Depth), MaxEntries: stackEntries})
				continue
			}
			add(s.Name(gen), &ebpf.MapSpec{Type: ebpf.StackTrace, KeySize: 4, ValueSize: uint32(8 * s.kept(g.ir.Options)), MaxEntries: stackEntries})
		}
	}
	if n.Unwind = g.need.unwind; n.Unwind {
		walk.Maps(add)
	}
	if err := g.variables(&n, add); err != nil {
		return nil, n, err
	}
	err := g.aggregations(&n, add)
	return all, n, err
}

// spare returns the bytes of a buffer that has room for several of the largest record
// whose clause may call exit(), 0 if there is none: a flood that fills the usual one must not
// keep the script from ending.
func (g *generator) spare() int {
	size := 0
	for _, r := range g.ir.Records {
		if r.Exits {
			size = max(size, spareFor*r.Size, 4096) // a page at least
		}
	}
	if size == 0 {
		return 0
	}
	return 1 << bits.Len(uint(size-1))
}

// spareFor is how many of the largest of these records such a buffer has room for.
const spareFor = 4

// array describes an array of one entry whose address programs know.
func array(size int, flags uint32, content []byte) *ebpf.MapSpec {
	m := &ebpf.MapSpec{Type: ebpf.Array, KeySize: 4, ValueSize: uint32((size + 7) &^ 7), MaxEntries: 1, Flags: flags}
	if content != nil {
		m.Contents = []ebpf.MapKV{{Key: uint32(0), Value: content}}
	}
	return m
}

func padded(b []byte) []byte {
	for len(b)%8 != 0 {
		b = append(b, 0)
	}
	return b
}

// variables describes the maps of the script's variables.
func (g *generator) variables(n *MapNames, add func(string, *ebpf.MapSpec) string) error {
	globals, cell, assocs := 0, 0, 0
	for _, v := range g.ir.Vars {
		switch v.Kind {
		case ir.GlobalVar:
			globals = max(globals, v.Offset+v.Size)
		case ir.SelfVar:
			cell = max(cell, v.Offset+v.Size)
		case ir.AssocVar:
			assocs++
		}
	}
	if globals > 0 {
		n.Globals = add(mapGlobals, array(globals, mmapable, nil))
	}
	const mostSelf = 65000 // BPF_LOCAL_STORAGE_MAX_VALUE_SIZE: what 16 bits count, less what the kernel adds
	if cell > mostSelf {
		return fmt.Errorf("the self-> variables take %d bytes; a thread can have %d: keep large ones in an array, x[tid]", cell, mostSelf)
	}
	if cell > 0 {
		n.Self = add(mapSelf, taskStorage(cell))
	}
	n.Assocs = make([]string, len(g.ir.Vars))
	for i, v := range g.ir.Vars {
		if v.Kind != ir.AssocVar {
			continue
		}
		size := keyRoom(g.f.AssocRoom, i, v.Key) + v.Size
		entries := g.elements(size, assocs)
		if entries == 0 {
			return fmt.Errorf("dynvarsize is too small: an element of %s[] takes %d bytes, and there are %d for each of %d arrays",
				v.Name, size, g.f.DynVarSize/assocs, assocs)
		}
		n.Assocs[i] = add(assocName(int64(i)), &ebpf.MapSpec{Type: ebpf.Hash,
			KeySize: uint32(v.Key), ValueSize: uint32(v.Size), MaxEntries: uint32(entries)})
	}
	return nil
}

// elements returns how many elements of so many bytes each of several arrays can
// hold. What the kernel adds to an element is counted only where they are many,
// so that a script that asks for little gets no less.
func (g *generator) elements(size, arrays int) int {
	const (
		overhead = 48 // struct htab_elem and its bucket
		few      = 128
	)
	room := g.f.DynVarSize / arrays
	return max(room/(size+overhead), min(room/size, few))
}

// taskStorage describes the map of the threads' cells, whose types the kernel
// wants to know.
func taskStorage(size int) *ebpf.MapSpec {
	word := &btf.Int{Name: "unsigned long", Size: 8}
	cell := &btf.Struct{Name: "cell", Size: uint32(size), Members: []btf.Member{
		{Name: "words", Type: &btf.Array{Index: &btf.Int{Name: "int", Size: 4, Encoding: btf.Signed}, Type: word, Nelems: uint32(size / 8)}},
	}}
	return &ebpf.MapSpec{Type: ebpf.TaskStorage, KeySize: 4, ValueSize: uint32(size), Flags: noPrealloc,
		Key: &btf.Int{Name: "int", Size: 4, Encoding: btf.Signed}, Value: cell}
}

// aggregations describes the maps of the aggregations.
func (g *generator) aggregations(n *MapNames, add func(string, *ebpf.MapSpec) string) error {
	for i, a := range g.ir.Aggs {
		value := 8 * a.Words
		if value > linux.PerCPUMost {
			return fmt.Errorf("@%s: %s() needs %d bytes for one value, more than the %d of a per-CPU map; use fewer levels",
				a.Name, a.Func, value, linux.PerCPUMost)
		}
		if first := g.ir.Table(i); first != i {
			n.Aggs = append(n.Aggs, n.Aggs[first])
			continue
		}
		am := AggMaps{Tables: g.tables[i], Front: g.fronts[i]}
		if a.Key == 0 {
			am.Array = add(aggName(i, 0), &ebpf.MapSpec{Type: ebpf.PerCPUArray, KeySize: 4, ValueSize: uint32(value), MaxEntries: 2})
		}
		for _, t := range am.Tables {
			for _, name := range t.Hash {
				add(name, t.hash())
			}
		}
		n.Aggs = append(n.Aggs, am)
	}
	if g.cellSize > 0 {
		n.Keys, n.Cells = add(mapKeys, array(g.keySize, mmapable, nil)), add(mapCells, g.cellsMap())
	}
	return nil
}

// Private reports whether a map belongs to the programs of one object, and is nothing
// that programs share which are added to a run.
func (*Object) Private(name string) bool {
	return name == mapRodata || name == mapZeros || name == mapWork
}
