package flow

import (
	"fmt"
	"strings"
	"testing"

	"dscope.dev/engine/trace"
)

// buckets makes a histogram of counts from the bucket of 1 on; negative ones are left out.
func buckets(counts ...int64) (list []trace.Bucket) {
	for i, n := range counts {
		if n >= 0 {
			list = append(list, trace.Bucket{Low: 1 << i, High: 2<<i - 1, Count: n})
		}
	}
	return list
}

func spell(list []trace.Bucket) string {
	var out []string
	for _, b := range list {
		out = append(out, fmt.Sprintf("%d:%d", b.Low, b.Count))
	}
	return strings.Join(out, " ")
}

func TestCame(t *testing.T) {
	row := func(value int64, count uint64, b ...int64) *trace.Row {
		return &trace.Row{Value: value, Count: count, Buckets: buckets(b...)}
	}
	for _, tt := range []struct {
		name        string
		fn          trace.AggFunc
		now, before *trace.Row
		n           int64
		cleared     bool
	}{
		{"a count", trace.Count, row(7, 7), row(3, 3), 4, false},
		{"a new key", trace.Count, row(7, 7), row(0, 0), 7, false},
		{"a cleared count", trace.Count, row(2, 2), row(3, 3), 2, true},
		{"a sum may shrink", trace.Sum, row(-5, 4), row(10, 3), -15, false},
		{"a cleared sum", trace.Sum, row(50, 1), row(10, 3), 50, true},
		{"least values", trace.Min, row(1, 9), row(100, 4), 5, false},
		{"cleared least values", trace.Min, row(1, 2), row(1, 4), 2, true},
		{"a histogram", trace.Quantize, row(6, 6, 1, 5), row(2, 2, 1, 1), 4, false},
		{"a cleared one that grew again", trace.Quantize, row(6, 6, 0, 6), row(2, 2, 1, 1), 6, true},
	} {
		if n, cleared := Came(tt.fn, tt.now, tt.before); n != tt.n || cleared != tt.cleared {
			t.Errorf("%s: %d, cleared %t; want %d, %t", tt.name, n, cleared, tt.n, tt.cleared)
		}
	}
}

func TestBuckets(t *testing.T) {
	now, before := buckets(1, 5, 0, 7), buckets(-1, 2, 0)
	if got := spell(AppendSince(nil, now, before)); got != "1:1 2:3 4:0 8:7" {
		t.Errorf("what came: %s", got)
	}
	if got := spell(now); got != "1:1 2:5 4:0 8:7" {
		t.Errorf("what is there became %s", got)
	}
	if got := spell(Join(buckets(-1, 2, -1, 4), buckets(1, 1, 1, -1, 9))); got != "1:1 2:3 4:1 8:4 16:9" {
		t.Errorf("joined: %s", got)
	}
}
