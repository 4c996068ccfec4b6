package chart

import (
	"math"

	"dscope.dev/ui/ink"
)

// Spark draws the last w values as blocks of rising height out of scale, the
// newest at the right. Where lost is true something was dropped: the block has
// the colour of drops, and a mark stands where it would be empty, because a gap
// would read as quiet.
func (k Looks) Spark(l *ink.Line, i ink.Ink, values []float32, lost []bool, scale float32, w int) {
	w = min(w, l.Left())
	if w <= 0 {
		return
	}
	if len(values) > w {
		values = values[len(values)-w:]
	}
	if len(lost) > len(values) {
		lost = lost[len(lost)-len(values):]
	}
	l.Skip(w - len(values))
	for n, v := range values {
		look, block := i, k.height(float64(v), float64(scale))
		if n < len(lost) && lost[n] {
			look = k.Drop
			if block == " " {
				block = "!"
			}
		}
		l.Rep(look, block, 1)
	}
}

// height returns the block for v out of scale.
func (k Looks) height(v, scale float64) string {
	if v == 0 || scale == 0 {
		return k.Block(0, false)
	}
	return k.Block(math.Abs(v/scale), true)
}

// Pack draws a whole histogram on one line, a cell a bar; the bars that grew
// in the last interval have the tone of it. If there are more bars than w
// cells, neighbours share one.
func (k Looks) Pack(l *ink.Line, bars []Bar, scale int64, w int) {
	w = min(w, l.Left())
	if w <= 0 || len(bars) == 0 {
		l.Skip(w)
		return
	}
	per := (len(bars) + w - 1) / w
	end := l.X() + w
	for from := 0; from < len(bars); from += per {
		var most int64
		fresh := false
		for _, b := range bars[from:min(from+per, len(bars))] {
			most = max(most, abs(b.Total))
			fresh = fresh || b.Delta != 0
		}
		i := k.Total
		if fresh {
			i = k.Delta
		}
		l.Rep(i, k.height(float64(most), float64(scale)), 1)
	}
	l.To(end)
}

// Block returns the block that fills part of a cell from its foot; something is never drawn
// as nothing.
func (k Looks) Block(part float64, something bool) string {
	n := min(max(int(math.Round(8*part)), 0), 8)
	if n == 0 && something {
		n = 1
	}
	if k.ASCII {
		return asciiHeights[n]
	}
	return heights[n]
}
