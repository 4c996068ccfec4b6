// Package timeline keeps the past of a run: one frame for each snapshot, thinned as it
// ages and bounded in bytes, so that whatever the screen shows of now it can show of
// any moment that is kept. A frame never changes.
//
// Frames are coded as differences: a key frame is whole, and those after it hold what
// has changed since the key frame, not since the frame before. So any frame but a key
// frame can be dropped by itself, which is all that thinning does. What keys and
// buckets are called is kept once for the whole timeline. A Reader reads one aggregation, or
// some keys of it, out of a frame and passes over all others.
//
//	key  ─┬─ frame  frame  frame  …        each a difference to its key frame
//	key  ─┴─ frame  …
//
// The last minute is whole; of the ten minutes before that a frame a second stays, of
// the hour a frame in ten seconds, of the rest one a minute. Where that takes more than
// the budget all frames become rarer, and Rarer says by how much; where the names alone
// take too much the past is given up and begins anew. Frames at which a mark was set stay
// as long as there is a past (mark.go).
//
// Beside the frames lie the examples of firings, with a budget of their own (example.go).
package timeline

import (
	"math"
	"slices"
	"sort"
	"time"

	"dscope.dev/engine/trace"
)

// Budget is how many bytes a timeline takes unless its owner has another opinion.
const Budget = 32 << 20

// A Timeline is the past of one run. The zero Timeline is not ready: see New.
type Timeline struct {
	budget int
	names  names
	frames []*Frame
	key    *Frame    // the last key frame
	base   keyTables // of key
	coder  coder
	adding *adding       // the frame that is made; nil if none is
	bytes  int           // of all frames
	rarer  int           // what the distances between frames are multiplied with
	added  int           // frames since that key frame, itself included
	since  int           // frames added since they were thinned
	begun  time.Duration // when the past was given up last
	marks  []time.Duration

	examples *Examples
}

// A Frame is one snapshot. It never changes, so that it can be read while more are added.
type Frame struct {
	seq     uint64
	time    time.Time
	elapsed time.Duration
	drops   uint64
	key     *Frame // which may be itself
	code    []byte
}

// overhead is about what a frame takes beside its code, in bytes.
const overhead = 112

// New returns an empty timeline that takes about budget bytes at most.
func New(budget int) *Timeline {
	return &Timeline{budget: budget, rarer: 1, examples: NewExamples(ExampleBudget)}
}

// group is how many frames have one key frame, and after how many the past is thinned.
const group = 50

// Add enters the next snapshot.
func (t *Timeline) Add(s trace.Snapshot) {
	t.Start(s)
	t.Enter(math.MaxInt)
}

// An adding is a frame that is made of a snapshot, table by table.
type adding struct {
	frame  *Frame
	s      trace.Snapshot
	tables []*trace.Table // of s, in the order of the names; nil where s has none
	next   int            // the first that is not in the code
}

// Start begins to enter the next snapshot, which may not change until Enter has done so. There is no
// frame of it before.
func (t *Timeline) Start(s trace.Snapshot) {
	t.Enter(math.MaxInt)
	t.begin(s)
}

// Entering reports whether a snapshot has been begun that Enter has to go on with.
func (t *Timeline) Entering() bool { return t.adding != nil }

// Enter goes on with tables of the snapshot that was begun, until that were so many rows, and
// reports whether there are more.
func (t *Timeline) Enter(rows int) (more bool) {
	if t.adding == nil {
		return false
	}
	s := t.adding.s
	if t.encode(rows) {
		return true
	}
	t.examples.Add(&s)
	if t.since++; t.since < group && t.Bytes() <= t.budget {
		return false
	}
	t.since = 0
	if t.thin(); len(t.frames) == 0 {
		t.begin(s)
		t.encode(math.MaxInt)
	}
	return false
}

// begin begins a frame.
func (t *Timeline) begin(s trace.Snapshot) {
	f := &Frame{seq: s.Seq, time: s.Time, elapsed: s.Elapsed, drops: s.Drops, key: t.key}
	if t.key == nil || t.added >= group {
		f.key, t.key, t.base, t.added = f, f, keyTables{}, 0
	}
	t.added++
	t.coder.reset()
	t.adding = &adding{frame: f, s: s, tables: t.names.arrange(s.Aggs)}
}

// encode goes on with the frame, and reports whether there is more. It keeps one that is whole.
func (t *Timeline) encode(rows int) (more bool) {
	a := t.adding
	f := a.frame
	for ; a.next < len(a.tables); a.next++ {
		if rows <= 0 {
			return true
		}
		table := a.tables[a.next]
		t.coder.table(&t.names, a.next, table, &t.base, f == f.key)
		if table != nil {
			rows -= len(table.Rows)
		}
	}
	t.adding = nil
	f.code = t.coder.code()
	t.frames = append(t.frames, f)
	t.bytes += len(f.code) + overhead
	return false
}

// Len returns how many frames are kept.
func (t *Timeline) Len() int { return len(t.frames) }

// Examples returns those of the run, which have a budget of their own.
func (t *Timeline) Examples() *Examples { return t.examples }

// Bytes returns about what the timeline takes, without examples.
func (t *Timeline) Bytes() int { return t.bytes + t.names.bytes + t.base.bytes }

