package mach

import (
	"math/bits"
	"slices"

	"github.com/cilium/ebpf/asm"
)

// While the verifier has not followed every way through a loop, two states are one for
// it only if their whole stacks are alike, what nobody reads any more included
// (stacksafe in kernel/bpf/verifier.c, since 6.9). A register that is spilled on one
// way through a round and not on another then doubles the ways, and a round with k
// conditions is followed in 2^k. Of registers it knows which are still read, but only
// since 6.15; before that they are treated as the words of the stack are.
//
// So in functions with loops a word of the stack is zero unless somebody wants what it
// holds: when the function begins, and again at the end of the block after which it is
// not read any more. Working memory is not on the stack there (placeAllocas): the
// verifier does not know what maps hold.

// tidy makes zero what nobody wants. Registers have been allocated.
func (m *Func) tidy() {
	if !m.Tidied || m.Frame > MaxStack {
		return // too deep a stack is tried again with less on it
	}
	if m.Idle {
		m.tidyRegs()
	}
	if m.Frame > 0 {
		m.tidyStack()
	}
}

// tidyStack makes words of the stack zero that nobody wants.
func (m *Func) tidyStack() {
	t := &tidier{m: m}
	n := m.ids()
	t.touched, t.written, t.in, t.out = make([]words, n), make([]words, n), make([]words, n), make([]words, n)
	for _, b := range m.Blocks {
		t.survey(b)
	}
	t.flow()
	before := make([]words, n) // what is wanted in one of the blocks before, or on another way out of them
	for _, b := range m.Blocks {
		for _, c := range b.successors() {
			before[c.id] |= t.out[b.id]
		}
	}
	before[m.Blocks[0].id] = t.all()
	for _, b := range m.Blocks {
		first := t.zeros(before[b.id]&^t.in[b.id]&^t.touched[b.id], b)
		b.Insts = append(append(first, b.Insts...), t.zeros(t.touched[b.id]&^t.out[b.id], b)...)
	}
}

// words is a set of words of the stack, the lowest address first.
type words uint64

// A tidier knows who wants which words of a function's stack.
type tidier struct {
	m                         *Func
	touched, written, in, out []words // by block; in and out: what is wanted at its borders
}

// all returns the words of the whole stack.
func (t *tidier) all() words { return 1<<(t.m.Frame/8) - 1 }

// word returns the word that is so many bytes from R10.
func (t *tidier) word(off int) words { return 1 << ((off + t.m.Frame) / 8) }

// survey finds what b touches, and which words it reads before it writes them.
func (t *tidier) survey(b *Block) {
	for i := range b.Insts {
		in := &b.Insts[i]
		switch class := in.Op.Class(); {
		case class == asm.LdXClass && in.Src == RFP:
			t.read(b, t.word(int(in.Off)))
		case (class == asm.StXClass || class == asm.StClass) && in.Dst == RFP:
			w := t.word(int(in.Off))
			t.touched[b.id] |= w
			t.written[b.id] |= w
		case in.Stack:
			t.read(b, t.word(int(in.Imm)))
		}
	}
	if t.m.Tmp != 0 {
		t.in[b.id] &^= t.word(t.m.Tmp) // nobody wants from another block what is there
	}
}

func (t *tidier) read(b *Block, w words) {
	t.touched[b.id] |= w
	t.in[b.id] |= w &^ t.written[b.id]
}

// flow lets what is wanted at the start of a block be wanted at the end of those before
// it, and at their start unless they write it.
func (t *tidier) flow() {
	for again := true; again; {
		again = false
		for _, b := range t.m.postorder() {
			var out words
			for _, c := range b.successors() {
				out |= t.in[c.id]
			}
			in := t.in[b.id] | out&^t.written[b.id]
			again = again || in != t.in[b.id]
			t.in[b.id], t.out[b.id] = in, out
		}
	}
}

// zeros returns the instructions that clear words.
func (t *tidier) zeros(w words, b *Block) []Inst {
	var list []Inst
	for ; w != 0; w &= w - 1 {
		off := 8*bits.TrailingZeros64(uint64(w)) - t.m.Frame
		list = append(list, Inst{Op: asm.StoreImmOp(asm.DWord), Dst: RFP, Src: None, Off: int16(off), At: b.At})
	}
	return list
}

// tidyRegs makes registers zero that nobody reads. What the end of a block reads can be
// made so in the next one only.
func (m *Func) tidyRegs() {
	w := spare.Get().(*workplace)
	defer spare.Put(w)
	w.flow.begin(m)
	w.flow.liveness()
	before := make([]regset, m.ids()) // what may not be zero where a block begins
	for r := range Reg(colors) {
		before[m.Blocks[0].id].add(r)
	}
	for _, b := range m.Blocks {
		left := slices.Clone(b.out)
		b.termUses(func(r *Reg) { left.add(*r) })
		for _, c := range b.successors() {
			for _, r := range left {
				before[c.id].add(r)
			}
		}
	}
	var last regset
	for _, b := range m.Blocks {
		b.atEnd(&last)
		var first, end []Inst
		wrote := b.overwrites()
		for _, r := range before[b.id] {
			if !b.in.has(r) && !wrote.has(r) {
				first = append(first, b.zero(r))
			}
		}
		for _, r := range wrote {
			if !last.has(r) && b.Kind != Exit {
				end = append(end, b.zero(r))
			}
		}
		b.Insts = append(append(first, b.Insts...), end...)
	}
}

// zero returns an instruction of b that clears a register.
func (b *Block) zero(r Reg) Inst {
	return Inst{Op: asm.Mov.Op(asm.ImmSource), Dst: r, Src: None, At: b.At}
}

// overwrites returns the registers that b writes, those that calls overwrite among them.
func (b *Block) overwrites() (list regset) {
	for i := range b.Insts {
		if in := &b.Insts[i]; in.isCall() {
			for r := range Reg(clobbered) {
				list.add(r)
			}
		} else if d := in.def(); d != None {
			list.add(d)
		}
	}
	return list
}
