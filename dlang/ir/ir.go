// Package ir holds a D program as functions of basic blocks of values, between
// the checked tree and eBPF.
//
// The form is static single assignment. A value is computed once, by one
// instruction, and has at most one result: a 64-bit word or a pointer to
// memory. Narrower D integers are kept extended to 64 bits as their type says,
// by explicit extension instructions, so that arithmetic knows one width.
// Whatever can fail returns a status, and the branch on it is written out:
// there are no hidden edges. Blocks end in one terminator.
//
// What the form knows of tracing is small: buffers, tables and cells that the
// program's header lists, and the built-in facts of a firing. What it does not
// know is the kernel: where a process's name lies, which helper reads memory and
// what a register is called is settled by engine/codegen.
//
// A function stands for one hook: the clauses of all the probes that share an
// attachment, one after another, each guarded by its probes and its
// predicate. Functions can be printed and parsed (see text.go), and are verified
// after every pass.
package ir

import "dscope.dev/dlang/token"

// A Program is a script made ready for code generation.
type Program struct {
	Funcs   []*Func // one for each hook, then the subroutines they call
	Vars    []Var   // storage of the script's variables
	Aggs    []Agg
	Records []Record // layouts of what clauses record; a record's first word is its index here
	Strings []string // constants that are addressed; each is followed by a zero byte
	Options Options
}

// Options are the sizes that the layout of a program depends on.
type Options struct {
	StrSize      int  // bytes of a string, terminator included
	CopyStr      int  // bytes that copyinstr() reads at most, terminator included; 0 is StrSize
	ScratchSize  int  // most bytes that alloca() and copyin() give out in a clause; 0 for the default
	StackFrames  int  // default depth of stack()
	UstackFrames int  // default depth of ustack()
	JstackFrames int  // default depth of jstack()
	MaxFrames    int  // most frames of any stack; 0 for no limit
	PcapSize     int  // most bytes that pcap() keeps of a packet
	Temporal     bool // whether records carry the time of their firing
	Specs        int  // speculations that can be open at once; 0 is 1, less than 0 none
	SpecSize     int  // bytes that one of them may record, counted as DTrace does
	Examples     int  // how many firings are kept of each part of an aggregation; 0 for none
}

// A Func is one eBPF program (Unit ≥ 0), or a subroutine that programs call.
type Func struct {
	Name   string
	Unit   int      // index of the unit that the engine grouped; -1 for a subroutine
	Params []*Value // of a subroutine: OpParam values, at most 5
	Result bool     // of a subroutine: whether OpReturn has a value
	Blocks []*Block // Blocks[0] is the entry
	nextV  int
	nextB  int
	room   []*Value // before the values of the entry; see prepend
}

// A Block is a straight line of values that ends in a terminator.
type Block struct {
	ID    int
	Vals  []*Value // phis first; the last is the terminator
	Succs []*Block // the targets of the terminator, in its order
	Preds []*Block // in the order in which phis take their arguments
	Cold  bool     // a path that is rarely taken: faults, drops, first insertions
	Fn    *Func
}

// A Value is an instruction and its result.
type Value struct {
	ID    int
	Op    Op
	Args  []*Value
	Imm   int64 // a constant, offset, size or index: see Op
	Size  int   // bytes moved or allocated: see Op
	Aux   Aux   // what does not fit a number; nil for most
	At    token.Span
	Block *Block
}

// An Aux is the rest of a value: one of KeySet, Sym.
type Aux interface{ aux() }

// A KeySet is a set of probe keys within a unit, ascending.
type KeySet []uint32

// A Sym names a built-in fact or a called subroutine.
type Sym string

func (KeySet) aux() {}
func (Sym) aux()    {}

// A Var is the storage of one variable.
type Var struct {
	Name   string // as the script spells it: self->ts
	Kind   VarKind
	Offset int  // GlobalVar: in the globals' area; SelfVar: in the thread's cell; multiples of 8
	Size   int  // bytes of the value, rounded up to 8
	Key    int  // bytes of the encoded key of AssocVar, a multiple of 8
	Lasts  bool // of AssocVar: no element is given back, and OpAssocPut adds only what is not there
}

