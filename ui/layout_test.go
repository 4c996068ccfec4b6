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
	for p := range panes {
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
		{"low", 80, 24, shape{right: 420, lower: 560}, "P|S\np|s\np|L\np|l\np|O\np|o\n=\n-"},
		{"narrow", 40, 24, defaultShape, "L\nl\n=\n-"},
		{"lower", 100, 7, defaultShape, "L\nl\n="},
		{"zoomed", 120, 40, shape{left: 270, script: 360, live: 360, zoom: true}, "L\nl\n=\n-"},
		{"too small", 19, 5, defaultShape, "."},
	} {
		if got := squeeze(sketch(arrange(tt.s, tt.w, tt.h, livePane, livePane))); got != tt.want {
			t.Errorf("%s (%dx%d):\n%s\nwant:\n%s", tt.name, tt.w, tt.h, got, tt.want)
		}
	}
}

// TestLayoutsTile holds at every size that each cell belongs to one thing, and
// that no pane is without a line of its own.
func TestLayoutsTile(t *testing.T) {
	shapes := []shape{defaultShape, {}, {left: 1000, right: 1000, script: 1000, live: 1000, lower: 1000}, {left: 300, zoom: true}}
	for w := minWidth; w <= 300; w += 7 {
		for h := minHeight; h <= 100; h += 3 {
			for _, s := range shapes {
				l := arrange(s, w, h, editorPane, editorPane)
				if got := sketch(l); strings.ContainsAny(got, "#.") {
					t.Fatalf("%dx%d %+v does not tile:\n%s", w, h, s, got)
				}
				for p := range panes {
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
		l := arrange(defaultShape, size[0], size[1], editorPane, editorPane)
		for _, b := range l.borders {
			x, y := b.x, b.y
			if b.w == 1 {
				x += 5
			} else {
				y += 2
			}
			s := l.drag(defaultShape, b.moves, x, y)
			m := arrange(s, size[0], size[1], editorPane, editorPane)
			if e, ok := m.border(x, y); !ok || e != b.moves {
				t.Errorf("%v: border %d dragged to %d,%d is not there:\n%s", size, b.moves, x, y, sketch(m))
			}
		}
	}
}

func TestLowScreensFavourThePaneInFront(t *testing.T) {
	for _, front := range []pane{editorPane, livePane, outputPane} {
		l := arrange(defaultShape, 80, 24, browserPane, front)
		for p := editorPane; p <= outputPane; p++ {
			if h := l.body[p].h; (h >= 8) != (p == front) {
				t.Errorf("with %v in front %v has %d lines", front, p, h)
			}
		}
	}
}

func TestTheBrowserWidensWhileItHasTheFocus(t *testing.T) {
	narrow, wide := arrange(defaultShape, 80, 24, livePane, livePane), arrange(defaultShape, 80, 24, browserPane, livePane)
	if narrow.body[browserPane].w > 24 || wide.body[browserPane].w != 40 {
		t.Errorf("%d columns, with the focus %d", narrow.body[browserPane].w, wide.body[browserPane].w)
	}
	dragged := shape{left: 300, right: 420, lower: 560}
	if a, b := arrange(dragged, 80, 24, livePane, livePane), arrange(dragged, 80, 24, browserPane, livePane); a.body != b.body {
		t.Error("a border that was dragged moves by itself")
	}
}
