package agg

import (
	"math"
	"sort"
	"strconv"

	"dscope.dev/engine/trace"
)

// LogLinear is the division of the integers that llquantize makes: the
// magnitudes Low to High (powers of Factor), each cut into Steps equal steps.
//
// The words of a cell are in numerical order, and mirrored at zero:
//
//	0                  what lies at or below -Factor^(High+1)
//	1 … zero-1         negative values
//	zero               what lies between -Factor^Low and Factor^Low
//	zero+1 …           positive values
//	last               what lies at or above Factor^(High+1)
//
// The first steps of a magnitude belong to the one below it and have no word.
// Magnitude 0 has no more steps than integers.
type LogLinear struct {
	Factor    uint64
	Low, High int // magnitudes
	Steps     uint64
}

// logLinearOf reads the constants of llquantize: factor, low, high, steps.
func logLinearOf(params []int64) LogLinear {
	return LogLinear{uint64(params[0]), int(params[1]), int(params[2]), uint64(params[3])}
}

// Bucket returns the word in which v is counted.
func (l LogLinear) Bucket(v int64) int {
	lows := l.lows()
	zero := len(lows) - 1
	n := uint64(v)
	if v < 0 {
		n = -n
	}
	up := sort.Search(zero, func(i int) bool { return n < lows[i+1] })
	if v < 0 {
		return zero - up
	}
	return zero + up
}

func power(base uint64, exp int) uint64 {
	p := uint64(1)
	for range exp {
		p *= base
	}
	return p
}

// lows returns the least value of each word from the middle up.
func (l LogLinear) lows() []uint64 {
	low := power(l.Factor, l.Low)
	lows := []uint64{0, low}
	for range l.High - l.Low + 1 {
		limit := low * l.Factor
		width := limit / min(limit, l.Steps)
		for v := low/width*width + width; v < limit; v += width {
			lows = append(lows, v)
		}
		lows = append(lows, limit)
		low = limit
	}
	return lows
}

func (l LogLinear) scale() *scale {
	lows := l.lows()
	zero := len(lows) - 1
	n := 2*zero + 1
	s := &scale{zero: zero, around: lows[1], buckets: make([]trace.Bucket, n), weights: make([]int64, n)}
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
