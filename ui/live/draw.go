package live

import (
	"slices"

	"dscope.dev/ui/ink"
)

// A place is where a section stands in the pane: its title at line y, then a
// header if it has keys, then its rows, h lines in all.
type place struct {
	a    *agg
	v    *section
	n    int // index of the aggregation
	y, h int
}

// want returns how many lines show all of p.
func (p place) want() int {
	return 1 + p.v.figure.lines(p)
}

// least is the height below which a section is no use, unless it wants no more: that of a table,
// and that of a picture.
func (p place) least() int {
	if p.v.tabled() && !p.a.fn.IsHistogram() {
		return min(p.h, 6)
	}
	return min(p.h, 10)
}

// order returns the aggregations as they stand in the pane: in the order of the script, but
// those that have never had a key behind all others.
func (m *Model) order() []int {
	var first, empty []int
	for n, a := range m.shown().aggs {
		v := m.section(a)
		if v.full = v.full || m.told().line.Keys(a.name, a.fn) > 0; v.full {
			first = append(first, n)
		} else {
			empty = append(empty, n)
		}
	}
	return append(first, empty...)
}

// layout places the sections below one another, with a blank line between. Where not all find
// room there is a line of tabs above as many as do, and the selected one is among them. A
// section that is looked at for that is made ready first, as far as ready is not nil; those
// that have no room are not looked at.
func (m *Model) layout(ready func(place)) (places []place, tabs bool) {
	order, room := m.order(), m.room()
	at := max(slices.Index(order, m.sel), 0)
	all := make([]place, len(order))
	look := func(i int) *place {
		p := &all[i]
		if p.v == nil {
			a := m.shown().aggs[order[i]]
			*p = place{a: a, v: m.view(a), n: order[i]}
			if ready != nil {
				ready(*p)
			}
			p.h = p.want()
		}
		return p
	}
	total := -1
	for i := 0; i < len(all) && total <= room; i++ {
		total += look(i).least() + 1
	}
	if total <= room || len(all) == 1 {
		share(all, 0, room)
		return all, false
	}
	from, to := inView(len(all), look, at, room-1)
	if places = all[from:to]; len(places) == 1 { // the tabs take the place of its title
		places[0].h = room
		return places, true
	}
	share(places, 1, room-1)
	return places, true
}

// inView returns which of n sections have room in h lines: as many as do, from the first on
// if the selected one is among them then, else around that one. One there always is.
func inView(n int, look func(int) *place, selected, h int) (from, to int) {
	lines := look(0).least()
	for to = 1; to < n; to++ {
		if lines += look(to).least() + 1; lines > h {
			break
		}
	}
	if selected < to {
		return 0, to
	}
	lines = look(selected).least()
	for from = selected; from > 0; from-- {
		if lines += look(from-1).least() + 1; lines > h {
			break
		}
	}
	return from, selected + 1
}

// share gives each section an equal part of h lines from line y on, and what one does not
// need to those that want more.
func share(places []place, y, h int) {
	left := h - (len(places) - 1)
	for rest := len(places); rest > 0; {
		fair, settled := left/rest, false
		for i := range places {
			p := &places[i]
			if p.y == 0 && p.h <= fair {
				p.y, settled = 1, true // y marks it as settled until it is placed below
				left -= p.h
				rest--
			}
		}
		if settled {
			continue
		}
		for i := range places {
			if p := &places[i]; p.y == 0 {
				p.y, p.h = 1, left/rest
				left -= p.h
				rest--
			}
		}
	}
	for i := range places {
		places[i].y = y
		y += places[i].h + 1
	}
}

// settle moves the windows of all sections so that their cursors are in view.
// It is called after whatever changes the picture, so that View need not.
func (m *Model) settle() {
	places, tabs := m.layout(nil)
	room, changed := m.room(), false
	if tabs && len(places) > 1 {
		room--
	}
	for i, h := range rooms(places, room) {
		p := places[i]
		p.v.room = h
		changed = p.v.openFirst(p.a) || changed
	}
	if changed {
		places, _ = m.layout(nil)
	}
	for _, p := range places {
		p.v.height = p.h
		p.v.figure.settle(m, p)
	}
}

// rooms returns how many of h lines each section could have, if it wanted them. What opens by
// itself counts as open in all of them, so that it does not matter which is asked first.
func rooms(places []place, h int) []int {
	opened := slices.Clone(places)
	for i := range opened {
		p := &opened[i]
		if p.y, p.h = 0, p.want(); p.v.fresh && p.v.tabled() && len(p.v.rows) > 0 && !p.v.open[p.v.rows[0].id] {
			p.h += p.v.detail(p.a, p.v.rows[0])
		}
	}
	out := make([]int, len(places))
	for i := range out {
		tried := slices.Clone(opened)
		tried[i].h = max(tried[i].h, h)
		share(tried, 0, h)
		out[i] = tried[i].h
	}
	return out
}

// Rows draws the pane: m.h lines of m.w cells.
func (m *Model) Rows() []string {
	lines := make([]string, m.h)
	var l ink.Line
	places, tabs := m.layout(nil)
	for _, p := range places {
		m.drawSection(lines, &l, p, len(places) > 1)
	}
	if tabs {
		m.drawTabs(&l, places)
		m.put(lines, 0, &l)
	}
	if len(places) == 0 {
		l.Reset(m.w, ink.Ink{})
		l.Skip((m.w - ink.Width(m.empty)) / 2)
		l.Put(m.looks.Axis, m.empty)
		m.put(lines, m.h/2, &l)
	}
	if m.prompt != nil {
		m.drawPrompt(&l)
		m.put(lines, m.h-1, &l)
	}
	blank := ink.Blank(m.w)
	for i, line := range lines {
		if line == "" {
			lines[i] = blank
		}
	}
	return lines
}

func (m *Model) put(lines []string, y int, l *ink.Line) {
	if y >= 0 && y < len(lines) {
		lines[y] = l.String()
	}
}

// drawSection draws one aggregation into its place.
func (m *Model) drawSection(lines []string, l *ink.Line, p place, several bool) {
	m.drawTitle(l, p, several)
	m.put(lines, p.y, l)
	p.v.figure.draw(m, lines, l, p)
}
