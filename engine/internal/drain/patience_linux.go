package drain

import (
	"time"

	"dscope.dev/engine/kmap"
)

// A firing with a record takes no less, measured with nothing else at work, and as many
// nanoseconds more for each of its bytes.
const (
	leastFiring = 200 * time.Nanosecond
	eachByte    = 0.4

	leastPatience = 20 * time.Millisecond // with a buffer that was asked to be small
)

// patience returns how long nobody need look at a quiet run whose buffers have room for so many
// bytes: until a flood of records of a size that begins meanwhile could have filled one.
func patience(room, size int) time.Duration {
	records := float64(room) / float64(size+kmap.RecordHeader)
	filled := time.Duration(records * (float64(leastFiring) + eachByte*float64(size)))
	return min(max(filled, leastPatience), slowPace)
}
