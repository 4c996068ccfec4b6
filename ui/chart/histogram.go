package chart

import (
	"math"
	"slices"
	"strconv"

	"dscope.dev/engine/trace"
	"dscope.dev/engine/trace/spell"
	"dscope.dev/ui/ink"
)

// A Bar is one line of a histogram.
type Bar struct {
	Label string
	Total int64
	Delta int64 // how much of Total came in the last interval
	Gap   bool  // stands for buckets that nothing has ever reached
}

// An Axis remembers the buckets that a histogram has shown and the longest of
// its bars, so that the picture keeps still between frames. It only grows.
// The zero Axis is ready for use.
type Axis struct {
	buckets []trace.Bucket // ascending; counts are not used
	Max     int64          // the largest magnitude of a count so far
	Normal  uint64         // what the numbers beside the bars are divided by; 0 is nothing
	label   int            // widths of columns so far
	count   int
	delta   int
}

// Grow takes in the buckets of one more frame. deltas are the same with what came into them
// in the last interval; nil if that is not known. Those of the first frame are kept, and nobody
// may change them afterwards.
func (a *Axis) Grow(buckets, deltas []trace.Bucket) {
	first := a.buckets == nil
	if first { // what comes between is put into a copy
		a.buckets = slices.Clip(buckets)
	}
	i := 0
	for n := range buckets {
		b := &buckets[n]
		if deltas != nil {
			a.delta = max(a.delta, signedWidth(a.divided(deltas[n].Count)))
		}
		a.Max = max(a.Max, abs(b.Count))
		a.count = max(a.count, width(a.divided(b.Count)))
		for i < len(a.buckets) && (a.buckets[i].Low < b.Low || a.buckets[i].Low == b.Low && a.buckets[i].High < b.High) {
			i++
		}
		if i < len(a.buckets) && a.buckets[i].Low == b.Low && a.buckets[i].High == b.High {
			if first {
				a.label = max(a.label, ink.Width(b.Label))
			}
			continue
		}
		a.label = max(a.label, ink.Width(b.Label))
		a.buckets = append(a.buckets, trace.Bucket{})
		copy(a.buckets[i+1:], a.buckets[i:])
		a.buckets[i] = trace.Bucket{Label: b.Label, Low: b.Low, High: b.High}
	}
}

func (a *Axis) divided(n int64) int64 { return spell.Bucketed(n, a.Normal) }

func abs(n int64) int64 {
	if n == math.MinInt64 {
		return math.MaxInt64
	}
	if n < 0 {
		return -n
	}
	return n
}

// Join makes a as wide as b is too: it has the buckets of both, and room for the longer
// bars.
func (a *Axis) Join(b *Axis) {
	have := *a
	if a.buckets == nil {
		a.buckets = make([]trace.Bucket, 0, len(b.buckets)) // its own: those of b may change
	}
	a.Grow(b.buckets, nil)
	a.Max = max(have.Max, b.Max)
	a.label, a.count, a.delta = max(a.label, b.label), max(have.count, b.count), max(have.delta, b.delta)
}

// Buckets returns all buckets, ascending. Their counts say nothing, and the caller may not
// change them.
func (a *Axis) Buckets() []trace.Bucket { return a.buckets }

// LabelWidth returns the cells that the labels of buckets take.
func (a *Axis) LabelWidth() int { return max(a.label, 5) }

// SetLabelWidth gives labels so many cells, where they are written otherwise than the
// buckets have them.
func (a *Axis) SetLabelWidth(n int) { a.label = n }

// Bars places a histogram on the axis. delta gives what came into a bucket in the last
// interval; it may be nil.
func (a *Axis) Bars(buckets []trace.Bucket, delta func(trace.Bucket) int64) []Bar {
	out := make([]Bar, 0, len(a.buckets))
	j := 0
	for i, b := range a.buckets {
		if i > 0 && a.buckets[i-1].High != math.MaxInt64 && a.buckets[i-1].High+1 < b.Low {
			out = append(out, Bar{Gap: true})
		}
		bar := Bar{Label: b.Label}
		for j < len(buckets) && buckets[j].Compare(b) < 0 {
			j++
		}
		if j < len(buckets) && buckets[j].Compare(b) == 0 {
			bar.Total = buckets[j].Count
			if delta != nil {
				bar.Delta = delta(buckets[j])
			}
		}
		out = append(out, bar)
	}
	return out
}

// Lines returns how many lines Bars gives.
func (a *Axis) Lines() int {
	n := len(a.buckets)
	for i := 1; i < len(a.buckets); i++ {
		if p := a.buckets[i-1].High; p != math.MaxInt64 && p+1 < a.buckets[i].Low {
			n++
		}
	}
	return n
}

