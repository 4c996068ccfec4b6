package ui

import (
	"strings"
	"testing"
)

// sketch draws a layout with a letter a pane; titles are in upper case.
func sketch(l layout) string {
	grid := make([][]byte, l.h)
	for y := range grid {
		grid[y] = []byte(strings.Repeat(".", l.w))
	}
	fill := func(r rect, c byte) {
		for y := r.y; y < r.y+r.h; y++ {
			for x := r.x; x < r.x+r.w; x++ {
				if grid[y][x] != '.' {
					c = '#' // two things in one place
				}
				grid[y][x] = c
			}
		}
	}
	for p := range slots {
		fill(l.title[p], "PSLO"[p])
		fill(l.body[p], "pslo"[p])
	}
	for _, b := range l.borders {
		if b.w == 1 {
			fill(b.rect, '|')
		}
	}
	fill(l.status, '=')
	fill(l.footer, '-')
	var out []string
	for _, row := range grid {
		out = append(out, string(row))
	}
	return strings.Join(out, "\n")
}

// squeeze writes a run of equal characters once, and equal lines once.
func squeeze(s string) string {
	var out []string
	for _, line := range strings.Split(s, "\n") {
		var b strings.Builder
		for i := range len(line) {
			if i == 0 || line[i] != line[i-1] {
				b.WriteByte(line[i])
			}
		}
		if len(out) == 0 || out[len(out)-1] != b.String() {
			out = append(out, b.String())
		}
	}
	return strings.Join(out, "\n")
}

func TestLayouts(t *testing.T) {
	for _, tt := range []struct {
		name string
		w, h int
		s    shape
		want string
	}{
		{"usual", 80, 24, defaultShape, "P|S\np|s\np|L\np|l\np|O\np|o\n=\n-"},
		{"wide", 200, 60, defaultShape, "P|S|L\np|s|l\np|O|l\np|o|l\n=\n-"},
		{"a split in a split", 80, 24, shape{usual: part{down: true, parts: []part{
			{slot: editorSlot, share: 500},
			{parts: []part{{slot: browserSlot, share: 300}, {slot: liveSlot, share: 300}, {slot: outputSlot}}},
		}}}, "S\ns\nP|L|O\np|l|o\n=\n-"},
		{"without the script", 80, 24, defaultShape.close(editorSlot, true), "P|L\np|l\np|O\np|o\n=\n-"},
		{"without the probes", 80, 24, defaultShape.close(browserSlot, true), "S\ns\nL\nl\nO\no\n=\n-"},
		{"wide without a column", 200, 60, defaultShape.close(editorSlot, true).close(outputSlot, true), "P|L\np|l\n=\n-"},
		{"one alone", 200, 60, defaultShape.close(editorSlot, true).close(outputSlot, true).close(browserSlot, true), "L\nl\n=\n-"},
		{"opened again", 80, 24, defaultShape.close(editorSlot, true).close(editorSlot, false), "P|S\np|s\np|L\np|l\np|O\np|o\n=\n-"},
		{"swapped", 80, 24, defaultShape.swap(80, browserSlot, liveSlot), "L|S\nl|s\nl|P\nl|p\nl|O\nl|o\n=\n-"},
		{"narrow", 40, 24, defaultShape, "L\nl\n=\n-"},
		{"lower", 100, 7, defaultShape, "L\nl\n="},
		{"zoomed", 120, 40, zoomed(defaultShape), "L\nl\n=\n-"},
		{"too small", 19, 5, defaultShape, "."},
	} {
		if got := squeeze(sketch(arrange(tt.s, tt.w, tt.h, liveSlot, liveSlot))); got != tt.want {
			t.Errorf("%s (%dx%d):\n%s\nwant:\n%s", tt.name, tt.w, tt.h, got, tt.want)
		}
	}
}

// shared returns the usual layouts with borders that were dragged as far as they go.
func shared(share int) shape {
	s := defaultShape
	for _, w := range []int{manyWidth, wideWidth} {
		s = s.with(w, func(p *part) { p.setShares(share) })
	}
	return s
}

func (p *part) setShares(share int) {
	p.dragged = true
	for i := range p.parts {
		p.parts[i].setShares(share)
		if p.parts[i].share > 0 {
			p.parts[i].share = share
		}
	}
}

func zoomed(s shape) shape {
	s.zoom = true
	return s
}

