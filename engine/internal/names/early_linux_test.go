package names

import (
	"testing"
	"time"
)

// TestRhythm counts looks at stacks in which nothing is new: soon after there was a reason they
// are as many as ever, and then so few that they cost nothing.
func TestRhythm(t *testing.T) {
	var r rhythm
	now := time.Unix(1, 0)
	looks := func(long time.Duration) (n int) {
		for end := now.Add(long); now.Before(end); n++ {
			now = now.Add(r.after(now, false))
		}
		return n
	}
	for round := range 2 {
		if gap := r.after(now, true); gap != earlyEvery || r.rare() {
			t.Errorf("round %d: with a reason the next look is %v later", round, gap)
		}
		now = now.Add(earlyEvery)
		if n, want := looks(earlyWhile-earlyEvery), int(earlyWhile/earlyEvery)-1; n != want {
			t.Errorf("round %d: %d looks in %v after a reason, want %d", round, n, earlyWhile, want)
		}
		if r.rare() {
			t.Errorf("round %d: looks are rare at once", round)
		}
		if looks(time.Second); !r.rare() {
			t.Errorf("round %d: looks are no rarer after a second without a reason", round)
		}
		if n, most := looks(time.Minute), int(time.Minute/earlyLate); n > most {
			t.Errorf("round %d: %d looks in a minute in which nothing comes, want no more than %d", round, n, most)
		}
	}
}
