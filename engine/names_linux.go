package engine

import (
	"encoding/binary"
	"errors"
	"fmt"

	"github.com/cilium/ebpf"

	"dscope.dev/dlang/lower"
	"dscope.dev/engine/symbol"
)

// names turns the numbers in records and keys into what they stand for:
// addresses into symbols, numbers of stacks into stacks, keys of sites into
// parts of a probe's name. It belongs to one drain.
type names struct {
	*symbol.Table
	units  []lower.Unit
	stacks [2][2]*ebpf.Map // by generation, then kernel and user
	gen    uint32          // the generation that is being taken
	frames [2]map[int64][]uint64
	buf    []byte
}

func newNames(e *Engine, k *loaded, c *Compiled) *names {
	n := &names{Table: symbol.New(e.kernelSymbols), frames: [2]map[int64][]uint64{{}, {}}}
	for i, u := range c.units {
		n.units = append(n.units, u.lowering(fmt.Sprintf("u%d", i)))
	}
	for gen := range n.stacks {
		n.stacks[gen] = k.stackMaps(gen)
	}
	return n
}

// generation says from which generation the numbers of stacks are now.
func (n *names) generation(gen uint32) { n.gen = gen }

// Stack returns the addresses of a numbered stack, innermost first, or nil if
// the kernel could not keep it.
func (n *names) Stack(id int64, user bool) []uint64 {
	which := 0
	if user {
		which = 1
	}
	if frames, ok := n.frames[which][id]; ok {
		return frames
	}
	m := n.stacks[n.gen][which]
	if m == nil || id < 0 {
		return nil
	}
	if len(n.buf) < int(m.ValueSize()) {
		n.buf = make([]byte, m.ValueSize())
	}
	buf := n.buf[:m.ValueSize()]
	if err := m.Lookup(uint32(id), buf); err != nil {
		return nil
	}
	var frames []uint64
	for ; len(buf) >= 8; buf = buf[8:] {
		a := binary.LittleEndian.Uint64(buf)
		if a == 0 {
			break
		}
		frames = append(frames, a)
	}
	n.frames[which][id] = frames
	return frames
}

// forget empties the stacks of the generation that was taken: the kernel will
// number stacks anew.
func (n *names) forget() error {
	for which, m := range n.stacks[n.gen] {
		for id := range n.frames[which] {
			if err := m.Delete(uint32(id)); err != nil && !errors.Is(err, ebpf.ErrKeyNotExist) {
				return fmt.Errorf("empty the stacks: %w", err)
			}
		}
		clear(n.frames[which])
	}
	return nil
}

// Probe returns a part of a probe's name: 0 provider, 1 module, 2 function, 3
// name.
func (n *names) Probe(key uint32, part int) string {
	u := int(key >> lower.KeyUnitShift)
	if u >= len(n.units) {
		return ""
	}
	for _, s := range n.units[u].Sites {
		if s.Key == key&(1<<lower.KeyUnitShift-1) {
			return [...]string{s.Provider, s.Module, s.Function, s.Name}[part]
		}
	}
	return ""
}
