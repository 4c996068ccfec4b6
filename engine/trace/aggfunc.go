package trace

// An AggFunc is an aggregating function. Its number stands in recordings and in
// messages to other machines: a new one goes to the end.
type AggFunc uint8

// The aggregating functions.
const (
	Count AggFunc = iota
	Sum
	Min
	Max
	Avg
	Stddev
	Quantize
	Lquantize
	Llquantize

	AggFuncs // one more than the last
)

// A Join says how the values of two rows become the value of one: of rows that are
// called the same, and of one row at two moments.
type Join uint8

// The ways to join values.
const (
	JoinSum   Join = iota // they are amounts and add up
	JoinLeast             // the least is it
	JoinMost              // the greatest is it
	JoinMean              // their mean is it, each weighed by how many values went in
	NoJoin                // there is none: more is needed than the two values
)

// A Shape says which buckets a histogram has.
type Shape uint8

// The shapes of histograms.
const (
	NoShape   Shape = iota // no histogram
	Powers                 // powers of two
	Linear                 // equal steps
	LogLinear              // powers, each in equal steps
)

// aggFuncs is what is true of the values of each function once they have left the
// kernel. Whoever draws, prints or exports an aggregation asks for it here, so that a
// new function needs one row. What the language says of functions is in dlang/function,
// their cells are in engine/agg.
var aggFuncs = [AggFuncs]struct {
	name     string
	join     Join
	shape    Shape
	unsigned bool // values have no sign: a great one is no negative one
}{
	Count:      {name: "count", unsigned: true},
	Sum:        {name: "sum"},
	Min:        {name: "min", join: JoinLeast},
	Max:        {name: "max", join: JoinMost},
	Avg:        {name: "avg", join: JoinMean},
	Stddev:     {name: "stddev", join: NoJoin, unsigned: true},
	Quantize:   {name: "quantize", shape: Powers},
	Lquantize:  {name: "lquantize", shape: Linear},
	Llquantize: {name: "llquantize", shape: LogLinear},
}

// String returns the function's name in D.
func (f AggFunc) String() string { return aggFuncs[f].name }

// IsHistogram reports whether f fills buckets.
func (f AggFunc) IsHistogram() bool { return aggFuncs[f].shape != NoShape }

// Shape returns which buckets f fills.
func (f AggFunc) Shape() Shape { return aggFuncs[f].shape }

// Join returns how two values of f become one.
func (f AggFunc) Join() Join { return aggFuncs[f].join }

// AddsUp reports whether the values of f are amounts, so that their change is a flow.
// Those of a histogram are the counts of its buckets.
func (f AggFunc) AddsUp() bool { return f.Join() == JoinSum }

// Counts reports whether a value of f is how often the probe has fired: a number without
// a unit, which only grows, and which chance spreads.
func (f AggFunc) Counts() bool { return f == Count }

// Unsigned reports whether the values of f have no sign.
func (f AggFunc) Unsigned() bool { return aggFuncs[f].unsigned }
