package lower

import (
	"dscope.dev/dlang/function"
	"dscope.dev/dlang/ir"
)

// quantizeZero is the bucket of quantize() that counts zeros.
const quantizeZero = 63

func bucketHooks(h *hooks) {
	for id, find := range map[function.AggID]findFunc{
		function.Quantize: update.quantize, function.Lquantize: update.lquantize, function.Llquantize: update.llquantize,
	} {
		h.update[id], h.find[id] = update.bucket, find
	}
	h.cell[function.Lquantize] = func(params []int64) int { return int(linearLevels(params)) + 2 }
	h.cell[function.Llquantize] = func(params []int64) int {
		_, _, far := logLinear(params)
		return int(2*far) + 1
	}
}

// bucket counts in the word with the number index; of a cell in parts, it lies in
// this one.
func (u update) bucket(index, incr *ir.Value) {
	if incr == nil {
		incr = u.Const(1)
	}
	words := int64(u.cellWords(u.agg))
	if u.out.Aggs[u.agg.Index].Parts {
		words = partWords
		index = u.Op(ir.OpAnd, index, u.Const(partWords-1))
	}
	i := u.Emit(ir.Value{Op: ir.OpBound, Imm: words}, index)
	u.add(u.Op(ir.OpAdd, u.cell, u.Op(ir.OpShl, i, u.Const(3))), 0, incr)
}

// quantize finds the power of two at or below val. Values count as signed,
// whatever their type, as DTrace has it.
func (u update) quantize(val *ir.Value) *ir.Value {
	pos, rest, neg, done := u.Block(), u.Block(), u.Block(), u.Block()
	u.Branch(u.Op(ir.OpLtS, u.Const(0), val), pos, rest)
	u.Go(pos)
	a := u.Op(ir.OpAdd, u.Op(ir.OpLog2, val), u.Const(quantizeZero+1))
	u.Jump(done)
	u.Go(rest)
	zero := u.Const(quantizeZero)
	u.Branch(val, neg, done)
	u.Go(neg)
	// -val of the smallest number is 2^63 as an unsigned one, one power more
	// than there are buckets. Halving it puts it into the last of them.
	abs := u.Op(ir.OpNeg, val)
	abs = u.Op(ir.OpShrL, abs, u.Op(ir.OpShrL, abs, u.Const(63)))
	b := u.Op(ir.OpSub, u.Const(quantizeZero-1), u.Op(ir.OpLog2, abs))
	u.Jump(done)
	u.Go(done)
	return u.Phi(a, zero, b)
}

func linearLevels(params []int64) int64 { return (params[1] - params[0]) / params[2] }

// lquantize finds the step that val falls into.
func (u update) lquantize(val *ir.Value) *ir.Value {
	base, step, levels := u.agg.Params[0], u.agg.Params[2], linearLevels(u.agg.Params)
	low, in, done := u.Block(), u.Block(), u.Block()
	u.Branch(u.Op(ir.OpLtS, val, u.Const(base)), low, in)
	u.Go(low)
	zero := u.Const(0)
	u.Jump(done)
	u.Go(in)
	level := u.Op(ir.OpSub, val, u.Const(base)) // as unsigned exact even where it overflows
	if step != 1 {
		level = u.Op(ir.OpDivU, level, u.Const(step))
	}
	index := u.Op(ir.OpAdd, u.Emit(ir.Value{Op: ir.OpBound, Imm: levels + 1}, level), u.Const(1))
	u.Jump(done)
	u.Go(done)
	return u.Phi(zero, index)
}

// An order is one order of magnitude of llquantize(): values below limit that
// no lower order holds are counted first + value/width words from the middle.
type order struct{ limit, width, first uint64 }

// logLinear works out the buckets of llquantize(factor, low, high, steps): each
// order of magnitude, from factor^low to factor^(high+1), has that many steps,
// fewer where it has fewer numbers; the first of them belong to the order below.
// What lies below the first order is counted in the middle of the cell, what
// lies above the last far words from it, and negative values on the other side.
func logLinear(params []int64) (orders []order, low, far uint64) {
	factor, steps := uint64(params[0]), uint64(params[3])
	low, far = 1, 1
	for range params[1] {
		low *= factor
	}
	last := low
	for range params[2] - params[1] + 1 {
		limit := last * factor
		buckets := min(limit, steps)
		width := limit / buckets
		orders = append(orders, order{limit, width, far - last/width})
		far += buckets - buckets/factor
		last = limit
	}
	return orders, low, far
}

// llquantize finds the bucket of val by the orders of magnitude, from below.
func (u update) llquantize(val *ir.Value) *ir.Value {
	orders, low, far := logLinear(u.agg.Params)
	sign := u.Op(ir.OpShrA, val, u.Const(63)) // -1 or 0
	size := u.Op(ir.OpSub, u.Op(ir.OpXor, val, sign), sign)
	done := u.Block()
	var found []*ir.Value
	leave := func(up *ir.Value) {
		found = append(found, up)
		u.Jump(done)
	}
	test := func(limit uint64, below func()) {
		in, next := u.Block(), u.Block()
		u.Branch(u.Op(ir.OpLtU, size, u.Const(int64(limit))), in, next)
		u.Go(in)
		below()
		u.Go(next)
	}
	test(low, func() { leave(u.Const(0)) })
	for _, o := range orders {
		test(o.limit, func() {
			step := size
			if o.width != 1 {
				step = u.Op(ir.OpDivU, step, u.Const(int64(o.width)))
			}
			leave(u.Op(ir.OpAdd, step, u.Const(int64(o.first))))
		})
	}
	leave(u.Const(int64(far)))
	u.Go(done)
	up := u.Phi(found...)
	up = u.Op(ir.OpSub, u.Op(ir.OpXor, up, sign), sign)
	return u.Op(ir.OpAdd, up, u.Const(int64(far)))
}
