// Package flow tells what came into an aggregation between two of its states.
//
// Counts, sums and histograms are amounts: what came is what is there now, less what was
// there before. If the script has cleared a key in between, as counts that shrink show, all
// that is there has come since. Least, greatest, average and deviation are no amounts; of
// them only how often they were fed is known to flow.
//
// Histograms are lists of buckets, ascending.
package flow

import (
	"slices"

	"dscope.dev/engine/trace"
)

// Restarted reports whether clear() or trunc() came between two states of a key. A sum may
// shrink by itself, so that only its count tells.
func Restarted(fn trace.AggFunc, now, before *trace.Row) bool {
	if now.Count < before.Count || fn.Counts() && now.Value < before.Value {
		return true
	}
	was := reader{before.Buckets}
	for i := range now.Buckets {
		if b := &now.Buckets[i]; b.Count >= 0 && b.Count < was.count(b) {
			return true
		}
	}
	return false
}

// A reader looks up buckets of a histogram that are asked for in their order.
type reader struct{ left []trace.Bucket }

func (r *reader) count(b *trace.Bucket) int64 {
	for len(r.left) > 0 {
		switch x := &r.left[0]; {
		case x.Low == b.Low && x.High == b.High:
			return x.Count
		case x.Low > b.Low || x.Low == b.Low && x.High > b.High:
			return 0
		}
		r.left = r.left[1:]
	}
	return 0
}

// Came returns what came into a key since it was as before: of an amount its increase, of
// anything else how often it was fed. cleared reports that before is as good as nothing.
func Came(fn trace.AggFunc, now, before *trace.Row) (n int64, cleared bool) {
	was := *before
	if cleared = Restarted(fn, now, before); cleared {
		was = trace.Row{}
	}
	if fn.AddsUp() {
		return now.Value - was.Value, cleared
	}
	return int64(now.Count) - int64(was.Count), cleared
}

// Count returns how much a histogram has in a bucket.
func Count(list []trace.Bucket, b trace.Bucket) int64 {
	i, found := slices.BinarySearchFunc(list, b, trace.Bucket.Compare)
	if !found {
		return 0
	}
	return list[i].Count
}

// AppendSince appends the buckets of now with what came into them since before.
func AppendSince(out, now, before []trace.Bucket) []trace.Bucket {
	was := reader{before}
	for i := range now {
		out = append(out, now[i])
		out[len(out)-1].Count -= was.count(&now[i])
	}
	return out
}

// Arrived returns what came into a histogram since it was as before, without the buckets that
// nothing came into. If one has less than before it was cleared in between, and all that is
// there has come since.
func Arrived(now, before []trace.Bucket) (out []trace.Bucket) {
	if slices.ContainsFunc(now, func(b trace.Bucket) bool { return b.Count < Count(before, b) }) {
		before = nil
	}
	for _, b := range now {
		if b.Count -= Count(before, b); b.Count > 0 {
			out = append(out, b)
		}
	}
	return out
}

// Same reports whether two histograms are equal.
func Same(a, b []trace.Bucket) bool {
	if len(a) != len(b) {
		return false
	}
	if len(a) == 0 || &a[0] == &b[0] { // often they are one list
		return true
	}
	for i := range a {
		if x, y := &a[i], &b[i]; x.Count != y.Count || x.Low != y.Low || x.High != y.High {
			return false
		}
	}
	return true
}

// Join adds the buckets of b to a, which it may change.
func Join(a, b []trace.Bucket) []trace.Bucket {
	for _, x := range b {
		i, found := slices.BinarySearchFunc(a, x, trace.Bucket.Compare)
		if found {
			a[i].Count += x.Count
		} else {
			a = slices.Insert(a, i, x)
		}
	}
	return a
}