// Rarer returns by how much frames are further apart than the package says, to keep
// the budget; 1 if they are not.
func (t *Timeline) Rarer() int { return t.rarer }

// Keys returns how many keys an aggregation has ever had, as far as the past goes back.
func (t *Timeline) Keys(name string, fn trace.AggFunc) int {
	if i := t.names.find(name, fn); i >= 0 {
		return len(t.names.tables[i].rows)
	}
	return 0
}

// Begun returns how long the run had lasted when its past was given up last, to keep the
// budget; 0 if it never was.
func (t *Timeline) Begun() time.Duration { return t.begun }

// Elapsed returns how long the run had lasted at frame i.
func (t *Timeline) Elapsed(i int) time.Duration { return t.frames[i].elapsed }

// Seq returns the number of the snapshot that frame i was.
func (t *Timeline) Seq(i int) uint64 { return t.frames[i].seq }

// Drops returns all drops up to frame i.
func (t *Timeline) Drops(i int) uint64 { return t.frames[i].drops }

// Find returns the last frame that is no later than elapsed, or else the first.
func (t *Timeline) Find(elapsed time.Duration) int {
	n := sort.Search(len(t.frames), func(i int) bool { return t.frames[i].elapsed > elapsed })
	return max(n-1, 0)
}

// Frame returns frame i.
func (t *Timeline) Frame(i int) *Frame { return t.frames[i] }

// Until returns the frames up to one that has been kept, which stands at their end. The
// caller may not change them.
func (t *Timeline) Until(f *Frame) []*Frame {
	n := sort.Search(len(t.frames), func(i int) bool { return t.frames[i].elapsed >= f.elapsed })
	if n < len(t.frames) && t.frames[n] == f {
		return t.frames[: n+1 : n+1]
	}
	return append(slices.Clone(t.frames[:n]), f)
}

// Seq returns the number of the snapshot that the frame was.
func (f *Frame) Seq() uint64 { return f.seq }

// Elapsed returns how long the run had lasted.
func (f *Frame) Elapsed() time.Duration { return f.elapsed }

// Empty returns the snapshot that the frame was without its aggregations.
func (f *Frame) Empty() trace.Snapshot {
	return trace.Snapshot{Seq: f.seq, Time: f.time, Elapsed: f.elapsed, Drops: f.drops}
}

// At returns the snapshot of frame i. The rows of its tables come in the order in
// which their keys were first seen.
func (t *Timeline) At(i int) trace.Snapshot { return t.frames[i].read(t.readers()) }

// read returns the snapshot that the frame was.
func (f *Frame) read(readers []*Reader) trace.Snapshot {
	s := f.Empty()
	for _, r := range readers {
		if t, ok := r.Read(f); ok {
			s.Aggs = append(s.Aggs, t)
		}
	}
	return s
}

// apart returns how far frames of an age are from one another; 0 keeps all.
func apart(age time.Duration) time.Duration {
	switch {
	case age < time.Minute:
		return 0
	case age < 10*time.Minute:
		return time.Second
	case age < time.Hour:
		return 10 * time.Second
	}
	return time.Minute
}

// recent is how far frames of the last minute are apart, about: what is multiplied where
// the budget makes them rarer.
const recent = 200 * time.Millisecond

// thin drops frames by their age, and more of them until the budget is kept.
func (t *Timeline) thin() {
	t.drop(t.rarer)
	for t.Bytes() > t.budget && len(t.frames) > 2 && t.rarer < 1<<20 {
		t.rarer *= 2
		t.drop(t.rarer)
	}
	if own := t.names.bytes + t.base.bytes; t.Bytes() > t.budget && own > t.budget/2 { // names alone are too many: the past is given up
		t.begun = t.frames[len(t.frames)-1].elapsed
		t.names, t.frames, t.key, t.base, t.bytes, t.rarer = names{}, nil, nil, keyTables{}, 0, 1
	}
}

// drop leaves one frame in each distance, rarer times what its age asks for. Key
// frames stay while others need them; where one would, that is left in place of the other.
func (t *Timeline) drop(rarer int) {
	last := t.frames[len(t.frames)-1]
	must, keep := map[*Frame]bool{last: true}, map[*Frame]bool{}
	for _, mark := range t.marks {
		must[t.frames[t.Find(mark)]] = true
	}
	needs := map[*Frame]int{t.key: 2} // how many need a key frame: what comes next will, too
	kept := time.Duration(-1 << 60)
	for _, f := range t.frames {
		gap := apart(last.elapsed - f.elapsed)
		if rarer > 1 {
			gap = max(gap, recent) * time.Duration(rarer)
		}
		if f.elapsed-kept >= gap || must[f] {
			keep[f], kept = true, f.elapsed
			needs[f.key]++
		}
	}
	t.bytes = 0
	t.frames = slices.DeleteFunc(t.frames, func(f *Frame) bool {
		alone := f != f.key && needs[f.key] == 1 && !must[f]
		gone := needs[f] == 0 && (!keep[f] || alone)
		if !gone {
			t.bytes += len(f.code) + overhead
		}
		return gone
	})
	t.added = len(t.frames) - slices.Index(t.frames, t.key)
}
