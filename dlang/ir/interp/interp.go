// Package interp runs functions of the intermediate form over a made-up firing.
//
// It is the second of the three judges that the compiler is held to: a checked
// script, what it was lowered to, and what the passes made of that must do the
// same. Only tests import it. It knows no kernel: memory is a table of numbers
// by address, a thread is a handful of bytes, and what leaves a program (records,
// faults, drops) is kept in lists that can be compared.
package interp

import (
	"encoding/binary"
	"fmt"

	"dscope.dev/dlang/ir"
)

// A Machine is what firings share: the variables and aggregations of a program,
// and what it has sent out.
type Machine struct {
	Prog    *ir.Program
	Globals map[int][]byte            // by index of the variable
	Self    map[int64][]byte          // cells, by number of the thread
	Assoc   map[int]map[string][]byte // by index, then key
	Aggs    map[int]map[string][]byte // by index, then key
	Out     []Event
	Stopped bool

	steps [256]stepFunc // by operation
}

// An Event is something that left the program.
type Event struct {
	Kind  string // record, fault, drop
	Index int64  // of the record or drop; of a fault clause<<16 | action<<8 | kind
	Value int64  // of a fault
	Bytes []byte // of a record
}

// A Firing is what one firing sees.
type Firing struct {
	Key      uint32
	Args     [10]int64
	Thread   int64
	Task     []byte                 // the task_struct
	TaskAddr int64                  // its address
	Builtins map[ir.Sym]int64       // timestamp, cpu, …
	Kernel   map[int64]byte         // readable kernel memory
	User     map[int64]byte         // readable memory of the process
	Probe    [4]string              // the probe's name
	Full     func(what string) bool // whether a reservation or insertion fails; nil never
}

// New returns a machine without any state.
func New(p *ir.Program) *Machine {
	m := &Machine{Prog: p, Globals: map[int][]byte{}, Self: map[int64][]byte{}, Assoc: map[int]map[string][]byte{}, Aggs: map[int]map[string][]byte{}, steps: steps()}
	for i, v := range p.Vars {
		if v.Kind == ir.GlobalVar {
			m.Globals[i] = make([]byte, v.Size)
		}
		m.Assoc[i] = map[string][]byte{}
	}
	for i := range p.Aggs {
		m.Aggs[i] = map[string][]byte{}
	}
	return m
}

// A value is what a Value comes to: a word, or a pointer.
type value struct {
	w   int64
	mem []byte // of a pointer; nil if it is null
	off int64
}

// A frame is one call of a function.
type frame struct {
	m     *Machine
	f     *Firing
	vals  map[*ir.Value]value
	steps *int
	args  []value
}

// maxSteps is after how many values a function is taken to be stuck.
const maxSteps = 1 << 20

// Run fires a function once. An error is a mistake of the program: what the
// kernel's verifier would refuse.
func (m *Machine) Run(fn *ir.Func, f *Firing) error {
	if m.Stopped {
		return nil
	}
	steps := 0
	_, err := m.call(fn, f, nil, &steps)
	return err
}

func (m *Machine) call(fn *ir.Func, f *Firing, args []value, steps *int) (value, error) {
	fr := &frame{m: m, f: f, vals: map[*ir.Value]value{}, steps: steps, args: args}
	b, from := fn.Entry(), (*ir.Block)(nil)
	for {
		fr.phis(b, from)
		next, result, err := fr.block(b)
		if err != nil {
			return value{}, fmt.Errorf("%s b%d: %w", fn.Name, b.ID, err)
		}
		if next == nil {
			return result, nil
		}
		b, from = next, b
	}
}

// phis takes the values for the way from one block to the next, all at once.
func (fr *frame) phis(b, from *ir.Block) {
	var now []value
	for _, phi := range b.Phis() {
		for i, p := range b.Preds {
			if p == from {
				now = append(now, fr.vals[phi.Args[i]])
				break
			}
		}
	}
	for i, phi := range b.Phis() {
		fr.vals[phi] = now[i]
	}
}

func (fr *frame) block(b *ir.Block) (next *ir.Block, result value, err error) {
	for _, v := range b.Vals[len(b.Phis()):] {
		*fr.steps++
		if *fr.steps > maxSteps {
			return nil, result, fmt.Errorf("does not end")
		}
		switch v.Op {
		case ir.OpJump:
			return b.Succs[0], result, nil
		case ir.OpBranch:
			if fr.word(v, 0) != 0 {
				return b.Succs[0], result, nil
			}
			return b.Succs[1], result, nil
		case ir.OpReturn:
			if len(v.Args) > 0 {
				result = fr.vals[v.Args[0]]
			}
			return nil, result, nil
		}
		if err := fr.step(v); err != nil {
			return nil, result, fmt.Errorf("%s: %w", v, err)
		}
	}
	return nil, result, fmt.Errorf("no terminator")
}

