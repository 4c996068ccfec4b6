package drain

import (
	"testing"
	"time"
)

func TestPatience(t *testing.T) {
	for _, tt := range []struct {
		room, size  int
		least, most time.Duration
	}{
		{16 << 20, 32, slowPace * 3 / 4, slowPace},                    // three numbers: some 3 million a second
		{32 << 20, 288, 25 * time.Millisecond, 50 * time.Millisecond}, // two strings: some 2 million
		{64 << 20, 32, slowPace, slowPace},
		{4 << 10, 288, leastPatience, leastPatience},
	} {
		if got := patience(tt.room, tt.size); got < tt.least || got > tt.most {
			t.Errorf("of records of %d bytes in %d: %v, not %v to %v", tt.size, tt.room, got, tt.least, tt.most)
		}
	}
}
