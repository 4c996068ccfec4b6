package spell

import (
	"math/bits"
	"strconv"

	"dscope.dev/engine/trace"
)

// Shown is the value of a row that is no histogram, normalized.
func Shown(t *trace.Table, r *trace.Row) int64 { return Divided(t.Func, r.Value, t.Normal) }

// Divided is a value of fn, divided as normalize() asks; of nothing if normal is 0.
func Divided(fn trace.AggFunc, v int64, normal uint64) int64 {
	switch {
	case normal <= 1:
		return v
	case fn.Unsigned():
		return int64(uint64(v) / normal)
	case v < 0:
		return -int64(-uint64(v) / normal)
	}
	return int64(uint64(v) / normal)
}

// Bucketed is the count of a bucket, divided as normalize() asks.
func Bucketed(n int64, normal uint64) int64 { return Divided(trace.Quantize, n, normal) }

// Signed reports whether values of fn are printed with a sign. Counts are, too, as DTrace
// prints them, though they are divided as numbers that have none.
func Signed(fn trace.AggFunc) bool { return fn.Counts() || !fn.Unsigned() }

// AppendAmount appends a value of fn that has been divided.
func AppendAmount(b []byte, fn trace.AggFunc, n int64) []byte {
	if !Signed(fn) {
		return strconv.AppendUint(b, uint64(n), 10)
	}
	return strconv.AppendInt(b, n, 10)
}

// A Scale says what a full bar stands for.
type Scale uint8

// The scales.
const (
	OfSum     Scale = iota // everything that was counted
	OfLargest              // a little more than the largest count: option aggzoom
)

// Zoomed is how much of a full bar the largest count takes: DTRACE_AGGZOOM_MAX.
const Zoomed = 0.95

// BarHead stands above the bars of a histogram.
const BarHead = "------------- Distribution -------------"

// AppendHistogram appends a line for each bucket: its label, a bar, its count, with
// indent before it. The bars show the counts as they are; normalization divides the
// numbers beside them alone.
func AppendHistogram(b []byte, buckets []trace.Bucket, normal uint64, scale Scale, indent int) []byte {
	s := Bars{Scale: scale}
	for i := range buckets {
		s.Add(buckets[i].Count)
	}
	for i := range buckets {
		label := buckets[i].Label
		b = append(append(spaces(b, indent+16-len(label)), label...), ' ')
		b = append(s.Append(b, buckets[i].Count), ' ')
		at := len(b)
		b = strconv.AppendInt(b, Bucketed(buckets[i].Count, normal), 10)
		b = append(spaces(b, 9-(len(b)-at)), '\n')
	}
	return b
}

// Bars is what the bars of a histogram depend on: the sum of all counts without
// their signs, and whether there are counts of either sign (counts are negative
// where increments are).
type Bars struct {
	Scale              Scale
	largest            uint64
	hi, lo             uint64 // the sum
	positive, negative bool
}

// Add enters one of the counts. All are entered before the first bar is drawn.
func (s *Bars) Add(n int64) {
	var carry uint64
	s.lo, carry = bits.Add64(s.lo, magnitude(n), 0)
	s.hi += carry
	s.largest = max(s.largest, magnitude(n))
	s.positive = s.positive || n > 0
	s.negative = s.negative || n < 0
}

func magnitude(n int64) uint64 {
	if n < 0 {
		return -uint64(n)
	}
	return uint64(n)
}

// barWidth is how many characters a bar of everything takes.
const barWidth = 40

// Append draws the bar of one count: from a line on the left if no count is
// negative, to a line on the right if none is positive, and to either side of
// a line in the middle if there are both.
func (s *Bars) Append(b []byte, n int64) []byte {
	switch {
	case !s.negative:
		depth := s.depth(n, barWidth)
		return spaces(ats(append(b, '|'), depth), barWidth-depth)
	case !s.positive:
		depth := s.depth(n, barWidth)
		return append(ats(spaces(b, barWidth-depth), depth), '|')
	case n <= 0:
		depth := s.depth(n, barWidth/2)
		b = ats(spaces(b, barWidth/2-depth), depth)
		return spaces(append(b, '|'), barWidth/2)
	}
	depth := s.depth(n, barWidth/2)
	return spaces(ats(append(spaces(b, barWidth/2), '|'), depth), barWidth/2-depth)
}

// depth is the part of width that n has in the sum, rounded to the nearest.
func (s *Bars) depth(n int64, width uint64) int {
	if s.hi == 0 && s.lo == 0 {
		return 0
	}
	if s.Scale == OfLargest {
		return int(float64(magnitude(n))*Zoomed*float64(width)/float64(s.largest) + 0.5)
	}
	if s.hi == 0 && s.lo < 1<<56 {
		return int((2*magnitude(n)*width + s.lo) / (2 * s.lo))
	}
	sum := float64(s.hi)*(1<<64) + float64(s.lo)
	return int(float64(magnitude(n))*float64(width)/sum + 0.5)
}

func ats(b []byte, n int) []byte {
	for ; n > 0; n-- {
		b = append(b, '@')
	}
	return b
}
