package agg

import (
	"math"

	"dscope.dev/dlang/function"
	"dscope.dev/engine/trace"
)

// A kind is what this package knows of an aggregating function: how its cells are put
// together and what they amount to. Package function says what the words of a cell are.
type kind struct {
	merge func(dst, src []uint64)   // cells of two CPUs, and what was taken before with what came since
	value func(cell []uint64) int64 // of a cell of zeros, which nothing was added to, too
	read  func(r *trace.Row) short  // the cell that r shows; nil of a histogram

	zero    short // what shows 0
	counted bool  // whether the first word is how many values went in
	sums    bool  // whether the words after it leave as the Sums of a row

	hist *histogram // nil if it is none
}

// A short is a cell that is no histogram: its words, and zeros after them.
type short [4]uint64

// A histogram is what is known of one besides.
type histogram struct {
	scale func(params []int64) *scale
	sound func(params []int64) bool // of parameters that no checker has seen
}

var kinds = [trace.AggFuncs]kind{
	trace.Count: {merge: addWords, value: firstWord, counted: true,
		read: func(r *trace.Row) short { return short{uint64(r.Value)} }},
	trace.Sum: {merge: mergeSum, value: secondWord,
		read: func(r *trace.Row) short { return short{1, uint64(r.Value)} }},
	trace.Min: extremeKind(least),
	trace.Max: extremeKind(most),
	trace.Avg: {merge: addWords, value: avg, counted: true, sums: true, read: sumsOf},
	trace.Stddev: {merge: mergeSquares, value: func(c []uint64) int64 { return int64(stddev(c)) },
		counted: true, sums: true, read: sumsOf},
	trace.Quantize: bucketKind(histogram{
		scale: func([]int64) *scale { return quantizeScale() },
		sound: func([]int64) bool { return true },
	}),
	trace.Lquantize: bucketKind(histogram{
		scale: linearScale,
		sound: soundLinear,
	}),
	trace.Llquantize: bucketKind(histogram{
		scale: logLinearScale,
		sound: soundLogLinear,
	}),
}

func bucketKind(h histogram) kind { return kind{merge: addWords, value: total, hist: &h} }

// The value of min and max is kept exclusive or with one of these, so that the greater
// word, without sign, is the one to keep.
const (
	least = math.MaxInt64
	most  = 1 << 63
)

func extremeKind(flip uint64) kind {
	return kind{merge: mergeExtreme, zero: short{0, flip},
		value: func(c []uint64) int64 { return int64(c[1] ^ flip) },
		read:  func(r *trace.Row) short { return short{1, uint64(r.Value) ^ flip} }}
}

// Func returns the aggregating function that D calls name.
func Func(name string) (trace.AggFunc, bool) {
	for f := range trace.AggFuncs {
		if f.String() == name {
			return f, true
		}
	}
	return 0, false
}

// words returns the number of words in a cell of f.
func words(f trace.AggFunc, params []int64) int {
	return function.FindAgg(f.String()).CellWords(params)
}
