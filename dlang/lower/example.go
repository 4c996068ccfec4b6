package lower

import (
	"dscope.dev/dlang/ast"
	"dscope.dev/dlang/check"
	"dscope.dev/dlang/ir"
	"dscope.dev/dlang/types"
)

// Of what an aggregation takes in, examples are kept if the option asks for them: of each
// bucket, on each CPU, between two drains of the aggregations, a fair sample of so many
// firings. It is Vitter's algorithm R, split in two. Here the firings of the part are
// counted, and the one with the number n is recorded with a probability of most/n, for
// one of the most places; the reader keeps of each place the last record. So a part costs
// records only by the logarithm of its firings, and a firing that is not taken a lookup, a
// random number and a comparison.
//
// The counts lie in one more cell for each assignment, which is switched and emptied with
// the aggregations, so that the reader learns how many firings the sample stands for.

// MostExamples is the most that are kept of one part.
const MostExamples = 64

const (
	mostSamples = 12   // assignments of which examples are kept: each takes a table, of which a program has few
	mostPlaces  = 1024 // parts of one sample; a histogram with more buckets has one part for all
)

// A Sample is an assignment of whose firings examples are kept.
type Sample struct {
	Assign *check.AggAssign
	State  int // index in ir.Program.Aggs of the cell with its counts
	Strata int // how many these are: after the first word, which is the state of the random numbers
}

// Where an example's own data lie among those of its layout's action, before the dimensions.
const (
	ExampleStratum = iota // number of the part
	ExampleSlot           // which of the places it takes
	ExampleCount          // of the firings of the part so far, with this one
	ExampleTime           // ns
	ExampleValue          // what went in
	ExampleHead           // how many these are
)

// samples finds what examples are kept of, and makes the cells.
func (l *lowerer) samples() {
	for _, c := range l.prog.Clauses {
		l.walk(c.AST, func(n ast.Node) bool {
			s, ok := n.(*ast.AggAssign)
			if !ok || len(l.res.Samples) == mostSamples {
				return true
			}
			as := l.prog.AggAssigns[s]
			if as == nil || as.Dims == nil || l.sampleOf[as] != 0 {
				return true
			}
			strata := 1
			if n := l.cellWords(as.Agg); as.Agg.IsHistogram() && n <= mostPlaces {
				strata = n
			}
			l.res.Samples = append(l.res.Samples, Sample{Assign: as, State: len(l.out.Aggs), Strata: strata})
			l.out.Aggs = append(l.out.Aggs, ir.Agg{Name: as.Agg.Name, Words: 1 + strata, Func: "examples"})
			l.sampleOf[as] = len(l.res.Samples)
			return true
		})
	}
}

// example counts a firing and, if the dice say so, records it. Index is the bucket that
// val has gone into, nil if there are none; val is nil where firings are counted.
func (f *fn) example(as *check.AggAssign, val, index *ir.Value) {
	number := f.sampleOf[as]
	if number == 0 {
		return
	}
	sample := &f.res.Samples[number-1]
	if index == nil || sample.Strata == 1 {
		index = f.Const(0)
	}
	if val == nil {
		val = f.Const(1)
	}
	keep, there, done := f.ColdBlock(), f.Block(), f.Block()
	cell := f.Emit(ir.Value{Op: ir.OpAggCell, Imm: int64(sample.State)})
	f.Branch(f.Op(ir.OpPtrEq0, cell), done, there)
	f.Go(there)
	part := f.Emit(ir.Value{Op: ir.OpBound, Imm: int64(sample.Strata)}, index)
	count := f.Op(ir.OpAdd, cell, f.Op(ir.OpShl, part, f.Const(3)))
	n := f.Op(ir.OpAdd, f.Load(count, 8, 8), f.Const(1))
	f.Store(count, 8, 8, n)
	slot := f.below(f.dice(cell), n)
	f.Branch(f.Op(ir.OpLtU, slot, f.Const(int64(f.opts.Examples))), keep, done)
	f.Go(keep)
	f.recordExample(number, as, []*ir.Value{
		ExampleStratum: part, ExampleSlot: slot, ExampleCount: n,
		ExampleTime: f.Emit(ir.Value{Op: ir.OpBuiltin, Aux: ir.Sym("timestamp")}), ExampleValue: val,
	}, done)
	f.Jump(done)
	f.Go(done)
}

