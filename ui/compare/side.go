// Package compare tells how two stretches of time differ: two runs, or what came before and
// after a moment of one. It knows timelines and no screen.
//
// A Side is one of the two: what its aggregations took in between two frames, and how long
// that was. Counts, sums and histograms are flows: what came is divided by the length of the
// stretch, so that a minute can be held against ten seconds. Least, greatest, average and
// deviation are no amounts; of them a side has what stood at its end.
//
// Aggregations are matched by name and function, their keys by their text, since the
// identity of a key holds within one run alone.
package compare

import (
	"maps"
	"slices"
	"strings"
	"time"

	"dscope.dev/dlang/unit"
	"dscope.dev/engine/trace"
	"dscope.dev/engine/trace/spell"
	"dscope.dev/ui/datum"
	"dscope.dev/ui/flow"
	"dscope.dev/ui/timeline"
)

// A Side is a stretch of a run.
type Side struct {
	Name    string // what people call it
	Length  time.Duration
	Lost    uint64 // events in that time
	Cleared bool   // the script has cleared something meanwhile: more may have come than is known

	tables []*table // in the order of the script
}

// A table is one aggregation of a side.
type table struct {
	name   string
	fn     trace.AggFunc
	titles []string
	unit   unit.Unit
	normal float64
	keys   map[string]*amount // by text
}

// An amount is what a key has.
type amount struct {
	keys    []string
	values  []trace.Value
	n       int64 // came, or stands at the end
	buckets []trace.Bucket
}

// work is how many rows of frames are looked at for one side: about 15 ms.
const work = 30_000

// Between returns what came after frame from up to frame to of a timeline; from is -1 for
// the start of the run. What a script clears it counts anew: frames between tell when
// that was, as many as can be looked at.
//
// What is returned does the work, and may be called while more is added to the timeline.
func Between(name string, line *timeline.Timeline, from, to int) func() Side {
	if to < 0 || to >= line.Len() {
		return func() Side { return Side{Name: name} }
	}
	rows := 1
	for _, t := range line.Tables(line.Frame(to)) {
		rows += line.Keys(t.Name, t.Func)
	}
	var at []int
	step := max((to-from)*rows/work, 1)
	for i := from; i < to; i += step {
		if i >= 0 {
			at = append(at, i)
		}
	}
	frames := line.Beside(append(at, to)...)
	return func() Side {
		s := Side{Name: name}
		c := counter{side: &s, before: map[*table]map[string]trace.Row{}}
		var first, last trace.Snapshot // the first is empty if the stretch begins with the run
		n := 0
		for last = range frames {
			if n == 0 && from >= 0 {
				first = last
			}
			c.pass(&last, n > 0 || from < 0)
			n++
		}
		s.Length, s.Lost = last.Elapsed-first.Elapsed, last.Drops-min(first.Drops, last.Drops)
		c.end(&last)
		return s
	}
}

// A counter goes from frame to frame and adds up what came.
type counter struct {
	side   *Side
	before map[*table]map[string]trace.Row // at the frame before, by ID
}

// pass goes on to the next frame, and adds what came since the one before.
func (c *counter) pass(s *trace.Snapshot, add bool) {
	now := make(map[*table]map[string]trace.Row, len(s.Aggs))
	for i := range s.Aggs {
		t := &s.Aggs[i]
		own := c.side.table(t)
		rows, was := make(map[string]trace.Row, len(t.Rows)), c.before[own]
		for j := range t.Rows {
			r := &t.Rows[j]
			before, there := was[r.ID]
			rows[r.ID] = *r
			if add && t.Func.AddsUp() && !(there && unchanged(r, &before)) {
				c.add(own, r, before)
			}
		}
		now[own] = rows
	}
	for own, rows := range c.before {
		for id := range rows {
			if _, still := now[own][id]; add && !still { // truncated away
				c.side.Cleared = true
			}
		}
	}
	c.before = now
}

// unchanged reports whether nothing came into a key.
func unchanged(r, before *trace.Row) bool {
	return r.Value == before.Value && r.Count == before.Count && flow.Same(r.Buckets, before.Buckets)
}

// add enters what came into a key since it was as before.
func (c *counter) add(own *table, r *trace.Row, before trace.Row) {
	n, cleared := flow.Came(own.fn, r, &before)
	if cleared {
		c.side.Cleared = true
		before = trace.Row{}
	}
	a := own.amount(r)
	a.n += n
	a.buckets = flow.Join(a.buckets, flow.AppendSince(nil, r.Buckets, before.Buckets))
}

// end enters what stands at the last frame and does not flow, and forgets the keys into
// which nothing came.
func (c *counter) end(s *trace.Snapshot) {
	for _, t := range c.side.tables {
		maps.DeleteFunc(t.keys, func(_ string, a *amount) bool {
			return a.n == 0 && !slices.ContainsFunc(a.buckets, func(b trace.Bucket) bool { return b.Count != 0 })
		})
	}
	for i := range s.Aggs {
		t := &s.Aggs[i]
		own := c.side.table(t) // also where it has no rows
		for j := range t.Rows {
			if r := &t.Rows[j]; !t.Func.AddsUp() {
				own.amount(r).n = spell.Divided(t.Func, r.Value, t.Normal)
			}
		}
	}
}

// table returns the aggregation that t is a state of.
func (s *Side) table(t *trace.Table) *table {
	if own := s.find(t.Name, t.Func); own != nil {
		own.normal = float64(max(t.Normal, 1))
		return own
	}
	own := &table{name: t.Name, fn: t.Func, titles: datum.Titles(t), normal: float64(max(t.Normal, 1)), keys: map[string]*amount{}}
	var args []string
	for _, o := range t.Origins {
		args = append(args, o.Arg)
	}
	own.unit = unit.Agreed(args)
	s.tables = append(s.tables, own)
	return own
}

func (s *Side) find(name string, fn trace.AggFunc) *table {
	for _, t := range s.tables {
		if t.name == name && t.fn == fn {
			return t
		}
	}
	return nil
}

// amount returns what the key of a row has.
func (t *table) amount(r *trace.Row) *amount {
	texts := make([]string, len(r.Keys))
	for i, k := range r.Keys {
		texts[i] = datum.Text(k)
	}
	id := strings.Join(texts, "\x00") // which is in no text that is safe to draw
	a := t.keys[id]
	if a == nil {
		a = &amount{keys: texts, values: r.Keys}
		t.keys[id] = a
	}
	return a
}
