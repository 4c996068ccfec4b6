package timeline

import (
	"iter"
	"maps"
	"slices"

	"dscope.dev/engine/trace"
)

// Past returns what is kept now, with its examples, for whoever reads it while more is
// added: of all frames as many, evenly, as have rows rows in all, the last among them. of
// says how many of them were taken; each of them is made when it is asked for.
func (t *Timeline) Past(rows int) (frames iter.Seq[trace.Snapshot], taken, of int) {
	all, readers := slices.Clone(t.frames), t.readers()
	lists := t.examples.fixed()
	step, n := 1, len(t.frames)
	for _, names := range t.names.tables {
		step += n * len(names.rows) / max(rows, 1)
	}
	first := 0
	if n > 0 {
		first = (n - 1) % step
	}
	return func(yield func(trace.Snapshot) bool) {
		left := maps.Clone(lists) // it may be asked for again
		for i := first; i < n; i += step {
			s := all[i].read(readers)
			for j := range s.Aggs {
				key := tableKey{s.Aggs[j].Name, s.Aggs[j].Func}
				for list := left[key]; len(list) > 0 && list[0].At <= s.Elapsed; list = left[key] {
					e := list[0].Example
					e.Agg = j
					s.Examples = append(s.Examples, e)
					left[key] = list[1:]
				}
			}
			if !yield(s) {
				return
			}
		}
	}, (n - first + step - 1) / step, n
}

// Beside returns some frames, for whoever reads them while more is added; each of them is
// made when it is asked for.
func (t *Timeline) Beside(at ...int) iter.Seq[trace.Snapshot] {
	frames, readers := make([]*Frame, len(at)), t.readers()
	for i, n := range at {
		frames[i] = t.frames[n]
	}
	return func(yield func(trace.Snapshot) bool) {
		for _, f := range frames {
			if !yield(f.read(readers)) {
				return
			}
		}
	}
}

// fixed returns the examples that there are now, by aggregation, in the order of time.
// Thinning writes their weights, so they are copies.
func (x *Examples) fixed() map[tableKey][]Example {
	out := map[tableKey][]Example{}
	for key, l := range x.lists {
		list := make([]Example, len(l.list))
		for i, e := range l.list {
			list[i] = *e
		}
		out[key] = list
	}
	return out
}
