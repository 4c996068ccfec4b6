package chart

import (
	"math"

	"dscope.dev/ui/ink"
)

// ramp are the shades of a heat map, from next to nothing to the most.
var (
	ramp      = []string{"·", "░", "▒", "▓", "█"}
	asciiRamp = []string{".", ":", "+", "*", "#"}
)

func (k Looks) shades() []string {
	if k.ASCII {
		return asciiRamp
	}
	return ramp
}

// Degree returns how much n is out of most, from 0 to 1, by the logarithm, so that a few
// slow ones are seen beside many fast ones.
func Degree(n, most int64) float64 {
	if n <= 0 || most <= 0 {
		return 0
	}
	return min(math.Log1p(float64(n))/math.Log1p(float64(most)), 1)
}

// Shade returns the glyph for n out of most, by Degree. Nothing is a blank, and the faintest
// stands for one.
func (k Looks) Shade(n, most int64) string {
	if n <= 0 || most <= 0 {
		return " "
	}
	shades := k.shades()
	at := int(float64(len(shades)) * Degree(n, most))
	if n > 1 {
		at = max(at, 1)
	}
	return shades[min(at, len(shades)-1)]
}

// ShadeLegend draws which counts the shades stand for, the most at the right.
func (k Looks) ShadeLegend(l *ink.Line, most int64) {
	l.Put(k.Axis, "1 ")
	for _, s := range k.shades() {
		l.Put(k.Total, s)
	}
	l.Put(k.Axis, " "+Short(float64(most))+", logarithmic")
}
