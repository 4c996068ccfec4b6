// Package bucket holds the divisions of the integers that histograms make: which
// buckets there are, and which word of a cell counts what. Package lower makes code of
// them, the engine names and draws them; neither says again how they are laid out.
//
// The words of a cell are in the order of the values that they count. Parameters are
// those that package check has found sound.
package bucket

import (
	"math/bits"
	"sort"
)

// PowerZero is the word of quantize() that counts zeros: below it lie 63 powers of two
// with a minus, above it 63 without.
const PowerZero = 63

// PowerWords is how many words quantize() has.
const PowerWords = 2*PowerZero + 1

// Power returns the word of quantize() that counts v.
func Power(v int64) int {
	switch {
	case v > 0:
		return PowerZero + bits.Len64(uint64(v))
	case v < 0:
		return max(PowerZero-bits.Len64(-uint64(v)), 0)
	}
	return PowerZero
}

// Linear is the division that lquantize() makes: word 0 takes what lies below Base,
// word Levels+1 what lies at or above the last bound.
type Linear struct {
	Base, Step int64
	Levels     int
}

// LinearOf reads the constants of lquantize(): base, limit, step.
func LinearOf(params []int64) Linear {
	step := int64(1)
	if len(params) > 2 && params[2] > 0 {
		step = params[2]
	}
	return Linear{params[0], step, int((params[1] - params[0]) / step)}
}

// Words returns how many words a cell has.
func (l Linear) Words() int { return l.Levels + 2 }

// Bucket returns the word that counts v.
func (l Linear) Bucket(v int64) int {
	if v < l.Base {
		return 0
	}
	above := uint64(v) - uint64(l.Base) // exact even where v - Base overflows
	return int(min(above/uint64(l.Step), uint64(l.Levels))) + 1
}

// LogLinear is the division that llquantize() makes: the magnitudes Low to High (powers
// of Factor), each cut into Steps equal steps.
//
// The words of a cell are mirrored at zero:
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

// LogLinearOf reads the constants of llquantize(): factor, low, high, steps.
func LogLinearOf(params []int64) LogLinear {
	return LogLinear{uint64(params[0]), int(params[1]), int(params[2]), uint64(params[3])}
}

// An Order is one order of magnitude: values of that size below Limit that no lower
// order holds are counted First + value/Width words from the middle.
type Order struct{ Limit, Width, First uint64 }

// Orders returns the orders of magnitude; the least value of the first, below which
// everything is counted in the middle of the cell; and how far from there the last words
// are, which count what lies above the last order.
func (l LogLinear) Orders() (orders []Order, low, far uint64) {
	low, far = power(l.Factor, l.Low), 1
	last := low
	for range l.High - l.Low + 1 {
		limit := last * l.Factor
		steps := min(limit, l.Steps)
		width := limit / steps
		orders = append(orders, Order{limit, width, far - last/width})
		far += steps - steps/l.Factor
		last = limit
	}
	return orders, low, far
}

func power(base uint64, exp int) uint64 {
	p := uint64(1)
	for range exp {
		p *= base
	}
	return p
}

// Words returns how many words a cell has.
func (l LogLinear) Words() int {
	_, _, far := l.Orders()
	return int(2*far) + 1
}

// Lows returns the least value of each word from the middle up.
func (l LogLinear) Lows() []uint64 {
	orders, low, _ := l.Orders()
	lows := []uint64{0, low}
	for _, o := range orders {
		for v := low/o.Width*o.Width + o.Width; v < o.Limit; v += o.Width {
			lows = append(lows, v)
		}
		lows = append(lows, o.Limit)
		low = o.Limit
	}
	return lows
}

// Bucket returns the word that counts v.
func (l LogLinear) Bucket(v int64) int {
	lows := l.Lows()
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
