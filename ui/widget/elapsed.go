package widget

import (
	"fmt"
	"time"
)

// minute is from when on seconds are no longer written alone: 59.96s would be 60.0s.
const minute = time.Minute - 50*time.Millisecond

// Elapsed writes a duration as people read a clock: 12.4s, 3:05, 1:02:03.
func Elapsed(d time.Duration) string {
	switch {
	case d < minute:
		return fmt.Sprintf("%.1fs", d.Seconds())
	case d < time.Hour:
		d = max(d, time.Minute)
		return fmt.Sprintf("%d:%02d", int(d.Minutes()), int(d.Seconds())%60)
	}
	return fmt.Sprintf("%d:%02d:%02d", int(d.Hours()), int(d.Minutes())%60, int(d.Seconds())%60)
}

// Moment writes a moment of a run in the same way, with the tenths that moments lie apart:
// 12.4s, 3:05.2, 1:02:03.0.
func Moment(d time.Duration) string {
	if d < minute {
		return Elapsed(d)
	}
	d = d.Round(100 * time.Millisecond)
	return fmt.Sprintf("%s.%d", Elapsed(d), d/(100*time.Millisecond)%10)
}
