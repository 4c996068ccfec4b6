package names

import (
	"cmp"
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"slices"
	"time"

	"github.com/cilium/ebpf"

	"dscope.dev/dlang/ir"
	"dscope.dev/dlang/lower"
	"dscope.dev/engine/codegen"
	"dscope.dev/engine/internal/plan"
	"dscope.dev/engine/symbol"
	"dscope.dev/probes/kernel"
	"dscope.dev/probes/space"
)

// Table turns the numbers in records and keys into what they stand for:
// addresses into symbols, numbers of stacks into stacks, keys of sites into
// parts of a probe's name. It belongs to one drain.
type Table struct {
	*symbol.Table
	units  []lower.Unit
	aggs   []ir.Agg
	most   int // frames of a stack
	maps   []stackMap
	gen    uint32 // the generation that is being taken
	agg    int    // the aggregation that is being taken
	buf    []byte
	python *early
	kernel *kernel.Kernel
	early  []int // processes that were there before the run, and have not been looked at
}

// A stackMap holds the stacks of one kind and depth.
type stackMap struct {
	codegen.StackMaps
	gens  [2]*ebpf.Map
	known map[int64][]uint64 // of the generation that is being taken
}

// New returns the names of a run of c, whose maps are found by maps.
func New(m *plan.Machine, c *plan.Plan, maps func(name string) *ebpf.Map) *Table {
	n := &Table{kernel: m.Kernel, Table: symbol.New(func() symbol.Kernel { return OfKernel(m.Kernel) }), aggs: c.Lowered.IR.Aggs, most: c.Object.MostFrames()}
	n.NoResolve, n.NoInline = c.Options.NoResolve, c.Options.NoInline
	if !n.NoInline && c.Lowered.Shows(lower.EncStack) {
		go openImage(m.Kernel) // which takes longer than the drain should wait
	}
	if OfProcesses(c) {
		n.listen(m.Facts.Online, uint32(c.Target))
	}
	n.Extend(c.Units)
	for _, s := range c.Object.Maps.Stacks {
		of := stackMap{StackMaps: s, known: map[int64][]uint64{}}
		for gen := range of.gens {
			of.gens[gen] = maps(s.Name(gen))
		}
		n.maps = append(n.maps, of)
	}
	n.python = n.newEarly()
	return n
}

// OfProcesses reports whether a script shows places in processes, which are to be named.
func OfProcesses(c *plan.Plan) bool {
	return c.Lowered.Shows(lower.EncUstack, lower.EncUsym) && !c.Options.NoResolve
}

// Extend learns of the units of a script that are new.
func (n *Table) Extend(units []*plan.Unit) {
	for i := len(n.units); i < len(units); i++ {
		n.units = append(n.units, units[i].Lowering(fmt.Sprintf("u%d", i)))
	}
}

// Units returns the units that keys name.
func (n *Table) Units() []lower.Unit { return n.units }

// Hear takes in what processes have mapped.
func (n *Table) Hear() { n.Watch.Drain() }

// Ahead names what may soon have gone: of the processes that were there before the run,
// and of those that run Python. Unless it is 0, again is after how long it wants to be
// called once more.
func (n *Table) Ahead(pythons []uint32) (again time.Duration, err error) {
	n.lookAhead()
	return n.python.look(n, pythons)
}

// Renew forgets the symbols of the kernel, which has got others.
func (n *Table) Renew() { n.Table.Anew(func() symbol.Kernel { return OfKernel(n.kernel) }) }

// listen hears of the code that processes map from now on, so that those can be
// named that come and go while nobody looks. What the target has already is read
// now. Where the kernel does not tell, processes must live until they are named.
func (n *Table) listen(cpus []int, target uint32) {
	if w, err := symbol.NewWatch(cpus); err == nil {
		n.Watch = w
	}
	if target != 0 {
		n.Remember(target)
	}
	if pids, err := space.Processes("/proc"); err == nil {
		n.early = pids[max(len(pids)-mostEarly, 0):] // in order of their numbers
	}
}

// mostEarly is how many of the processes that were there before the run are looked at
// before they are named, and earlyTurn how many in one turn of the drain: that takes
// some hundred microseconds.
const (
	mostEarly = 1 << 10
	earlyTurn = 4
)

// lookAhead reads what processes have mapped that were there before the run, the newest
// first, a few at a time: nobody will have heard of it when they have gone.
func (n *Table) lookAhead() {
	k := max(len(n.early)-earlyTurn, 0)
	for _, pid := range n.early[k:] {
		n.Table.Look(uint32(pid))
	}
	n.early = n.early[:k]
}

