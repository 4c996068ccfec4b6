package agg

import (
	"math"
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
// Steps/Factor of the steps of a magnitude belong to the one below it and have
// no word. Where magnitude 0 is cut finer than the integers are (Steps > Factor), the
// words in between are never reached.
type LogLinear struct {
	Factor    uint64
	Low, High int // magnitudes
	Steps     int
}

// logLinearOf reads the constants of llquantize: factor, low, high, steps.
func logLinearOf(params []int64) LogLinear {
	return LogLinear{uint64(params[0]), int(params[1]), int(params[2]), int(params[3])}
}

// lap is how many steps of a magnitude belong to the one below it.
func (l LogLinear) lap() int { return l.Steps / int(l.Factor) }

// zero is the word around zero; the positive words above it are as many as
// the negative ones below.
func (l LogLinear) zero() int { return 1 + (l.High-l.Low+1)*(l.Steps-l.lap()) }

// Bucket returns the word in which v is counted.
func (l LogLinear) Bucket(v int64) int {
	n := uint64(v)
	if v < 0 {
		n = -n
	}
	up := l.above(n)
	if v < 0 {
		return l.zero() - up
	}
	return l.zero() + up
}

// above returns how many words from the middle n is counted.
func (l LogLinear) above(n uint64) int {
	bound := power(l.Factor, l.Low)
	if n < bound {
		return 0
	}
	for mag := l.Low; mag <= l.High; mag++ {
		bound *= l.Factor
		if n >= bound {
			continue
		}
		var step uint64
		if mag == 0 {
			step = n * uint64(l.Steps) / bound
		} else {
			step = n / (bound / uint64(l.Steps))
		}
		return (mag-l.Low)*(l.Steps-l.lap()) + int(step) - l.lap() + 1
	}
	return (l.High-l.Low+1)*(l.Steps-l.lap()) + 1
}

func power(base uint64, exp int) uint64 {
	p := uint64(1)
	for range exp {
		p *= base
	}
	return p
}

// lows returns the least value of each word from the middle up, 0 for the
// words that nothing reaches.
func (l LogLinear) lows() []uint64 {
	lows := make([]uint64, l.zero()+1)
	lows[1] = power(l.Factor, l.Low)
	i, mag := 1, l.Low
	if l.Low == 0 && l.Steps > int(l.Factor) {
		for v := uint64(2); v <= l.Factor; v++ {
			i += l.lap()
			lows[i] = v
		}
		mag++
	}
	width := power(l.Factor, mag+1) / uint64(l.Steps)
	for ; mag <= l.High; mag++ {
		for step := l.lap() + 1; step <= l.Steps; step++ {
			i++
			lows[i] = uint64(step) * width
		}
		width *= l.Factor
	}
	lows[len(lows)-1] = power(l.Factor, l.High+1)
	return lows
}

func (l LogLinear) scale() *scale {
	zero, lows := l.zero(), l.lows()
	n := 2*zero + 1
	s := &scale{
		zero: zero, around: lows[1],
		buckets: make([]trace.Bucket, n), ghosts: make([]bool, n), weights: make([]int64, n),
	}
	s.buckets[zero] = trace.Bucket{Label: "0", Low: -int64(lows[1] - 1), High: int64(lows[1] - 1)}
	next := uint64(math.MaxInt64) + 1 // the least value of the next word up
	for i := len(lows) - 1; i > 0; i-- {
		if lows[i] == 0 {
			s.ghosts[zero-i], s.ghosts[zero+i] = true, true
			continue
		}
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
