package picture

import (
	"time"

	"dscope.dev/engine/trace"
	"dscope.dev/engine/trace/spell"
	"dscope.dev/ui/flow"
)

// How many intervals there are at most.
const (
	heatColumns  = 120
	curveColumns = 240
)

// mostLines is how many keys of an aggregation are curves.
const mostLines = 6

// A column is an interval of an aggregation over time.
type column struct {
	begins   time.Duration  // where it lies on the axis of time
	from, to time.Duration  // the frames that what came lies between
	counts   []trace.Bucket // of a histogram: what came, of all keys together
	values   []float64      // else, for each of the first keys: how much came a second, or what it was
	known    []bool         // whether there was that key
	lost     uint64         // firings that were dropped
}

// course returns the intervals up to the moment, and how long one is. An interval that ends
// with no frame of its own is blank: what came in it is in the next.
func (w *Writer) course(t *trace.Table, width int) (length time.Duration, out []column) {
	line, moment := w.line, w.line.Len()-1
	length = line.Interval(moment, width)
	read := line.Reader(t.Name, t.Func)
	before, was := -1, trace.Table{}
	for end := length; ; end += length {
		i := min(max(line.Find(end), 0), moment)
		c := column{begins: end - length, from: end - length, to: end}
		if i != before && line.Elapsed(i) <= end {
			now, _ := read.Read(line.Frame(i))
			if c.to = line.Elapsed(i); before >= 0 {
				c.from = line.Elapsed(before)
				c.lost = line.Drops(i) - min(line.Drops(before), line.Drops(i))
			}
			w.came(&c, t, &now, &was)
			before, was = i, now
		}
		out = append(out, c)
		if end >= line.Elapsed(moment) {
			return length, out
		}
	}
}

// came enters what came between two states.
func (w *Writer) came(c *column, t, now, was *trace.Table) {
	if t.Func.IsHistogram() {
		c.counts = flow.Arrived(w.sum(now), w.sum(was))
		return
	}
	seconds := (c.to - c.from).Seconds()
	for _, row := range t.Rows[:min(len(t.Rows), mostLines)] {
		is, ok := rowOf(now, row.ID)
		v := float64(spell.Divided(t.Func, is.Value, t.Normal))
		if t.Func.AddsUp() {
			before, _ := rowOf(was, row.ID)
			n, _ := flow.Came(t.Func, &is, &before)
			v = 0
			if seconds > 0 {
				v = float64(n) / seconds / float64(max(t.Normal, 1))
			}
		}
		c.values, c.known = append(c.values, v), append(c.known, ok)
	}
}

// sum returns the histogram of all keys that are drawn.
func (w *Writer) sum(t *trace.Table) (out []trace.Bucket) {
	for i := range t.Rows {
		if r := &t.Rows[i]; w.o.Keep == nil || w.o.Keep(t, r) {
			out = flow.Join(out, r.Buckets)
		}
	}
	return out
}

func rowOf(t *trace.Table, id string) (trace.Row, bool) {
	for i := range t.Rows {
		if t.Rows[i].ID == id {
			return t.Rows[i], true
		}
	}
	return trace.Row{}, false
}
