package record

import (
	"dscope.dev/dlang/lower"
	"dscope.dev/engine/trace"
)

// A probeTable finds the probes of one unit by their keys. Keys are small and
// dense where there are many (the numbers of system calls), and anything where
// there are few.
type probeTable struct {
	dense  []trace.Probe // ID 0 and no name where there is none
	has    []bool
	sparse map[uint32]*trace.Probe
}

// maxDense is the greatest key that is worth a slot.
const maxDense = 4096

func newProbeTable(sites []lower.Site) probeTable {
	var t probeTable
	for _, s := range sites {
		p := trace.Probe{ID: s.ID, Provider: s.Provider, Module: s.Module, Function: s.Function, Name: s.Name}
		if s.Key >= maxDense {
			if t.sparse == nil {
				t.sparse = make(map[uint32]*trace.Probe)
			}
			t.sparse[s.Key] = &p
			continue
		}
		for uint32(len(t.dense)) <= s.Key {
			t.dense = append(t.dense, trace.Probe{})
			t.has = append(t.has, false)
		}
		t.dense[s.Key], t.has[s.Key] = p, true
	}
	return t
}

func (t *probeTable) find(key uint32) (*trace.Probe, bool) {
	if key < uint32(len(t.dense)) {
		return &t.dense[key], t.has[key]
	}
	p, ok := t.sparse[key]
	return p, ok
}