// word is argument i as a word.
func (fr *frame) word(v *ir.Value, i int) int64 { return fr.vals[v.Args[i]].w }

// bytes is n bytes at pointer argument i, moved by off.
func (fr *frame) bytes(v *ir.Value, i int, off int64, n int) ([]byte, error) {
	p := fr.vals[v.Args[i]]
	at := p.off + off
	if p.mem == nil || at < 0 || at+int64(n) > int64(len(p.mem)) {
		return nil, fmt.Errorf("%d bytes at %d of memory of %d", n, at, len(p.mem))
	}
	return p.mem[at : at+int64(n)], nil
}

func (fr *frame) set(v *ir.Value, w int64) { fr.vals[v] = value{w: w} }

func (fr *frame) setPtr(v *ir.Value, mem []byte) { fr.vals[v] = value{mem: mem} }

// A stepFunc does one operation.
type stepFunc func(*frame, *ir.Value) error

// steps says what does each operation; block itself sees to phis and terminators.
func steps() [256]stepFunc {
	return [256]stepFunc{
		ir.OpConst: (*frame).compute, ir.OpParam: (*frame).compute,
		ir.OpAdd: (*frame).binary, ir.OpSub: (*frame).binary, ir.OpMul: (*frame).binary, ir.OpDivS: (*frame).binary,
		ir.OpDivU: (*frame).binary, ir.OpModS: (*frame).binary, ir.OpModU: (*frame).binary, ir.OpAnd: (*frame).binary,
		ir.OpOr: (*frame).binary, ir.OpXor: (*frame).binary, ir.OpShl: (*frame).binary, ir.OpShrL: (*frame).binary,
		ir.OpShrA: (*frame).binary,
		ir.OpNeg:  (*frame).compute, ir.OpNot: (*frame).compute, ir.OpSExt: (*frame).compute, ir.OpZExt: (*frame).compute,
		ir.OpEq: (*frame).binary, ir.OpNe: (*frame).binary, ir.OpLtS: (*frame).binary, ir.OpLeS: (*frame).binary,
		ir.OpLtU: (*frame).binary, ir.OpLeU: (*frame).binary,
		ir.OpLog2: (*frame).compute, ir.OpBound: (*frame).compute,

		ir.OpAlloca: (*frame).memory, ir.OpString: (*frame).memory, ir.OpGlobal: (*frame).memory, ir.OpLoad: (*frame).memory,
		ir.OpStore: (*frame).memory, ir.OpAtomicAdd: (*frame).memory, ir.OpFetchAdd: (*frame).memory, ir.OpCmpXchg: (*frame).memory,
		ir.OpZero: (*frame).memory, ir.OpCopy: (*frame).memory, ir.OpPtrEq0: (*frame).memory,

		ir.OpReadK: (*frame).reading, ir.OpReadU: (*frame).reading, ir.OpReadStrK: (*frame).reading, ir.OpReadStrU: (*frame).reading,
		ir.OpReadKN: (*frame).reading, ir.OpReadUN: (*frame).reading, ir.OpWriteUN: (*frame).reading, ir.OpWriteU: (*frame).reading,

		ir.OpBuiltin: (*frame).fact, ir.OpKey: (*frame).fact, ir.OpKeyIn: (*frame).fact, ir.OpArg: (*frame).fact,
		ir.OpTask: (*frame).fact, ir.OpTaskLoad: (*frame).fact, ir.OpProbeStr: (*frame).fact,

		ir.OpSelf: (*frame).storage, ir.OpAssocGet: (*frame).storage, ir.OpAssocPut: (*frame).storage, ir.OpAssocDel: (*frame).storage,
		ir.OpAggCell: (*frame).storage, ir.OpStackID: (*frame).storage, ir.OpStack: (*frame).storage,

		ir.OpReserve: (*frame).report, ir.OpSubmit: (*frame).report, ir.OpDiscard: (*frame).report, ir.OpDrop: (*frame).report,
		ir.OpFault: (*frame).report, ir.OpStop: (*frame).report, ir.OpSignal: (*frame).report, ir.OpClock: (*frame).report,
		ir.OpChill: (*frame).report, ir.OpMayGo: (*frame).report, ir.OpCall: (*frame).report,
	}
}

func (fr *frame) step(v *ir.Value) error {
	if do := fr.m.steps[v.Op]; do != nil {
		return do(fr, v)
	}
	return fmt.Errorf("not known")
}

func getInt(b []byte) int64 {
	var full [8]byte
	copy(full[:], b)
	return int64(binary.LittleEndian.Uint64(full[:]))
}

func putInt(b []byte, w int64) {
	var full [8]byte
	binary.LittleEndian.PutUint64(full[:], uint64(w))
	copy(b, full[:])
}

func truth(b bool) int64 {
	if b {
		return 1
	}
	return 0
}
