package compare

import (
	"cmp"
	"math"
	"slices"
	"strings"

	"dscope.dev/dlang/unit"
	"dscope.dev/engine/trace"
	"dscope.dev/ui/chart"
	"dscope.dev/ui/datum"
	"dscope.dev/ui/flow"
)

// A State is what has become of a key, or of an aggregation.
type State uint8

// The states.
const (
	Same  State = iota
	Alike       // other numbers, but chance alone would give such a difference often
	Changed
	Added // the second side alone has it
	Gone  // the first side alone has it
)

// String returns the word for s.
func (s State) String() string {
	return [...]string{"same", "alike", "changed", "added", "gone"}[s]
}

// A Table is how one aggregation differs.
type Table struct {
	Name   string // without the sigil
	Func   trace.AggFunc
	Titles []string // of the columns of its keys
	Unit   unit.Unit
	Flows  bool  // values are a second; else they are as they stand
	State  State // Added, Gone, or Changed for all else
	Rows   []Row // the greatest difference first
	All    Row   // of a histogram: all keys together

	by [2]valuer // of the two sides
}

// A Row is how one key differs.
type Row struct {
	Keys    []string // safe to draw
	State   State
	A, B    Value
	Size    float64  // of the difference, by which rows are in order
	Buckets []Bucket // of a histogram, ascending

	values []trace.Value // the keys, for their order
}

// A Value is what one side has of a key.
type Value struct {
	N    int64   // as it came, or stands
	Rate float64 // a second and normalized, if it flows; else N
}

// A Bucket is how one line of a histogram differs.
type Bucket struct {
	trace.Bucket // without a count
	A, B         Value
}

// Quantile returns in which buckets a quantile of the two sides lies.
func (r *Row) Quantile(part float64) (a, b trace.Bucket, inA, inB bool) {
	var as, bs []trace.Bucket
	for _, x := range r.Buckets {
		y := x.Bucket
		y.Count = x.A.N
		as = append(as, y)
		y.Count = x.B.N
		bs = append(bs, y)
	}
	a, inA = chart.Quantile(as, part)
	b, inB = chart.Quantile(bs, part)
	return a, b, inA, inB
}

// Squeezed returns the buckets in up to h parts: each stands for per buckets that lie
// together.
func (r *Row) Squeezed(h int) (out []Bucket, per int) {
	if per = 1; h > 0 {
		per = max((len(r.Buckets)+h-1)/h, 1)
	}
	for i, b := range r.Buckets {
		if i%per == 0 {
			out = append(out, b)
			continue
		}
		last := &out[len(out)-1]
		last.Bucket = chart.Span(last.Bucket, b.Bucket)
		last.A, last.B = last.A.plus(b.A), last.B.plus(b.B)
	}
	return out, per
}

func (v Value) plus(x Value) Value { return Value{v.N + x.N, v.Rate + x.Rate} }

// Sides compares a with b. Aggregations come in the order of b, then those of a alone.
func Sides(a, b Side) []Table {
	var out []Table
	for _, t := range b.tables {
		out = append(out, tableOf(a.find(t.name, t.fn), t, &a, &b))
	}
	for _, t := range a.tables {
		if b.find(t.name, t.fn) == nil {
			out = append(out, tableOf(t, nil, &a, &b))
		}
	}
	return out
}

