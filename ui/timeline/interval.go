package timeline

import "time"

// Interval returns how long an interval is of which width show all up to a moment, as a
// number of a frame: as people count, and so that all of the timeline has room and every
// interval ends with a frame of its own. Intervals begin at whole multiples of it, so that
// a picture that goes on moves by columns and does not flicker.
func (t *Timeline) Interval(moment, width int) time.Duration {
	gap := time.Duration(0)
	for i := 1; i <= moment; i++ {
		gap = max(gap, t.Elapsed(i)-t.Elapsed(i-1))
	}
	span := t.Elapsed(moment) - t.Elapsed(0)
	for _, d := range lengths {
		if d >= gap && span/d < time.Duration(width) {
			return d
		}
	}
	return lengths[len(lengths)-1]
}

// lengths are the intervals that people count in.
var lengths = []time.Duration{200 * time.Millisecond, 500 * time.Millisecond, time.Second, 2 * time.Second, 5 * time.Second, 10 * time.Second,
	30 * time.Second, time.Minute, 2 * time.Minute, 5 * time.Minute, 10 * time.Minute, 30 * time.Minute, time.Hour, 6 * time.Hour, 24 * time.Hour}
