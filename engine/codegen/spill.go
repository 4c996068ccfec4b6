package codegen

import (
	"slices"

	"github.com/cilium/ebpf/asm"
)

// A spilling is what becomes of a register that found no colour.
type spilling struct {
	again *inst // repeated at each use, or nil
	slot  int   // else its place on the stack
}

// spill rewrites the function so that the registers joined with those in list
// are in memory between uses. The registers that carry them to an instruction
// are remembered in temps: they are not spilled again.
func (a *allocator) spill(list []reg, temps map[reg]bool) {
	defs := a.definitions()
	what := map[reg]*spilling{}
	for _, r := range list {
		sp := &spilling{}
		if d := defs[r]; len(d) == 1 && d[0].rematerial() {
			again := *d[0]
			sp.again = &again
		} else {
			sp.slot = a.slot(r, what)
			a.m.spills++
		}
		what[r] = sp
	}
	of := func(r reg) *spilling {
		if r < virtual {
			return nil
		}
		return what[a.find(r)]
	}
	for _, b := range a.m.blocks {
		a.spillBlock(b, of, temps)
	}
}

// slot returns a place on the stack for r: one that only registers have that
// are never live together with it, or a new one.
func (a *allocator) slot(r reg, what map[reg]*spilling) int {
	taken := map[int]bool{}
	slots := []int{}
	for other, sp := range what {
		if sp.again == nil {
			slots = append(slots, sp.slot)
			taken[sp.slot] = taken[sp.slot] || a.interfere(r, other)
		}
	}
	slices.Sort(slots)
	for _, s := range slices.Backward(slots) {
		if !taken[s] {
			return s
		}
	}
	return a.m.slot(8)
}

// definitions lists the instructions that write each register.
func (a *allocator) definitions() map[reg][]*inst {
	defs := map[reg][]*inst{}
	for _, b := range a.m.blocks {
		for i := range b.insts {
			in := &b.insts[i]
			if d := in.def(); d >= virtual {
				r := a.find(d)
				if !(in.isMove() && a.find(in.src) == r) {
					defs[r] = append(defs[r], in)
				}
			}
		}
	}
	return defs
}

func (a *allocator) spillBlock(b *block, of func(reg) *spilling, temps map[reg]bool) {
	var out []inst
	fresh := func() reg {
		r := a.m.newReg()
		temps[r] = true
		return r
	}
	fetch := func(r *reg, carried map[reg]reg, in inst) {
		sp := of(*r)
		if sp == nil {
			return
		}
		root := a.find(*r)
		t, ok := carried[root]
		if !ok {
			t = fresh()
			carried[root] = t
			if sp.again != nil {
				again := *sp.again
				again.dst, again.at = t, in.at
				out = append(out, again)
			} else {
				out = append(out, inst{op: asm.LoadMemOp(asm.DWord), dst: t, src: rfp, off: int16(sp.slot), at: in.at})
			}
		}
		*r = t
	}
	for _, in := range b.insts {
		d := in.def()
		var sp *spilling
		if d != none {
			sp = of(d)
		}
		if in.isMove() && sp != nil && of(in.src) == sp {
			continue // a copy to itself
		}
		if sp != nil && sp.again != nil {
			continue // repeated where it is used
		}
		carried := map[reg]reg{}
		in.uses(func(r *reg) { fetch(r, carried, in) })
		if sp == nil {
			out = append(out, in)
			continue
		}
		// A destination that is read as well was replaced above.
		if in.dst == d {
			in.dst = fresh()
		}
		out = append(out, in, inst{op: asm.StoreMemOp(asm.DWord), dst: rfp, src: in.dst, off: int16(sp.slot), at: in.at})
	}
	carried := map[reg]reg{}
	b.termUses(func(r *reg) { fetch(r, carried, inst{at: b.at}) })
	b.insts = out
}
