package load

import (
	"testing"
	"time"

	"dscope.dev/engine/trace"
)

// TestPause holds how long after a window the next one is opened.
func TestPause(t *testing.T) {
	for _, tt := range []struct {
		limit, share float64
		want         time.Duration
	}{
		{0.2, 0, costSeldom},
		{0.2, smallShare, costRate},
		{0.2, 0.2, costRate},
		{0.2, 0.21, costSoon},
		{0, 0.9, costRate}, // no air bag
		{0.0001, 0.0002, costSoon},
	} {
		m := Meter{limit: tt.limit, last: trace.Cost{Share: tt.share}}
		if got := m.pause(); got != tt.want {
			t.Errorf("a share of %v with the limit %v: %v, want %v", tt.share, tt.limit, got, tt.want)
		}
	}
}
