package codegen

import (
	"fmt"
	"maps"
	"math/bits"
	"slices"

	"github.com/cilium/ebpf/asm"
)

// A known is what a register or a slot of the stack holds, as far as it matters to
// whether the verifier may take it for a number that is -1 or 0.
type known struct {
	one  bool // it is one number, on each path
	bits bool // only single bits of it are known, so long as nothing with this id is tested
	high int  // how many high bits are 0
	id   int  // of the value that it is a copy of, or of a sum with a constant; 0 for none
}

// never reports whether it never may.
func (k known) never() bool { return k.one || k.bits || k.high > 32 }

// A knownState is what is known at one place, by register, and by offset of the
// stack below -8.
type knownState map[int]known

// splits returns an AND or OR of a program at which the verifier might split in two
// (see bitwise.go), and why not if there is none. It follows every path, and knows of
// values what the verifier may know as well, and less.
func splits(ins asm.Instructions) error {
	at, targets := map[string]int{}, map[int]bool{0: true}
	for i := range ins {
		if name := ins[i].Symbol(); name != "" {
			at[name] = i
		}
	}
	states := map[int]knownState{} // where paths meet
	var todo []int
	reach := func(i int, s knownState) {
		if states[i] == nil {
			states[i] = maps.Clone(s)
			todo = append(todo, i)
		} else if states[i].meet(s) {
			todo = append(todo, i)
		}
	}
	reach(0, knownState{})
	for i := range ins {
		in := &ins[i]
		to, ok := at[in.Reference()]
		switch {
		case in.IsFunctionReference():
			if ok {
				targets[to] = true
				reach(to, knownState{})
			}
		case isJump(in) && in.OpCode.JumpOp() != asm.Exit:
			if !ok {
				return fmt.Errorf("instruction %d jumps nowhere", i)
			}
			targets[to] = true
		}
	}
	// from follows the path from i to where others join it.
	from := func(i int, visit func(i int, s knownState) error) error {
		s := maps.Clone(states[i])
		for start := i; i < len(ins); i++ {
			if i != start && targets[i] {
				reach(i, s)
				return nil
			}
			in := &ins[i]
			if err := visit(i, s); err != nil {
				return err
			}
			if !isJump(in) {
				s.step(in, i+1)
				continue
			}
			switch in.OpCode.JumpOp() {
			case asm.Exit:
				return nil
			case asm.Ja:
				reach(at[in.Reference()], s)
				return nil
			}
			s.tested(in)
			reach(at[in.Reference()], s)
		}
		return nil
	}
	for len(todo) > 0 {
		i := todo[len(todo)-1]
		todo = todo[:len(todo)-1]
		from(i, func(int, knownState) error { return nil })
	}
	for _, i := range slices.Sorted(maps.Keys(states)) {
		err := from(i, func(i int, s knownState) error {
			op := ins[i].OpCode
			if op.Class().IsALU() && (op.ALUOp() == asm.And || op.ALUOp() == asm.Or) && !s[int(ins[i].Dst)].never() {
				return fmt.Errorf("instruction %d, %v, changes what may be -1 or 0", i, ins[i])
			}
			return nil
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// isJump reports whether in goes elsewhere, or ends the function.
func isJump(in *asm.Instruction) bool {
	op := in.OpCode
	return op.Class().IsJump() && !in.IsFunctionCall() && op.JumpOp() != asm.Call
}

// meet keeps in s what t says too, and reports whether that is less.
func (s knownState) meet(t knownState) bool {
	less := false
	for k, a := range s {
		b := t[k]
		m := known{one: a.one && b.one, high: min(a.high, b.high), id: a.id}
		m.bits = (a.bits || a.one) && (b.bits || b.one) && !m.one
		if a.id != b.id {
			m.id, m.bits = 0, false // of two values, each is tested by itself
		}
		if m != a {
			less = true
			s[k] = m
		}
	}
	return less
}

// tested forgets of which bits what a jump tests consists.
func (s knownState) tested(in *asm.Instruction) {
	ids := map[int]bool{s[int(in.Dst)].id: true}
	if in.OpCode.Source() == asm.RegSource {
		ids[s[int(in.Src)].id] = true
	}
	for k, v := range s {
		if v.bits && ids[v.id] {
			v.bits = false
			s[k] = v
		}
	}
}

// step does an instruction; n is a number that no other has.
func (s knownState) step(in *asm.Instruction, n int) {
	op, dst, src := in.OpCode, int(in.Dst), int(in.Src)
	slot := int(in.Offset)
	switch {
	case op.Class().IsALU():
		s[dst] = s.computed(in, n)
	case op.IsDWordLoad():
		s[dst] = known{one: true}
		if !in.IsLoadFromMap() && in.Src == 0 { // a number, no address
			s[dst] = known{one: true, high: bits.LeadingZeros64(uint64(in.Constant))}
		}
	case op.Class() == asm.LdXClass:
		if in.Src == asm.RFP && op.Size() == asm.DWord {
			s[dst] = s[slot]
			break
		}
		s[dst] = known{high: 64 - 8*op.Size().Sizeof()}
	case op.Class().IsStore():
		if in.Dst == asm.RFP {
			for k := range 8 {
				delete(s, slot+k)
				delete(s, slot-k)
			}
			if op.Class() == asm.StXClass && op.Size() == asm.DWord && op.Mode() == asm.MemMode {
				s[slot] = s[src]
			}
		}
		if op.Mode() == asm.AtomicMode {
			delete(s, 0)
			delete(s, src)
		}
	default:
		for r := range 6 {
			delete(s, r)
		}
	}
}

// computed returns what an instruction leaves in its destination.
func (s knownState) computed(in *asm.Instruction, n int) known {
	a, b, imm := s[int(in.Dst)], s[int(in.Src)], in.OpCode.Source() == asm.ImmSource
	if imm {
		b = known{one: true, high: bits.LeadingZeros64(uint64(in.Constant))}
		if in.OpCode.Class() == asm.ALUClass {
			b.high = max(b.high, 32)
		}
	}
	switch in.OpCode.ALUOp() {
	case asm.Mov:
		if imm {
			return b
		}
		if b.id == 0 {
			b.id = n
			s[int(in.Src)] = b
		}
		if in.OpCode.Class() == asm.ALUClass {
			return known{one: b.one, high: max(b.high, 32)}
		}
		return b
	case asm.And:
		return known{bits: true, high: max(a.high, b.high), id: n}
	case asm.Xor, asm.Or:
		return known{bits: true, high: min(a.high, b.high), id: n}
	case asm.RSh:
		if imm {
			return known{high: min(a.high+int(in.Constant), 64)}
		}
		if a.one && a.high >= 32 {
			return known{bits: true, id: n} // not more than it was, and -1 in no half
		}
	case asm.Add:
		if imm {
			return known{id: a.id}
		}
	}
	return known{}
}
