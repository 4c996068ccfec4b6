package codegen

import (
	"slices"

	"github.com/cilium/ebpf/asm"

	"dscope.dev/dlang/token"
)

// A reg is a register. The first eleven are the machine's own, R0 to R10; those
// from virtual on are names that the register allocator replaces.
type reg int32

// virtual is the first virtual register.
const virtual reg = 11

// machine registers.
const (
	r0  = reg(asm.R0)
	r1  = reg(asm.R1)
	r2  = reg(asm.R2)
	r3  = reg(asm.R3)
	r4  = reg(asm.R4)
	r5  = reg(asm.R5)
	rfp = reg(asm.RFP)
	// none is an operand that an instruction does not have.
	none reg = -1
)

// An inst is one eBPF instruction over machine or virtual registers. Jumps are
// not among them: they end blocks.
type inst struct {
	op   asm.OpCode
	dst  reg
	src  reg
	off  int16
	imm  int64
	ref  string // the map or subprogram that imm stands for
	pc   bool   // imm is to be the number of the instruction within its program
	args int8   // of a call: how many of R1 to R5 it reads
	at   token.Span
}

// isCall reports whether i calls a helper or a subprogram.
func (i *inst) isCall() bool { return i.op.JumpOp() == asm.Call }

// isMove reports whether i copies one register to another, whole.
func (i *inst) isMove() bool {
	return i.op == asm.Mov.Op(asm.RegSource)
}

// def returns the register that i writes; a call writes R0 to R5 besides.
func (i *inst) def() reg {
	switch i.op.Class() {
	case asm.ALUClass, asm.ALU64Class, asm.LdXClass, asm.LdClass:
		return i.dst
	}
	if i.isCall() || i.fetches() {
		return r0
	}
	return none
}

// fetches reports whether i is atomic and leaves in R0, which it reads as well,
// what it found in memory.
func (i *inst) fetches() bool {
	return i.op == fetchAdd || i.op == cmpXchg
}

// uses calls f with each register that i reads, as a place that can be
// replaced. The registers of a call are fixed and given as copies.
func (i *inst) uses(f func(*reg)) {
	switch i.op.Class() {
	case asm.ALUClass, asm.ALU64Class:
		if i.op.ALUOp() != asm.Mov {
			f(&i.dst)
		}
		if i.src != none {
			f(&i.src)
		}
	case asm.LdXClass:
		f(&i.src)
	case asm.StClass:
		f(&i.dst)
	case asm.StXClass:
		f(&i.dst)
		if i.fetches() {
			r := r0
			f(&r)
		}
		if i.src != r0 || !i.fetches() {
			f(&i.src)
		}
	case asm.LdClass:
	default:
		for k := range i.args {
			r := r1 + reg(k)
			f(&r)
		}
	}
}

// reads puts the registers that i reads into list and returns them.
func (i *inst) reads(list *[5]reg) []reg {
	n := 0
	switch i.op.Class() {
	case asm.ALUClass, asm.ALU64Class:
		if i.op.ALUOp() != asm.Mov {
			list[0], n = i.dst, 1
		}
		if i.src != none {
			list[n] = i.src
			n++
		}
	case asm.LdXClass:
		list[0], n = i.src, 1
	case asm.StClass:
		list[0], n = i.dst, 1
	case asm.StXClass:
		list[0], list[1], n = i.dst, i.src, 2
		if i.fetches() && i.src != r0 {
			list[2], n = r0, 3
		}
	case asm.LdClass:
	default:
		for k := range i.args {
			list[k] = r1 + reg(k)
		}
		n = int(i.args)
	}
	return list[:n]
}

// A termKind says how a block ends.
type termKind uint8

const (
	termJump   termKind = iota // to succs[0]
	termBranch                 // to succs[0] if the test holds, else to succs[1]
	termExit                   // leaves the function with R0
)

// A test compares x with y, or with imm if y is none.
type test struct {
	op   asm.JumpOp
	x, y reg
	imm  int64
	low  bool // only the low 32 bits
}

// inverse returns the test that holds when t does not, if there is one.
func (t test) inverse() (test, bool) {
	inv, ok := inverses[t.op]
	t.op = inv
	return t, ok
}

// inverses has no entry for JSet: no instruction tests for the absence of bits.
var inverses = map[asm.JumpOp]asm.JumpOp{
	asm.JEq: asm.JNE, asm.JNE: asm.JEq,
	asm.JGT: asm.JLE, asm.JLE: asm.JGT, asm.JGE: asm.JLT, asm.JLT: asm.JGE,
	asm.JSGT: asm.JSLE, asm.JSLE: asm.JSGT, asm.JSGE: asm.JSLT, asm.JSLT: asm.JSGE,
}

// A block is a straight line of instructions and the way it ends.
type block struct {
	id    int
	insts []inst
	kind  termKind
	test  test
	succs [2]*block
	cold  bool
	at    token.Span // of the terminator

	in, out regset // what is live; valid while registers are allocated
	writes  reg    // of the register whose life is being followed: that the block writes it
}

// successors returns the blocks that may follow b.
func (b *block) successors() []*block {
	switch b.kind {
	case termJump:
		return b.succs[:1]
	case termBranch:
		return b.succs[:2]
	}
	return nil
}

// termUses calls f with each register that the end of b reads.
func (b *block) termUses(f func(*reg)) {
	switch b.kind {
	case termBranch:
		if b.test.x != none {
			f(&b.test.x)
		}
		if b.test.y != none {
			f(&b.test.y)
		}
	case termExit:
		r := r0
		f(&r)
	}
}

// A mfunc is a function in machine form.
type mfunc struct {
	pcs    []int // instructions that want to know where they are, once assembled
	name   string
	blocks []*block         // blocks[0] is the entry
	regs   reg              // one more than the highest virtual register in use
	frame  int              // bytes of stack in use
	extra  int              // bytes of stack that the verifier adds
	spills int              // how many registers went to the stack
	tidied bool             // whether words of the stack that nobody wants are zero; see tidy
	idle   bool             // whether registers that nobody reads are to be zero as well
	tmp    int              // offset of the word for keys of arrays, which is used within a block; 0 if there is none
	calls  []string         // subprograms called
	code   asm.Instructions // once registers are allocated
}

// newReg returns a fresh virtual register.
func (m *mfunc) newReg() reg {
	m.regs++
	return m.regs - 1
}

// newBlock appends an empty block.
func (m *mfunc) newBlock(cold bool) *block {
	b := &block{id: len(m.blocks), cold: cold}
	m.blocks = append(m.blocks, b)
	return b
}

// ids returns one more than the highest number of a block.
func (m *mfunc) ids() int {
	most := 0
	for _, b := range m.blocks {
		most = max(most, b.id)
	}
	return most + 1
}

// noteCalls lists the subprograms that m calls, once what is never reached is
// gone: the kernel wants no subprogram that nobody calls.
func (m *mfunc) noteCalls() {
	m.calls = nil
	for _, b := range m.blocks {
		for i := range b.insts {
			if in := &b.insts[i]; (in.isCall() || in.src == reg(asm.PseudoFunc) && in.op.IsDWordLoad()) && in.ref != "" && !slices.Contains(m.calls, in.ref) {
				m.calls = append(m.calls, in.ref)
			}
		}
	}
}

// slot takes size bytes of the stack and returns their offset from R10.
func (m *mfunc) slot(size int) int {
	m.frame += (size + 7) &^ 7
	return -m.frame
}
