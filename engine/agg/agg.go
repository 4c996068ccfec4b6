// Package agg holds the mathematics of aggregations: how the words of a cell
// are laid out, how the cells of all CPUs become one value, which bucket a
// value falls into and what that bucket is called, and in which order the keys
// of an aggregation are printed.
//
// A cell is what one CPU knows of one key: a fixed number of 64-bit words.
// Words says how many; the code generator fills them and this package alone
// reads them:
//
//	count       n
//	sum         touched, sum
//	min, max    touched, value: exclusive or with the greatest or least integer
//	avg         count, sum
//	stddev      count, sum, low and high word of the sum of squares
//	quantize    127 buckets, zero in the middle
//	lquantize   one below the base, one a level, one at or above the end
//	llquantize  negative overflow … around zero … positive overflow
//
// The value of min and max is kept so that the greater word, without sign, is the
// one to keep, and 0 is what everything beats. A cell of zeros is untouched: merging it changes nothing. Merging is
// commutative and associative, so the order of CPUs and of drains does not
// matter, and the same code serves live runs, replays and tests.
//
// Totals is what the drain adds to: the merged cells of every key since the
// start, or since the last clear() or trunc(). Keys arrive as the bytes of a
// kernel map and are kept in a form in which equal keys are equal strings:
// numbers of stacks become the stacks themselves (the kernel numbers them anew
// in each generation), numbers of probes become names, addresses of symbols
// the start of the symbol. Results follow DTrace to the last digit: integer
// division truncates, the standard deviation is the integer square root of a
// 128-bit difference, histograms are ordered by their weighted sums.
//
// Nothing here reads a kernel or a clock.
package agg

import (
	"fmt"

	"dscope.dev/engine/trace"
)

// funcs names the aggregating functions as D does.
var funcs = map[string]trace.AggFunc{
	"count": trace.Count, "sum": trace.Sum, "min": trace.Min, "max": trace.Max,
	"avg": trace.Avg, "stddev": trace.Stddev,
	"quantize": trace.Quantize, "lquantize": trace.Lquantize, "llquantize": trace.Llquantize,
}

// Func returns the aggregating function that D calls name.
func Func(name string) (trace.AggFunc, bool) {
	f, ok := funcs[name]
	return f, ok
}

// Words returns the number of 64-bit words in a cell of the function that D
// calls fn. Params are the constants of lquantize (base, limit, step) and
// llquantize (factor, low and high magnitude, steps), which the checker has
// found sound.
func Words(fn string, params []int64) int {
	f, ok := Func(fn)
	if !ok {
		panic(fmt.Sprintf("%s is not an aggregating function", fn))
	}
	return words(f, params)
}

func words(f trace.AggFunc, params []int64) int {
	switch f {
	case trace.Count:
		return 1
	case trace.Sum, trace.Min, trace.Max, trace.Avg:
		return 2
	case trace.Stddev:
		return 4
	}
	return len(scaleOf(f, params).buckets)
}
