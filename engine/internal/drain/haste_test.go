package drain

import (
	"testing"
	"time"
)

// TestHaste has tables of 8,000 keys emptied as a haste says for a minute of made-up time.
func TestHaste(t *testing.T) {
	const room, most = 8000, time.Second
	for _, c := range []struct {
		name  string
		keys  func(d time.Duration) int // that come within d
		also  time.Duration             // how often something else empties them; 0 is never
		least time.Duration             // between two takes in the end
		most  time.Duration
		lost  int
	}{
		{"nothing", func(time.Duration) int { return 0 }, 0, most, most, 0},
		{"few keys", func(d time.Duration) int { return min(900, int(d.Seconds()*1e6)) }, 0, most, most, 0},
		{"as many as half of the room", func(d time.Duration) int { return min(3900, int(d.Seconds()*1e5)) }, 0, most, most, 0},
		{"each firing its own", func(d time.Duration) int { return int(d.Seconds() * 40_000) }, 0, 40 * time.Millisecond, 150 * time.Millisecond, 0},
		{"many", func(d time.Duration) int { return int(d.Seconds() * 300_000) }, 0, leastTake, leastTake, 300_000/20 - room},
		{"slowly more and more", func(d time.Duration) int { return int(d.Seconds() * 7_000) }, 0, 300 * time.Millisecond, 900 * time.Millisecond, 0},
		{"printa() beside", func(d time.Duration) int { return int(d.Seconds() * 40_000) }, 10 * time.Millisecond, leastTake, 200 * time.Millisecond, 0},
	} {
		var h haste
		now := time.Unix(1, 0)
		h.taken(now, most)
		lost := 0
		for end := now.Add(time.Minute); now.Before(end); {
			from := now
			for !h.due(now) && (c.also == 0 || now.Sub(from) < c.also) {
				now = now.Add(time.Millisecond)
			}
			n := c.keys(now.Sub(from))
			lost += max(0, n-room)
			h.fills(float64(min(n, room)) / room)
			h.taken(now, most)
		}
		if h.every < c.least || h.every > c.most || lost > c.lost {
			t.Errorf("%s: empties each %v, want %v to %v; lost %d", c.name, h.every, c.least, c.most, lost)
		}
	}
}

// TestHasteLate has a flood come to a run whose tables are emptied each second.
func TestHasteLate(t *testing.T) {
	const room = 8000
	var h haste
	now, takes := time.Unix(1, 0), 0
	for ; h.every < time.Second; takes++ {
		h.taken(now, time.Second)
		now = now.Add(h.every)
	}
	for takes = 0; ; takes++ {
		n := int(h.every.Seconds() * 100_000)
		if n <= room {
			break
		}
		h.fills(1)
		now = now.Add(h.every)
		h.taken(now, time.Second)
	}
	if takes > 2 {
		t.Errorf("lost keys of %d takes", takes)
	}
}
