package live

import (
	"fmt"
	"slices"
	"strconv"

	tea "github.com/charmbracelet/bubbletea"

	"dscope.dev/engine/trace"
	"dscope.dev/ui/chart"
	"dscope.dev/ui/filter"
	"dscope.dev/ui/ink"
	"dscope.dev/ui/widget"
)

// A sieve is which keys of an aggregation are looked at. It belongs to its name, and so
// holds in the next run too.
//
// What the filter lets through is all that is looked at: in the table, in the heat map of all
// keys, and in what is selected there and compared with the rest of it. Keys that are
// selected by themselves are compared with all others, as ever. How many come first is a
// matter of the table alone, since which they are changes as the run goes on.
type sieve struct {
	filter filter.Filter
	asked  int // goes up with each filter, so that no key is asked for the same twice
	top    int // how many keys are shown at most; 0 is all
}

// tops are the numbers of keys that one goes through.
var tops = []int{0, 10, 20, 50}

// others are the keys that are not shown.
type others struct {
	keys  int
	value int64   // of all of them, not normalized
	part  float64 // of the value of all keys; negative if that means nothing
}

// sieveOf returns the sieve of the aggregations of a name.
func (m *Model) sieveOf(name string) *sieve {
	if m.sieves[name] == nil {
		m.sieves[name] = &sieve{}
	}
	return m.sieves[name]
}

// sift chooses from all keys, which are in order, those that are shown.
func (v *section) sift(a *agg) {
	v.rows, v.left, v.others = v.rows[:0], 0, others{}
	var all int64
	for _, s := range v.all {
		all += s.value
		if s.asked != v.sieve.asked {
			s.asked, s.out = v.sieve.asked, !v.sieve.filter.Match(s.texts)
		}
		if !s.out {
			v.left++
		}
		if !s.out && (v.sieve.top == 0 || len(v.rows) < v.sieve.top) {
			v.rows = append(v.rows, s)
			continue
		}
		v.others.keys++
		v.others.value += s.value
	}
	if v.others.part = -1; all > 0 && v.others.value >= 0 && v.others.value <= all {
		v.others.part = float64(v.others.value) / float64(all)
	}
	v.find()
}

// leaves reports whether the filter leaves a key of an earlier snapshot.
func (v *section) leaves(a *agg, r *trace.Row) bool {
	if s := a.rows[r.ID]; s != nil {
		return !s.out
	}
	return v.sieve.filter.Empty() || v.sieve.filter.Match(newSeries(r).texts)
}

// rate returns the flow into the keys that the filter leaves.
func (v *section) rate() float64 {
	var sum float64
	for _, s := range v.all {
		if !s.out {
			sum += float64(s.rate)
		}
	}
	return sum
}

// sum returns the values of the keys that are shown together.
func (v *section) sum() (n int64) {
	for _, s := range v.rows {
		n += s.value
	}
	return n
}

// keyless says why an aggregation cannot be filtered.
func (m *Model) keyless() string {
	switch a, _ := m.current(); {
	case a == nil:
		return m.nothing()
	case len(a.types) == 0:
		return "the aggregation has no keys"
	}
	return ""
}

// toTop shows fewer keys, at last all again.
func (m *Model) toTop() tea.Cmd {
	a, v := m.current()
	v.sieve.top = tops[(slices.Index(tops, v.sieve.top)+1)%len(tops)]
	v.sift(a)
	return nil
}

// held says how many keys there are, and how many of them are looked at.
func (v *section) held() string {
	text := widget.Count(len(v.all), "key")
	if !v.sieve.filter.Empty() {
		text = fmt.Sprintf("%d of %s", v.left, text)
	}
	if v.sieve.top > 0 {
		text += fmt.Sprintf(", top %d", v.sieve.top)
	}
	return text
}

// filterText is how the title says what is filtered.
func (v *section) filterText() string {
	if v.sieve.filter.Empty() {
		return ""
	}
	return " " + widget.Cut(widget.Safe(v.sieve.filter.String()), 30)
}

// drawOthers draws what the keys that are not shown have together.
func (m *Model) drawOthers(l *ink.Line, a *agg, o others) {
	text := widget.Group(uint64(o.keys)) + " other key"
	if o.keys != 1 {
		text += "s"
	}
	if a.fn.AddsUp() {
		word := a.fn.String()
		if a.fn.IsHistogram() {
			word = "count"
		}
		text += ": " + word + " " + chart.Short(float64(a.divided(o.value)))
		if o.part >= 0 {
			text += ", " + percent(o.part)
		}
	}
	l.Reset(m.w, ink.Ink{})
	l.Skip(rowIndent)
	l.Put(m.looks.Axis, text)
}

func percent(part float64) string {
	if p := 100 * part; p >= 10 || p == 0 {
		return strconv.FormatFloat(p, 'f', 0, 64) + "%"
	}
	return strconv.FormatFloat(100*part, 'f', 1, 64) + "%"
}
