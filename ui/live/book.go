package live

import (
	"math"
	"time"

	"dscope.dev/dlang/unit"
	"dscope.dev/engine/trace"
	"dscope.dev/engine/trace/spell"
	"dscope.dev/ui/chart"
	"dscope.dev/ui/datum"
	"dscope.dev/ui/flow"
	"dscope.dev/ui/merge"
)

// history is how many intervals a sparkline shows.
const history = 60

// A book is what has been learnt from all snapshots of a run: beside the
// latest values, how they changed.
type book struct {
	aggs    []*agg
	elapsed time.Duration
	last    time.Duration // how long the run had lasted at the snapshot before
	seq     uint64
	drops   uint64         // all so far
	lost    uint64         // during the last interval
	spans   spans          // of the last intervals
	weights []float32      // what each of them counts for in a rate
	came    []trace.Bucket // memory for what came into a key
	adds    bool           // what comes into an aggregation that is new is added up
	past    *past          // what aggregations are made of when they are looked at; nil if they are here
	dt      float64        // seconds between the last two snapshots
}

// An agg is one aggregation over time.
type agg struct {
	name    string
	fn      trace.AggFunc
	types   []string  // of its keys
	unit    unit.Unit // of what goes into it
	titles  []string  // of their columns
	normal  int64
	sorted  trace.Sorted // as the script asks
	rows    map[string]*series
	came    int          // how many rows they were before they were merged; 0 if that is not known
	counted bool         // the function counts how often it is fed
	lost    []bool       // intervals in which something was dropped, as long as the rings
	axis    chart.Axis   // of all its histograms together
	peak    int64        // the greatest magnitude of a value so far
	burst   int64        // that of what came in one interval
	scale   int64        // of the bars
	order   []*series    // the rows of the last snapshot, as they came
	spans   spans        // of the intervals that rings are of
	lacks   lack         // what of it is still in the past of the book
	later   *trace.Table // what arrived and is not entered yet; nil if all is

	base time.Duration // the mark from which adding up began
	adds bool          // what comes is added up; see meaning.go
}

// A series is one key of an aggregation over time.
type series struct {
	id     string
	keys   []trace.Value
	texts  []string       // the keys as text
	sum    int64          // as the snapshot has it, not normalized
	fed    uint64         // how often, as the snapshot has it
	sums   []trace.Bucket // as the snapshot has them
	was    []trace.Bucket // those of the snapshot before
	shares []cpuShare     // what each CPU has added, if the run keeps that
	delta  int64          // what came in the last interval
	since  amount         // what has come since the book began to add up
	rate   float32        // a second during the window, normalized
	speed  float32        // the greatest of ring so far
	ring   []float32      // what came a second in each interval, the newest last
	quiet  int            // how many of the last intervals nothing came in
	axis   chart.Axis
	burst  int64 // the most that came into a bucket in one interval so far
	seen   uint64
	place  int  // in the order of the keys, from 1; 0 is not known yet
	out    bool // the filter leaves it out
	asked  int  // which filter that was

	// What is shown, by its meaning.
	how     meaning
	value   int64
	count   uint64
	buckets []trace.Bucket
	own     []trace.Bucket // memory for buckets
	most    int64          // what the longest bar stands for
}

// A cpuShare is what one CPU has added to a key, as printed.
type cpuShare struct {
	cpu   int
	value int64
}

// take enters a snapshot.
func (b *book) take(s trace.Snapshot) {
	b.arrive(s)
	b.enter(math.MaxInt)
}

// arrive goes on to a snapshot. Each of its aggregations has to be entered before it is
// looked at, and before the next snapshot arrives.
func (b *book) arrive(s trace.Snapshot) {
	b.enter(math.MaxInt)
	b.dt = b.pass(s)
	next := make([]*agg, 0, len(s.Aggs))
	for i := range s.Aggs {
		t := &s.Aggs[i]
		a := b.find(t.Name, t.Func)
		if a == nil {
			a = newAgg(t)
			a.adds = b.adds
		}
		a.types, a.sorted, a.later = t.KeyTypes, t.Sorted, t
		a.normal = max(int64(min(t.Normal, math.MaxInt64)), 1)
		next = append(next, a)
	}
	b.aggs = next
}

