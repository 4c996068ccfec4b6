package function

import (
	"iter"

	"dscope.dev/dlang/bucket"
)

// An Aggregate is an aggregating function: one that only fills an aggregation.
type Aggregate struct {
	ID       AggID
	Name     string
	Min, Max int // arguments
	Incr     int // index of the increment, or 0 if it has none
	Proto    string
	Example  string
	Help     string
	Since    string // the version of D that it came with; "" if it was always there
	Buckets  bool   // whether it fills buckets

	// Words is how many words of 8 bytes a cell has, Cell does it where the parameters
	// of the histogram say how many.
	Words int
	Cell  func(params []int64) int
}

// An AggID names an aggregating function.
type AggID uint8

// The aggregating functions.
const (
	NoAgg AggID = iota

	Counts
	Sum
	Least
	Most
	Avg
	Stddev
	Quantize
	Lquantize
	Llquantize

	AggCount // one more than the last
)

// String returns the name of the function.
func (id AggID) String() string { return aggregates[id].Name }

// CellWords returns how many words of 8 bytes a cell has.
func (a *Aggregate) CellWords(params []int64) int {
	if a.Cell != nil {
		return a.Cell(params)
	}
	return a.Words
}

// The words of a cell, which the code fills that package lower makes and package agg of
// the engine reads:
//
//	count       n
//	sum         touched, sum
//	min, max    touched, value: exclusive or with the greatest or least integer, so that
//	            the greater word without sign is the one to keep, and 0 gives way to anything
//	avg         count, sum
//	stddev      count, sum, sum of squares (low, high word)
//	quantize, lquantize, llquantize: as package bucket has them
//
// touched is 1 once anything was aggregated: a sum may well be 0.
var aggregates = [AggCount]Aggregate{
	Counts: {ID: Counts, Name: "count", Proto: "count()", Example: "count()", Help: "counts firings", Words: 1},
	Sum:    {ID: Sum, Name: "sum", Min: 1, Max: 1, Proto: "sum(n)", Example: "sum(arg0)", Help: "adds up", Words: 2},
	Least:  {ID: Least, Name: "min", Min: 1, Max: 1, Proto: "min(n)", Example: "min(arg0)", Help: "keeps the smallest", Words: 2},
	Most:   {ID: Most, Name: "max", Min: 1, Max: 1, Proto: "max(n)", Example: "max(arg0)", Help: "keeps the largest", Words: 2},
	Avg:    {ID: Avg, Name: "avg", Min: 1, Max: 1, Proto: "avg(n)", Example: "avg(arg0)", Help: "averages", Words: 2},
	Stddev: {ID: Stddev, Name: "stddev", Min: 1, Max: 1, Proto: "stddev(n)", Example: "stddev(arg0)", Help: "gives the standard deviation", Words: 4,
		Since: "1.6"},
	Quantize: {ID: Quantize, Name: "quantize", Min: 1, Max: 2, Incr: 1, Proto: "quantize(n[, weight])", Example: "quantize(arg0)",
		Help: "draws a histogram by powers of two", Buckets: true, Words: bucket.PowerWords},
	Lquantize: {ID: Lquantize, Name: "lquantize", Min: 3, Max: 5, Incr: 4, Proto: "lquantize(n, int base, int limit[, int step[, weight]])",
		Example: "lquantize(arg0, 0, 100, 10)", Help: "draws a histogram of equal steps", Buckets: true,
		Cell: func(params []int64) int { return bucket.LinearOf(params).Words() }},
	Llquantize: {ID: Llquantize, Name: "llquantize", Min: 5, Max: 6, Incr: 5, Proto: "llquantize(n, int factor, int low, int high, int steps[, weight])",
		Example: "llquantize(arg0, 10, 0, 6, 10)", Help: "draws a histogram by powers, in steps", Buckets: true, Since: "1.6.4",
		Cell: func(params []int64) int { return bucket.LogLinearOf(params).Words() }},
}

// FindAgg returns the row of the aggregating function that has a name, or that of
// NoAgg.
func FindAgg(name string) *Aggregate {
	for a := range Aggregates() {
		if a.Name == name {
			return a
		}
	}
	return &aggregates[NoAgg]
}

// IsAgg reports whether an aggregating function has that name.
func IsAgg(name string) bool { return FindAgg(name).ID != NoAgg }

// Aggregates yields the rows of all aggregating functions.
func Aggregates() iter.Seq[*Aggregate] {
	return func(yield func(*Aggregate) bool) {
		for id := NoAgg + 1; id < AggCount; id++ {
			if !yield(&aggregates[id]) {
				return
			}
		}
	}
}

// AggNames lists the names of the aggregating functions.
func AggNames() (list []string) {
	for a := range Aggregates() {
		list = append(list, a.Name)
	}
	return list
}
