package live

import (
	"math"
	"time"

	"dscope.dev/dlang/unit"
	"dscope.dev/engine/trace"
	"dscope.dev/engine/trace/spell"
	"dscope.dev/ui/chart"
	"dscope.dev/ui/datum"
)

// history is how many intervals a sparkline shows.
const history = 60

// A book is what has been learnt from all snapshots of a run: beside the
// latest values, how they changed.
type book struct {
	aggs    []*agg
	elapsed time.Duration
	seq     uint64
	drops   uint64 // all so far
	lost    uint64 // during the last interval
	spans   spans  // of the last intervals
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
	seen    uint64     // the snapshot that held it last
	counted bool       // the function counts how often it is fed
	lost    []bool     // intervals in which something was dropped, as long as the rings
	axis    chart.Axis // of all its histograms together
	peak    int64      // the greatest magnitude of a value so far
}

// A series is one key of an aggregation over time.
type series struct {
	id      string
	keys    []trace.Value
	texts   []string // the keys as text
	value   int64    // as the snapshot has it, not normalized
	count   uint64
	buckets []trace.Bucket
	shares  []cpuShare      // what each CPU has added, if the run keeps that
	was     map[int64]int64 // counts of the snapshot before, by the bucket's Low
	delta   int64           // what came in the last interval
	rate    float32         // a second during the window, normalized
	speed   float32         // the greatest of ring so far
	ring    []float32       // what came a second in each interval, the newest last
	axis    chart.Axis
	seen    uint64
	out     bool // the filter leaves it out
	asked   int  // which filter that was
}

// A cpuShare is what one CPU has added to a key, as printed.
type cpuShare struct {
	cpu   int
	value int64
}

// take enters a snapshot.
func (b *book) take(s trace.Snapshot) {
	dt := (s.Elapsed - b.elapsed).Seconds()
	b.lost = s.Drops - min(b.drops, s.Drops)
	b.elapsed, b.seq, b.drops = s.Elapsed, s.Seq, s.Drops
	b.spans.push(dt)
	next := make([]*agg, 0, len(s.Aggs))
	for i := range s.Aggs {
		t := &s.Aggs[i]
		a := b.find(t.Name, t.Func)
		if a == nil {
			a = &agg{name: t.Name, rows: make(map[string]*series, len(t.Rows))}
		}
		a.take(t, s.Seq, dt, b.spans, b.lost > 0)
		next = append(next, a)
	}
	b.aggs = next
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

// take enters the rows of one aggregation; dt is in seconds.
func (a *agg) take(t *trace.Table, seq uint64, dt float64, past spans, lost bool) {
	a.fn, a.types, a.seen = t.Func, t.KeyTypes, seq
	if a.titles == nil { // they stay the same
		a.titles, a.unit = datum.Titles(t), units(t)
	}
	a.normal = max(int64(min(t.Normal, math.MaxInt64)), 1)
	a.sorted = t.Sorted
	a.lost = push(a.lost, lost, len(past))
	for i := range t.Rows {
		r := &t.Rows[i]
		a.counted = a.counted || r.Count > 0
		s := a.rows[r.ID]
		if s == nil {
			s = newSeries(r)
			a.rows[r.ID] = s
		}
		s.take(a, r, dt, past)
		s.seen = seq
	}
	for id, s := range a.rows {
		if s.seen != seq { // truncated away; if it comes back it starts anew
			delete(a.rows, id)
		}
	}
}

func newSeries(r *trace.Row) *series {
	s := &series{id: r.ID, keys: r.Keys}
	for _, k := range r.Keys {
		s.texts = append(s.texts, datum.Text(k))
	}
	return s
}

// take enters the next value of a key and works out what came in between.
func (s *series) take(a *agg, r *trace.Row, dt float64, past spans) {
	prev, n := s.value, r.Value
	if !counts(a.fn) { // the value is no amount: what flows is how often it was fed
		prev, n = int64(s.count), int64(r.Count)
	}
	s.delta = n - prev
	if restarted(a.fn, s, r) {
		s.delta = n
	}
	if a.fn.IsHistogram() {
		s.takeBuckets(a, r)
	}
	s.value, s.count = r.Value, r.Count
	s.shares = s.shares[:0:0] // a picture that is held keeps the old ones
	for _, p := range r.PerCPU {
		s.shares = append(s.shares, cpuShare{p.CPU, a.divided(p.Value)})
	}
	speed := float32(0)
	if dt > 0 {
		speed = float32(float64(s.delta) / dt)
		if counts(a.fn) {
			speed /= float32(a.normal)
		}
	}
	s.ring = push(s.ring, speed, len(past))
	s.rate = past.rate(s.ring)
	a.peak = max(a.peak, magnitude(s.value))
	s.speed = max(s.speed, speed)
}

// counts reports whether the values of fn are amounts that grow, so that
// their change is a flow.
func counts(fn trace.AggFunc) bool {
	return fn == trace.Count || fn == trace.Sum || fn.IsHistogram()
}

// restarted reports whether clear() or trunc() came in between, as counts
// that shrink show: then all that is there came after it. A sum may shrink by
// itself, so that only its count tells.
func restarted(fn trace.AggFunc, s *series, r *trace.Row) bool {
	return r.Count < s.count || fn == trace.Count && r.Value < s.value
}

// takeBuckets works out what came into each bucket.
func (s *series) takeBuckets(a *agg, r *trace.Row) {
	if s.was == nil {
		s.was = make(map[int64]int64, len(r.Buckets))
	}
	clear(s.was)
	for _, b := range s.buckets {
		s.was[b.Low] = b.Count
	}
	for _, b := range r.Buckets {
		if b.Count >= 0 && b.Count < s.was[b.Low] { // cleared in between
			clear(s.was)
			s.delta = r.Value
			break
		}
	}
	s.buckets = r.Buckets
	s.axis.Normal = uint64(a.normal)
	s.axis.Grow(r.Buckets, s.came)
	a.axis.Grow(r.Buckets, nil)
}

// came returns what came into a bucket in the last interval.
func (s *series) came(b trace.Bucket) int64 { return b.Count - s.was[b.Low] }

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
