package agg

import (
	"math"
	"strconv"

	"dscope.dev/dlang/bucket"
	"dscope.dev/engine/trace"
)

// soundLogLinear reports whether there is a histogram of these parameters.
func soundLogLinear(params []int64) bool {
	if len(params) < 4 || params[0] < 2 || params[1] < 0 || params[2] < params[1] || params[2] > 63 || params[3] < 1 || params[3] > maxWords {
		return false
	}
	top := uint64(1)
	for range params[2] + 1 { // the greatest bound has to be a number
		if top > (1<<64-1)/uint64(params[0]) {
			return false
		}
		top *= uint64(params[0])
	}
	return (params[2]-params[1]+1)*params[3] <= maxWords
}

// logLinearScale is the division that llquantize makes.
func logLinearScale(params []int64) *scale {
	lows := bucket.LogLinearOf(params).Lows()
	zero := len(lows) - 1
	n := 2*zero + 1
	s := &scale{zero: zero, idle: zero + 1, around: lows[1], buckets: make([]trace.Bucket, n), weights: make([]int64, n)}
	s.buckets[zero] = trace.Bucket{Label: "0", Low: -int64(lows[1] - 1), High: int64(lows[1] - 1)}
	next := uint64(math.MaxInt64) + 1 // the least value of the next word up
	for i := zero; i > 0; i-- {
		low, high := int64(min(lows[i], math.MaxInt64)), int64(min(next-1, math.MaxInt64)) // 10^19 is a bound too
		text := strconv.FormatUint(lows[i], 10)
		s.buckets[zero+i] = trace.Bucket{Label: text, Low: low, High: high}
		s.buckets[zero-i] = trace.Bucket{Label: "-" + text, Low: -high, High: -low}
		s.weights[zero+i], s.weights[zero-i] = low, -low
		next = lows[i]
	}
	last := n - 1
	s.buckets[last].Label = ">= " + s.buckets[last].Label
	s.buckets[0].Label = "<= " + s.buckets[0].Label
	s.buckets[0].Low = math.MinInt64
	return s
}
