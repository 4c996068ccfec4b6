package mach

import (
	"fmt"
	"strconv"

	"github.com/cilium/ebpf/asm"

	"dscope.dev/dlang/token"
)

// order returns the blocks as they will lie in memory: each followed, where
// possible, by one that it leads to, and rare paths at the end.
func (m *Func) order() []*Block {
	m.thread()
	rank := make([]int, m.ids())
	post := m.postorder()
	for i, b := range post {
		rank[b.id] = len(post) - i
	}
	placed := make([]bool, m.ids())
	list := make([]*Block, 0, len(post))
	trace := func(b *Block) {
		for b != nil {
			placed[b.id] = true
			list = append(list, b)
			var next *Block
			for _, c := range b.successors() {
				if !placed[c.id] && c.Cold == b.Cold && (next == nil || rank[c.id] < rank[next.id]) {
					next = c
				}
			}
			b = next
		}
	}
	for _, cold := range []bool{false, true} {
		for i := len(post) - 1; i >= 0; i-- {
			if b := post[i]; !placed[b.id] && (b.Cold == cold || i == len(post)-1) {
				trace(b)
			}
		}
	}
	return list
}

// thread lets jumps to blocks that only lead on go to the end at once. What
// this shortens may let more be shortened.
func (m *Func) thread() {
	for again := true; again; {
		again = false
		for _, b := range m.Blocks {
			for i := range b.successors() {
				if to := m.target(b, i); to != b.Succs[i] {
					b.Succs[i] = to
					again = true
				}
			}
			if b.Kind == Branch && b.Succs[0] == b.Succs[1] {
				b.Kind = Jump
				again = true
			}
		}
	}
}

// target returns where the i-th way out of b leads in the end.
func (m *Func) target(b *Block, i int) *Block {
	to := b.Succs[i]
	for range m.Blocks { // a loop of empty blocks would never end
		switch next, ok := b.implied(i, to); {
		case ok:
			to = next
		case len(to.Insts) == 0 && to.Kind == Jump:
			to = to.Succs[0]
		default:
			return to
		}
	}
	return to
}

// implied returns where the i-th way out of b leads from c on, if c does nothing
// but repeat the test of b: a pointer that was found null on the way is often
// tested again where ways meet.
func (b *Block) implied(i int, c *Block) (*Block, bool) {
	if b.Kind != Branch || c.Kind != Branch || len(c.Insts) > 0 || c == b || b.Test.Op == asm.JCOND {
		return nil, false
	}
	holds := i == 0 // whether the test of b held
	if inv, ok := b.Test.inverse(); ok && inv == c.Test {
		holds = !holds
	} else if b.Test != c.Test {
		return nil, false
	}
	if holds {
		return c.Succs[0], true
	}
	return c.Succs[1], true
}

// Finish turns a selected function into instructions of the machine, which quote what
// source says of their places, each where that begins to differ from the one before.
func (m *Func) Finish(source func(at token.Span) fmt.Stringer) {
	allocate(m)
	m.tidy()
	m.NoteCalls()
	m.Code = m.assemble(source)
}

// assemble turns m, whose registers are the machine's, into instructions.
func (m *Func) assemble(source func(at token.Span) fmt.Stringer) asm.Instructions {
	order := m.order()
	labels := make([]string, m.ids()) // of those that are jumped to
	label := func(b *Block) string {
		if labels[b.id] == "" {
			labels[b.id] = m.Name + "." + strconv.Itoa(b.id)
		}
		return labels[b.id]
	}
	out := make(asm.Instructions, 0, room(order))
	var last token.Span
	add := func(i asm.Instruction, at token.Span) {
		if len(out) == 0 || at != last {
			i = i.WithSource(source(at))
			last = at
		}
		out = append(out, i)
	}
	first := make([]int, m.ids())
	m.pcs = nil
	for n, b := range order {
		first[b.id] = len(out)
		for _, in := range b.Insts {
			if in.PC {
				m.pcs = append(m.pcs, len(out))
			}
			add(in.asm(), in.At)
		}
		var next *Block
		if n+1 < len(order) {
			next = order[n+1]
		}
		jump := func(to *Block) {
			if to != next {
				add(asm.Ja.Label(label(to)), b.At)
			}
		}
		switch b.Kind {
		case Exit:
			add(asm.Return(), b.At)
		case Jump:
			jump(b.Succs[0])
		case Branch:
			t, yes, no := b.Test, b.Succs[0], b.Succs[1]
			if inv, ok := t.inverse(); ok && yes == next {
				t, yes, no = inv, no, yes
			}
			add(t.asm(label(yes)), b.At)
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
func room(list []*Block) int {
	n := 2 * len(list)
	for _, b := range list {
		n += len(b.Insts)
	}
	return n
}

// asm returns the instruction for the library.
func (i *Inst) asm() asm.Instruction {
	a := asm.Instruction{OpCode: i.Op, Dst: asm.Register(i.Dst), Offset: i.Off, Constant: i.Imm}
	if i.Src != None {
		a.Src = asm.Register(i.Src)
	}
	if i.Ref != "" {
		a = a.WithReference(i.Ref)
	}
	return a
}

// MayGotoStack is how many bytes the verifier adds to the stack of a function with may_goto,
// for its counter.
const MayGotoStack = 16

// MayGoto goes to label if the loop that it stands in may not go on.
func MayGoto(label string) asm.Instruction {
	op := asm.OpCode(asm.JumpClass).SetJumpOp(asm.JCOND).SetSource(asm.ImmSource)
	return asm.Instruction{OpCode: op, Src: asm.PseudoMayGoto, Offset: -1}.WithReference(label)
}

// asm returns the jump to label.
func (t Test) asm(label string) asm.Instruction {
	if t.Op == asm.JCOND {
		return MayGoto(label)
	}
	switch {
	case t.Low && t.Y == None:
		return t.Op.Imm32(asm.Register(t.X), int32(t.Imm), label)
	case t.Low:
		return t.Op.Reg32(asm.Register(t.X), asm.Register(t.Y), label)
	case t.Y == None:
		return t.Op.Imm(asm.Register(t.X), int32(t.Imm), label)
	}
	return t.Op.Reg(asm.Register(t.X), asm.Register(t.Y), label)
}

// Place tells the instructions of m that want to know it where they are, if those
// of m begin at an offset. It returns how far those reach.
func (m *Func) Place(ins asm.Instructions, offset asm.RawInstructionOffset) asm.RawInstructionOffset {
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
