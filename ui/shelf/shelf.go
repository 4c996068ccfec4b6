// Package shelf keeps the runs of a workbench when the next begins: the script of each,
// when it began and how it ended, what it lost, and its timeline, so that its pictures can
// be looked at again and compared.
//
// All runs together have a budget of bytes. Where they take more, the oldest give way
// first, in three steps: all but the newest lose their examples and three quarters of
// their frames, then the whole timeline, then the run is forgotten. What was given up is
// said with each run (Kept), and how many were forgotten by the shelf (Gone).
package shelf

import (
	"time"

	"dscope.dev/engine/trace"
	"dscope.dev/ui/timeline"
)

// Budget is how many bytes all kept runs take together.
const Budget = 128 << 20

// Most is how many runs are kept, whatever they take.
const Most = 100

// A Run is one that was kept.
type Run struct {
	Number int
	Script string
	Began  time.Time
	Status trace.Status       // the last that was seen
	Err    error              // why it failed
	Change string             // of the script against the run before; see the function Change
	Line   *timeline.Timeline // its past; nil if that was given up

	thinned bool
}

// Length returns how long the run had lasted when it was seen last.
func (r *Run) Length() time.Duration {
	if r.Line != nil && r.Line.Len() > 0 {
		return max(r.Status.Elapsed, r.Line.Elapsed(r.Line.Len()-1))
	}
	return r.Status.Elapsed
}

// Pictures reports whether there is anything of the run to look at.
func (r *Run) Pictures() bool { return r.Line != nil && r.Line.Len() > 0 }

// Kept says in a word what was given up of the run to keep the budget; "" is nothing.
func (r *Run) Kept() string {
	switch {
	case r.Line == nil:
		return "pictures given up"
	case r.thinned:
		return "thinned"
	}
	return ""
}

// perRun is about what a run takes beside script and timeline, in bytes.
const perRun = 1024

func (r *Run) bytes() int {
	n := perRun + len(r.Script)
	if r.Line != nil {
		n += r.Line.Total()
	}
	return n
}

// A Shelf is where runs are kept.
type Shelf struct {
	budget int
	runs   []*Run // the oldest first
	gone   int
}

// New returns an empty shelf.
func New(budget int) *Shelf { return &Shelf{budget: budget} }

// Put keeps a run, the newest. Its timeline is the shelf's from now on.
func (s *Shelf) Put(r *Run) {
	r.Status.Hooks, r.Status.Cost = nil, trace.Cost{} // of a run in progress alone
	if r.Line != nil {
		r.Line.End()
	}
	s.runs = append(s.runs, r)
	s.fit()
}

// fit makes the oldest runs give way until the budget is kept.
func (s *Shelf) fit() {
	older := s.runs[:len(s.runs)-1]
	for _, r := range older {
		if s.Bytes() > s.budget && r.Line != nil && !r.thinned {
			r.thinned = true
			r.Line.Shrink(r.Line.Frames() / 4)
		}
	}
	for _, r := range older {
		if s.Bytes() > s.budget {
			r.Line = nil
		}
	}
	for len(s.runs) > 1 && (s.Bytes() > s.budget || len(s.runs) > Most) {
		s.runs = s.runs[1:]
		s.gone++
	}
}

// Runs returns what is kept, the oldest first. The caller may not change it.
func (s *Shelf) Runs() []*Run { return s.runs }

// Find returns the run of a number, nil if it is not kept.
func (s *Shelf) Find(number int) *Run {
	for _, r := range s.runs {
		if r.Number == number {
			return r
		}
	}
	return nil
}

// Bytes returns about what all kept runs take.
func (s *Shelf) Bytes() int {
	n := 0
	for _, r := range s.runs {
		n += r.bytes()
	}
	return n
}

// Gone returns how many runs were forgotten to keep the budget.
func (s *Shelf) Gone() int { return s.gone }
