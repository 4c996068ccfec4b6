package codegen

import (
	"encoding/binary"
	"slices"

	"github.com/cilium/ebpf/asm"

	"dscope.dev/dlang/ir"
	"dscope.dev/engine/codegen/mach"
	"dscope.dev/probes"
)

// mostTests is the number of ranges of keys up to which comparisons tell
// whether a key is among them; beyond, a table of bytes does.
const mostTests = 6

// A span of keys, both ends included. Open ends need no test.
type span struct {
	lo, hi           uint32
	openLow, openTop bool
}

// spans gathers ascending keys into ranges of neighbours.
func spans(keys []uint32) []span {
	var list []span
	for _, k := range keys {
		if n := len(list); n > 0 && list[n-1].hi+1 == k {
			list[n-1].hi = k
			continue
		}
		list = append(list, span{lo: k, hi: k})
	}
	return list
}

// spansAmong gathers those of all that are in set, where a key is known to be
// one of all: what lies between two neighbours of all does not matter.
func spansAmong(set, all []uint32) []span {
	var list []span
	last := -2
	for i, k := range all {
		if !slices.Contains(set, k) {
			continue
		}
		if last == i-1 {
			list[len(list)-1].hi = k
		} else {
			list = append(list, span{lo: k, hi: k, openLow: i == 0})
		}
		list[len(list)-1].openTop = i == len(all)-1
		last = i
	}
	return list
}

// member ends the current block: to yes if key is in one of list, else to no.
func (s *selector) member(key mach.Reg, list []span, yes, no *mach.Block) {
	if len(list) == 0 {
		s.jump(no)
		return
	}
	if len(list) > mostTests {
		s.tabled(key, list, yes, no)
		return
	}
	for _, r := range list[:len(list)-1] {
		s.inSpan(key, r, yes, no, nil)
	}
	s.inSpan(key, list[len(list)-1], yes, no, no)
}

// inSpan goes to yes if key is in r, to no if it is below, and if above to
// above, or on in a new block if that is nil. Ranges are tested in ascending
// order, so below one of them is below all that follow.
func (s *selector) inSpan(key mach.Reg, r span, yes, no, above *mach.Block) {
	next := func() *mach.Block {
		if above != nil {
			return above
		}
		return s.m.NewBlock(s.cur.Cold)
	}
	switch {
	case r.openLow && r.openTop:
		s.jump(yes)
		return
	case r.openTop:
		n := next()
		s.branch(testImm(asm.JGE, key, int64(r.lo)), yes, n)
		s.cur = n
		return
	case r.lo == r.hi && !r.openLow:
		n := next()
		s.branch(testImm(asm.JEq, key, int64(r.lo)), yes, n)
		s.cur = n
		return
	case r.lo > 0 && !r.openLow:
		s.leaveIf(testImm(asm.JLT, key, int64(r.lo)), no)
	}
	n := next()
	s.branch(testImm(asm.JLE, key, int64(r.hi)), yes, n)
	s.cur = n
}

// tabled looks key up in a table of bytes.
func (s *selector) tabled(key mach.Reg, list []span, yes, no *mach.Block) {
	top := list[len(list)-1].hi
	table := make([]byte, top+1)
	for _, r := range list {
		for k := r.lo; k <= r.hi; k++ {
			table[k] = 1
		}
	}
	s.leaveIf(testImm(asm.JGT, key, int64(top)), no)
	t := s.newReg()
	s.mapValue(t, mapRodata, s.g.constant(table, 1))
	s.alu(asm.Add, t, key)
	s.load(1, t, t, 0)
	s.branch(testImm(asm.JNE, t, 0), yes, no)
}

// keyIn ends the current block by whether the firing site is in ks.
func (s *selector) keyIn(ks ir.KeySet, yes, no *mach.Block) {
	if s.key == mach.None {
		if slices.Contains(ks, s.u.soleKey()) {
			no = yes
		}
		s.jump(no)
		return
	}
	s.member(s.key, spansAmong(ks, s.u.keys()), yes, no)
}

// keyTruth selects OpKeyIn as a word.
func (s *selector) keyTruth(v *ir.Value) {
	d := s.def(v)
	cold := s.cur.Cold
	yes, no, next := s.m.NewBlock(cold), s.m.NewBlock(cold), s.m.NewBlock(cold)
	ks, _ := v.Aux.(ir.KeySet)
	s.keyIn(ks, yes, no)
	for i, b := range []*mach.Block{no, yes} {
		s.cur = b
		s.movImm(d, int64(i))
		s.jump(next)
	}
	s.cur = next
}

// putKey sets d to the key of the firing site.
func (s *selector) putKey(d mach.Reg) {
	if s.key == mach.None {
		s.movImm(d, int64(s.u.soleKey()))
		return
	}
	s.mov(d, s.key)
}

// probeStr selects a part of the description of the firing probe.
func (s *selector) probeStr(v *ir.Value) {
	rows := s.u.table(func(site *probes.Site) []byte {
		p := site.Probe
		row := make([]byte, v.Size)
		part := [...]string{p.Provider, p.Module, p.Function, p.Name}[v.Imm]
		copy(row[:len(row)-1], part)
		return row
	})
	s.row(s.def(v), rows, v.Size)
}

// probeID sets d to the number of the firing probe.
func (s *selector) probeID(d mach.Reg) {
	rows := s.u.table(func(site *probes.Site) []byte {
		return binary.LittleEndian.AppendUint32(nil, site.ID)
	})
	s.row(d, rows, 4)
	s.load(4, d, d, 0)
}

// row sets d to the address of the firing site's row of a table that has one
// of size bytes for each key.
func (s *selector) row(d mach.Reg, rows [][]byte, size int) {
	if s.key == mach.None {
		s.mapValue(d, mapRodata, s.g.constant(rows[0], 8))
		return
	}
	flat := slices.Concat(rows...)
	low := s.u.keys()[0]
	i := s.newReg()
	s.mov(i, s.key)
	if low > 0 {
		s.aluImm(asm.Sub, i, int64(low))
	}
	s.clamp(i, int64(len(rows)-1))
	if op, n, ok := immediate(asm.Mul, int64(size)); ok {
		s.aluImm(op, i, n)
	}
	s.mapValue(d, mapRodata, s.g.constant(flat, 8))
	s.alu(asm.Add, d, i)
}
