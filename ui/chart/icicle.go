package chart

import (
	"math/bits"

	"dscope.dev/themes"
	"dscope.dev/ui/flame"
	"dscope.dev/ui/ink"
)

// A Slab is a frame as it stands in an icicle.
type Slab struct {
	Node int32
	X, W int // cells
}

// An Icicle is where the frames of a tree stand: a line for each level, the root on top,
// each as wide as its share of the root. A frame that begins and ends in one cell has no
// width; where several do, the cell shows the one that reaches into the next.
type Icicle [][]Slab

// NewIcicle lays out what lies below root on w cells, at most so many levels.
func NewIcicle(t *flame.Tree, root int32, w, levels int) Icicle {
	whole := t.Nodes[root].Total
	if whole <= 0 || w <= 0 || levels <= 0 {
		return nil
	}
	var out Icicle
	line, begins := []Slab{{root, 0, w}}, []int64{0}
	for len(line) > 0 && len(out) < levels {
		out = append(out, line)
		var below []Slab
		var next []int64
		for i, s := range line {
			at := begins[i]
			for _, c := range t.Below(s.Node) {
				end := at + t.Nodes[c].Total
				if from, to := scaled(at, w, whole), scaled(end, w, whole); to > from {
					below, next = append(below, Slab{c, from, to - from}), append(next, at)
				}
				at = end
			}
		}
		line, begins = below, next
	}
	return out
}

// scaled returns n out of whole on w cells, rounded down.
func scaled(n int64, w int, whole int64) int {
	hi, lo := bits.Mul64(min(uint64(n), uint64(whole)), uint64(w)) // sums may have overflowed
	q, _ := bits.Div64(hi, lo, uint64(whole))
	return int(q)
}

// Find returns where a node stands; false if it is not in the picture.
func (c Icicle) Find(n int32) (level, i int, ok bool) {
	for level, line := range c {
		for i, s := range line {
			if s.Node == n {
				return level, i, true
			}
		}
	}
	return 0, 0, false
}

// At returns what stands at cell x of a level.
func (c Icicle) At(level, x int) (Slab, bool) {
	if level < 0 || level >= len(c) {
		return Slab{}, false
	}
	for _, s := range c[level] {
		if x >= s.X && x < s.X+s.W {
			return s, true
		}
	}
	return Slab{}, false
}

// A Mark is what is special about a frame of an icicle.
type Mark uint8

// The marks.
const (
	NoMark Mark = iota
	Hit         // its name has been looked for
	Here        // the cursor is on it
)

// IcicleLine draws one level. mark says what is special about a frame.
func (k Looks) IcicleLine(l *ink.Line, t *flame.Tree, line []Slab, mark func(n int32) Mark) {
	left := l.X()
	for _, s := range line {
		l.To(left + s.X)
		k.slab(l, t, s, mark(s.Node))
	}
}

// slab draws a frame: where it begins, its name, and how far it reaches. Where tones
// cannot be told by colour the line behind the name is of two kinds.
func (k Looks) slab(l *ink.Line, t *flame.Tree, s Slab, mark Mark) {
	kind := t.Name(s.Node).Kind
	look := k.tone(kind)
	edge := k.Glyph("▏", "|")
	switch mark {
	case Hit:
		look, edge = k.Match, "*"
	case Here:
		look, edge = k.Cursor, k.Glyph("▶", ">")
	}
	end := l.X() + s.W
	l.Put(look, edge)
	text := t.Text(s.Node)
	if room := end - l.X(); ink.Width(text) <= room {
		l.Put(look, text)
	} else if room > 1 {
		l.Fit(look, text, room)
	}
	l.Rep(look, k.reach(kind), end-l.X())
}

// tone is the look of a kind of frame.
func (k Looks) tone(kind flame.Kind) ink.Ink {
	switch kind {
	case flame.User:
		return k.User
	case flame.Kernel:
		return k.Kernel
	}
	return k.Label
}

// reach is what a frame is filled up with behind its name.
func (k Looks) reach(kind flame.Kind) string {
	switch {
	case kind != flame.User && kind != flame.Kernel:
		return k.Glyph("·", ".")
	case !k.Mono:
		return " "
	case kind == flame.Kernel:
		return k.Glyph("═", "=")
	}
	return k.Glyph("─", "-")
}

// IcicleLegend draws what the two kinds of frames look like.
func (k Looks) IcicleLegend(l *ink.Line) {
	for _, kind := range [...]flame.Kind{flame.User, flame.Kernel} {
		l.Put(k.tone(kind), k.Glyph("▏", "|")+kind.String()+k.reach(kind))
		l.Skip(1)
	}
}

// icicleLooks returns the looks of the frames of processes, of the kernel, and of those
// that were looked for.
func icicleLooks(t *themes.Theme) (user, kernel, match ink.Ink) {
	front := t.Output.Match.GetForeground() // made to be read on strong colours
	user = ink.Of(t.NewStyle().Foreground(front).Background(t.Chart.Total.GetForeground()))
	kernel = ink.Of(t.NewStyle().Foreground(front).Background(t.Chart.Delta.GetForeground()))
	return user, kernel, ink.Of(t.Output.Match)
}
