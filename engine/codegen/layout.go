package codegen

import (
	"strconv"

	"github.com/cilium/ebpf/asm"

	"dscope.dev/dlang/token"
)

// order returns the blocks as they will lie in memory: each followed, where
// possible, by one that it leads to, and rare paths at the end.
func (m *mfunc) order() []*block {
	m.thread()
	rank := make([]int, m.ids())
	post := m.postorder()
	for i, b := range post {
		rank[b.id] = len(post) - i
	}
	placed := make([]bool, m.ids())
	list := make([]*block, 0, len(post))
	trace := func(b *block) {
		for b != nil {
			placed[b.id] = true
			list = append(list, b)
			var next *block
			for _, c := range b.successors() {
				if !placed[c.id] && c.cold == b.cold && (next == nil || rank[c.id] < rank[next.id]) {
					next = c
				}
			}
			b = next
		}
	}
	for _, cold := range []bool{false, true} {
		for i := len(post) - 1; i >= 0; i-- {
			if b := post[i]; !placed[b.id] && (b.cold == cold || i == len(post)-1) {
				trace(b)
			}
		}
	}
	return list
}

// thread lets jumps to blocks that only lead on go to the end at once. What
// this shortens may let more be shortened.
func (m *mfunc) thread() {
	for again := true; again; {
		again = false
		for _, b := range m.blocks {
			for i := range b.successors() {
				if to := m.target(b, i); to != b.succs[i] {
					b.succs[i] = to
					again = true
				}
			}
			if b.kind == termBranch && b.succs[0] == b.succs[1] {
				b.kind = termJump
				again = true
			}
		}
	}
}

// target returns where the i-th way out of b leads in the end.
func (m *mfunc) target(b *block, i int) *block {
	to := b.succs[i]
	for range m.blocks { // a loop of empty blocks would never end
		switch next, ok := b.implied(i, to); {
		case ok:
			to = next
		case len(to.insts) == 0 && to.kind == termJump:
			to = to.succs[0]
		default:
			return to
		}
	}
	return to
}

// implied returns where the i-th way out of b leads from c on, if c does nothing
// but repeat the test of b: a pointer that was found null on the way is often
// tested again where ways meet.
func (b *block) implied(i int, c *block) (*block, bool) {
	if b.kind != termBranch || c.kind != termBranch || len(c.insts) > 0 || c == b || b.test.op == asm.JCOND {
		return nil, false
	}
	holds := i == 0 // whether the test of b held
	if inv, ok := b.test.inverse(); ok && inv == c.test {
		holds = !holds
	} else if b.test != c.test {
		return nil, false
	}
	if holds {
		return c.succs[0], true
	}
	return c.succs[1], true
}

// assemble turns m, whose registers are the machine's, into instructions that
// quote lines of the script, each where it begins to differ from the one before.
func (m *mfunc) assemble(text *script) asm.Instructions {
	order := m.order()
	labels := make([]string, m.ids()) // of those that are jumped to
	label := func(b *block) string {
		if labels[b.id] == "" {
			labels[b.id] = m.name + "." + strconv.Itoa(b.id)
		}
		return labels[b.id]
	}
	out := make(asm.Instructions, 0, room(order))
	var last token.Span
	add := func(i asm.Instruction, at token.Span) {
		if len(out) == 0 || at != last {
			i = i.WithSource(&source{at, text})
			last = at
		}
		out = append(out, i)
	}
	first := make([]int, m.ids())
	m.pcs = nil
	for n, b := range order {
		first[b.id] = len(out)
		for _, in := range b.insts {
			if in.pc {
				m.pcs = append(m.pcs, len(out))
			}
			add(in.asm(), in.at)
		}
		var next *block
		if n+1 < len(order) {
			next = order[n+1]
		}
		jump := func(to *block) {
			if to != next {
				add(asm.Ja.Label(label(to)), b.at)
			}
		}
		switch b.kind {
		case termExit:
			add(asm.Return(), b.at)
		case termJump:
			jump(b.succs[0])
		case termBranch:
			t, yes, no := b.test, b.succs[0], b.succs[1]
			if inv, ok := t.inverse(); ok && yes == next {
				t, yes, no = inv, no, yes
			}
			add(t.asm(label(yes)), b.at)
			jump(no)
		}
	}
	for id, name := range labels {
		if name != "" {
			out[first[id]] = out[first[id]].WithSymbol(name)
		}
	}
	return out
}

// room returns how many instructions blocks take at most.
func room(list []*block) int {
	n := 2 * len(list)
	for _, b := range list {
		n += len(b.insts)
	}
	return n
}

// asm returns the instruction for the library.
func (i *inst) asm() asm.Instruction {
	a := asm.Instruction{OpCode: i.op, Dst: asm.Register(i.dst), Offset: i.off, Constant: i.imm}
	if i.src != none {
		a.Src = asm.Register(i.src)
	}
	if i.ref != "" {
		a = a.WithReference(i.ref)
	}
	return a
}

// asm returns the jump to label.
func (t test) asm(label string) asm.Instruction {
	if t.op == asm.JCOND {
		op := asm.OpCode(asm.JumpClass).SetJumpOp(asm.JCOND).SetSource(asm.ImmSource)
		return asm.Instruction{OpCode: op, Src: asm.PseudoMayGoto, Offset: -1}.WithReference(label)
	}
	switch {
	case t.low && t.y == none:
		return t.op.Imm32(asm.Register(t.x), int32(t.imm), label)
	case t.low:
		return t.op.Reg32(asm.Register(t.x), asm.Register(t.y), label)
	case t.y == none:
		return t.op.Imm(asm.Register(t.x), int32(t.imm), label)
	}
	return t.op.Reg(asm.Register(t.x), asm.Register(t.y), label)
}

// place tells the instructions of m that want to know it where they are, if those
// of m begin at an offset. It returns how far those reach.
func (m *mfunc) place(ins asm.Instructions, offset asm.RawInstructionOffset) asm.RawInstructionOffset {
	next := m.pcs
	for iter := ins.Iterate(); iter.Next(); {
		if len(next) > 0 && iter.Index == next[0] {
			iter.Ins.Constant = int64(offset + iter.Offset)
			next = next[1:]
		}
	}
	n := asm.RawInstructionOffset(0)
	for i := range ins {
		n += ins[i].Width()
	}
	return n
}
