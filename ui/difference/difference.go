// Package difference answers what is different about a selection: how the firings that
// fell into it differ from those that did not. It knows examples and nothing of how they
// were chosen or are shown.
//
// Every dimension of the examples (a key, a built-in variable, an argument, a frame of a
// stack) is taken apart into values. Of each value the share inside of the selection is
// set beside the share outside. Examples are a sample, so all of it is in terms of what
// a sample carries:
//
//   - A share is weighted: an example counts for the firings that it stands for. Unequal
//     weights carry less than their number, which the effective size says (share.go).
//   - A share has an interval, of 95 % by itself.
//   - A difference is claimed only where it would be found in at most one of twenty whole
//     answers if there were none: with a test and a bound that are corrected for all the
//     values of all the dimensions that were looked at.
//   - Of what is not claimed the answer says how large a difference may have stayed
//     hidden, and where that is anything, that the sample says nothing.
//
// Dimensions are ordered by the least part of the firings that can differ: the sum of the
// lower bounds of their values. Those that tell the same firings apart are one group, and
// a name comes before a number in it. What makes up the aggregated value, the selection
// or the time differs by construction and is left out, with the reason (leave.go).
package difference

import (
	"cmp"
	"slices"

	"dscope.dev/engine/trace"
)

// A Question is what a selection is compared in. The examples are of one aggregation.
type Question struct {
	Origins         []trace.Origin // of the aggregation
	Inside, Outside []*trace.Example
	By              []string // the expressions by whose values the firings were selected, beside the aggregated one and time
}

// An Answer says what is different about the inside.
type Answer struct {
	Inside, Outside Size
	Groups          []Group   // dimensions that differ, most first
	Rest            []Finding // those of which no difference can be claimed
	Left            []Left    // those that were not looked at
	Looked          int       // at how many values
}

// A Size is how large one side of the comparison is.
type Size struct {
	Examples  int
	Firings   float64 // that they stand for
	Effective float64 // how many examples of equal weight would carry as much
}

// A Group is dimensions that tell the same firings apart. The first is the one to name.
type Group []Finding

// A Left is a dimension that was not looked at.
type Left struct {
	Dim trace.Dimension
	Why string
}

// A Finding is one dimension.
type Finding struct {
	Dim     trace.Dimension
	Own     bool // every example has it, whatever its place says
	Part    Part
	Values  []Value // those that are more frequent inside first, then those that are less
	Differs float64 // at least so much of the firings; 0 if none can be claimed
	Hidden  float64 // no value can differ by more, if none is claimed
	Silent  string  // why the sample says nothing about the dimension; "" if it does
	Known   [2]Size // examples inside and outside for which it is known

	set marks // the examples that speak for the inside
}

// A Part says what of a fact a finding is about.
type Part uint8

// The parts.
const (
	Whole Part = iota // the value itself
	Range             // the power of two that it lies below
	Leaf              // the innermost frame of a stack
	Stack             // all frames
	Frame             // a frame anywhere on the stack
)

// A Value is one value of a dimension.
type Value struct {
	Value           trace.Value // of a stack: with the frames that are meant
	Low, High       int64       // of a Range; as uint64 if Value is of kind UintValue
	Inside, Outside Share
	Claimed         bool
	Least           float64 // by how much the shares differ at least, if that is claimed
	Most            float64 // and at most
}

// More reports whether the value is more frequent inside than outside.
func (v *Value) More() bool { return v.Inside.Part > v.Outside.Part }

// shown is how many values of a dimension an answer holds at most.
const shown = 8

// Rank answers a question.
func Rank(q Question) Answer {
	s := newSample(q)
	a := Answer{Inside: s.size(0), Outside: s.size(1)}
	var cols []*column
	for _, d := range s.dimensions() {
		if why := s.leave(d); why != "" {
			a.Left = append(a.Left, Left{d.Dimension, why})
			continue
		}
		for _, c := range s.columns(d) {
			if !d.own || !c.constant() {
				cols = append(cols, c)
			}
		}
	}
	var tests []*tally
	for _, c := range cols {
		tests = append(tests, c.tallies()...)
	}
	a.Looked = len(tests)
	judge(tests)
	var found []Finding
	for _, c := range cols {
		f := c.finding()
		if f.Differs > 0 {
			found = append(found, f)
		} else {
			a.Rest = append(a.Rest, f)
		}
	}
	a.Groups = group(found)
	slices.SortStableFunc(a.Rest, func(x, y Finding) int { return cmp.Compare(x.Hidden, y.Hidden) })
	return a
}