// dice returns 32 random bits. The word at the beginning of the cell is the state of
// Marsaglia's xorshift; a new one begins with what the kernel gives.
func (f *fn) dice(cell *ir.Value) *ir.Value {
	fresh, ready := f.ColdBlock(), f.Block()
	was := f.Load(cell, 0, 8)
	f.Branch(was, ready, fresh)
	f.Go(fresh)
	f.calls++
	seed := f.Op(ir.OpOr, f.Emit(ir.Value{Op: ir.OpBuiltin, Imm: f.calls, Aux: ir.Sym("rand")}), f.Const(1))
	seed = f.Op(ir.OpMul, seed, f.Const(0x2545f4914f6cdd1d))
	f.Jump(ready)
	f.Go(ready)
	x := f.Phi(was, seed)
	x = f.Op(ir.OpXor, x, f.Op(ir.OpShl, x, f.Const(13)))
	x = f.Op(ir.OpXor, x, f.Op(ir.OpShrL, x, f.Const(7)))
	x = f.Op(ir.OpXor, x, f.Op(ir.OpShl, x, f.Const(17)))
	f.Store(cell, 0, 8, x)
	return f.Op(ir.OpShrL, x, f.Const(32))
}

// below makes of 32 random bits a number below n, which has no more bits.
func (f *fn) below(bits, n *ir.Value) *ir.Value {
	return f.Op(ir.OpShrL, f.Op(ir.OpMul, bits, n), f.Const(32))
}

// recordExample records a firing beside whatever its clause records. Without room for
// it the place keeps what it has. A dimension that cannot be computed is noted as missing:
// nothing here may end the clause.
func (f *fn) recordExample(number int, as *check.AggAssign, head []*ir.Value, skip *ir.Block) {
	outer := f.recordBuilder
	defer func() { f.recordBuilder = outer }()
	f.recordBuilder = recordBuilder{}
	f.rec = f.newRecord()
	f.out.Records[f.record].Exits = false
	f.res.Layouts[f.record].Example = number
	room := f.Block()
	f.Branch(f.Op(ir.OpPtrEq0, f.rec), skip, room)
	f.Go(room)
	var data []Datum
	for _, w := range head {
		data = append(data, f.wordDatum(w, types.Int64))
	}
	flags := f.alignedRoom(len(as.Dims))
	for i := range as.Dims {
		data = append(data, f.dimension(&as.Dims[i], flags+i))
	}
	f.res.Layouts[f.record].Actions = []Action{{Kind: ActExample, Data: data, Flag: flags}}
	f.Op(ir.OpSubmit, f.rec)
	r := &f.out.Records[f.record]
	r.Size = round8(r.Size)
}

// dimension records one, and in the byte at flag whether it could be had.
func (f *fn) dimension(d *check.Dim, flag int) (data Datum) {
	missing, begin, on := f.ColdBlock(), f.Block(), f.Block()
	f.Branch(f.Const(0), missing, begin) // most cannot fail, and then nothing else leads there
	f.Go(begin)
	f.orElse(missing, func() {
		if call, ok := f.prog.Means.Unparen(d.X).(*ast.Call); ok && f.prog.Calls[call] != nil && f.prog.Calls[call].Fn != nil && f.prog.Calls[call].Fn.Action {
			data = f.symDatum(call, f.prog.Calls[call])
		} else {
			data = f.datum(d.X)
		}
		f.Store(f.rec, int64(flag), 1, f.Const(1))
		f.Jump(on)
	})
	f.Go(missing)
	f.Store(f.rec, int64(flag), 1, f.Const(0))
	f.Jump(on)
	f.Go(on)
	return data
}
