package live

import (
	"fmt"
	"strconv"
	"strings"

	"dscope.dev/engine/trace"
	"dscope.dev/ui/ink"
	"dscope.dev/ui/widget"
)

// A multiples is the heat maps of the keys that come first, as many as there is room for: in
// the rows, the shades and the columns of one, so that they can be held against one another.
// The heat in it is that of the key under the cursor, which is read out and selected from.
type multiples struct {
	heat
	grid  grid
	shown []*series
	top   int                // the place of the first of them among all keys
	maps  map[string]*course // of those that are shown, by key
}

// A grid is how heat maps stand in a pane: below one another, where the columns of all are in
// line, or beside one another where two would not have room so.
type grid struct {
	n      int // how many there are
	across bool
	w, h   int // of each, in cells
}

// Below these sizes a heat map says nothing.
const leastMapWidth, leastMapHeight = 15, 4

// between are the cells between two maps that stand beside one another.
const between = 2

func newMultiples() *multiples { return &multiples{heat: *newHeat(false)} }

func (h *multiples) renew() { *h = *newMultiples() }

// noMultiples says why there are not several heat maps.
func noMultiples(m *Model, a *agg, v *section) string {
	switch {
	case len(a.types) == 0:
		return "the aggregation has no keys"
	case len(v.rows) < 2:
		return "there is one key only"
	case m.gridOf(a, v, v.room).n < 2:
		return "there is no room for heat maps of two keys: " + m.keys.Key("pane.enlarge") + " enlarges the pane"
	}
	return ""
}

// gridOf returns how the maps of a section of so many lines stand.
func (m *Model) gridOf(a *agg, v *section, lines int) grid {
	label, room, rows := m.labelWidth(a)+2, lines-heatAround, len(a.axis.Buckets())
	g := grid{n: room / (min(rows, leastMapHeight) + 1), w: max(m.w-label-1, 1)}
	if g.n < 2 && room > leastMapHeight {
		g.across, g.n = true, (g.w+between)/(leastMapWidth+between)
	}
	g.n = max(min(g.n, len(v.rows)), 1)
	g.h = max(min(room/g.n-1, rows), 1)
	if g.across {
		g.h, g.w = max(min(room-1, rows), 1), max((g.w-(g.n-1)*between)/g.n, 1)
	}
	return g
}

func (h *multiples) refresh(m *Model, a *agg, v *section) {
	h.grid = m.gridOf(a, v, v.height)
	h.rows = h.grid.h
	h.top = max(min(h.top, v.at, len(v.rows)-h.grid.n), v.at-h.grid.n+1, 0)
	h.shown = v.rows[h.top:min(h.top+h.grid.n, len(v.rows))]
	before, ids := h.maps, []string{}
	for _, s := range h.shown {
		ids = append(ids, s.id)
	}
	read := m.reader(a, v, ids...)
	h.maps = map[string]*course{}
	var all []*course
	for _, s := range h.shown {
		c := before[s.id]
		if c == nil {
			c = &course{id: s.id, sums: map[uint64][]trace.Bucket{}}
		}
		c.fill(h, read, a, m.moment(), h.grid.w)
		c.at = h.at
		h.maps[s.id] = c
		all = append(all, c)
	}
	h.scale(a, all...)
	if s := v.selected(); s != nil {
		h.course = *h.maps[s.id]
	}
	if tail, ok := h.tail(); ok && h.fresh {
		h.cursor = tail.Low
	}
}

func (h *multiples) lines(p place) int {
	return min(len(p.v.rows), 4)*(len(p.a.axis.Buckets())+1) + heatAround - 1
}

// settle fits the maps to a place that is another than before.
func (h *multiples) settle(m *Model, p place) {
	if m.gridOf(p.a, p.v, p.h) != h.grid {
		h.refresh(m, p.a, p.v)
	}
}

func (h *multiples) title(m *Model, l *ink.Line, a *agg, v *section) {
	l.Put(m.looks.Key, v.filterText())
	l.Put(m.looks.Key, fmt.Sprintf(" keys %d to %d", h.top+1, h.top+len(h.shown)))
}

func (h *multiples) move(_ *agg, v *section, by int) { v.move(by) }

// keyAt returns which map is at a cell of the pictures, and which cell of it that is; y is -1
// on its name. i is -1 if none is.
func (h *multiples) keyAt(m *Model, a *agg, x, y int) (i, col, row int) {
	each := len(h.bands(a)) + 1
	col = x - m.labelWidth(a) - 2
	if i = y / each; h.grid.across {
		if i > 0 || col < 0 {
			return -1, 0, 0
		}
		i, col = col/(h.grid.w+between), col%(h.grid.w+between)
	}
	if y < 0 || i >= len(h.shown) || col >= h.grid.w {
		return -1, 0, 0
	}
	return i, col, y%each - 1
}

func (h *multiples) click(m *Model, p place, x, y int) {
	if i, _, _ := h.keyAt(m, p.a, x, y); i >= 0 {
		p.v.choose(h.top + i)
	}
}

func (h *multiples) pickAt(m *Model, p place, made *pick, x, y int) bool {
	i, col, row := h.keyAt(m, p.a, x, y)
	if i < 0 || col < 0 || row < 0 {
		return false
	}
	c := h.maps[h.shown[i].id]
	if !c.columns[col].kept {
		return false
	}
	made.kind, made.from = cells, cellCorner(h.bands(p.a)[row], c.columns[col])
	made.from.row = c.id
	return true
}

func (h *multiples) draw(m *Model, lines []string, l *ink.Line, p place) {
	bands := h.bands(p.a)
	read, y := h.readBand(bands), p.y+1
	beside := 1 // how many stand on one line
	if h.grid.across {
		beside = len(h.shown)
	}
	each := func(list []*series, draw func(s *series, c *course, pick *pick)) {
		left := l.X()
		for i, s := range list {
			if i > 0 {
				l.To(left + i*(h.grid.w+between) - between)
				l.Put(m.looks.Axis, m.looks.Glyph(" │", " |"))
			}
			c, pick := *h.maps[s.id], m.picked(p.a)
			if pick != nil && pick.from.row != s.id { // the one cursor is in another map
				c.at, pick = 0, nil
			}
			draw(s, &c, pick)
		}
		m.put(lines, y, l)
		y++
	}
	for i := 0; i < len(h.shown); i += max(beside, 1) {
		list := h.shown[i : i+beside]
		m.skipLabel(l, p.a)
		each(list, func(s *series, _ *course, _ *pick) { m.drawName(l, p, s, h.grid.w) })
		for _, b := range bands {
			m.drawBand(l, p.a, b, read)
			each(list, func(_ *series, c *course, pick *pick) { m.drawCells(l, c, b, max(h.most, 1), pick) })
		}
	}
	if len(h.shown) > 0 {
		m.skipLabel(l, p.a)
		last := h.shown[len(h.shown)-beside:]
		each(last, func(_ *series, c *course, pick *pick) { m.drawTimes(l, c, pick) })
	}
	h.drawFoot(m, lines, l, p, y)
}

// drawName draws what a key is called above its map, in brackets that under the cursor, and
// where there is room how much it has.
func (m *Model) drawName(l *ink.Line, p place, s *series, w int) {
	look, open, end := m.looks.Key, " ", " "
	if s == p.v.selected() {
		look, open, end = m.looks.Title, "[", "]"
	}
	name := widget.Cut(strings.Join(s.texts, " "), w-2)
	l.Put(look, open+name+end)
	if text := " " + strconv.FormatInt(p.a.shown(s), 10); ink.Width(name+text)+2 <= w {
		l.Put(m.looks.Value, text)
	}
}