// enter enters aggregations that have arrived, until that were so many rows, and reports
// whether there are more.
func (b *book) enter(rows int) (more bool) {
	for _, a := range b.aggs {
		if a.later == nil {
			continue
		}
		if rows <= 0 {
			return true
		}
		rows -= len(a.later.Rows)
		a.enter(b)
	}
	return false
}

// enter enters what has arrived of one aggregation of b.
func (a *agg) enter(b *book) {
	if t := a.later; t != nil {
		a.later = nil
		a.take(b, t, b.dt)
	}
}

// pass goes on to a snapshot, and returns the seconds since the one before.
func (b *book) pass(s trace.Snapshot) (dt float64) {
	dt = (s.Elapsed - b.elapsed).Seconds()
	b.lost = s.Drops - min(b.drops, s.Drops)
	b.last, b.elapsed, b.seq, b.drops = b.elapsed, s.Elapsed, s.Seq, s.Drops
	b.spans.push(dt)
	b.weights = b.spans.weights(b.weights)
	return dt
}

// newAgg returns an aggregation of which nothing has come yet.
func newAgg(t *trace.Table) *agg {
	return &agg{name: t.Name, fn: t.Func, rows: make(map[string]*series, len(t.Rows)), titles: datum.Titles(t), unit: units(t)}
}

// find returns an aggregation, nil if there is none of that name and function.
func (b *book) find(name string, fn trace.AggFunc) *agg {
	for _, a := range b.aggs {
		if a.name == name && a.fn == fn {
			return a
		}
	}
	return nil
}

// take enters the rows of one aggregation of b; dt is in seconds. Most are where they were
// in the snapshot before.
func (a *agg) take(b *book, t *trace.Table, dt float64) {
	a.spans = b.spans
	a.lost = push(a.lost, b.lost > 0, len(b.spans))
	before := len(a.rows)
	var fresh batch
	if before == 0 {
		fresh = newBatch(t.Rows)
	}
	for i := range t.Rows {
		r := &t.Rows[i]
		a.counted = a.counted || r.Count > 0
		var s *series
		if i < len(a.order) && a.order[i].id == r.ID {
			s = a.order[i]
		} else {
			s = a.rows[r.ID]
		}
		if s == nil {
			s = fresh.series(r)
			a.rows[r.ID] = s
		} else if before--; merge.Renamed(s.keys, r.Keys) {
			s.keys, s.texts = r.Keys, texts(r.Keys)
		}
		s.take(a, b, r, dt)
		s.seen = b.seq
		if i < len(a.order) {
			a.order[i] = s
		} else {
			a.order = append(a.order, s)
		}
	}
	clear(a.order[len(t.Rows):])
	if a.order = a.order[:len(t.Rows)]; before <= 0 {
		return
	}
	for id, s := range a.rows {
		if s.seen != b.seq { // truncated away; if it comes back it starts anew
			delete(a.rows, id)
		}
	}
}

// A batch is room for the series of an aggregation that is new: a step through the past makes
// those of all keys, and takes longest for what is made one by one.
type batch struct {
	all   []series
	texts []string
	rings []float32
}

// firstIntervals is for how many intervals a series of a batch has room at first.
const firstIntervals = 8

func newBatch(rows []trace.Row) batch {
	words := 0
	for i := range rows {
		words += len(rows[i].Keys)
	}
	return batch{make([]series, len(rows)), make([]string, 0, words), make([]float32, firstIntervals*len(rows))}
}

// series returns a series for a key.
func (b *batch) series(r *trace.Row) *series {
	if len(b.all) == 0 {
		return newSeries(r)
	}
	s, from := &b.all[0], len(b.texts)
	b.texts = appendTexts(b.texts, r.Keys)
	*s = series{id: r.ID, keys: r.Keys, texts: b.texts[from:len(b.texts):len(b.texts)], ring: b.rings[:0:firstIntervals]}
	b.all, b.rings = b.all[1:], b.rings[firstIntervals:]
	return s
}

