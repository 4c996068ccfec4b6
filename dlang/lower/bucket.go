package lower

import (
	"dscope.dev/dlang/bucket"
	"dscope.dev/dlang/function"
	"dscope.dev/dlang/ir"
)

func bucketHooks(h *hooks) {
	for id, find := range map[function.AggID]findFunc{
		function.Quantize: update.quantize, function.Lquantize: update.lquantize, function.Llquantize: update.llquantize,
	} {
		h.update[id], h.find[id] = update.bucket, find
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
// whatever their type, as DTrace has it. There is no branch, which the verifier would follow
// to the end of the program: sign is 0 or -1, and x^sign-sign negates x or leaves it.
func (u update) quantize(val *ir.Value) *ir.Value {
	sign := u.Op(ir.OpShrA, val, u.Const(63))
	signed := func(x *ir.Value) *ir.Value { return u.Op(ir.OpSub, u.Op(ir.OpXor, x, sign), sign) }
	abs := signed(val)
	// That of the smallest number is 2^63, one power more than there are buckets.
	abs = u.Op(ir.OpSub, abs, u.Op(ir.OpShrL, abs, u.Const(63)))
	bits := u.Op(ir.OpLog2, u.Op(ir.OpOr, u.Op(ir.OpShl, abs, u.Const(1)), u.Const(1))) // that abs has
	return u.Op(ir.OpAdd, signed(bits), u.Const(bucket.PowerZero))
}

// lquantize finds the step that val falls into.
func (u update) lquantize(val *ir.Value) *ir.Value {
	steps := bucket.LinearOf(u.agg.Params)
	low, in, done := u.Block(), u.Block(), u.Block()
	u.Branch(u.Op(ir.OpLtS, val, u.Const(steps.Base)), low, in)
	u.Go(low)
	zero := u.Const(0)
	u.Jump(done)
	u.Go(in)
	level := u.Op(ir.OpSub, val, u.Const(steps.Base)) // as unsigned exact even where it overflows
	if steps.Step != 1 {
		level = u.Op(ir.OpDivU, level, u.Const(steps.Step))
	}
	index := u.Op(ir.OpAdd, u.Emit(ir.Value{Op: ir.OpBound, Imm: int64(steps.Levels) + 1}, level), u.Const(1))
	u.Jump(done)
	u.Go(done)
	return u.Phi(zero, index)
}

// llquantize finds the bucket of val by the orders of magnitude, from below.
func (u update) llquantize(val *ir.Value) *ir.Value {
	orders, low, far := bucket.LogLinearOf(u.agg.Params).Orders()
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
		test(o.Limit, func() {
			step := size
			if o.Width != 1 {
				step = u.Op(ir.OpDivU, step, u.Const(int64(o.Width)))
			}
			leave(u.Op(ir.OpAdd, step, u.Const(int64(o.First))))
		})
	}
	leave(u.Const(int64(far)))
	u.Go(done)
	up := u.Phi(found...)
	up = u.Op(ir.OpSub, u.Op(ir.OpXor, up, sign), sign)
	return u.Op(ir.OpAdd, up, u.Const(int64(far)))
}
