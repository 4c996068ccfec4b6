package text

import (
	"math"
	"testing"

	"dscope.dev/engine/trace"
)

func TestPowers(t *testing.T) {
	for _, tt := range []struct {
		low, high int64
		want      int
		label     string
	}{
		{0, 0, 0, "0"}, {1, 1, 1, "1"}, {2, 3, 2, "2"}, {4, 7, 3, "4"}, {-1, -1, -1, "-1"}, {-3, -2, -2, "-2"},
		{1 << 62, math.MaxInt64, 63, "4611686018427387904"}, {math.MinInt64, -1 << 62, -63, "-4611686018427387904"},
	} {
		n := powerOf(trace.Bucket{Low: tt.low, High: tt.high})
		if n != tt.want || powerLabel(n) != tt.label {
			t.Errorf("powerOf(%d to %d) = %d, %q; want %d, %q", tt.low, tt.high, n, powerLabel(n), tt.want, tt.label)
		}
	}
}

func TestStripOfPowers(t *testing.T) {
	bucket := func(low, high, count int64) trace.Bucket { return trace.Bucket{Low: low, High: high, Count: count} }
	for _, tt := range []struct {
		name      string
		buckets   []trace.Bucket
		low, high string
		cells     int
	}{
		{"one on either side", []trace.Bucket{bucket(2, 3, 0), bucket(4, 7, 1), bucket(8, 15, 0)}, "2", "8", 3},
		{"zero is an end", []trace.Bucket{bucket(-1, -1, 0), bucket(0, 0, 1), bucket(1, 1, 0)}, "0", "1", 2},
		{"nothing", []trace.Bucket{bucket(-1, -1, 0), bucket(0, 0, 0), bucket(1, 1, 0)}, "0", "1", 2},
		{"the last there is", []trace.Bucket{bucket(1<<62, math.MaxInt64, 1)}, "2305843009213693952", "4611686018427387904", 2},
	} {
		s := stripOf(&trace.Table{Func: trace.Quantize, Rows: []trace.Row{{Buckets: tt.buckets}}})
		if s.low != tt.low || s.high != tt.high || s.cells != tt.cells {
			t.Errorf("%s: %s to %s, %d cells; want %s to %s, %d", tt.name, s.low, s.high, s.cells, tt.low, tt.high, tt.cells)
		}
	}
}
