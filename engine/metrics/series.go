package metrics

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"dscope.dev/dlang/unit"
	"dscope.dev/engine/text"
	"dscope.dev/engine/trace"
	"dscope.dev/engine/trace/spell"
)

// A series is what is remembered of an aggregation from one reading to the next.
type series struct {
	name   string
	labels []string
	help   string
	unit   string
	seen   map[string]bool // which series there are, by their labels
	bounds []int64         // of a histogram, ascending
}

func newSeries(t *trace.Table) *series {
	k := &series{name: nameOf(t.Name), labels: labelNames(t), seen: map[string]bool{}}
	if k.name == "" {
		k.name = "aggregation"
	}
	var args []string
	for _, o := range t.Origins {
		args = append(args, o.Arg)
	}
	k.help = t.Func.String() + "()"
	if len(args) == 1 {
		k.help = labelText(t.Func.String() + "(" + args[0] + ")")
	}
	if !t.Func.Counts() {
		k.unit = map[unit.Unit]string{unit.Nanoseconds: "ns", unit.Microseconds: "us", unit.Milliseconds: "ms", unit.Seconds: "s"}[unit.Agreed(args)]
	}
	if k.unit != "" {
		k.help += " in " + k.unit
	}
	if p := t.Params; t.Func.Shape() == trace.Linear && len(p) == 3 && p[2] > 0 && p[0] > math.MinInt64 {
		const most = 1000
		for at := p[0]; at <= p[1] && len(k.bounds) < most; at += p[2] {
			k.bounds = append(k.bounds, at-1)
		}
	}
	return k
}

// metric returns the metric of an aggregation as it stands, and how many of its keys are
// left out.
func (k *series) metric(t *trace.Table, most int) (m Metric, without int) {
	m = Metric{Help: k.help, Unit: k.unit, Kind: Gauge, Labels: k.labels}
	switch {
	case t.Func.Counts():
		m.Kind = Counter
	case t.Func.IsHistogram():
		m.Kind = Histogram
		k.widen(t)
		for _, b := range k.bounds {
			m.Bounds = append(m.Bounds, float64(b))
		}
	}
	at := map[string]int{}
	fed := []uint64(nil) // how many values are in each point
	for i := range t.Rows {
		r := &t.Rows[i]
		values := make([]string, len(k.labels))
		for n := range values {
			if n < len(r.Keys) {
				values[n] = keyLabel(&r.Keys[n])
			}
		}
		id := strings.Join(values, "\x00")
		p, ok := k.point(t, r)
		if !ok || !k.seen[id] && len(k.seen) >= most {
			without++
			continue
		}
		k.seen[id] = true
		n, again := at[id]
		if !again {
			p.Labels, at[id] = values, len(m.Points)
			m.Points, fed = append(m.Points, p), append(fed, r.Count)
			continue
		}
		m.Points[n].join(t.Func, &p, fed[n], r.Count)
		fed[n] += r.Count
	}
	return m, without
}

// widen takes in the bounds of what has come.
func (k *series) widen(t *trace.Table) {
	for i := range t.Rows {
		for _, b := range t.Rows[i].Buckets {
			if b.High == math.MaxInt64 {
				continue
			}
			if n, found := slices.BinarySearch(k.bounds, b.High); !found {
				k.bounds = slices.Insert(k.bounds, n, b.High)
			}
		}
	}
}

// point returns a row as a point without labels; false if it is none: its counts are
// negative.
func (k *series) point(t *trace.Table, r *trace.Row) (p Point, ok bool) {
	if !t.Func.IsHistogram() {
		n := spell.Shown(t, r)
		if t.Func.Unsigned() {
			return Point{Value: float64(uint64(n))}, true
		}
		return Point{Value: float64(n)}, true
	}
	p.Counts = make([]uint64, len(k.bounds)+1)
	for _, b := range r.Buckets {
		n := spell.Bucketed(b.Count, t.Normal)
		if n < 0 {
			return p, false
		}
		i, _ := slices.BinarySearch(k.bounds, b.High)
		p.Counts[i] += uint64(n)
		p.Count += uint64(n)
	}
	return p, true
}

// join makes one of two points with the same labels; a and b are how many values are in
// them, where the function counts these. A deviation cannot be made of two: the greater stays.
func (p *Point) join(f trace.AggFunc, q *Point, a, b uint64) {
	switch f.Join() {
	case trace.JoinLeast:
		p.Value = math.Min(p.Value, q.Value)
	case trace.JoinMost, trace.NoJoin:
		p.Value = math.Max(p.Value, q.Value)
	case trace.JoinMean:
		if a+b > 0 {
			p.Value = (p.Value*float64(a) + q.Value*float64(b)) / float64(a+b)
		}
	default:
		p.Value += q.Value
		p.Count += q.Count
		for i := range q.Counts {
			p.Counts[i] += q.Counts[i]
		}
	}
}

// labelNames returns what the keys of an aggregation are called: as the script writes them,
// as far as a label can be called so, all different.
func labelNames(t *trace.Table) []string {
	n := len(t.KeyTypes)
	for i := range t.Rows {
		n = max(n, len(t.Rows[i].Keys))
	}
	var out []string
	for i := range n {
		name := nameOf(t.KeyName(i))
		if name == "" || name == "le" || slices.Contains(out, name) {
			name = fmt.Sprintf("key%d", i+1)
		}
		out = append(out, name)
	}
	return out
}

// nameOf makes of a text the name of a metric or label: letters, digits and single
// underscores between them, no digit first.
func nameOf(s string) string {
	var b strings.Builder
	gap := false
	for _, c := range []byte(s) {
		switch letter := c|0x20 >= 'a' && c|0x20 <= 'z'; {
		case !letter && (c < '0' || c > '9' || b.Len() == 0):
			gap = b.Len() > 0
			continue
		}
		if gap {
			b.WriteByte('_')
			gap = false
		}
		b.WriteByte(c)
	}
	return b.String()
}

// longest bounds the value of a label, in bytes: stacks have no end.
const longest = 1024

// keyLabel spells a key as the value of a label.
func keyLabel(v *trace.Value) string {
	if v.Kind != trace.StackValue && v.Kind != trace.UstackValue {
		return labelText(spell.Line(v))
	}
	var b strings.Builder
	for i, f := range v.Frames {
		if i > 0 {
			b.WriteString(" < ")
		}
		b.WriteString(f.String())
	}
	return labelText(b.String())
}

// labelText makes a text of a traced process harmless: characters that a terminal only draws,
// and not too many of them.
func labelText(s string) string {
	s = string(text.AppendSafe(nil, s, true))
	if len(s) > longest {
		s = strings.ToValidUTF8(s[:longest-3], "") + "…"
	}
	return s
}
