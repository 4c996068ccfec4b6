package chart

import (
	"math"

	"dscope.dev/ui/ink"
)

// PairInks returns the inks of the two bars of Pair, the upper first.
func (k Looks) PairInks() (a, b ink.Ink) { return k.Total, k.Delta }

// PairGlyphs returns what only the upper, only the lower and both of the bars of Pair
// look like.
func (k Looks) PairGlyphs() (a, b, both string) {
	if k.ASCII {
		return `"`, "_", "="
	}
	return "▀", "▄", "█"
}

// Pair draws two bars over one another into w cells of l: a in the upper halves of the
// cells, b in the lower ones, both out of scale.
func (k Looks) Pair(l *ink.Line, a, b, scale float64, w int) {
	w = min(w, l.Left())
	if w <= 0 {
		return
	}
	end := l.X() + w
	upper, lower, both := k.PairGlyphs()
	na, nb := cells(a, scale, w), cells(b, scale, w)
	common := min(na, nb)
	if k.ASCII || k.Mono {
		l.Rep(k.Total, both, common)
	} else {
		l.Rep(k.seam, upper, common)
	}
	l.Rep(k.Total, upper, na-common)
	l.Rep(k.Delta, lower, nb-common)
	l.To(end)
}

// cells returns how many cells stand for n out of scale. Something is never drawn as
// nothing.
func cells(n, scale float64, w int) int {
	if !(n > 0 && scale > 0) {
		return 0
	}
	return max(int(math.Round(math.Min(n/scale, 1)*float64(w))), 1)
}
