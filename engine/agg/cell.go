package agg

import "math/bits"

// addWords adds each word of the cell src to that of dst.
func addWords(dst, src []uint64) {
	_ = dst[len(src)-1]
	for i, w := range src {
		dst[i] += w
	}
}

// mergeSum merges cells of sum, of which the first word says that they were touched.
func mergeSum(dst, src []uint64) {
	dst[0] |= src[0]
	dst[1] += src[1]
}

// mergeSquares merges cells of stddev, of which the last two words are one number.
func mergeSquares(dst, src []uint64) {
	_ = dst[3]
	dst[0] += src[0]
	dst[1] += src[1]
	lo, carry := bits.Add64(dst[2], src[2], 0)
	dst[2] = lo
	dst[3], _ = bits.Add64(dst[3], src[3], carry)
}

// mergeExtreme keeps the lesser or greater value. DTrace compares both as
// signed, whatever their type.
func mergeExtreme(dst, src []uint64) {
	dst[0] |= src[0]
	dst[1] = max(dst[1], src[1])
}

// isUntouched reports whether nothing was ever added to a cell.
func isUntouched(cell []uint64) bool {
	for _, w := range cell {
		if w != 0 {
			return false
		}
	}
	return true
}

func firstWord(cell []uint64) int64 { return int64(cell[0]) }

func secondWord(cell []uint64) int64 { return int64(cell[1]) }

func avg(cell []uint64) int64 {
	if cell[0] == 0 {
		return 0
	}
	return quo(int64(cell[1]), int64(cell[0]))
}

// quo divides as C does on the machines we trace, where the one quotient that
// does not fit wraps around.
func quo(a, b int64) int64 {
	if b == -1 {
		return -a
	}
	return a / b
}

// total is the sum of the counts of a histogram.
func total(cell []uint64) int64 {
	var sum uint64
	for _, w := range cell {
		sum += w
	}
	return int64(sum)
}

// stddev returns the standard deviation that DTrace prints: the integer square root
// of the mean of the squares less the square of the mean.
func stddev(cell []uint64) uint64 {
	count := cell[0]
	if count == 0 {
		return 0
	}
	squares := word128{cell[3], cell[2]}.quo(count)
	mean := quo(int64(cell[1]), int64(count))
	if mean < 0 {
		mean = -mean
	}
	hi, lo := bits.Mul64(uint64(mean), uint64(mean))
	return squares.sub(word128{hi, lo}).sqrt()
}

// A word128 is an unsigned integer of 128 bits.
type word128 struct{ hi, lo uint64 }

func (a word128) sub(b word128) word128 {
	lo, borrow := bits.Sub64(a.lo, b.lo, 0)
	hi, _ := bits.Sub64(a.hi, b.hi, borrow)
	return word128{hi, lo}
}

// quo returns a/b, rounded down. b is not zero.
func (a word128) quo(b uint64) word128 {
	hi := a.hi / b
	lo, _ := bits.Div64(a.hi%b, a.lo, b)
	return word128{hi, lo}
}

func (a word128) less(b word128) bool {
	return a.hi < b.hi || a.hi == b.hi && a.lo < b.lo
}

// sqrt returns the square root of a, rounded down, one bit at a time.
func (a word128) sqrt() uint64 {
	var root uint64
	for bit := uint64(1) << 63; bit != 0; bit >>= 1 {
		try := root | bit
		hi, lo := bits.Mul64(try, try)
		if !a.less(word128{hi, lo}) {
			root = try
		}
	}
	return root
}
