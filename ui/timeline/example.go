package timeline

import (
	"cmp"
	"iter"
	"math/rand/v2"
	"slices"
	"sort"
	"time"

	"dscope.dev/engine/trace"
)

// ExampleBudget is how many bytes the examples of a run take, beside the timeline.
const ExampleBudget = 32 << 20

// Examples are those of a run, as its snapshots brought them. Where they take more than
// the budget they are thinned, so that no part of the past loses all: the run is divided
// into ages (the last minute, the one before, the two before that, the four before those,
// …), and what takes most is halved.
//
// Halving is fair: of two examples that stand next to each other (of the same
// aggregation, place, bucket and CPU, about the same time) one stays, with a chance in
// proportion to its weight, and stands for the firings of both. So sums of weights stay
// as they were, and every share is neither raised nor lowered by it, but by chance.
type Examples struct {
	budget int
	lists  map[tableKey]*exampleList
	last   time.Duration // into the run
	bytes  int
	came   int // how many there have ever been
	kept   int
	stacks stackSet
	chance *rand.Rand // the same for each replay
}

type tableKey struct {
	name string
	fn   trace.AggFunc
}

// An exampleList is the examples of one aggregation in the order of time.
type exampleList struct {
	origins []trace.Origin
	buckets []trace.Bucket // its parts, ascending: Low and High
	list    []*Example
}

// An Example is one that is kept.
type Example struct {
	trace.Example
	At time.Duration // into the run

	bytes  int
	bucket int
}

// NewExamples returns a store that takes about budget bytes at most.
func NewExamples(budget int) *Examples {
	return &Examples{budget: budget, lists: map[tableKey]*exampleList{}, chance: rand.New(rand.NewPCG(1, 2))}
}

// Add takes in the examples of the next snapshot.
func (x *Examples) Add(s *trace.Snapshot) {
	x.last = max(x.last, s.Elapsed)
	for i := range s.Examples {
		e := &s.Examples[i]
		if e.Agg < 0 || e.Agg >= len(s.Aggs) {
			continue
		}
		x.came++
		x.add(x.of(&s.Aggs[e.Agg]), e, s)
	}
	if x.bytes > x.budget {
		x.learn(s)
		x.thin()
	}
}

// of returns the list of an aggregation.
func (x *Examples) of(t *trace.Table) *exampleList {
	key := tableKey{t.Name, t.Func}
	l := x.lists[key]
	if l == nil {
		l = &exampleList{}
		x.lists[key] = l
	}
	if t.Origins != nil {
		l.origins = t.Origins
	}
	return l
}

func (x *Examples) add(l *exampleList, e *trace.Example, s *trace.Snapshot) {
	at := s.Elapsed
	if !e.Time.IsZero() && !s.Time.IsZero() {
		at = min(max(s.Elapsed-s.Time.Sub(e.Time), 0), s.Elapsed)
	}
	kept := &Example{Example: *e, At: at, bytes: exampleBytes}
	if kept.Weight = min(kept.Weight, heaviest); !(kept.Weight >= 1) { // nor is it a number
		kept.Weight = 1
	}
	kept.Facts = slices.Clone(e.Facts)
	for i := range kept.Facts {
		v := &kept.Facts[i]
		kept.bytes += factBytes + len(v.Str)
		v.Frames = x.share(v.Frames)
	}
	x.bytes += kept.bytes
	x.kept++
	i := len(l.list)
	for i > 0 && l.list[i-1].At > at { // nearly always the last
		i--
	}
	l.list = slices.Insert(l.list, i, kept)
}

// About what an example takes, a fact, and a frame of a stack, in bytes.
const (
	exampleBytes = 240
	factBytes    = 96
	frameBytes   = 64
)

// heaviest bounds a weight, so that sums of them stay numbers.
const heaviest = 1e15

// share returns a stack that is kept already in place of one that is equal.
func (x *Examples) share(frames []trace.Frame) []trace.Frame {
	shared, fresh := x.stacks.share(frames)
	if fresh {
		x.bytes += frameBytes * len(shared)
	}
	return shared
}

// learn notes the buckets of the histograms, which thinning keeps apart.
func (x *Examples) learn(s *trace.Snapshot) {
	for i := range s.Aggs {
		t := &s.Aggs[i]
		l := x.lists[tableKey{t.Name, t.Func}]
		if l == nil {
			continue
		}
		for _, r := range t.Rows {
			for _, b := range r.Buckets {
				if n, ok := slices.BinarySearchFunc(l.buckets, b, trace.Bucket.Compare); !ok {
					l.buckets = slices.Insert(l.buckets, n, trace.Bucket{Low: b.Low, High: b.High})
				}
			}
		}
	}
}

