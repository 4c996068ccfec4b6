package agg

import (
	"math/bits"
	"strconv"

	"dscope.dev/engine/trace"
)

// lines returns the lines of the histogram that a cell holds: from one before
// the first bucket in use to one after the last. If none is in use (counts can
// cancel each other, and clear() leaves zeros) DTrace prints a few around zero.
func (s *scale) lines(cell []uint64) []trace.Bucket {
	first, last := s.used(cell)
	first, last = max(first-1, 0), min(last+1, len(cell)-1)
	lines := make([]trace.Bucket, 0, last-first+1)
	for i := first; i <= last; i++ {
		b := s.buckets[i]
		b.Count = int64(cell[i])
		if i == s.zero && s.around > 1 {
			b.Label = s.aroundLabel(first)
		}
		lines = append(lines, b)
	}
	return lines
}

// used returns the first and the last word in use.
func (s *scale) used(cell []uint64) (first, last int) {
	last = len(cell) - 1
	for first <= last && cell[first] == 0 {
		first++
	}
	if first > last {
		return s.idle, s.idle
	}
	for cell[last] == 0 {
		last--
	}
	return first, last
}

// aroundLabel names llquantize's bucket around zero. If nothing negative is
// shown there is no need to speak of absolute values.
func (s *scale) aroundLabel(first int) string {
	bound := strconv.FormatUint(s.around, 10)
	if first >= s.zero {
		return "< " + bound
	}
	return "abs() < " + bound
}

// weight is the sum by which DTrace orders histograms: of every bucket's
// nominal value times its count, in 128 bits of two's complement.
func (s *scale) weight(cell []uint64) word128 {
	var sum word128
	for i, n := range cell {
		if n == 0 || s.weights[i] == 0 {
			continue
		}
		p := mulSigned(int64(n), s.weights[i])
		lo, carry := bits.Add64(sum.lo, p.lo, 0)
		hi, _ := bits.Add64(sum.hi, p.hi, carry)
		sum = word128{hi, lo}
	}
	return sum
}

// mulSigned multiplies in two's complement.
func mulSigned(a, b int64) word128 {
	hi, lo := bits.Mul64(uint64(a), uint64(b))
	if a < 0 {
		hi -= uint64(b)
	}
	if b < 0 {
		hi -= uint64(a)
	}
	return word128{hi, lo}
}

// compareSigned compares two integers in two's complement.
func compareSigned(a, b word128) int {
	switch {
	case a == b:
		return 0
	case int64(a.hi) < int64(b.hi), a.hi == b.hi && a.lo < b.lo:
		return -1
	}
	return 1
}

// atZero is the count of zeros, which settles ties between histograms.
func (s *scale) atZero(cell []uint64) int64 {
	if s.zero < 0 {
		return 0
	}
	return int64(cell[s.zero])
}
