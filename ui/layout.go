package ui

// The least size that is drawn, and the sizes from which more is.
const (
	minWidth, minHeight = 20, 5
	manyWidth           = 56 // below it the pane in focus has the screen
	manyHeight          = 14
	wideWidth           = 150 // from it on there are three columns
	leastColumn         = 18
	leastRows           = 3  // of a pane, its title included
	lowRows             = 30 // below it a column of three favours one of them
)

// A rect is a part of the screen, in cells.
type rect struct{ x, y, w, h int }

func (r rect) holds(x, y int) bool { return x >= r.x && x < r.x+r.w && y >= r.y && y < r.y+r.h }

// A layout is where everything stands. It is worked out from state and size
// alone, and drawing, clicks and drags all read it.
type layout struct {
	w, h    int
	small   bool        // too small for anything but a word
	title   [slots]rect // the line above each pane; empty if the pane is hidden
	body    [slots]rect
	borders []border
	status  rect
	footer  rect
}

// A border is a line that can be dragged: the column between two parts that stand
// side by side, or the first line, titles and all, of one that stands below another.
type border struct {
	rect
	edge
	behind int   // the part behind it
	down   bool  // the parts stand below one another
	start  int   // where the part before it begins
	sizes  []int // of all parts of the split
	whole  int   // of the split, lines between its parts included
}

// An edge names a border whatever the size of the screen: the way to its split, and
// the part before it.
type edge struct {
	path string // the index of a part a byte, from the outermost split on
	at   int
}

// arrange works out the layout of a screen of w by h cells. front is the pane
// beside the browser that had the focus last.
func arrange(s shape, w, h int, focus, front slot) layout {
	l := layout{w: w, h: h}
	if w < minWidth || h < minHeight {
		l.small = true
		return l
	}
	rows := h - 1
	if h >= 8 {
		rows--
		l.footer = rect{0, h - 1, w, 1}
	}
	l.status = rect{0, rows, w, 1}
	tree := *s.tree(w)
	if s.zoom || w < manyWidth || h < manyHeight {
		tree = part{slot: focus}
	}
	l.put(&tree, rect{0, 0, w, rows}, "", front)
	return l
}

// put gives a part its place, and all that is in it.
func (l *layout) put(p *part, r rect, path string, front slot) {
	if p.leaf() {
		l.title[p.slot] = rect{r.x, r.y, r.w, 1}
		l.body[p.slot] = rect{r.x, r.y + 1, r.w, max(r.h-1, 0)}
		return
	}
	pos, whole := r.x, r.w
	if p.down {
		pos, whole = r.y, r.h
	}
	sizes := p.sizes(whole, front)
	shown := p.shown()
	for n, i := range shown {
		size := sizes[i]
		place := rect{pos, r.y, size, r.h}
		if p.down {
			place = rect{r.x, pos, r.w, size}
		}
		l.put(&p.parts[i], place, path+string(rune(i)), front)
		pos += size
		if n+1 == len(shown) {
			break
		}
		b := border{rect: rect{pos, r.y, 1, r.h}, edge: edge{path, i}, behind: shown[n+1], down: p.down, start: pos - size, sizes: sizes, whole: whole}
		if p.down {
			b.rect = rect{r.x, pos, r.w, 1}
		}
		l.borders = append(l.borders, b)
		pos += p.line()
	}
}

// visible reports whether a slot has a place.
func (l *layout) visible(s slot) bool { return l.title[s].w > 0 }

// at returns the slot at a cell, its title included.
func (l *layout) at(x, y int) (slot, bool) {
	for s := range slots {
		if l.title[s].holds(x, y) || l.body[s].holds(x, y) {
			return s, true
		}
	}
	return 0, false
}

// border returns the border at a cell.
func (l *layout) border(x, y int) (border, bool) {
	for _, b := range l.borders {
		if b.holds(x, y) {
			return b, true
		}
	}
	return border{}, false
}

// drag returns the shape after a border was dragged to a cell.
func (l *layout) drag(s shape, e edge, x, y int) shape {
	for _, b := range l.borders {
		if b.edge != e {
			continue
		}
		to := x
		if b.down {
			to = y
		}
		return s.with(l.w, func(p *part) { p.drag(b, to-b.start) })
	}
	return s
}
