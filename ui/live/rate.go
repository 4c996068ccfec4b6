package live

import (
	"math"
	"slices"
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

// weights returns which part of the window each of the last intervals is, the newest last.
// One that reaches out of the window counts by its part inside. There are none before the
// run has lasted long enough.
func (w spans) weights(out []float32) []float32 {
	out, left := out[:0], window.Seconds()
	for i := len(w) - 1; i >= 0 && left > 0; i-- {
		part := min(w[i], left)
		out = append(out, float32(part))
		left -= part
	}
	slices.Reverse(out)
	covered := window.Seconds() - left
	if covered < settled.Seconds() {
		return out[:0]
	}
	for i := range out {
		out[i] /= float32(covered)
	}
	return out
}

// rateOf returns how much came a second during the window, of what came a second in each
// interval; a key that is younger had nothing before. It is rounded to the digits that are
// shown, so that rates which are drawn alike are in no order of their own.
func rateOf(ring, weights []float32) float32 {
	n := min(len(ring), len(weights))
	ring, weights = ring[len(ring)-n:], weights[len(weights)-n:]
	sum := float32(0)
	for i, r := range ring {
		sum += r * weights[i]
	}
	return float32(rounded(float64(sum)))
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
	a := math.Abs(f)
	if a < 1e-6 || a >= 1e18 {
		return f
	}
	unit := 1e-8
	for unit*1000 <= a {
		unit *= 10
	}
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
