package load

import (
	"cmp"
	"errors"
	"io"
	"testing"
	"time"

	"dscope.dev/engine/trace"
)

// TestPause holds how long after a window the next one is opened.
func TestPause(t *testing.T) {
	for _, tt := range []struct {
		limit float64
		share []float64 // of the windows until then
		want  time.Duration
	}{
		{0.2, []float64{0}, costSeldom},
		{0.2, []float64{smallShare}, costRate},
		{0.2, []float64{0.2}, costRate},
		{0.2, []float64{0.21}, costSoon},
		{0.2, []float64{0.21, 0.21, 0}, costSoon}, // the neighbours had their turn
		{0.2, []float64{0.21, 0}, costSeldom},
		{0, []float64{0.9}, costRate}, // no air bag
		{0.0001, []float64{0.0002}, costSoon},
	} {
		m := Meter{limit: tt.limit}
		for _, share := range tt.share {
			m.last.Share = share
			m.weigh()
		}
		if got := m.pause(); got != tt.want {
			t.Errorf("shares of %v with the limit %v: %v, want %v", tt.share, tt.limit, got, tt.want)
		}
	}
}

// TestAirBagOpens holds which windows open the air bag: a (above the limit) and b (below).
func TestAirBagOpens(t *testing.T) {
	for windows, want := range map[string]bool{
		"aaaaa":                true,
		"aaaa":                 false,
		"aaaabaa":              true, // one in which others had the CPUs
		"aabbbbaaaa":           false,
		"bbbbbbbbbaaaaa":       true, // peace is not saved up
		"abababababababababab": false,
	} {
		m := Meter{limit: 0.2}
		for _, w := range windows {
			m.last.Share = map[rune]float64{'a': 0.3, 'b': 0.1}[w]
			m.weigh()
		}
		if m.Opens() != want {
			t.Errorf("%s: %v", windows, m.Opens())
		}
	}
}

// TestCalm holds when windows are put off: the kernel is not asked to time programs while the
// CPUs do next to nothing, of which the programs are a part.
func TestCalm(t *testing.T) {
	const cpus = 4
	turns := int(costCalm/costSeldom) - 1
	for _, tt := range []struct {
		name   string
		busy   float64 // share of all CPUs
		last   float64 // share that the programs took before
		traced int     // CPUs; 0 is all
		broken bool    // nobody knows
		want   int     // windows of the turns until costCalm is over
	}{
		{name: "nothing to do", want: 0},
		{name: "little to do", busy: calmShare / 2, want: 0},
		{name: "busy", busy: 2 * calmShare, want: turns},
		{name: "as busy as can be", busy: 1, want: turns},
		{name: "the programs took something", last: smallShare, want: 1}, // and nothing in that window
		{name: "one CPU of four is traced, and could be busy", traced: 1, busy: calmShare / 2, want: turns},
		{name: "one CPU of four is traced, with nothing to do", traced: 1, want: 0},
		{name: "unknown", broken: true, want: turns},
	} {
		t.Run(tt.name, func(t *testing.T) {
			now := time.Unix(1000, 0)
			begun := now
			opened := 0
			m := Meter{cpus: cmp.Or(tt.traced, cpus), loaded: &Loaded{all: cpus}, last: trace.Cost{Share: tt.last},
				stats: func() (io.Closer, error) { opened++; return io.NopCloser(nil), nil }}
			m.idle = func() (time.Duration, error) {
				if tt.broken {
					return 0, errors.New("no such file")
				}
				return time.Duration(float64(now.Sub(begun)*cpus) * (1 - tt.busy)), nil
			}
			turn := func() { m.Turn(now); now = now.Add(costWindow); m.Turn(now) }
			turn()
			if opened != 1 {
				t.Fatalf("%d windows at first", opened)
			}
			m.last.Share = tt.last
			for range turns {
				now = m.next
				turn()
			}
			if got := opened - 1; got != tt.want {
				t.Errorf("%d windows in %v, want %d", got, now.Sub(begun), tt.want)
			}
			now = now.Add(costCalm)
			if turn(); opened-1 == tt.want {
				t.Errorf("no window after %v", costCalm)
			}
		})
	}
}

// TestIdleTime holds that what the kernel tells of idle CPUs is understood.
func TestIdleTime(t *testing.T) {
	before, err := idleTime()
	if err != nil || before <= 0 {
		t.Fatalf("%v: %v", before, err)
	}
	if after, err := idleTime(); err != nil || after < before {
		t.Errorf("%v after %v: %v", after, before, err)
	}
}
