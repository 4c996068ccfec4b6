package agg

import (
	"encoding/binary"
	"math"
	"math/big"
	"math/bits"
	"math/rand/v2"
	"slices"
	"testing"

	"dscope.dev/dlang/bucket"
	"dscope.dev/engine/trace"
)

// count adds v to a cell as a program in the kernel does.
func count(f trace.AggFunc, params []int64, cell []uint64, v, incr int64) {
	switch f {
	case trace.Count:
		cell[0]++
	case trace.Sum:
		cell[0], cell[1] = 1, cell[1]+uint64(v)
	case trace.Min:
		cell[0], cell[1] = 1, max(cell[1], uint64(v)^least)
	case trace.Max:
		cell[0], cell[1] = 1, max(cell[1], uint64(v)^most)
	case trace.Avg:
		cell[0], cell[1] = cell[0]+1, cell[1]+uint64(v)
	case trace.Stddev:
		cell[0], cell[1] = cell[0]+1, cell[1]+uint64(v)
		n := magnitude(v)
		hi, lo := bits.Mul64(n, n)
		var carry uint64
		cell[2], carry = bits.Add64(cell[2], lo, 0)
		cell[3] += hi + carry
	case trace.Quantize:
		cell[bucket.Power(v)] += uint64(incr)
	case trace.Lquantize:
		cell[bucket.LinearOf(params).Bucket(v)] += uint64(incr)
	case trace.Llquantize:
		cell[bucket.LogLinearOf(params).Bucket(v)] += uint64(incr)
	}
}

func magnitude(v int64) uint64 {
	if v < 0 {
		return -uint64(v)
	}
	return uint64(v)
}

// someFuncs are all functions with parameters that make no small cells.
var someFuncs = []struct {
	f      trace.AggFunc
	params []int64
}{
	{trace.Count, nil}, {trace.Sum, nil}, {trace.Min, nil}, {trace.Max, nil}, {trace.Avg, nil}, {trace.Stddev, nil},
	{trace.Quantize, nil}, {trace.Lquantize, []int64{-10, 90, 7}}, {trace.Llquantize, []int64{10, 0, 3, 20}},
	{trace.Llquantize, []int64{2, 3, 9, 2}},
}

// oddInt returns integers that are interesting: small, huge, of either sign.
func oddInt(r *rand.Rand) int64 { return int64(r.Uint64()) >> r.IntN(64) }

func TestMergeInAnyOrder(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for _, tt := range someFuncs {
		for range 200 {
			cpus := make([][]uint64, 1+r.IntN(6))
			one := make([]uint64, words(tt.f, tt.params))
			for i := range cpus {
				cpus[i] = make([]uint64, len(one))
				for range r.IntN(5) {
					v := oddInt(r)
					count(tt.f, tt.params, cpus[i], v, 1)
					count(tt.f, tt.params, one, v, 1)
				}
			}
			r.Shuffle(len(cpus), func(i, j int) { cpus[i], cpus[j] = cpus[j], cpus[i] })
			merged := make([]uint64, len(one))
			for _, c := range cpus {
				kinds[tt.f].merge(merged, c)
			}
			if !slices.Equal(merged, one) {
				t.Fatalf("%s: CPUs merged %v, one CPU has %v", tt.f, merged, one)
			}
		}
	}
}

