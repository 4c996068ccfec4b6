package mach

import (
	"slices"

	"github.com/cilium/ebpf/asm"
)

// A spilling is what becomes of a register that found no colour.
type spilling struct {
	again *Inst // repeated at each use, or nil
	slot  int   // else its place on the stack
}

// A spiller rewrites a function so that some registers are in memory between
// uses.
type spiller struct {
	*allocator
	of    []*spilling // what becomes of each register; nil if it stays
	slots []slot
	temps []Reg     // the registers that carry values to and from an instruction
	in    Inst      // the instruction at hand
	held  []carried // those of temps that it has
	out   []Inst    // what the block at hand becomes
}

// A slot is a place on the stack and the registers that have it.
type slot struct {
	off   int
	users []Reg
}

// A carried is a spilled register and the one that has its value for an
// instruction.
type carried struct{ root, by Reg }

// spill puts the registers joined with those in list into memory. It returns
// the registers that carry them to an instruction, which are not to be spilled
// again.
func (a *allocator) spill(list []Reg) []Reg {
	s := &spiller{allocator: a, of: make([]*spilling, a.n)}
	defs := a.definitions()
	for _, r := range list {
		if d := defs[r]; d.count == 1 && d.inst.rematerial() {
			again := *d.inst
			s.of[r] = &spilling{again: &again}
			continue
		}
		s.of[r] = &spilling{slot: s.slot(r)}
		a.m.Spills++
	}
	for r := range a.n {
		s.of[r] = s.of[a.find(r)]
	}
	for _, b := range a.m.Blocks {
		s.block(b)
	}
	return s.temps
}

// slot returns a place on the stack for r: one that only registers have that
// are never live together with it, or a new one.
func (s *spiller) slot(r Reg) int {
	mark := s.mark(r)
	for i := range s.slots {
		at := &s.slots[i]
		if !slices.ContainsFunc(at.users, func(u Reg) bool { return s.seen[u] == mark }) {
			at.users = append(at.users, r)
			return at.off
		}
	}
	off := s.m.Slot(8)
	s.slots = append(s.slots, slot{off, []Reg{r}})
	return off
}

// A definition is an instruction that writes a register, and how many there
// are.
type definition struct {
	inst  *Inst
	count int
}

// definitions finds the instructions that write each register.
func (a *allocator) definitions() []definition {
	defs := make([]definition, a.n)
	for _, b := range a.m.Blocks {
		for i := range b.Insts {
			in := &b.Insts[i]
			if d := in.def(); d >= Virtual {
				r := a.find(d)
				if !(in.isMove() && a.find(in.Src) == r) {
					defs[r] = definition{in, defs[r].count + 1}
				}
			}
		}
	}
	return defs
}

// block rewrites b, if any register in it is spilled.
func (s *spiller) block(b *Block) {
	if !s.concerns(b) {
		return
	}
	s.out = s.out[:0]
	for i := range b.Insts {
		s.in = b.Insts[i]
		s.inst()
	}
	s.held, s.in = s.held[:0], Inst{At: b.At}
	b.termUses(s.fetch)
	b.Insts = append(b.Insts[:0], s.out...)
}

// concerns reports whether b reads or writes a register that is spilled.
func (s *spiller) concerns(b *Block) bool {
	found := false
	b.termUses(func(r *Reg) { found = found || s.of[*r] != nil })
	var list [5]Reg
	for i := range b.Insts {
		in := &b.Insts[i]
		if d := in.def(); d != None && s.of[d] != nil {
			return true
		}
		for _, r := range in.reads(&list) {
			found = found || s.of[r] != nil
		}
	}
	return found
}

// inst writes to s.out what the instruction at hand becomes.
func (s *spiller) inst() {
	in := &s.in
	d := in.def()
	var sp *spilling
	if d != None {
		sp = s.of[d]
	}
	if sp != nil && in.isMove() && s.of[in.Src] == sp {
		return // a copy to itself
	}
	if sp != nil && sp.again != nil {
		return // repeated where it is used
	}
	s.held = s.held[:0]
	in.uses(s.fetch)
	if sp == nil {
		s.out = append(s.out, *in)
		return
	}
	// A destination that is read as well was replaced above.
	if in.Dst == d {
		in.Dst = s.fresh()
	}
	s.out = append(s.out, *in, Inst{Op: asm.StoreMemOp(asm.DWord), Dst: RFP, Src: in.Dst, Off: int16(sp.slot), At: in.At})
}

// fetch replaces r, which the instruction at hand reads, by a register that has its
// value, if r is spilled.
func (s *spiller) fetch(r *Reg) {
	sp := s.of[*r]
	if sp == nil {
		return
	}
	root := s.find(*r)
	for _, c := range s.held {
		if c.root == root {
			*r = c.by
			return
		}
	}
	t := s.fresh()
	s.held = append(s.held, carried{root, t})
	load := Inst{Op: asm.LoadMemOp(asm.DWord), Src: RFP, Off: int16(sp.slot)}
	if sp.again != nil {
		load = *sp.again
	}
	load.Dst, load.At = t, s.in.At
	s.out = append(s.out, load)
	*r = t
}

// fresh returns a new register that carries a value.
func (s *spiller) fresh() Reg {
	r := s.m.NewReg()
	s.temps = append(s.temps, r)
	return r
}
