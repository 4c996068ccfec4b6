// Package mach makes programs of instructions over any number of registers. It knows nothing
// of D, probes or maps: a Func is blocks of instructions, which whoever selects them has made,
// and Finish turns it into what the kernel loads.
//
// Liveness and colouring (live, graph, color, spill) give each register one of the ten that
// the machine has. What the verifier would otherwise follow twice is made alike (tidy). Layout
// puts the blocks in an order in which the usual path falls through.
package mach

import (
	"slices"

	"github.com/cilium/ebpf/asm"

	"dscope.dev/dlang/token"
)

// A Reg is a register. The first eleven are the machine's own, R0 to R10; those
// from Virtual on are names that the register allocator replaces.
type Reg int32

// Virtual is the first virtual register.
const Virtual Reg = 11

// The registers of the machine that have names here.
const (
	R0  = Reg(asm.R0)
	R1  = Reg(asm.R1)
	R2  = Reg(asm.R2)
	R3  = Reg(asm.R3)
	R4  = Reg(asm.R4)
	R5  = Reg(asm.R5)
	RFP = Reg(asm.RFP)
	// None is an operand that an instruction does not have.
	None Reg = -1
)

// CmpXchg is the instruction that exchanges memory if it holds what R0 does, and
// leaves in R0 what was there.
var CmpXchg = asm.CmpXchg.OpCode(asm.DWord)

// FetchAdd is the instruction that adds to memory and leaves in the register what
// was there.
var FetchAdd = asm.FetchAdd.OpCode(asm.DWord)

// An Inst is one eBPF instruction over machine or virtual registers. Jumps are
// not among them: they end blocks.
type Inst struct {
	Op  asm.OpCode
	Dst Reg
	Src Reg
	Off int16
	Imm int64
	Ref string // the map or subprogram that imm stands for
	// Stack says that imm is added to R10, which has been moved to dst: so that a helper is
	// told of a word of the stack.
	Stack bool
	PC    bool // imm is to be the number of the instruction within its program
	Args  int8 // of a call: how many of R1 to R5 it reads
	At    token.Span
}

// isCall reports whether i calls a helper or a subprogram.
func (i *Inst) isCall() bool { return i.Op.JumpOp() == asm.Call }

// isMove reports whether i copies one register to another, whole.
func (i *Inst) isMove() bool {
	return i.Op == asm.Mov.Op(asm.RegSource)
}

// def returns the register that i writes; a call writes R0 to R5 besides.
func (i *Inst) def() Reg {
	switch i.Op.Class() {
	case asm.ALUClass, asm.ALU64Class, asm.LdXClass, asm.LdClass:
		return i.Dst
	}
	if i.isCall() || i.fetches() {
		return R0
	}
	return None
}

// fetches reports whether i is atomic and leaves in R0, which it reads as well,
// what it found in memory.
func (i *Inst) fetches() bool {
	return i.Op == FetchAdd || i.Op == CmpXchg
}

// uses calls f with each register that i reads, as a place that can be
// replaced. The registers of a call are fixed and given as copies.
func (i *Inst) uses(f func(*Reg)) {
	switch i.Op.Class() {
	case asm.ALUClass, asm.ALU64Class:
		if i.Op.ALUOp() != asm.Mov {
			f(&i.Dst)
		}
		if i.Src != None {
			f(&i.Src)
		}
	case asm.LdXClass:
		f(&i.Src)
	case asm.StClass:
		f(&i.Dst)
	case asm.StXClass:
		f(&i.Dst)
		if i.fetches() {
			r := R0
			f(&r)
		}
		if i.Src != R0 || !i.fetches() {
			f(&i.Src)
		}
	case asm.LdClass:
	default:
		for k := range i.Args {
			r := R1 + Reg(k)
			f(&r)
		}
	}
}

// reads puts the registers that i reads into list and returns them.
func (i *Inst) reads(list *[5]Reg) []Reg {
	n := 0
	switch i.Op.Class() {
	case asm.ALUClass, asm.ALU64Class:
		if i.Op.ALUOp() != asm.Mov {
			list[0], n = i.Dst, 1
		}
		if i.Src != None {
			list[n] = i.Src
			n++
		}
	case asm.LdXClass:
		list[0], n = i.Src, 1
	case asm.StClass:
		list[0], n = i.Dst, 1
	case asm.StXClass:
		list[0], list[1], n = i.Dst, i.Src, 2
		if i.fetches() && i.Src != R0 {
			list[2], n = R0, 3
		}
	case asm.LdClass:
	default:
		for k := range i.Args {
			list[k] = R1 + Reg(k)
		}
		n = int(i.Args)
	}
	return list[:n]
}

// A termKind says how a block ends.
type termKind uint8

const (
	Jump   termKind = iota // to succs[0]
	Branch                 // to succs[0] if the test holds, else to succs[1]
	Exit                   // leaves the function with R0
)

// A Test compares x with y, or with imm if y is none.
type Test struct {
	Op   asm.JumpOp
	X, Y Reg
	Imm  int64
	Low  bool // only the low 32 bits
}