// FuzzMerge merges whatever words, which no program may have written, in two
// orders.
func FuzzMerge(f *testing.F) {
	f.Add(uint8(2), []byte("\x01\x00\x00\x00\x00\x00\x00\x00aaaaaaaa\x00\x00\x00\x00\x00\x00\x00\x00bbbbbbbb"))
	f.Fuzz(func(t *testing.T, fn uint8, data []byte) {
		tt := someFuncs[int(fn)%len(someFuncs)]
		n := words(tt.f, tt.params)
		there, back := make([]uint64, n), make([]uint64, n)
		var cells [][]uint64
		for len(data) >= 8*n {
			cell := make([]uint64, n)
			for i := range cell {
				cell[i] = binary.LittleEndian.Uint64(data[8*i:])
			}
			if tt.f == trace.Min || tt.f == trace.Max || tt.f == trace.Sum {
				cell[0] &= 1
			}
			cells, data = append(cells, cell), data[8*n:]
		}
		for i := range cells {
			kinds[tt.f].merge(there, cells[i])
			kinds[tt.f].merge(back, cells[len(cells)-1-i])
		}
		if !slices.Equal(there, back) {
			t.Errorf("%s: %v one way, %v the other", tt.f, there, back)
		}
		a := aggregation{fn: tt.f, kind: &kinds[tt.f], normal: 3}
		if tt.f.IsHistogram() {
			a.scale = kinds[tt.f].hist.scale(tt.params)
		}
		a.show(&row{cell: there}, nil)
	})
}

// bigStddev is the rule for the standard deviation, in integers of any size.
func bigStddev(values []int64) uint64 {
	n, sum, squares := big.NewInt(int64(len(values))), new(big.Int), new(big.Int)
	for _, v := range values {
		b := big.NewInt(v)
		sum.Add(sum, b)
		squares.Add(squares, b.Mul(b, b))
	}
	mean := sum.Quo(sum, n)
	diff := squares.Div(squares, n)
	diff.Sub(diff, mean.Mul(mean, mean))
	return diff.Sqrt(diff).Uint64()
}

func TestStddevIsExact(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	for range 2000 {
		values := make([]int64, 1+r.IntN(9))
		cell := make([]uint64, 4)
		for i := range values {
			values[i] = oddInt(r) >> 4 // so that the sum fits
			count(trace.Stddev, nil, cell, values[i], 1)
		}
		if got, want := stddev(cell), bigStddev(values); got != want {
			t.Fatalf("stddev of %v = %d, want %d", values, got, want)
		}
	}
}

func TestSqrt(t *testing.T) {
	for _, tt := range []struct {
		square word128
		want   uint64
	}{
		{word128{0, 0}, 0}, {word128{0, 1}, 1}, {word128{0, 3}, 1}, {word128{0, 4}, 2},
		{word128{0, math.MaxUint64}, math.MaxUint32},
		{word128{1, 0}, 1 << 32},
		{word128{math.MaxUint64 - 1, 1}, math.MaxUint64}, // the square of the greatest
		{word128{math.MaxUint64 - 1, 0}, math.MaxUint64 - 1},
		{word128{math.MaxUint64, math.MaxUint64}, math.MaxUint64},
	} {
		if got := tt.square.sqrt(); got != tt.want {
			t.Errorf("sqrt(%v) = %d, want %d", tt.square, got, tt.want)
		}
	}
}

func TestValue(t *testing.T) {
	for _, tt := range []struct {
		f    trace.AggFunc
		cell []uint64
		want int64
	}{
		{trace.Avg, []uint64{3, ^uint64(0) - 6}, -2}, // -7/3, toward zero
		{trace.Avg, []uint64{0, 0}, 0},
		{trace.Avg, []uint64{^uint64(0), 1 << 63}, math.MinInt64}, // the quotient that does not fit
		{trace.Min, []uint64{0, 0}, math.MaxInt64},
		{trace.Max, []uint64{0, 0}, math.MinInt64},
		{trace.Min, []uint64{1, 1 << 63}, -1},
		{trace.Max, []uint64{1, 1<<63 - 1}, -1},
		{trace.Min, []uint64{1, math.MaxUint64}, math.MinInt64},
		{trace.Max, []uint64{1, math.MaxUint64}, math.MaxInt64},
		{trace.Sum, []uint64{1, ^uint64(0)}, -1},
		{trace.Stddev, []uint64{0, 0, 0, 0}, 0},
	} {
		if got := kinds[tt.f].value(tt.cell); got != tt.want {
			t.Errorf("%s of %v = %d, want %d", tt.f, tt.cell, got, tt.want)
		}
	}
}
