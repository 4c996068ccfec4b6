package agg

import (
	"math"
	"strconv"

	"dscope.dev/dlang/bucket"
	"dscope.dev/engine/trace"
)

// A scale is the division of the integers that one histogram makes, in the
// order of the words of its cell.
type scale struct {
	buckets []trace.Bucket // Count is not used
	zero    int            // the word that holds 0, or the values around it
	idle    int            // the word that is shown where none is in use
	around  uint64         // llquantize: 0's bucket holds what is less than this; otherwise 0
	weights []int64        // what DTrace multiplies each count by to order histograms
}

func quantizeScale() *scale {
	const zero = bucket.PowerZero
	s := &scale{zero: zero, idle: zero, buckets: make([]trace.Bucket, bucket.PowerWords)}
	s.buckets[zero] = trace.Bucket{Label: "0"}
	for k := range zero {
		low, high := int64(1)<<k, int64(uint64(1)<<(k+1)-1)
		s.buckets[zero+1+k] = trace.Bucket{Label: strconv.FormatInt(low, 10), Low: low, High: high}
		s.buckets[zero-1-k] = trace.Bucket{Label: strconv.FormatInt(-low, 10), Low: -high, High: -low}
	}
	s.buckets[0].Low = math.MinInt64
	s.weighLows()
	for i := range zero {
		s.weights[i] = s.buckets[i].High
	}
	return s
}

// weighLows gives each bucket its least value as weight.
func (s *scale) weighLows() {
	s.weights = make([]int64, len(s.buckets))
	for i, b := range s.buckets {
		s.weights[i] = b.Low
	}
}

// soundLinear reports whether there is a histogram of these parameters. The checker lets
// no others through, but who sends them need not have one.
func soundLinear(params []int64) bool {
	if len(params) < 2 || params[1] <= params[0] {
		return false
	}
	step := uint64(1)
	if len(params) > 2 && params[2] > 0 {
		step = uint64(params[2])
	}
	levels := (uint64(params[1]) - uint64(params[0])) / step
	return levels > 0 && levels <= maxWords
}

// linearScale is the division that lquantize makes.
func linearScale(params []int64) *scale {
	l := bucket.LinearOf(params)
	end := l.Base + int64(l.Levels)*l.Step
	s := &scale{buckets: make([]trace.Bucket, l.Words()), weights: make([]int64, l.Words()), zero: -1, idle: 1}
	s.buckets[0] = trace.Bucket{Label: "< " + strconv.FormatInt(l.Base, 10), Low: math.MinInt64, High: l.Base - 1}
	s.weights[0] = l.Base - 1
	for i := 1; i <= l.Levels; i++ {
		low := l.Base + int64(i-1)*l.Step
		s.buckets[i] = trace.Bucket{Label: strconv.FormatInt(low, 10), Low: low, High: low + l.Step - 1}
		s.weights[i] = low
	}
	s.buckets[l.Levels+1] = trace.Bucket{Label: ">= " + strconv.FormatInt(end, 10), Low: end, High: math.MaxInt64}
	s.weights[l.Levels+1] = end + 1
	for i, w := range s.weights {
		if w == 0 {
			s.zero = i
			break
		}
	}
	return s
}
