package ui

// A pane is one of the four parts of the workbench.
type pane uint8

const (
	browserPane pane = iota
	editorPane
	livePane
	outputPane
	panes // how many there are
)

// String returns the name of a pane as its frame shows it.
func (p pane) String() string { return [...]string{"Probes", "Script", "Live", "Output"}[p] }

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

// A shape is what the user has made of the layout: the parts of the screen
// that borders give away, in thousandths.
type shape struct {
	left   int // width of the browser; 0 suits it to the screen
	right  int // width of the live pane where there are three columns
	script int // height of the editor in its column; 0, with live, suits both to the screen
	live   int // height of the live pane in a column of three
	lower  int // height of the editor where it shares its column with the output
	zoom   bool
}

// defaultShape is the layout until somebody drags a border.
var defaultShape = shape{right: 420, lower: 560}

// A column is panes below one another.
type column struct {
	x, w  int
	panes []pane
}

// A border is a line that can be dragged.
type border struct {
	rect
	moves edge
}

// An edge names what dragging a border changes.
type edge uint8

const (
	noEdge     edge = iota
	leftEdge        // between browser and the rest
	rightEdge       // before the live pane
	scriptEdge      // below the editor in a column of three
	liveEdge        // below the live pane in a column of three
	lowerEdge       // below the editor where the output follows
)

// A layout is where everything stands. It is worked out from state and size
// alone, and drawing, clicks and drags all read it.
type layout struct {
	w, h    int
	small   bool // too small for anything but a word
	columns []column
	title   [panes]rect // the line above each pane; empty if the pane is hidden
	body    [panes]rect
	borders []border
	status  rect
	footer  rect
}

// arrange works out the layout of a screen of w by h cells. front is the pane
// of the column of three that had the focus last: on a low screen it has half
// of the column, until a border is dragged.
func arrange(s shape, w, h int, focus, front pane) layout {
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
	if s.zoom || w < manyWidth || h < manyHeight {
		l.column(column{0, w, []pane{focus}}, []int{rows})
		return l
	}
	left := part(s.left, w, leastColumn, w/2)
	if s.left == 0 {
		left = part(270, w, leastColumn, 40)
		if focus == browserPane { // names of probes are long
			left = max(left, min(40, w/2))
		}
	}
	l.borders = append(l.borders, border{rect{left, 0, 1, rows}, leftEdge})
	l.column(column{0, left, []pane{browserPane}}, []int{rows})
	x := left + 1
	if w < wideWidth {
		s = s.favour(front, rows)
		script := part(s.script, rows, leastRows, rows-2*leastRows)
		live := part(s.live, rows, leastRows, rows-script-leastRows)
		l.column(column{x, w - x, []pane{editorPane, livePane, outputPane}}, []int{script, live, rows - script - live},
			scriptEdge, liveEdge)
		return l
	}
	right := part(s.right, w, leastColumn, w-x-leastColumn-1)
	script := part(s.lower, rows, leastRows, rows-leastRows)
	l.column(column{x, w - x - right - 1, []pane{editorPane, outputPane}}, []int{script, rows - script}, lowerEdge)
	l.borders = append(l.borders, border{rect{w - right - 1, 0, 1, rows}, rightEdge})
	l.column(column{w - right, right, []pane{livePane}}, []int{rows})
	return l
}

// favour settles the heights in a column of three that nobody has dragged.
func (s shape) favour(front pane, rows int) shape {
	if s.script > 0 || s.live > 0 {
		return s
	}
	if rows >= lowRows {
		s.script, s.live = 360, 360
		return s
	}
	s.script, s.live = 250, 250
	switch front {
	case editorPane:
		s.script = 500
	case livePane:
		s.live = 500
	}
	return s
}

// part returns n thousandths of whole, within bounds.
func part(n, whole, least, most int) int { return max(min(n*whole/1000, most), least) }

// column places panes of given heights, titles included, below one another.
// The title of each but the first is a border that moves an edge.
func (l *layout) column(c column, heights []int, edges ...edge) {
	l.columns = append(l.columns, c)
	y := 0
	for i, p := range c.panes {
		l.title[p] = rect{c.x, y, c.w, 1}
		l.body[p] = rect{c.x, y + 1, c.w, max(heights[i]-1, 0)}
		if i > 0 {
			l.borders = append(l.borders, border{l.title[p], edges[i-1]})
		}
		y += heights[i]
	}
}

// visible reports whether a pane has a place.
func (l *layout) visible(p pane) bool { return l.title[p].w > 0 }

// at returns the pane at a cell, its title included.
func (l *layout) at(x, y int) (pane, bool) {
	for p := range panes {
		if l.title[p].holds(x, y) || l.body[p].holds(x, y) {
			return p, true
		}
	}
	return 0, false
}

// border returns the border at a cell.
func (l *layout) border(x, y int) (edge, bool) {
	for _, b := range l.borders {
		if b.holds(x, y) {
			return b.moves, true
		}
	}
	return noEdge, false
}

// drag returns the shape after an edge was dragged to a cell.
func (l *layout) drag(s shape, e edge, x, y int) shape {
	rows := max(l.status.y, 1)
	thousandths := func(n, whole int) int { return min(max((n*1000+whole-1)/max(whole, 1), 0), 1000) }
	switch e {
	case leftEdge:
		s.left = max(thousandths(x, l.w), 1)
	case rightEdge:
		s.right = thousandths(l.w-x-1, l.w)
	case scriptEdge:
		// What the editor gains, the live pane loses: the border below stays.
		below := l.title[outputPane].y
		s.script = thousandths(y, rows)
		s.live = thousandths(max(below-y, leastRows), rows)
	case liveEdge:
		s.script = thousandths(l.title[livePane].y, rows)
		s.live = thousandths(y-l.title[livePane].y, rows)
	case lowerEdge:
		s.lower = thousandths(y, rows)
	}
	return s
}
