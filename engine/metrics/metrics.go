// Package metrics tells monitoring systems what a run aggregates while it goes on: as an
// endpoint that Prometheus scrapes, and as OTLP metrics that are pushed over HTTP.
//
// A Source is an observer of runs (trace.Follow). It keeps the last snapshot and state and
// nothing else; what is asked of it is worked out when it is asked, in the goroutine of who
// asks, so that neither a slow scraper nor a dead collector holds up a run.
//
// An aggregation is a metric, each of its keys a series:
//
//	count()             a counter
//	sum()               a gauge: what is added may be negative
//	min max avg stddev  a gauge
//	quantize() …        a histogram with the script's own bounds
//
// Values are those that the run would print, divided as normalize() has them. Bounds are the
// greatest values of buckets, since those hold whole numbers: that of 1024 to 2047 has the
// bound 2047. Of lquantize() all are there from the start, of the others those that anything
// has reached, which only become more. The sum of what went into a histogram is not kept by
// D, so there is none: NaN in Prometheus, absent in OTLP. One with negative counts is no
// histogram to either, and is left out and counted.
//
// Keys are labels, called as the script writes them. Those that are spelled alike are one
// series. Each aggregation has at most so many series (Options.Keys); those that come first
// stay, because series that come and go are worth little, and how many keys are left out
// is a metric of its own, and said once. So are drops: whoever reads the numbers of a run
// that has lost something must be able to see it there.
package metrics

import (
	"fmt"
	"sync"
	"time"

	"dscope.dev/engine/trace"
	"dscope.dev/engine/trace/spell"
)

// usualKeys is how many series an aggregation may have if nobody says otherwise: a
// hundred of them with that many are what a Prometheus server bears without notice.
const usualKeys = 1000

// Options say what a Source tells.
type Options struct {
	Keys int               // series of an aggregation at most; 0 is the usual number
	Say  func(text string) // takes a word when keys are left out; nil if nobody is there
}

// A Source knows how a run comes along. Its methods may be called from several goroutines.
type Source struct {
	o Options

	mu     sync.Mutex
	began  time.Time
	snap   trace.Snapshot
	status trace.Status
	known  map[string]*series // by the name of the aggregation and its function
	told   map[string]bool    // of which aggregations it has been said that keys are left out
}

// New returns a source that knows of no run yet.
func New(o Options) *Source {
	if o.Keys == 0 {
		o.Keys = usualKeys
	}
	return &Source{o: o, known: map[string]*series{}, told: map[string]bool{}}
}

// Begin forgets the run before.
func (s *Source) Begin(began time.Time) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.began, s.snap, s.status = began, trace.Snapshot{}, trace.Status{State: trace.Running}
	s.known, s.told = map[string]*series{}, map[string]bool{}
}

// Snapshot takes the aggregations as they stand.
func (s *Source) Snapshot(n trace.Snapshot) {
	n.Examples = nil
	s.mu.Lock()
	defer s.mu.Unlock()
	s.snap = n
}

// Status takes the state of the run.
func (s *Source) Status(n trace.Status) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.status = n
}

// A Kind is what a metric is.
type Kind uint8

// The kinds.
const (
	Counter Kind = iota // only grows, until it begins again
	Gauge
	Histogram
)

// A Metric is a number, or a histogram, with labels.
type Metric struct {
	Name   string // without the prefix and the suffix of a form
	Help   string
	Unit   string // as UCUM has it: ns, s, 1; "" if it is not known
	Kind   Kind
	Labels []string  // names
	Bounds []float64 // of a histogram, ascending: the greatest values that buckets hold, but for the last
	Points []Point
}

// A Point is a series of a metric at one moment.
type Point struct {
	Labels []string // values
	Value  float64
	Counts []uint64 // of a histogram: how many are in each bucket, one more than bounds
	Count  uint64   // of a histogram: all of them
}

// A Reading is all that is known at one moment.
type Reading struct {
	Began, At time.Time
	Metrics   []Metric
}

// Read returns what is known now; nothing before the first run.
func (s *Source) Read() Reading {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.began.IsZero() {
		return Reading{}
	}
	out := Reading{Began: s.began, At: s.snap.Time, Metrics: s.run()}
	left := Metric{Name: "run_keys_left_out", Help: "keys of an aggregation that are more than it may have series, or no histogram", Kind: Gauge, Labels: []string{"aggregation"}}
	used := map[string]bool{}
	for _, m := range out.Metrics {
		used[m.Name] = true
	}
	used[left.Name] = true
	for i := range s.snap.Aggs {
		t := &s.snap.Aggs[i]
		k := s.seriesOf(t)
		m, without := k.metric(t, s.o.Keys)
		for m.Name = k.name; used[m.Name]; {
			m.Name += "_2"
		}
		used[m.Name] = true
		out.Metrics = append(out.Metrics, m)
		left.Points = append(left.Points, Point{Labels: []string{"@" + t.Name}, Value: float64(without)})
		if id := t.Name; without > 0 && !s.told[id] {
			s.told[id] = true
			if s.o.Say != nil {
				s.o.Say(fmt.Sprintf("metrics: @%s has more keys than %d; those that came later are left out of its metric (%d now), as dscope_run_keys_left_out says", t.Name, s.o.Keys, without))
			}
		}
	}
	if len(left.Points) > 0 {
		out.Metrics = append(out.Metrics, left)
	}
	return out
}

func (s *Source) seriesOf(t *trace.Table) *series {
	id := t.Name + " " + t.Func.String()
	k := s.known[id]
	if k == nil {
		k = newSeries(t)
		s.known[id] = k
	}
	return k
}

// run tells of the run itself.
func (s *Source) run() []Metric {
	running := 0.0
	if s.status.State < trace.Done {
		running = 1
	}
	one := func(name, help, unit string, kind Kind, v float64) Metric {
		return Metric{Name: name, Help: help, Unit: unit, Kind: kind, Points: []Point{{Value: v}}}
	}
	out := []Metric{
		one("run_active", "1 while the script runs", "1", Gauge, running),
		one("run_seconds", "how long the run has lasted", "s", Gauge, max(s.status.Elapsed, s.snap.Elapsed).Seconds()),
		one("run_probes", "probes that are enabled", "1", Gauge, float64(s.status.Probes)),
		one("run_events", "records that were delivered", "1", Counter, float64(s.status.Events)),
	}
	drops := Metric{Name: "run_drops", Help: "what fired and could not be kept, by what was lost and where", Unit: "1", Kind: Counter, Labels: []string{"kind", "where"}}
	at := map[[2]string]int{}
	for k := trace.DropPrincipal; k <= trace.DropReader; k++ { // all of them, so that what was not lost is known, too
		at[[2]string{spell.DropTag(k), ""}] = len(drops.Points)
		drops.Points = append(drops.Points, Point{Labels: []string{spell.DropTag(k), ""}})
	}
	for _, d := range s.status.Drops {
		key := [2]string{spell.DropTag(d.Kind), labelText(d.Where)}
		i, ok := at[key]
		if !ok {
			i = len(drops.Points)
			at[key] = i
			drops.Points = append(drops.Points, Point{Labels: key[:]})
		}
		drops.Points[i].Value += float64(d.Count)
	}
	out = append(out, drops)
	if s.status.Cost.Window > 0 {
		out = append(out, one("run_cpu_ratio", "part of the time of all CPUs that the programs of the run take", "1", Gauge, s.status.Cost.Share))
	}
	return out
}
