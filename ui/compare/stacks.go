package compare

import (
	"math"

	"dscope.dev/engine/trace"
	"dscope.dev/ui/flame"
)

// Stacks is how the stacks of an aggregation differ: one tree of both sides. In it a frame is
// as wide as what it has a second on both sides together, so that what is gone is seen as well
// as what has come.
type Stacks struct {
	Tree     *flame.Tree
	Negative int // rows below zero, which have no part in it

	fn    trace.AggFunc
	sides [2]heap
}

// A heap is what one side has of each node of the tree, as it came.
type heap struct {
	totals, selves []int64
	valuer
}

// whole is about what the totals of the tree add up to. They are rates and no counts: what
// matters is that small ones are not rounded away, and that nothing overflows.
const whole = 1 << 50

// Stacked reports whether t is keyed by stacks whose values add up.
func (t *Table) Stacked() bool {
	return t.Flows && len(t.Rows) > 0 && flame.IsStack(t.Rows[0].values)
}

// Stacks merges the stacks of both sides. It may take long where there are many.
func (t *Table) Stacks() *Stacks {
	s := &Stacks{fn: t.Func}
	sum := 0.0
	var rows []*Row
	for i := range t.Rows {
		r := &t.Rows[i]
		if r.A.N < 0 || r.B.N < 0 {
			s.Negative++
			continue
		}
		rows, sum = append(rows, r), sum+r.A.Rate+r.B.Rate
	}
	var both trace.Table
	var sides [2]trace.Table
	for _, r := range rows {
		if n := r.A.Rate + r.B.Rate; n > 0 {
			both.Rows = append(both.Rows, trace.Row{Keys: r.values, Value: max(int64(n/sum*whole), 1)})
		}
		for i, n := range [2]int64{r.A.N, r.B.N} {
			sides[i].Rows = append(sides[i].Rows, trace.Row{Keys: r.values, Value: n})
		}
	}
	s.Tree = flame.Merge(&both, flame.Options{Keys: true})
	for i := range sides {
		s.sides[i] = heapOf(s.Tree, flame.Merge(&sides[i], flame.Options{Keys: true}), t.by[i])
	}
	return s
}

// heapOf takes what a side has from the tree of that side alone: paths have the same ID in
// every tree.
func heapOf(both, one *flame.Tree, v valuer) heap {
	h := heap{make([]int64, len(both.Nodes)), make([]int64, len(both.Nodes)), v}
	at := make(map[uint64]int32, len(one.Nodes))
	for i := range one.Nodes {
		at[one.Nodes[i].ID] = int32(i)
	}
	for i := range both.Nodes {
		if n, ok := at[both.Nodes[i].ID]; ok {
			h.totals[i], h.selves[i] = one.Nodes[n].Total, one.Nodes[n].Self
		}
	}
	return h
}

// Total returns how a frame differs with all that it called.
func (s *Stacks) Total(n int32) Row { return s.row(s.sides[0].totals[n], s.sides[1].totals[n]) }

// Self returns how a frame differs by itself.
func (s *Stacks) Self(n int32) Row { return s.row(s.sides[0].selves[n], s.sides[1].selves[n]) }

func (s *Stacks) row(a, b int64) Row {
	var x, y *amount
	if a != 0 || b == 0 {
		x = &amount{n: a}
	}
	if b != 0 || a == 0 {
		y = &amount{n: b}
	}
	fn := s.fn
	if fn.IsHistogram() { // of which it is the counts that are added up
		fn = trace.Count
	}
	return rowOf(fn, x, y, s.sides[0].valuer, s.sides[1].valuer)
}

// Change says how much more the second side has: 0 is alike, +1 what the first has nothing of,
// -1 what is gone, and a third is twice as much.
func (r *Row) Change() float64 {
	sum := math.Abs(r.A.Rate) + math.Abs(r.B.Rate)
	if r.State == Same || r.State == Alike || sum == 0 {
		return 0
	}
	return (r.B.Rate - r.A.Rate) / sum
}
