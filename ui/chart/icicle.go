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

// A Tone is how a frame is drawn: what stands where it begins, the sign before its name, which
// is all that is seen of the narrowest, and what it is filled up with behind the name.
type Tone struct {
	Look             ink.Ink
	Edge, Sign, Fill string
}

// IcicleLine draws one level. tone says how a frame is drawn.
func (k Looks) IcicleLine(l *ink.Line, t *flame.Tree, line []Slab, tone func(n int32) Tone) {
	left := l.X()
	for _, s := range line {
		l.To(left + s.X)
		k.slab(l, t, s, tone(s.Node))
	}
}

// FrameTone tells frames of processes and of the kernel apart. Where that cannot be told by
// colour the line behind the name is of two kinds.
func (k Looks) FrameTone(kind flame.Kind, mark Mark) Tone {
	tone := Tone{Look: k.tone(kind), Edge: k.edge(), Fill: k.reach(kind)}
	switch mark {
	case Hit:
		tone.Look, tone.Edge = k.Match, "*"
	case Here:
		tone.Look, tone.Edge = k.Cursor, k.here()
	}
	return tone
}

func (k Looks) edge() string { return k.Glyph("▏", "|") }
func (k Looks) here() string { return k.Glyph("▶", ">") }

// Twice is a change by a factor of two, as ChangeTone has it.
const Twice = 1.0 / 3

// ChangeTone tells what has become more from what has become less, and from what is alike: by
// is from -1, which is gone, to +1, which is new. A sign says it beside the colour, and where
// there is none fills up what has changed much.
func (k Looks) ChangeTone(by float64, here bool) Tone {
	tone := Tone{Look: k.Label, Edge: k.edge(), Fill: " "}
	switch {
	case by >= Twice:
		tone.Look, tone.Sign = k.Kernel, "+" // in the colour of the second of a pair
	case by > 0:
		tone.Look, tone.Sign = k.Delta, "+"
	case by <= -Twice:
		tone.Look, tone.Sign = k.User, "-"
	case by < 0:
		tone.Look, tone.Sign = k.Total, "-"
	}
	if k.Mono && (by >= Twice || by <= -Twice) {
		tone.Fill = tone.Sign
	}
	if here {
		tone.Look, tone.Edge = k.Cursor, k.here()
	}
	return tone
}

// ChangeLegend draws what the tones of changes look like.
func (k Looks) ChangeLegend(l *ink.Line) {
	for _, c := range []struct {
		by   float64
		text string
	}{{1, "twice and more"}, {0.1, "more"}, {0, "alike"}, {-0.1, "less"}, {-1, "half and less"}} {
		tone := k.ChangeTone(c.by, false)
		l.Put(tone.Look, tone.Edge+tone.Sign+c.text+tone.Fill)
		l.Put(ink.Ink{}, " ")
	}
}

// slab draws a frame: where it begins, its name, and how far it reaches.
func (k Looks) slab(l *ink.Line, t *flame.Tree, s Slab, tone Tone) {
	end := l.X() + s.W
	if s.W > 1 || tone.Sign == "" {
		l.Put(tone.Look, tone.Edge)
	}
	text := tone.Sign + t.Text(s.Node)
	switch room := end - l.X(); {
	case ink.Width(text) <= room:
		l.Put(tone.Look, text)
	case room > 1:
		l.Fit(tone.Look, text, room)
	case room == 1:
		l.Put(tone.Look, tone.Sign)
	}
	l.Rep(tone.Look, tone.Fill, end-l.X())
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
