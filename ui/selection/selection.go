// Package selection is what a person has selected of an aggregation: some of its keys, a
// range of its buckets, a stretch of time, or several of these at once. It says which
// examples fell into it, what it is called, and how a script keeps no more than it.
package selection

import (
	"encoding/binary"
	"fmt"
	"math"
	"slices"
	"strings"
	"time"

	"dscope.dev/dlang/unit"
	"dscope.dev/engine/trace"
	"dscope.dev/ui/datum"
	"dscope.dev/ui/difference"
	"dscope.dev/ui/merge"
	"dscope.dev/ui/timeline"
	"dscope.dev/ui/widget"
)

// A Selection is a part of one aggregation. What is not limited is whole.
type Selection struct {
	Name string // of the aggregation, without the sigil
	Func trace.AggFunc

	Rows  [][]trace.Value // the keys that are meant; nil for all
	Among bool            // Rows are what is looked at, and not what was selected of it: what is outside has the same keys

	Buckets   bool
	Low, High int64     // what fell into the buckets that are meant
	Unit      unit.Unit // in which they are counted

	Time     bool
	From, To time.Duration // into the run: behind From, up to To
}

// String says what is selected, in one line.
func (s *Selection) String() string {
	parts := []string{"@" + s.Name}
	if s.Buckets {
		parts = append(parts, s.values())
	}
	if s.Time {
		parts = append(parts, widget.Elapsed(s.From)+" to "+widget.Elapsed(s.To))
	}
	if s.Rows != nil {
		parts = append(parts, s.keys())
	}
	return widget.Safe(strings.Join(parts, "  "))
}

// values says which values are meant, as people read them if the unit is known.
func (s *Selection) values() string {
	if s.Unit == unit.None || s.Low == math.MinInt64 || s.High == math.MaxInt64 {
		return Range(s.Low, s.High)
	}
	return s.Unit.Range(s.Low, s.High, " to ")
}

// keys names the keys, or counts them.
func (s *Selection) keys() string {
	if len(s.Rows) != 1 {
		return widget.Count(len(s.Rows), "key")
	}
	var texts []string
	for _, v := range s.Rows[0] {
		texts = append(texts, datum.Text(v))
	}
	return widget.Cut(strings.Join(texts, " "), 40)
}

// Range says which values are from low to high.
func Range(low, high int64) string {
	const least, greatest = -1 << 63, 1<<63 - 1
	switch {
	case low == high:
		return fmt.Sprint(low)
	case low == least && high == greatest:
		return "all values"
	case low == least:
		return fmt.Sprint("up to ", high)
	case high == greatest:
		return fmt.Sprint(low, " and more")
	}
	return fmt.Sprint(low, " to ", high)
}

// holds reports whether an example, which was met at that time of the run, is in s. Its
// keys are known to be looked at.
func (s *Selection) holds(e *timeline.Example, selected bool) bool {
	switch {
	case s.Buckets && (e.Value < s.Low || e.Value > s.High):
		return false
	case s.Time && (e.At <= s.From || e.At > s.To):
		return false
	}
	return selected
}

// Sides returns the examples that are inside of s and those that are outside, as a
// question; unknown are those of which the keys are not known that decide it.
func (s *Selection) Sides(x *timeline.Examples) (q difference.Question, unknown int) {
	q.Origins = x.Origins(s.Name, s.Func)
	by := make([][]int, len(q.Origins)) // where the facts of an example are that are its keys
	for i := range q.Origins {
		by[i] = keyFacts(&q.Origins[i])
	}
	meant := make(map[string]bool, len(s.Rows)) // a filter may leave thousands
	for _, row := range s.Rows {
		meant[identity(row)], meant[called(row)] = true, true
	}
	for e := range x.All(s.Name, s.Func) {
		selected := true
		if s.Rows != nil {
			keys, ok := keysOf(e, by)
			if !ok {
				unknown++
				continue
			}
			selected = meant[identity(keys)] || moves(keys) && meant[called(keys)]
			if s.Among && !selected {
				continue
			}
		}
		copied := e.Example // the store goes on: it may thin while the question is answered
		if s.holds(e, selected) {
			q.Inside = append(q.Inside, &copied)
		} else {
			q.Outside = append(q.Outside, &copied)
		}
	}
	if s.Rows != nil {
		for i := range q.Origins {
			q.By = append(q.By, q.Origins[i].Keys...)
		}
	}
	return q, unknown
}

// keyFacts returns for each key of a place which fact of its examples it is; -1 if they
// have none.
func keyFacts(o *trace.Origin) []int {
	at := make([]int, len(o.Keys))
	for i, key := range o.Keys {
		at[i] = slices.IndexFunc(o.Dims, func(d trace.Dimension) bool { return d.Key && d.Expr == key })
	}
	return at
}

func keysOf(e *timeline.Example, by [][]int) (keys []trace.Value, ok bool) {
	if e.Origin < 0 || e.Origin >= len(by) {
		return nil, false
	}
	for _, i := range by[e.Origin] {
		if i < 0 || i >= len(e.Facts) || e.Facts[i].Kind == trace.NoValue {
			return nil, false
		}
		keys = append(keys, e.Facts[i])
	}
	return keys, true
}

func moves(keys []trace.Value) bool { return slices.ContainsFunc(keys, merge.Moves) }

// called is the same for two lists of values if they are one key of the screen, where stacks
// go by their names.
func called(keys []trace.Value) string {
	id := []byte("called")
	for i := range keys {
		id = merge.AppendName(id, &keys[i])
	}
	return string(id)
}

// identity is the same for two lists of values if they are one key of the run: stacks go by
// their addresses, since names may have come meanwhile.
func identity(keys []trace.Value) string {
	var id []byte
	for _, v := range keys {
		if datum.HasFrames(v) {
			id = binary.AppendUvarint(id, uint64(len(v.Frames)))
			for _, f := range v.Frames {
				id = binary.AppendUvarint(id, f.Addr)
			}
			continue
		}
		id = binary.AppendVarint(id, v.Int)
		id = binary.AppendUvarint(id, uint64(len(v.Str)))
		id = append(id, v.Str...)
	}
	return string(id)
}

// None says why there are no examples inside, and how to get some; "" if there are.
func None(x *timeline.Examples, q *difference.Question, unknown int) string {
	switch {
	case len(q.Inside) > 0:
		return ""
	case x.Came() == 0:
		return "no examples have come: those of a run that has just begun are a moment late, and one may keep none; #pragma D option examples=4 at the top of the script asks for some, and says why if they cannot be had"
	case len(q.Origins) == 0:
		return "of this aggregation no examples are kept: it is filled in BEGIN, END, ERROR or a function"
	case unknown > 0:
		return "which keys the examples had is not known: they are computed with a change, or could not be had"
	}
	return "no example of it is kept: a few are of each bucket, CPU and interval, and nothing may have fallen into this"
}
