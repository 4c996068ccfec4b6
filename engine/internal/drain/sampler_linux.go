package drain

import (
	"slices"
	"time"

	"dscope.dev/dlang/check"
	"dscope.dev/engine/internal/plan"
	"dscope.dev/engine/record"
	"dscope.dev/engine/trace"
)

// A sampler puts together the examples that the programs record. They belong to
// generations, as the aggregations do: when one is taken, the counts of its parts are
// known, but records of it may still lie in the buffers. So the examples of a generation
// are handed on when the next one is taken.
type sampler struct {
	list   []sampled
	moment func(ns uint64) time.Time
	open   map[stratum]*reservoir // of the generation that is being filled
	taken  map[stratum]*reservoir // of the one before
	counts map[stratum]uint64     // firings of the one before
	ready  []trace.Example
}

// sampled is what examples of one sample have in common.
type sampled struct{ agg, origin, state int }

// A stratum is what a fair sample is kept of.
type stratum struct{ sample, number, cpu int }

// A reservoir is the sample of one part in one generation.
type reservoir struct {
	begun bool                    // whether its first firing has been read
	last  uint64                  // the highest count of a record
	slots map[int]*record.Example // by their places
}

// mostReady bounds the examples that wait for a reader of snapshots that is slow.
const mostReady = 1 << 14

// newSampler returns nil if no examples are kept.
func newSampler(c *plan.Plan, place map[*check.AggAssign]int, moment func(uint64) time.Time) *sampler {
	if len(c.Lowered.Samples) == 0 {
		return nil
	}
	s := &sampler{moment: moment, open: map[stratum]*reservoir{}, taken: map[stratum]*reservoir{}, counts: map[stratum]uint64{}}
	for _, l := range c.Lowered.Samples {
		s.list = append(s.list, sampled{agg: l.Assign.Agg.Index, origin: place[l.Assign], state: l.State})
	}
	return s
}

// add takes in a record. The first firings of a stratum are always recorded, so the one
// with the count 1 begins a generation; until it comes, what comes is late. Others may
// come out of order, where one thread takes the CPU from another in between.
func (s *sampler) add(cpu int, e *record.Example) {
	if s == nil {
		return
	}
	at := stratum{e.Sample, e.Stratum, cpu}
	r := s.open[at]
	switch {
	case e.Count == 1 && r != nil && r.begun:
		s.taken[at] = r // all of it came late
		r = nil
	case e.Count > 1 && r == nil:
		r = s.taken[at]
	}
	if r == nil {
		r = &reservoir{slots: map[int]*record.Example{}}
		s.open[at] = r
	}
	r.begun = r.begun || e.Count == 1
	r.last = max(r.last, e.Count)
	r.slots[e.Slot] = e
}

// count takes in how often each part of a sample has fired in the generation that is
// being taken: the words of each CPU's cell, one after another.
func (s *sampler) count(state int, cells []uint64, cpus []int) {
	i := slices.IndexFunc(s.list, func(l sampled) bool { return l.state == state })
	if i < 0 || len(cpus) == 0 {
		return
	}
	words := len(cells) / len(cpus)
	for k, cpu := range cpus {
		for p, n := range cells[k*words+1 : (k+1)*words] {
			if n > 0 {
				s.counts[stratum{i, p, cpu}] = n
			}
		}
	}
}

// turn ends a generation: what the one before it kept is ready. Before the counts of the
// next are taken in.
func (s *sampler) turn() {
	if s == nil {
		return
	}
	first := len(s.ready)
	for at, r := range s.taken {
		s.finish(at, r)
	}
	slices.SortFunc(s.ready[first:], func(a, b trace.Example) int { return a.Time.Compare(b.Time) })
	s.ready = s.ready[max(len(s.ready)-mostReady, 0):]
	s.taken, s.open = s.open, map[stratum]*reservoir{}
	clear(s.counts)
}

// finish hands on what was kept of a part.
func (s *sampler) finish(at stratum, r *reservoir) {
	of := s.list[at.sample]
	weight := float64(max(s.counts[at], r.last)) / float64(len(r.slots))
	for _, e := range r.slots {
		s.ready = append(s.ready, trace.Example{Agg: of.agg, Origin: of.origin, Time: s.moment(e.Time), Probe: e.Probe, CPU: at.cpu,
			Value: e.Value, Weight: weight, Facts: e.Facts})
	}
}

// hand returns what is ready, after what a reader has not seen.
func (s *sampler) hand(unseen []trace.Example) []trace.Example {
	if s == nil {
		return nil
	}
	list := append(unseen, s.ready...)
	s.ready = nil
	return list[max(len(list)-mostReady, 0):]
}