// BucketAt returns the bucket of line i of those that Bars gives.
func (a *Axis) BucketAt(i int) (b trace.Bucket, ok bool) {
	for n, b := range a.buckets {
		if n > 0 {
			if p := a.buckets[n-1].High; p != math.MaxInt64 && p+1 < b.Low {
				i--
			}
		}
		if i == 0 {
			b.Count = 0
			return b, true
		}
		if i--; i < 0 {
			break
		}
	}
	return b, false
}

// Coarser returns the axis with so many neighbours of a in each bucket, from one bucket of a up
// to another.
func (a *Axis) Coarser(per, from, to int) Axis {
	out := *a
	out.buckets = nil
	for i := from; i < to; i += max(per, 1) {
		out.buckets = append(out.buckets, Span(a.buckets[i], a.buckets[min(i+max(per, 1), to)-1]))
	}
	return out
}

// Fit makes room for the numbers beside bars: those of a coarser axis have more digits than any
// bucket of the finer one had.
func (a *Axis) Fit(bars []Bar) {
	for i := range bars {
		a.count = max(a.count, width(a.divided(bars[i].Total)))
		a.delta = max(a.delta, signedWidth(a.divided(bars[i].Delta)))
	}
}

// Used returns which buckets of a hold all of a histogram: from one up to another.
func (a *Axis) Used(buckets []trace.Bucket) (from, to int) {
	from, to = 0, len(a.buckets)
	holds := func(i int) bool {
		j, ok := slices.BinarySearchFunc(buckets, a.buckets[i], trace.Bucket.Compare)
		return ok && buckets[j].Count != 0
	}
	for to-from > 1 && !holds(from) {
		from++
	}
	for to-from > 1 && !holds(to-1) {
		to--
	}
	return from, to
}

// Span returns what reaches from one bucket to another, without a count.
func Span(first, last trace.Bucket) trace.Bucket {
	out := trace.Bucket{Label: first.Label, Low: first.Low, High: last.High}
	switch {
	case first.Low != math.MinInt64 || first.High == last.High:
	case last.High == math.MaxInt64:
		out.Label = "all"
	default: // it begins nowhere, and is called by where it ends
		out.Label = "< " + strconv.FormatInt(last.High+1, 10)
	}
	return out
}

// Gather returns a finer histogram in the buckets of a.
func (a *Axis) Gather(fine []trace.Bucket) []trace.Bucket {
	out := make([]trace.Bucket, len(a.buckets))
	j := 0
	for i, b := range a.buckets {
		b.Count = 0
		for ; j < len(fine) && fine[j].High <= b.High; j++ {
			if fine[j].Low >= b.Low {
				b.Count += fine[j].Count
			}
		}
		out[i] = b
	}
	return out
}

// width returns in how many cells a number is written. It is asked for each bucket of each
// key of each snapshot, where writing the number took half of the time.
func width(n int64) int {
	w := 1
	if n < 0 {
		w++
	}
	for u := uint64(abs(n)); u >= 10; u /= 10 {
		if u >= 10_000 {
			u /= 1000
			w += 3
		}
		w++
	}
	return w
}

// signedWidth returns in how many cells signed writes a change.
func signedWidth(n int64) int {
	if n > 0 {
		return width(n) + 1
	}
	return width(n)
}

// signed writes a change as it stands beside a count.
func signed(n int64) string {
	if n > 0 {
		return "+" + strconv.FormatInt(n, 10)
	}
	return strconv.FormatInt(n, 10)
}

// HistogramLine draws one bar with its label, count and change onto l, which
// must have been Reset. The columns are those of the axis.
func (k Looks) HistogramLine(l *ink.Line, a *Axis, b Bar) {
	label := a.LabelWidth()
	count, delta := max(a.count, 5), max(a.delta, 5)
	w := l.Left() - label - 2 - count - 1
	if w-delta-1 >= 8 {
		w -= delta + 1
	} else {
		delta = 0
	}
	if w < 3 { // only numbers fit
		l.Right(k.Label, b.Label, label)
		l.Skip(1)
		l.Right(k.Count, strconv.FormatInt(a.divided(b.Total), 10), l.Left())
		return
	}
	if b.Gap {
		l.Right(k.Axis, k.Glyph("⋮", ":"), label)
		return
	}
	l.Right(k.Label, b.Label, label)
	l.Put(k.Axis, k.Glyph(" │", " |"))
	k.Bar(l, b.Total, b.Delta, a.Max, w)
	l.Skip(1)
	countInk := k.Count
	if b.Total == 0 {
		countInk = k.Axis
	}
	l.Right(countInk, strconv.FormatInt(a.divided(b.Total), 10), count)
	if delta > 0 && b.Delta != 0 {
		l.Skip(1)
		l.Right(k.Delta, signed(a.divided(b.Delta)), delta)
	}
}

// Glyph returns the sign that the terminal can draw, of two that say the same.
func (k Looks) Glyph(glyph, ascii string) string {
	if k.ASCII {
		return ascii
	}
	return glyph
}