// Taking says which aggregation of which generation is being read.
func (n *Table) Taking(agg int, gen uint32) { n.agg, n.gen = agg, gen }

// Stack returns the addresses of the stack whose number lies at the offset off
// of the key that is being read, innermost first, or nil if the kernel could
// not keep it. The tracer's own frames are left out.
func (n *Table) Stack(id int64, off int) []uint64 {
	m := n.stackMap(off)
	if m == nil || id < 0 || id == 0 && m.Walked {
		return nil
	}
	if frames, ok := m.known[id]; ok {
		return frames
	}
	size := int(m.gens[n.gen].ValueSize())
	if len(n.buf) < size {
		n.buf = make([]byte, size)
	}
	buf := n.buf[:size]
	if err := m.gens[n.gen].Lookup(m.number(id), buf); err != nil {
		return nil
	}
	var frames []uint64
	for ; len(buf) >= 8 && binary.LittleEndian.Uint64(buf) != 0; buf = buf[8:] {
		frames = append(frames, binary.LittleEndian.Uint64(buf))
	}
	if !m.User {
		frames = n.Trim(frames)
		frames = frames[:min(len(frames), m.Depth)]
	}
	m.known[id] = frames
	return frames
}

// stackMap returns the map of the stacks whose numbers lie at an offset of the
// keys that are being read.
func (n *Table) stackMap(off int) *stackMap {
	for _, s := range n.aggs[n.agg].Stacks {
		for i := range n.maps {
			if s.Off == off && n.maps[i].User == s.User && n.maps[i].Depth == min(s.Depth, n.most) {
				return &n.maps[i]
			}
		}
	}
	return nil
}

// number returns the number of a stack as the map knows it.
func (m *stackMap) number(id int64) any {
	if m.Walked {
		return uint64(id)
	}
	return uint32(id)
}

// Full returns the part of their room that the stacks have which were asked for. A table that
// the kernel hashes has one place for each number and no second one, so that of √(2n) stacks in
// n places one finds its own taken.
func (n *Table) Full() (most float64) {
	for _, m := range n.maps {
		room := float64(m.gens[n.gen].MaxEntries())
		if !m.Walked {
			room = math.Sqrt(2 * room)
		}
		most = max(most, float64(len(m.known))/room)
	}
	return most
}

// Forget empties the stacks of the generation that was taken, as far as they
// were asked for: the kernel will number stacks anew.
func (n *Table) Forget() error {
	for _, m := range n.maps {
		for id := range m.known {
			if err := m.gens[n.gen].Delete(m.number(id)); err != nil && !errors.Is(err, ebpf.ErrKeyNotExist) {
				return fmt.Errorf("empty the stacks: %w", err)
			}
		}
		clear(m.known)
	}
	return nil
}

// Sweep empties the generation that was taken of every stack. A firing that
// found no room for its key, or gave up before it made one, leaves a stack that
// nobody asks for; in time such stacks would fill the map.
func (n *Table) Sweep() error {
	for _, m := range n.maps {
		id := make([]byte, m.gens[n.gen].KeySize())
		err := m.gens[n.gen].NextKey(nil, &id)
		for err == nil {
			gone := slices.Clone(id) // only once the next is known: from a stack that is gone the kernel begins anew
			err = m.gens[n.gen].NextKey(gone, &id)
			if err := m.gens[n.gen].Delete(gone); err != nil {
				return fmt.Errorf("empty the stacks: %w", err)
			}
		}
		if !errors.Is(err, ebpf.ErrKeyNotExist) {
			return fmt.Errorf("empty the stacks: %w", err)
		}
		clear(m.known)
	}
	return nil
}

// Probe returns a part of a probe's name: 0 provider, 1 module, 2 function, 3
// name.
func (n *Table) Probe(key uint32, part int) string {
	u := int(key >> lower.KeyUnitShift)
	if u >= len(n.units) {
		return ""
	}
	sites := n.units[u].Sites // in ascending order of Key
	i, ok := slices.BinarySearchFunc(sites, key&(1<<lower.KeyUnitShift-1),
		func(s lower.Site, k uint32) int { return cmp.Compare(s.Key, k) })
	if !ok {
		return ""
	}
	s := &sites[i]
	return [...]string{s.Provider, s.Module, s.Function, s.Name}[part]
}
