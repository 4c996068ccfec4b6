package difference

import (
	"cmp"
	"fmt"
	"math"
	"math/bits"
	"slices"

	"dscope.dev/engine/trace"
)

// blind is by how much a value may differ unseen before a sample says nothing about it.
const blind = 0.4

// finding says what the judged tallies of a column come to.
func (c *column) finding() Finding {
	f := Finding{Dim: c.dim, Own: c.own, Part: c.part, Known: [2]Size{c.known[0].size(), c.known[1].size()}}
	c.order()
	for _, t := range c.tally {
		f.Hidden = max(f.Hidden, t.most)
		if len(f.Values) < shown {
			v := c.value[t.value]
			v.Inside, v.Outside, v.Claimed, v.Most = t.inside, t.outside, t.claimed, t.most
			if t.claimed {
				v.Least = t.least
			}
			f.Values = append(f.Values, v)
		}
	}
	f.Silent = c.silent(&f)
	if more, less := c.least(true), c.least(false); more > 0 || less > 0 {
		f.Differs, f.Hidden, f.Silent = max(more, less), 0, ""
		f.set = c.speakers(more >= less)
	}
	return f
}

// silent says why nothing can be said of a dimension of which no difference is claimed.
func (c *column) silent(f *Finding) string {
	few := func(side int, where string) string {
		return fmt.Sprintf("of the firings %s too few examples are kept: %.0f", where, f.Known[side].Effective)
	}
	switch {
	case c.known[0].n == 0 && c.known[1].n == 0:
		return "it is not known of any example"
	case len(c.tally) == 0:
		return fmt.Sprintf("hardly two examples are alike: %d values in %d", len(c.value), c.known[0].n+c.known[1].n)
	case f.Hidden <= blind:
		return ""
	case f.Known[0].Effective <= f.Known[1].Effective:
		return few(0, "inside")
	}
	return few(1, "outside")
}

// order puts the values first that can be claimed to be more frequent inside, then those
// that are less, then those of which nothing can be claimed.
func (c *column) order() {
	slices.SortStableFunc(c.tally, func(x, y *tally) int {
		if x.claimed != y.claimed {
			return cmp.Compare(flag(y.claimed), flag(x.claimed))
		}
		if x.claimed {
			return cmp.Or(cmp.Compare(flag(y.more()), flag(x.more())), cmp.Compare(y.least, x.least))
		}
		return cmp.Compare(y.inside.Part, x.inside.Part)
	})
}

func (t *tally) more() bool { return t.inside.Part > t.outside.Part }

func flag(b bool) int {
	if b {
		return 1
	}
	return 0
}

// least returns how much of the firings can be claimed to be more frequent inside, or
// less. Frames of one stack are not added up.
func (c *column) least(more bool) float64 {
	sum := 0.0
	for _, t := range c.tally {
		if !t.claimed || t.more() != more {
			continue
		}
		if c.sets != nil {
			sum = max(sum, t.least)
		} else {
			sum += t.least
		}
	}
	return min(sum, 1)
}

// speakers returns the examples whose values speak for the inside: those that have a
// value which is more frequent there, or none that is less.
func (c *column) speakers(more bool) marks {
	marked := make([]bool, len(c.value))
	for _, t := range c.tally {
		if t.claimed && t.more() == more {
			marked[t.value] = true
			if c.sets != nil {
				break // the first is the one that is meant
			}
		}
	}
	out := make(marks, (len(c.codes)+63)/64)
	for i, code := range c.codes {
		if code < 0 {
			continue
		}
		has := false
		if c.sets == nil {
			has = marked[code]
		} else {
			has = slices.ContainsFunc(c.sets[code], func(f int32) bool { return marked[f] })
		}
		if has == more {
			out[i/64] |= 1 << (i % 64)
		}
	}
	return out
}

// marks is a set of examples.
type marks []uint64

// alike returns which part of the examples in either set is in both.
func alike(a, b marks) float64 {
	both, any := 0, 0
	for i := range a {
		both += bits.OnesCount64(a[i] & b[i])
		any += bits.OnesCount64(a[i] | b[i])
	}
	if any == 0 {
		return 0
	}
	return float64(both) / float64(any)
}

// Dimensions that agree on so much of the examples say the same. Within a group one that
// is behind by less than slack is as good, and the plainer one is named first.
const (
	agree = 0.9
	slack = 0.05
)

// group puts the findings that say the same together.
func group(found []Finding) []Group {
	slices.SortStableFunc(found, func(x, y Finding) int {
		return cmp.Or(cmp.Compare(y.Differs, x.Differs), cmp.Compare(x.rank(), y.rank()))
	})
	var out []Group
	for len(found) > 0 {
		head := found[0]
		var g Group
		var rest []Finding
		for _, f := range found {
			if alike(head.set, f.set) >= agree {
				g = append(g, f)
			} else {
				rest = append(rest, f)
			}
		}
		slices.SortStableFunc(g, func(x, y Finding) int {
			behind := func(f Finding) int { return int(math.Floor((head.Differs - f.Differs) / slack)) }
			return cmp.Or(cmp.Compare(behind(x), behind(y)), cmp.Compare(x.rank(), y.rank()))
		})
		out, found = append(out, g), rest
	}
	return out
}

// rank says how plain and lasting what a dimension says is, the plainest first: a name
// outlives a number, a number of a user that of a process, and that a thread's.
func (f *Finding) rank() int {
	switch {
	case f.Part == Leaf:
		return 5
	case f.Part == Frame:
		return 6
	case f.Part == Stack:
		return 7
	}
	w := words(f.Dim.Expr)
	last := ""
	if len(w) > 0 {
		last = w[len(w)-1]
	}
	switch last {
	case "pid", "tgid", "pr_pid", "ppid":
		return 8
	case "tid", "pr_lwpid":
		return 9
	}
	if len(f.Values) == 0 {
		return 10
	}
	switch v := f.Values[0].Value; {
	case v.Kind == trace.StringValue && last != "execname":
		return 1 // the file rather than who reads it
	case last == "execname":
		return 0
	case v.Kind == trace.SymValue:
		return 2
	case uint64(v.Int) >= address:
		return 10
	}
	return 3
}
