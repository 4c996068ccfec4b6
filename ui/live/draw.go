package live

import "dscope.dev/ui/ink"

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

// least is the height below which a section is no use.
const least = 6

// layout places the sections: below one another with a blank line between if
// all find room, else the selected one alone under a line of tabs.
func (m *Model) layout() (places []place, tabs bool) {
	b := m.shown()
	total := -1
	for n, a := range b.aggs {
		p := place{a: a, v: m.view(a), n: n}
		p.h = p.want()
		total += p.h + 1
		places = append(places, p)
	}
	switch n := len(places); {
	case n == 0:
		return nil, false
	case n > 1 && total > m.room() && (m.room()+1)/n < least+1:
		p := places[min(m.sel, n-1)]
		p.h = m.room()
		return []place{p}, true
	}
	share(places, m.room())
	return places, false
}

// share gives each section an equal part of h lines, and what one does not
// need to those that want more.
func share(places []place, h int) {
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
				p.h = left / rest
				left -= p.h
				rest--
			}
		}
	}
	y := 0
	for i := range places {
		places[i].y = y
		y += places[i].h + 1
	}
}

// settle moves the windows of all sections so that their cursors are in view.
// It is called after whatever changes the picture, so that View need not.
func (m *Model) settle() {
	places, _ := m.layout()
	for _, p := range places {
		p.v.height = p.h
		p.v.figure.settle(m, p)
	}
}

// Rows draws the pane: m.h lines of m.w cells.
func (m *Model) Rows() []string {
	lines := make([]string, m.h)
	var l ink.Line
	places, tabs := m.layout()
	for _, p := range places {
		m.drawSection(lines, &l, p, len(places) > 1)
	}
	if tabs { // they stand in place of the title
		m.drawTabs(&l, places[0].a)
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
