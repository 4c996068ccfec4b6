package agg

import (
	"fmt"
	"math"
	"math/bits"
	"strconv"

	"dscope.dev/engine/trace"
)

// A scale is the division of the integers that one histogram makes, in the
// order of the words of its cell.
type scale struct {
	buckets []trace.Bucket // Count is not used
	zero    int            // the word that holds 0, or the values around it
	around  uint64         // llquantize: 0's bucket holds what is less than this; otherwise 0
	weights []int64        // what DTrace multiplies each count by to order histograms
}

// scaleOf returns the scale of a histogram.
func scaleOf(f trace.AggFunc, params []int64) *scale {
	switch f {
	case trace.Quantize:
		return quantizeScale()
	case trace.Lquantize:
		return linearOf(params).scale()
	case trace.Llquantize:
		return logLinearOf(params).scale()
	}
	panic(fmt.Sprintf("%s has no buckets", f))
}

// quantizeZero is the word of quantize that counts zeros: below it lie 63 powers
// of two with a minus, above it 63 without.
const quantizeZero = 63

// Quantize returns the word of a quantize cell in which v is counted.
func Quantize(v int64) int {
	switch {
	case v > 0:
		return quantizeZero + bits.Len64(uint64(v))
	case v < 0:
		return max(quantizeZero-bits.Len64(-uint64(v)), 0)
	}
	return quantizeZero
}

func quantizeScale() *scale {
	s := &scale{zero: quantizeZero, buckets: make([]trace.Bucket, 2*quantizeZero+1)}
	s.buckets[quantizeZero] = trace.Bucket{Label: "0"}
	for k := range quantizeZero {
		low, high := int64(1)<<k, int64(uint64(1)<<(k+1)-1)
		s.buckets[quantizeZero+1+k] = trace.Bucket{Label: strconv.FormatInt(low, 10), Low: low, High: high}
		s.buckets[quantizeZero-1-k] = trace.Bucket{Label: strconv.FormatInt(-low, 10), Low: -high, High: -low}
	}
	s.buckets[0].Low = math.MinInt64
	s.weighLows()
	for i := range quantizeZero {
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

// Linear is the division of the integers that lquantize makes: word 0 takes
// what lies below Base, word Levels+1 what lies at or above the last bound.
type Linear struct {
	Base, Step int64
	Levels     int
}

// linearOf reads the constants of lquantize: base, limit, step.
func linearOf(params []int64) Linear {
	step := int64(1)
	if len(params) > 2 && params[2] > 0 {
		step = params[2]
	}
	return Linear{params[0], step, int((params[1] - params[0]) / step)}
}

// Bucket returns the word in which v is counted.
func (l Linear) Bucket(v int64) int {
	if v < l.Base {
		return 0
	}
	above := uint64(v) - uint64(l.Base) // exact even where v - Base overflows
	return int(min(above/uint64(l.Step), uint64(l.Levels))) + 1
}

func (l Linear) scale() *scale {
	end := l.Base + int64(l.Levels)*l.Step
	s := &scale{buckets: make([]trace.Bucket, l.Levels+2), weights: make([]int64, l.Levels+2), zero: -1}
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