// tableOf compares two states of an aggregation, one of which may be nil.
func tableOf(x, y *table, a, b *Side) Table {
	known := y
	if y == nil {
		known = x
	}
	t := Table{Name: known.name, Func: known.fn, Titles: known.titles, Unit: known.unit, Flows: known.fn.AddsUp(), State: Changed}
	switch {
	case x == nil:
		t.State, x = Added, &table{normal: 1}
	case y == nil:
		t.State, y = Gone, &table{normal: 1}
	}
	va := valuer{t.Flows, a.Length.Seconds() * x.normal}
	vb := valuer{t.Flows, b.Length.Seconds() * y.normal}
	t.by = [2]valuer{va, vb}
	all := [2]amount{}
	for key, k := range x.keys {
		t.Rows = append(t.Rows, rowOf(known.fn, k, y.keys[key], va, vb))
		all[0].join(k)
	}
	for key, k := range y.keys {
		if x.keys[key] == nil {
			t.Rows = append(t.Rows, rowOf(known.fn, nil, k, va, vb))
		}
		all[1].join(k)
	}
	slices.SortFunc(t.Rows, func(p, q Row) int {
		return cmp.Or(cmp.Compare(q.Size, p.Size), slices.CompareFunc(p.values, q.values, datum.Compare))
	})
	if t.Func.IsHistogram() {
		t.All = rowOf(known.fn, &all[0], &all[1], va, vb)
		if t.All.Keys = nil; t.State != Changed {
			t.All.State = t.State
		}
	}
	return t
}

func (a *amount) join(b *amount) {
	a.n += b.n
	a.buckets = flow.Join(a.buckets, b.buckets)
}

// A valuer makes values of one side; by is what a flow is divided by.
type valuer struct {
	flows bool
	by    float64
}

func (v valuer) value(n int64) Value {
	switch {
	case !v.flows:
		return Value{n, float64(n)}
	case v.by <= 0: // a side of no length has no rate
		return Value{n, 0}
	}
	return Value{n, float64(n) / v.by}
}

// rowOf compares what two sides have of a key, one of which may have nothing.
func rowOf(fn trace.AggFunc, x, y *amount, va, vb valuer) Row {
	r := Row{State: Changed}
	switch {
	case x == nil:
		r.State, x = Added, &amount{}
	case y == nil:
		r.State, y = Gone, &amount{}
	}
	if r.Keys, r.values = x.keys, x.values; r.Keys == nil {
		r.Keys, r.values = y.keys, y.values
	}
	r.A, r.B = va.value(x.n), vb.value(y.n)
	r.Size = math.Abs(r.B.Rate - r.A.Rate)
	likely := byChance(r.A, r.B, va.by, vb.by)
	if fn.IsHistogram() {
		r.Size, likely = 0, 1
		r.Buckets = bucketsOf(x, y, va, vb)
		filled := 0.0
		for _, b := range r.Buckets {
			r.Size += math.Abs(b.B.Rate - b.A.Rate)
			if likely = min(likely, byChance(b.A, b.B, va.by, vb.by)); b.A.N != 0 || b.B.N != 0 {
				filled++
			}
		}
		likely *= filled // the rarest of several is less rare
	}
	switch {
	case r.State != Changed:
	case r.Size == 0:
		r.State = Same
	case likely >= rare && (fn.Counts() || fn.IsHistogram()):
		r.State = Alike
	}
	return r
}

// bucketsOf returns every bucket that either side has something in.
func bucketsOf(x, y *amount, va, vb valuer) []Bucket {
	var out []Bucket
	for i, j := 0, 0; i < len(x.buckets) || j < len(y.buckets); {
		var b Bucket
		order := 0
		switch {
		case i == len(x.buckets):
			order = +1
		case j == len(y.buckets):
			order = -1
		default:
			order = x.buckets[i].Compare(y.buckets[j])
		}
		if order <= 0 {
			b.Bucket, b.A.N = x.buckets[i], x.buckets[i].Count
			i++
		}
		if order >= 0 {
			b.Bucket, b.B.N = y.buckets[j], y.buckets[j].Count
			j++
		}
		b.Count = 0
		b.A, b.B = va.value(b.A.N), vb.value(b.B.N)
		if b.A.N != 0 || b.B.N != 0 || len(out) > 0 {
			out = append(out, b)
		}
	}
	for len(out) > 0 && out[len(out)-1].A.N == 0 && out[len(out)-1].B.N == 0 {
		out = out[:len(out)-1]
	}
	return out
}

// Title returns the keys of a row as one text.
func (r *Row) Title() string { return strings.Join(r.Keys, "  ") }
