package live

import (
	"math"
	"strconv"
	"time"

	"dscope.dev/ui/chart"
)

// window is over how much of the run rates are taken: so long that what comes once a
// second is told as once a second, and so short that a change is soon seen.
const window = 5 * time.Second

// windowText is how the title of a column says it.
const windowText = "/s 5s"

// settled is how long a run has to have lasted before rates are told: what came once in
// its first millisecond does not come a thousand times a second.
const settled = time.Second

// mostSpans bounds how many intervals are remembered, where they are very short.
const mostSpans = 500

// spans are the lengths of the last intervals in seconds, the newest last.
type spans []float64

// push enters an interval. As many are kept as trends or rates need.
func (w *spans) push(seconds float64) {
	*w = append(*w, max(seconds, 0))
	keep, covered := 0, 0.0
	for keep < min(len(*w), mostSpans) && (keep < history || covered < window.Seconds()) {
		keep++
		covered += (*w)[len(*w)-keep]
	}
	*w = (*w)[len(*w)-keep:]
}

// rate returns how much came a second during the window, of what came a second in each
// interval. An interval that reaches out of the window counts by its part inside, and a
// key that is younger than the window had nothing before. It is rounded to the digits
// that are shown, so that rates which are drawn alike are in no order of their own.
func (w spans) rate(ring []float32) float32 {
	sum, left := 0.0, window.Seconds()
	for i := 1; i <= len(w) && left > 0; i++ {
		part := min(w[len(w)-i], left)
		if i <= len(ring) {
			sum += float64(ring[len(ring)-i]) * part
		}
		left -= part
	}
	covered := window.Seconds() - left
	if covered < settled.Seconds() {
		return 0
	}
	return float32(rounded(sum / covered))
}

// settled reports whether rates can be told.
func (w spans) settled() bool {
	covered := 0.0
	for _, d := range w {
		covered += d
	}
	return covered >= settled.Seconds()
}

// rounded returns f with three digits.
func rounded(f float64) float64 {
	if f == 0 {
		return 0
	}
	unit := math.Pow(10, math.Floor(math.Log10(math.Abs(f)))-2)
	return math.Round(f/unit) * unit
}

// perSecond writes a rate. One that is small has its digit behind the point even where
// that is 0, so that it keeps its width.
func perSecond(f float64) string {
	if a := math.Abs(f); a >= 0.1 && a < 9.95 {
		return strconv.FormatFloat(f, 'f', 1, 64)
	}
	return chart.Short(math.Round(f*1000) / 1000)
}
