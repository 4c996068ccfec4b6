package codegen

import (
	"dscope.dev/dlang/ir"
	"dscope.dev/engine/trace"
)

// What an aggregation or an associative array had no room for has a counter of its own,
// behind those of the kinds and of what was ousted: aggregations first, each at its number,
// then variables at theirs. Programs count there in place of the counter of the kind, so
// that a name costs a firing nothing. A drop of which it cannot be seen whose it is counts
// for its kind.

// FirstNamed is the counter of the first aggregation.
const FirstNamed = trace.DropKinds + OustedUnits

// NamedCounter returns the counter of drops of a kind that concern the i-th aggregation or
// variable.
func NamedCounter(p *ir.Program, kind trace.DropKind, i int) int {
	if kind == trace.DropDynamic {
		i += len(p.Aggs)
	}
	return FirstNamed + i
}

// counters returns how many counters programs of p may use.
func counters(p *ir.Program) int { return FirstNamed + len(p.Aggs) + len(p.Vars) }

// counterOf returns the counter of a drop.
func (s *selector) counterOf(v *ir.Value) int64 {
	imm, agg := ir.DropKind(v.Imm)
	kind := trace.DropKind(imm)
	if agg >= 0 {
		return int64(NamedCounter(s.g.ir, kind, agg))
	}
	if kind != trace.DropAggregation && kind != trace.DropDynamic || len(v.Block.Preds) != 1 {
		return v.Imm
	}
	from := v.Block.Preds[0]
	end := from.Vals[len(from.Vals)-1]
	if end.Op != ir.OpBranch {
		return v.Imm
	}
	test := end.Args[0]
	if test.Op == ir.OpPtrEq0 {
		test = test.Args[0]
	}
	switch {
	case kind == trace.DropAggregation && test.Op == ir.OpAggCell, kind == trace.DropDynamic && (test.Op == ir.OpAssocPut || test.Op == ir.OpAssocGet):
		return int64(NamedCounter(s.g.ir, kind, int(test.Imm)))
	}
	return v.Imm
}
