package widget

import (
	"testing"
	"time"
)

func TestElapsed(t *testing.T) {
	for d, want := range map[time.Duration][2]string{
		0:                        {"0.0s", "0.0s"},
		41 * time.Second:         {"41.0s", "41.0s"},
		59940 * time.Millisecond: {"59.9s", "59.9s"},
		59960 * time.Millisecond: {"1:00", "1:00.0"},
		63400 * time.Millisecond: {"1:03", "1:03.4"},
		3723 * time.Second:       {"1:02:03", "1:02:03.0"},
	} {
		if got := [2]string{Elapsed(d), Moment(d)}; got != want {
			t.Errorf("%v: %q, want %q", d, got, want)
		}
	}
}