// inverse returns the test that holds when t does not, if there is one.
func (t Test) inverse() (Test, bool) {
	inv, ok := inverses[t.Op]
	t.Op = inv
	return t, ok
}

// inverses has no entry for JSet: no instruction tests for the absence of bits.
var inverses = map[asm.JumpOp]asm.JumpOp{
	asm.JEq: asm.JNE, asm.JNE: asm.JEq,
	asm.JGT: asm.JLE, asm.JLE: asm.JGT, asm.JGE: asm.JLT, asm.JLT: asm.JGE,
	asm.JSGT: asm.JSLE, asm.JSLE: asm.JSGT, asm.JSGE: asm.JSLT, asm.JSLT: asm.JSGE,
}

// A Block is a straight line of instructions and the way it ends.
type Block struct {
	id    int
	Insts []Inst
	Kind  termKind
	Test  Test
	Succs [2]*Block
	Cold  bool
	At    token.Span // of the terminator

	in, out regset // what is live; valid while registers are allocated
	writes  Reg    // of the register whose life is being followed: that the block writes it
}

// successors returns the blocks that may follow b.
func (b *Block) successors() []*Block {
	switch b.Kind {
	case Jump:
		return b.Succs[:1]
	case Branch:
		return b.Succs[:2]
	}
	return nil
}

// termUses calls f with each register that the end of b reads.
func (b *Block) termUses(f func(*Reg)) {
	switch b.Kind {
	case Branch:
		if b.Test.X != None {
			f(&b.Test.X)
		}
		if b.Test.Y != None {
			f(&b.Test.Y)
		}
	case Exit:
		r := R0
		f(&r)
	}
}

// MaxStack is how many bytes of stack the kernel gives a program and the subprograms it
// calls together.
const MaxStack = 512

// A Func is a function in machine form.
type Func struct {
	pcs    []int // instructions that want to know where they are, once assembled
	Name   string
	Blocks []*Block         // blocks[0] is the entry
	Regs   Reg              // one more than the highest virtual register in use
	Frame  int              // bytes of stack in use
	Extra  int              // bytes of stack that the verifier adds
	Spills int              // how many registers went to the stack
	Tidied bool             // whether words of the stack that nobody wants are zero; see tidy
	Idle   bool             // whether registers that nobody reads are to be zero as well
	Alone  []Reg            // registers that must find a colour and are joined with no others, which may not
	Tmp    int              // offset of the word for keys of arrays, which is used within a block; 0 if there is none
	Calls  []string         // subprograms called
	Code   asm.Instructions // once registers are allocated

	slab []Inst // of which blocks take the memory of their instructions, one after the other
}

// NewReg returns a fresh virtual register.
func (m *Func) NewReg() Reg {
	m.Regs++
	return m.Regs - 1
}

// NewBlock appends an empty block.
func (m *Func) NewBlock(cold bool) *Block {
	b := &Block{id: len(m.Blocks), Cold: cold}
	m.Blocks = append(m.Blocks, b)
	return b
}

// Append appends an instruction to a block.
func (m *Func) Append(b *Block, in Inst) {
	if len(b.Insts) == cap(b.Insts) {
		m.grow(b)
	}
	b.Insts = append(b.Insts, in)
}

// grow gives a block room for more instructions: behind those that it has, if that is free. Most
// blocks are made at one go and have a few.
func (m *Func) grow(b *Block) {
	const few, many = 4, 256
	n, end := len(b.Insts), len(m.slab)
	more := max(few, n/2)
	last := n > 0 && end >= n && &b.Insts[n-1] == &m.slab[end-1] // b has taken what was taken last
	if last && cap(m.slab)-end >= more {
		b.Insts = m.slab[end-n : end : end+more]
	} else {
		more += n
		if cap(m.slab)-end < more {
			m.slab, end = make([]Inst, 0, max(many, more)), 0
		}
		b.Insts = append(m.slab[end:end:end+more], b.Insts...)
	}
	m.slab = m.slab[:end+more]
}

// ids returns one more than the highest number of a block.
func (m *Func) ids() int {
	most := 0
	for _, b := range m.Blocks {
		most = max(most, b.id)
	}
	return most + 1
}

// NoteCalls lists the subprograms that m calls, once what is never reached is
// gone: the kernel wants no subprogram that nobody calls.
func (m *Func) NoteCalls() {
	m.Calls = nil
	for _, b := range m.Blocks {
		for i := range b.Insts {
			if in := &b.Insts[i]; (in.isCall() || in.Src == Reg(asm.PseudoFunc) && in.Op.IsDWordLoad()) && in.Ref != "" && !slices.Contains(m.Calls, in.Ref) {
				m.Calls = append(m.Calls, in.Ref)
			}
		}
	}
}

// Slot takes size bytes of the stack and returns their offset from R10.
func (m *Func) Slot(size int) int {
	m.Frame += (size + 7) &^ 7
	return -m.Frame
}
