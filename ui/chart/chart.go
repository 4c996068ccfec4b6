// Package chart turns data into lines of coloured cells: bars of histograms,
// sparklines, tables. Every picture is a function of data, size and looks; it
// remembers nothing, so that the same data draw the same picture in a live
// run, a replay and a test.
//
// What makes a moving chart readable is what does not move. Two things here
// serve that and are kept by the caller from frame to frame: an Axis, which
// knows every bucket that was ever in use and the longest bar so far, and only
// grows; and the widths of columns, which an Axis also only widens.
//
// A bar has two tones: what had been counted before the last interval, and
// what came in during it. Lengths are drawn in eighths of a cell. Without
// colours the tones become glyphs, full and shaded; without UTF-8 they become
// # and +. Numbers stand beside every bar, so that nothing is said by length
// or colour alone.
//
// Everything is written through package ink, with no style object per cell.
package chart

import (
	"math"
	"strconv"

	"dscope.dev/themes"
	"dscope.dev/ui/ink"
)

// Looks are the inks that charts are drawn with, and the glyphs that the
// terminal has.
type Looks struct {
	Title, Label, Axis, Total, Delta, Minus, Count, Drop, Cursor ink.Ink

	Header, Sorted, Key, Value, Rate, Rule ink.Ink

	User, Kernel, Match ink.Ink // frames of an icicle

	seam  ink.Ink // the cell in which Total ends and Delta begins
	ASCII bool    // no glyphs beyond ASCII
	Mono  bool    // the tones cannot be told by colour
}

// NewLooks resolves the looks of a theme.
func NewLooks(t *themes.Theme) Looks {
	c, tab := t.Chart, t.Table
	k := Looks{
		Title: ink.Of(c.Title), Label: ink.Of(c.Label), Axis: ink.Of(c.Axis), Total: ink.Of(c.Total),
		Delta: ink.Of(c.Delta), Minus: ink.Of(c.Minus), Count: ink.Of(c.Count), Drop: ink.Of(c.Drop),
		Cursor: ink.Of(c.Cursor),
		Header: ink.Of(tab.Header), Sorted: ink.Of(tab.Sorted), Key: ink.Of(tab.Key), Value: ink.Of(tab.Value),
		Rate: ink.Of(tab.Rate), Rule: ink.Of(tab.Rule),
		ASCII: t.ASCII,
	}
	front := t.NewStyle().Foreground(c.Total.GetForeground())
	back := t.NewStyle().Foreground(c.Delta.GetForeground())
	k.User, k.Kernel, k.Match = icicleLooks(t)
	k.Mono = ink.Of(front) == ink.Of(back)
	k.seam = ink.Of(front.Background(c.Delta.GetForeground()))
	return k
}

// eighths are the blocks that fill n eighths of a cell from the left.
var eighths = [9]string{" ", "▏", "▎", "▍", "▌", "▋", "▊", "▉", "█"}

// heights are the blocks that fill n eighths of a cell from below.
var heights = [9]string{" ", "▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"}

// asciiHeights stand for heights without UTF-8.
var asciiHeights = [9]string{" ", "_", ".", ",", "-", "=", "o", "O", "#"}

// Bar draws a bar into w cells of l: total out of scale, of which delta came
// in the last interval.
func (k Looks) Bar(l *ink.Line, total, delta, scale int64, w int) {
	w = min(w, l.Left())
	end := l.X() + w
	switch {
	case w <= 0:
		return
	case total < 0:
		k.solid(l, k.Minus, length(total, scale, w), "-")
	case delta <= 0 || delta > total:
		if delta > total { // counted away in between: all of it is new
			k.shade(l, 0, length(total, scale, w))
		} else {
			k.solid(l, k.Total, length(total, scale, w), "#")
		}
	default:
		k.shade(l, length(total-delta, scale, w), length(total, scale, w))
	}
	l.To(end)
}

// length returns how many eighths of a cell stand for n out of scale on w
// cells. Something is never drawn as nothing.
func length(n, scale int64, w int) int {
	if n == 0 || scale == 0 {
		return 0
	}
	full := float64(w * 8)
	return max(int(math.Round(full*math.Min(math.Abs(float64(n)/float64(scale)), 1))), 1)
}

// solid draws n eighths in one tone.
func (k Looks) solid(l *ink.Line, i ink.Ink, n int, plain string) {
	if k.ASCII {
		l.Rep(i, plain, (n+4)/8+b2i(n > 0 && n < 4))
		return
	}
	l.Rep(i, eighths[8], n/8)
	if n%8 > 0 {
		l.Rep(i, eighths[n%8], 1)
	}
}

// shade draws a bar of to eighths, the last to-from of them in the tone of
// the last interval.
func (k Looks) shade(l *ink.Line, from, to int) {
	if k.ASCII || k.Mono {
		old, all := from/8, (to+4)/8
		glyph, fresh := "#", "+"
		if !k.ASCII {
			glyph, fresh = "█", "▒"
		}
		all = max(all, b2i(to > 0))
		old = min(max(old, b2i(all == 1 && 2*from >= to)), all)
		if old == all { // nothing new to see
			k.solid(l, k.Total, to, "#")
			return
		}
		l.Rep(k.Total, glyph, old)
		l.Rep(k.Delta, fresh, all-old)
		return
	}
	l.Rep(k.Total, eighths[8], from/8)
	if r := from % 8; r > 0 {
		if to/8 > from/8 {
			l.Rep(k.seam, eighths[r], 1)
			from += 8 - r
		} else { // both tones end in one cell: it has that of the larger part
			i := k.Delta
			if r >= to%8-r {
				i = k.Total
			}
			l.Rep(i, eighths[to%8], 1)
			return
		}
	}
	l.Rep(k.Delta, eighths[8], to/8-from/8)
	if to%8 > 0 {
		l.Rep(k.Delta, eighths[to%8], 1)
	}
}

func b2i(b bool) int {
	if b {
		return 1
	}
	return 0
}

// Short writes a number in at most six characters: 0, 3.2, 847, 12.3k, 1.25M.
func Short(f float64) string {
	if f < 0 {
		return "-" + Short(-f)
	}
	if math.IsInf(f, 0) || math.IsNaN(f) {
		return "?"
	}
	unit := ""
	for _, u := range [...]string{"k", "M", "G", "T", "P", "E"} {
		if f < 999.5 {
			break
		}
		f, unit = f/1000, u
	}
	prec := 0
	switch {
	case unit == "" && f == math.Trunc(f):
	case f < 9.995:
		prec = 2
	case f < 99.95:
		prec = 1
	}
	if unit == "" && prec == 2 && f >= 0.1 {
		prec = 1
	}
	return strconv.FormatFloat(f, 'f', prec, 64) + unit
}
