package bucket

import (
	"math"
	"testing"
)

func TestPower(t *testing.T) {
	for _, tt := range []struct {
		value int64
		want  int
	}{
		{0, 63}, {1, 64}, {2, 65}, {3, 65}, {4, 66}, {math.MaxInt64, 126},
		{-1, 62}, {-2, 61}, {-3, 61}, {-4, 60}, {-math.MaxInt64, 0}, {math.MinInt64, 0},
	} {
		if got := Power(tt.value); got != tt.want {
			t.Errorf("Power(%d) = %d, want %d", tt.value, got, tt.want)
		}
	}
}

func TestLinearBucket(t *testing.T) {
	l := Linear{Base: -10, Step: 10, Levels: 3}
	for _, tt := range []struct {
		value int64
		want  int
	}{
		{math.MinInt64, 0}, {-11, 0}, {-10, 1}, {-1, 1}, {0, 2}, {19, 3}, {20, 4},
		{math.MaxInt64, 4}, // value - Base does not fit an int64
	} {
		if got := l.Bucket(tt.value); got != tt.want {
			t.Errorf("Bucket(%d) = %d, want %d", tt.value, got, tt.want)
		}
	}
}

// TestLogLinear asks that the two descriptions of llquantize() are of the same words.
func TestLogLinear(t *testing.T) {
	for _, params := range [][]int64{
		{10, 0, 3, 20}, {10, 0, 3, 10}, {4, 0, 1, 2}, {10, 2, 5, 100}, {2, 0, 61, 2}, {10, 3, 17, 10}, {4, 0, 1, 8}, {20, 1, 3, 5},
	} {
		l := LogLinearOf(params)
		orders, low, far := l.Orders()
		lows := l.Lows()
		if len(lows) != int(far)+1 || lows[1] != low || l.Words() != 2*int(far)+1 {
			t.Fatalf("%v: %d words up, %d bounds", params, far, len(lows))
		}
		for _, o := range orders {
			for ; low < o.Limit; low += o.Width {
				if word := o.First + low/o.Width; int(word) != l.Bucket(int64(low))-int(far) || lows[word] > low {
					t.Errorf("%v: %d is counted in word %d from the middle, which begins at %d", params, low, word, lows[word])
				}
			}
			low = o.Limit
		}
	}
}