func newSeries(r *trace.Row) *series {
	return &series{id: r.ID, keys: r.Keys, texts: texts(r.Keys)}
}

func texts(keys []trace.Value) []string { return appendTexts(nil, keys) }

func appendTexts(list []string, keys []trace.Value) []string {
	for _, k := range keys {
		list = append(list, datum.Text(k))
	}
	return list
}

// take enters the next value of a key and works out what came in between.
func (s *series) take(a *agg, b *book, r *trace.Row, dt float64) {
	if s.seen != 0 && !a.adds && s.sum == r.Value && s.fed == r.Count && s.axis.Normal == uint64(a.normal) && flow.Same(s.sums, r.Buckets) {
		s.delta, s.was, s.sums = 0, s.sums, r.Buckets
	} else {
		s.change(a, b, r)
	}
	s.shares = s.shares[:0:0] // a picture that is held keeps the old ones
	for _, p := range r.PerCPU {
		s.shares = append(s.shares, cpuShare{p.CPU, a.divided(p.Value)})
	}
	speed := float32(0)
	if dt > 0 && s.delta != 0 {
		speed = float32(float64(s.delta) / dt)
		if a.fn.AddsUp() {
			speed /= float32(a.normal)
		}
	}
	if s.quiet++; speed != 0 {
		s.quiet = 0
	}
	s.ring = push(s.ring, speed, len(b.spans))
	if s.rate = 0; s.quiet < len(b.weights) {
		s.rate = rateOf(s.ring, b.weights)
	}
	s.speed = max(s.speed, speed)
}

// change enters a value that is another than before.
func (s *series) change(a *agg, b *book, r *trace.Row) {
	before := trace.Row{Value: s.sum, Count: s.fed, Buckets: s.sums}
	n, cleared := flow.Came(a.fn, r, &before)
	if cleared {
		before = trace.Row{}
	}
	s.delta, s.was = n, before.Buckets
	s.sum, s.fed, s.sums = r.Value, r.Count, r.Buckets
	s.axis.Normal = uint64(a.normal)
	if a.fn.IsHistogram() {
		b.came = flow.AppendSince(b.came[:0], s.sums, s.was)
		s.axis.Grow(r.Buckets, b.came)
		a.axis.Grow(r.Buckets, nil)
	}
	if a.adds {
		s.since.n += n
		s.since.buckets = flow.Join(s.since.buckets, flow.AppendSince(nil, s.sums, s.was))
	}
	a.peak = max(a.peak, magnitude(s.sum))
	if b.last > 0 { // what is there at the first look came in no interval
		a.burst = max(a.burst, magnitude(s.delta))
		if a.fn.IsHistogram() {
			for i := range b.came {
				s.burst = max(s.burst, b.came[i].Count)
			}
		}
	}
}

// came returns what came into a bucket in the last interval.
func (s *series) came(b trace.Bucket) int64 { return flow.Count(s.sums, b) - flow.Count(s.was, b) }

// push appends v and forgets the oldest, so that keep are left.
func push[T any](ring []T, v T, keep int) []T {
	if over := len(ring) + 1 - keep; over > 0 {
		ring = ring[:copy(ring, ring[over:])]
	}
	return append(ring, v)
}

func magnitude(n int64) int64 {
	if n < 0 {
		return max(-n, 0) // the least integer has no opposite
	}
	return n
}

// rate returns the flow into all keys of a together.
func (a *agg) rate() float64 {
	var sum float64
	for _, s := range a.rows {
		sum += float64(s.rate)
	}
	return sum
}

// shown returns the value of s as it is printed: normalized, as DTrace divides.
func (a *agg) shown(s *series) int64 {
	return a.divided(s.value)
}

func (a *agg) divided(n int64) int64 { return spell.Divided(a.fn, n, uint64(a.normal)) }
