package agg

import (
	"math"
	"math/rand/v2"
	"testing"

	"dscope.dev/engine/trace"
)

func TestWords(t *testing.T) {
	for _, tt := range []struct {
		fn     string
		params []int64
		want   int
	}{
		{"count", nil, 1}, {"sum", nil, 2}, {"min", nil, 2}, {"max", nil, 2}, {"avg", nil, 2}, {"stddev", nil, 4},
		{"quantize", nil, 127},
		{"lquantize", []int64{0, 100, 10}, 12}, {"lquantize", []int64{0, 105, 10}, 12}, {"lquantize", []int64{0, 100}, 102},
		{"llquantize", []int64{10, 0, 3, 20}, (9+3*18)*2 + 3}, {"llquantize", []int64{10, 0, 6, 10}, 7*9*2 + 3},
		{"llquantize", []int64{10, 2, 3, 5}, 2*5*2 + 3},
	} {
		if got := Words(tt.fn, tt.params); got != tt.want {
			t.Errorf("Words(%s, %v) = %d, want %d", tt.fn, tt.params, got, tt.want)
		}
		if f, ok := Func(tt.fn); !ok || f.IsHistogram() && len(kinds[f].hist.scale(tt.params).buckets) != tt.want {
			t.Errorf("the words of %s%v are not its buckets", tt.fn, tt.params)
		}
	}
}

// scales are divisions of every shape: finer and coarser than the factor, and
// beginning above magnitude 0.
var scales = []struct {
	f      trace.AggFunc
	params []int64
}{
	{trace.Quantize, nil},
	{trace.Lquantize, []int64{-10, 90, 7}}, {trace.Lquantize, []int64{0, 100}}, {trace.Lquantize, []int64{1, 5, 1}},
	{trace.Llquantize, []int64{10, 0, 3, 20}}, {trace.Llquantize, []int64{10, 0, 3, 10}},
	{trace.Llquantize, []int64{4, 0, 1, 2}}, {trace.Llquantize, []int64{10, 2, 5, 100}}, {trace.Llquantize, []int64{2, 0, 61, 2}},
	{trace.Llquantize, []int64{10, 3, 17, 10}}, {trace.Llquantize, []int64{4, 0, 1, 8}}, {trace.Llquantize, []int64{20, 1, 3, 5}},
}

// Every value lies within the bounds of the bucket that counts it, and the
// buckets cover the integers without gap or overlap.
func TestBucketsCoverTheIntegers(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 6))
	for _, tt := range scales {
		s := kinds[tt.f].hist.scale(tt.params)
		next := int64(math.MinInt64)
		for i, b := range s.buckets {
			if b.Low != next || b.High < b.Low {
				t.Fatalf("%s%v: bucket %d is %d to %d, want it to begin at %d", tt.f, tt.params, i, b.Low, b.High, next)
			}
			next = b.High + 1
		}
		if next != math.MinInt64 {
			t.Fatalf("%s%v: the last bucket ends before %d", tt.f, tt.params, next)
		}
		for range 5000 {
			v := oddInt(r)
			cell := make([]uint64, len(s.buckets))
			count(tt.f, tt.params, cell, v, 1)
			for i, n := range cell {
				if b := s.buckets[i]; n != 0 && (v < b.Low || v > b.High) {
					t.Fatalf("%s%v: %d is counted in bucket %d, %d to %d", tt.f, tt.params, v, i, b.Low, b.High)
				}
			}
		}
	}
}

// The last bound of llquantize may be beyond what a signed integer holds.
func TestLastBoundBeyondInt64(t *testing.T) {
	params := []int64{10, 0, 18, 10}
	cell := make([]uint64, Words("llquantize", params))
	count(trace.Llquantize, params, cell, math.MaxInt64, 1)
	lines := kinds[trace.Llquantize].hist.scale(params).lines(cell)
	if got, want := lines[1].Label, "9000000000000000000"; len(lines) != 3 || got != want || lines[1].Count != 1 {
		t.Errorf("lines = %v, want the middle one to be %s", lines, want)
	}
	if got, want := lines[2].Label, ">= 10000000000000000000"; got != want {
		t.Errorf("last label = %q, want %q", got, want)
	}
}

func TestWeight(t *testing.T) {
	s := kinds[trace.Quantize].hist.scale(nil)
	light, heavy := make([]uint64, 127), make([]uint64, 127)
	light[0], heavy[126] = 1<<40, 1<<40 // far beyond 64 bits
	if c := compareSigned(s.weight(light), s.weight(heavy)); c != -1 {
		t.Errorf("compare = %d, want -1", c)
	}
	if got, want := s.weight([]uint64{62: 3, 64: 1, 65: 2}), (word128{0, 2}); got != want {
		t.Errorf("weight = %v, want %v", got, want)
	}
}