// TestLayoutsTile holds at every size that each cell belongs to one thing, and
// that no pane is without a line of its own.
func TestLayoutsTile(t *testing.T) {
	shapes := []shape{defaultShape, shared(1), shared(1000), zoomed(defaultShape)}
	for _, s := range []shape{defaultShape, shared(1), shared(1000)} {
		shapes = append(shapes, s.close(browserSlot, true), s.close(outputSlot, true), s.close(editorSlot, true).close(liveSlot, true))
	}
	for w := minWidth; w <= 300; w += 7 {
		for h := minHeight; h <= 100; h += 3 {
			for _, s := range shapes {
				l := arrange(s, w, h, editorSlot, editorSlot)
				if got := sketch(l); strings.ContainsAny(got, "#.") {
					t.Fatalf("%dx%d %+v does not tile:\n%s", w, h, s, got)
				}
				for p := range slots {
					if l.visible(p) && l.body[p].h < 1 {
						t.Fatalf("%dx%d: %v has no line:\n%s", w, h, p, sketch(l))
					}
				}
			}
		}
	}
}

func TestDragMovesTheBorderUnderThePointer(t *testing.T) {
	for _, size := range [][2]int{{80, 24}, {120, 40}, {200, 60}} {
		l := arrange(defaultShape, size[0], size[1], editorSlot, editorSlot)
		for _, b := range l.borders {
			x, y := b.x, b.y
			if b.w == 1 {
				x += 5
			} else {
				y += 2
			}
			s := l.drag(defaultShape, b.edge, x, y)
			m := arrange(s, size[0], size[1], editorSlot, editorSlot)
			if got, ok := m.border(x, y); !ok || got.edge != b.edge {
				t.Errorf("%v: border %v dragged to %d,%d is not there:\n%s", size, b.edge, x, y, sketch(m))
			}
			for i, other := range l.borders { // what is beside the two parts stays where it is
				if other.path == b.path && other.at != b.at && other.rect != m.borders[i].rect {
					t.Errorf("%v: border %v dragged moves %v:\n%s", size, b.edge, other.edge, sketch(m))
				}
			}
		}
	}
}

func TestLowScreensFavourThePaneInFront(t *testing.T) {
	for _, front := range []slot{editorSlot, liveSlot, outputSlot} {
		l := arrange(defaultShape, 80, 24, browserSlot, front)
		for p := editorSlot; p <= outputSlot; p++ {
			if h := l.body[p].h; (h >= 8) != (p == front) {
				t.Errorf("with %v in front %v has %d lines", front, p, h)
			}
		}
	}
}

// TestLayoutKeepsStill holds that no pane moves or changes its size as the focus goes to another;
// on low screens the column of three favours the one that had it last, and the browser changes
// nothing.
func TestLayoutKeepsStill(t *testing.T) {
	for _, size := range [][2]int{{80, 24}, {120, 40}, {200, 60}} {
		still := arrange(defaultShape, size[0], size[1], liveSlot, liveSlot)
		for focus := range slots {
			front := focus
			if focus == browserSlot || size[1] < lowRows {
				front = liveSlot
			}
			if l := arrange(defaultShape, size[0], size[1], focus, front); l.body != still.body {
				t.Errorf("%v: with the focus on %v\n%s\nand on the live pane\n%s", size, focus, sketch(l), sketch(still))
			}
		}
	}
}

// TestResizeByKey makes each pane wider and taller, and less so again, wherever it has a
// neighbour.
func TestResizeByKey(t *testing.T) {
	for _, size := range [][2]int{{80, 24}, {120, 40}, {200, 60}} {
		for focus := range slots {
			s := defaultShape
			at := func() rect { l := arrange(s, size[0], size[1], focus, liveSlot); return l.body[focus] }
			for _, by := range [][2]int{{+widen, 0}, {-widen, 0}, {0, +heighten}, {0, -heighten}} {
				l := arrange(s, size[0], size[1], focus, liveSlot)
				b, sign, ok := l.next(focus, by[1] != 0)
				if !ok {
					if l.body[focus].w < size[0] && by[0] != 0 || l.body[focus].h < size[1]-3 && by[1] != 0 {
						t.Errorf("%v: %v cannot be resized by %v:\n%s", size, focus, by, sketch(l))
					}
					continue
				}
				before := at()
				s = l.drag(s, b.edge, b.x+sign*by[0], b.y+sign*by[1])
				got := at()
				if least := got.w == 61; !least && got.w != before.w+by[0] || got.h != before.h+by[1] { // at 80 columns the browser has its least then
					t.Errorf("%v: %v is %v, and resized by %v it is %v", size, focus, before, by, got)
				}
			}
		}
	}
}
