package difference

import (
	"slices"

	"dscope.dev/engine/trace"
)

// A sample is the examples of both sides, those inside first.
type sample struct {
	q      Question
	all    []*trace.Example
	weight []float64 // of each
	inside int       // how many of them
	side   [2]mass
}

// The bounds of a weight: a recording may say anything.
const maxWeight = 1e15

func newSample(q Question) *sample {
	s := &sample{q: q, all: slices.Concat(q.Inside, q.Outside), inside: len(q.Inside)}
	s.weight = make([]float64, len(s.all))
	for i, e := range s.all {
		w := min(e.Weight, maxWeight)
		if !(w >= 1) { // nor is it a number
			w = 1
		}
		s.weight[i] = w
		s.side[s.sideOf(i)].add(w)
	}
	return s
}

// sideOf returns 0 for an example inside, 1 for one outside.
func (s *sample) sideOf(i int) int {
	if i < s.inside {
		return 0
	}
	return 1
}

func (s *sample) size(side int) Size { return s.side[side].size() }

func (m mass) size() Size { return Size{m.n, m.w, m.effective()} }

// A dimension is one of the origins', or one that every example has by itself.
type dimension struct {
	trace.Dimension
	own  bool                              // every example has it by itself: it is told of only if it varies
	fact func(*trace.Example) *trace.Value // nil if it is not known
}

// dimensions returns those of all origins in order, then those of every example that no
// origin has.
func (s *sample) dimensions() []dimension {
	var out []dimension
	exprs := map[string]bool{}
	seen := map[[2]string]bool{}
	for _, o := range s.q.Origins {
		for _, d := range o.Dims {
			name := [2]string{d.Name, d.Expr}
			if seen[name] {
				continue
			}
			seen[name], exprs[d.Expr] = true, true
			out = append(out, dimension{d, false, s.factOf(d)})
		}
	}
	for _, d := range own {
		if !exprs[d.Expr] {
			out = append(out, d)
		}
	}
	return out
}

// factOf finds the facts of a dimension, which lie elsewhere in each origin.
func (s *sample) factOf(d trace.Dimension) func(*trace.Example) *trace.Value {
	at := make([]int, len(s.q.Origins))
	for i, o := range s.q.Origins {
		at[i] = slices.IndexFunc(o.Dims, func(x trace.Dimension) bool { return x.Name == d.Name && x.Expr == d.Expr })
	}
	return func(e *trace.Example) *trace.Value {
		if e.Origin < 0 || e.Origin >= len(at) || at[e.Origin] < 0 || at[e.Origin] >= len(e.Facts) {
			return nil
		}
		if v := &e.Facts[at[e.Origin]]; v.Kind != trace.NoValue {
			return v
		}
		return nil
	}
}

// own are the dimensions of every example.
var own = []dimension{
	{trace.Dimension{Name: "CPU", Expr: "cpu"}, true, func(e *trace.Example) *trace.Value {
		return &trace.Value{Kind: trace.IntValue, Size: 4, Int: int64(e.CPU)}
	}},
	{trace.Dimension{Name: "provider", Expr: "probeprov"}, true, ofProbe(func(p *trace.Probe) string { return p.Provider })},
	{trace.Dimension{Name: "module", Expr: "probemod"}, true, ofProbe(func(p *trace.Probe) string { return p.Module })},
	{trace.Dimension{Name: "function", Expr: "probefunc"}, true, ofProbe(func(p *trace.Probe) string { return p.Function })},
	{trace.Dimension{Name: "probe", Expr: "probename"}, true, ofProbe(func(p *trace.Probe) string { return p.Name })},
}

func ofProbe(part func(*trace.Probe) string) func(*trace.Example) *trace.Value {
	return func(e *trace.Example) *trace.Value {
		if e.Probe == (trace.Probe{}) {
			return nil
		}
		return &trace.Value{Kind: trace.StringValue, Str: part(&e.Probe)}
	}
}