// All yields the examples of an aggregation in the order of time.
func (x *Examples) All(name string, fn trace.AggFunc) iter.Seq[*Example] {
	return func(yield func(*Example) bool) {
		if l := x.lists[tableKey{name, fn}]; l != nil {
			for _, e := range l.list {
				if !yield(e) {
					return
				}
			}
		}
	}
}

// Origins returns where the script fills an aggregation, as far as its examples tell.
func (x *Examples) Origins(name string, fn trace.AggFunc) []trace.Origin {
	if l := x.lists[tableKey{name, fn}]; l != nil {
		return l.origins
	}
	return nil
}

// Kept returns how many examples are kept, and Came how many there have been.
func (x *Examples) Kept() int { return x.kept }

// Came returns how many examples there have ever been.
func (x *Examples) Came() int { return x.came }

// Bytes returns about what the examples take.
func (x *Examples) Bytes() int { return x.bytes }

// thin halves what takes most until a quarter of the budget is free.
func (x *Examples) thin() {
	for x.bytes > x.budget*3/4 {
		before := x.kept
		x.halve(x.greatest())
		x.sweep()
		if x.kept == before { // nothing is next to anything
			return
		}
	}
}

// age returns which age an example has: 0 is the last minute, each further one is twice
// as long as the one before it.
func (x *Examples) age(e *Example) int {
	n := 0
	for left := (x.last - e.At) / time.Minute; left > 0; left /= 2 {
		n++
	}
	return n
}

// greatest returns the age whose examples take most; of equals the oldest.
func (x *Examples) greatest() int {
	var bytes [64]int
	for _, l := range x.lists {
		for _, e := range l.list {
			bytes[x.age(e)] += e.bytes
		}
	}
	best := 0
	for i, n := range bytes {
		if n >= bytes[best] && n > 0 {
			best = i
		}
	}
	return best
}

// halve leaves one of two examples of an age. Those that are given up have no weight.
func (x *Examples) halve(age int) {
	for _, l := range x.lists {
		var of []*Example
		for _, e := range l.list {
			if x.age(e) == age {
				e.bucket = l.bucket(e.Value)
				of = append(of, e)
			}
		}
		slices.SortStableFunc(of, func(a, b *Example) int {
			return cmp.Or(cmp.Compare(a.Origin, b.Origin), cmp.Compare(a.bucket, b.bucket), cmp.Compare(a.CPU, b.CPU), cmp.Compare(a.At, b.At))
		})
		for i := 0; i+1 < len(of); {
			a, b := of[i], of[i+1]
			if a.Origin != b.Origin || a.bucket != b.bucket {
				i++
				continue
			}
			if sum := a.Weight + b.Weight; x.chance.Float64()*sum < a.Weight {
				a.Weight, b.Weight = sum, 0
			} else {
				a.Weight, b.Weight = 0, sum
			}
			i += 2
		}
	}
}

// bucket returns which bucket a value is in.
func (l *exampleList) bucket(v int64) int {
	return sort.Search(len(l.buckets), func(i int) bool { return l.buckets[i].Low > v })
}

// sweep takes out what has been given up, and counts anew.
func (x *Examples) sweep() {
	x.bytes, x.kept, x.stacks = 0, 0, stackSet{}
	for _, l := range x.lists {
		l.list = slices.DeleteFunc(l.list, func(e *Example) bool { return e.Weight == 0 })
		for _, e := range l.list {
			x.bytes += e.bytes
			x.kept++
			for i := range e.Facts { // which share their stacks already, and are not written: others may read them
				x.share(e.Facts[i].Frames)
			}
		}
	}
}

// A stackSet holds each stack once.
type stackSet struct{ by map[uint64][][]trace.Frame }

// share returns the stack of the set that is equal to frames, which may be new.
func (s *stackSet) share(frames []trace.Frame) (_ []trace.Frame, fresh bool) {
	if len(frames) == 0 {
		return frames, false
	}
	hash := uint64(len(frames))
	for i := range frames {
		hash = hash*0x100000001b3 ^ frames[i].Addr
	}
	for _, have := range s.by[hash] {
		if slices.Equal(have, frames) {
			return have, false
		}
	}
	if s.by == nil {
		s.by = map[uint64][][]trace.Frame{}
	}
	s.by[hash] = append(s.by[hash], frames)
	return frames, true
}
