package chart

import (
	"math"

	"dscope.dev/engine/trace"
)

// Quantile returns the bucket that holds the value below which so big a part of all lies,
// that one included. There is none in an empty histogram, nor in one with negative counts,
// whose values cannot be put in a row.
func Quantile(buckets []trace.Bucket, part float64) (trace.Bucket, bool) {
	var total, sum int64
	for _, b := range buckets {
		if b.Count < 0 {
			return trace.Bucket{}, false
		}
		total += b.Count
	}
	want := int64(math.Ceil(part * float64(total)))
	for _, b := range buckets {
		if sum += b.Count; b.Count > 0 && sum >= want {
			return b, true
		}
	}
	return trace.Bucket{}, false
}