// A VarKind says where a variable is stored.
type VarKind uint8

// The kinds of storage. this-> variables have none: they are local slots.
const (
	GlobalVar VarKind = iota // one for the run, in memory that is addressed directly
	SelfVar                  // part of the one cell that each thread has
	AssocVar                 // a table; the key of a self-> array begins with the thread
)

// An Agg is the storage of one aggregation.
type Agg struct {
	Name   string
	Key    int        // bytes of the encoded key, a multiple of 8; 0 if it has none
	Words  int        // 64-bit words of a cell, as engine/agg lays out Func, and of what others have in it
	Func   string     // count, sum, …
	Stacks []StackKey // where the key holds numbers of stacks
	Shared bool       // whether programs that can interrupt each other update it
	Touch  bool       // whether the last of Words says that something was aggregated, because the others can cancel out
	Pool   int        // the number of the table that it shares with others of the same Key and Words; 0 if it has its own
	Parts  bool       // whether a cell lies in parts of Words each, under keys that differ in their tails
	Tail   bool       // whether the last 8 bytes of the key tell the aggregations of a pool and the parts apart
	In     int        // if not 0, one more than the number of the aggregation in whose cells this one's lie
	At     int        // the word of such a cell where this one's begins
	Short  int        // if not 0, a key whose byte Short-1 is 0 has zeros from there on, and lies in a table of its own, cut there
}

// AddTail makes room for a tail in the key.
func (a *Agg) AddTail() {
	a.Tail, a.Short = true, 0
	a.Key += 8
}

// Table returns the number of the aggregation whose table the one with the number
// i uses: the one in whose cells its own lie, the first of its pool, or itself.
func (p *Program) Table(i int) int {
	if in := p.Aggs[i].In; in > 0 {
		return in - 1
	}
	for j := range p.Aggs[:i] {
		if p.Aggs[i].Pool != 0 && p.Aggs[j].Pool == p.Aggs[i].Pool {
			return j
		}
	}
	return i
}

// Within returns the numbers of the aggregations whose cells lie in those of the one with the
// number i.
func (p *Program) Within(i int) (list []int) {
	for j := range p.Aggs {
		if p.Aggs[j].In == i+1 {
			list = append(list, j)
		}
	}
	return list
}

// dropShift is how far OpDrop shifts the number of an aggregation.
const dropShift = 8

// DropOf is the Imm of an OpDrop of a kind that is the aggregation's with a number.
func DropOf(kind int64, agg int) int64 { return kind | int64(agg+1)<<dropShift }

// DropKind takes the Imm of an OpDrop apart; agg is -1 if it names none.
func DropKind(imm int64) (kind int64, agg int) {
	return imm & (1<<dropShift - 1), int(imm>>dropShift) - 1
}

// TracerFrames is how many frames of the kernel's own tracing may lie at the inner end
// of a stack beside those that are always there: __bpf_trace_… of a tracepoint, and
// __traceiter_… as long as somebody else traces it too. They are left out where the
// stack is read, so that stacks of the kernel are recorded that much deeper than asked.
const TracerFrames = 2

// A StackKey says that the 8 bytes at Off of a key are the number that
// OpStackID gave to a stack.
type StackKey struct {
	Off   int
	User  bool
	Depth int
}

// A Record is the layout of what one clause records.
//
// Every record begins with this header, little-endian:
//
//	0  uint32  index of the layout in Program.Records
//	4  uint32  key of the site that fired, within its unit
//	8  uint64  time of the firing, only if Options.Temporal
type Record struct {
	Clause int  // index of the clause; -1 for the record of a fault
	Unit   int  // index of the unit whose site keys it holds
	Size   int  // bytes, header included, a multiple of 8
	Exits  bool // whether its clause may call exit(): then there is room for it when the buffer is full
	Fields []RecordField
}

// HeaderSize returns the bytes that every record begins with.
func (o Options) HeaderSize() int {
	if o.Temporal {
		return 16
	}
	return 8
}

// A RecordField is one datum of a record, in the order of the actions. What
// it means is known to whoever made the record; see lower.Layout.
type RecordField struct {
	Off, Size int
}
