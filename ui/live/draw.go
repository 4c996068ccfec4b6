package live

import (
	"slices"
	"strconv"

	"dscope.dev/engine/trace"
	"dscope.dev/ui/chart"
	"dscope.dev/ui/flow"
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

// body returns how many lines of p hold rows, and how far below its title
// they begin.
func (p place) body() (y, h int) {
	y = 1 + p.header()
	return y, max(p.h-y-p.footer(), 0)
}

// footer is 1 if a last line tells of keys that are not shown.
func (p place) footer() int {
	if p.v.others.keys > 0 && p.v.heat == nil && p.v.stacks == nil {
		return 1
	}
	return 0
}

// header is 1 if the columns of p have titles: all but those of a histogram
// that stands alone.
func (p place) header() int { return p.v.rowLines(p.a) }

// want returns how many lines show all of p.
func (p place) want() int {
	if p.v.stacks != nil {
		return 1 << 20 // its last lines stay where they are
	}
	if p.v.heat != nil {
		return 1 + p.v.heat.lines(p.a)
	}
	y, _ := p.body()
	return y + p.v.lines(p.a) + p.footer()
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
		_, h := p.body()
		p.v.height = p.h
		if p.v.stacks != nil {
			m.showStacks(p)
			continue
		}
		p.v.show(p.a, h)
		m.showPick(p, h)
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
	switch {
	case p.v.heat != nil && plots(p.a):
		m.drawPlot(lines, l, p)
		return
	case p.v.heat != nil:
		m.drawHeat(lines, l, p)
		return
	}
	if p.v.stacks != nil {
		m.drawStacks(lines, l, p)
		return
	}
	cols, widths, kinds := m.columns(p)
	dy, h := p.body()
	if p.header() == 1 && p.h > 1 {
		l.Reset(m.w, ink.Ink{})
		l.Skip(rowIndent)
		m.drawHeader(l, p, cols, widths, kinds)
		m.put(lines, p.y+1, l)
	}
	y := -p.v.top
	for i, s := range p.v.rows {
		if y >= h {
			break
		}
		if p.v.rowLines(p.a) == 1 {
			if y >= 0 {
				m.drawRow(l, p, s, widths, kinds, i == p.v.at && p.n == m.sel)
				m.put(lines, p.y+dy+y, l)
			}
			y++
		}
		n := p.v.below(p.a, s)
		for j := max(-y, 0); j < n && y+j < h; j++ {
			base := ink.Ink{}
			if b, ok := p.v.bucketAt(s, j); ok && m.picked(p.a).hasBucket(s.id, b) {
				base = m.looks.Cursor
			}
			l.Reset(m.w, base)
			if len(p.a.types) > 0 {
				l.Skip(rowIndent)
			}
			m.drawDetail(l, m.looks, p.a, s, j)
			m.put(lines, p.y+dy+y+j, l)
		}
		y += n
	}
	if at := dy + min(max(y, 0), h); p.footer() == 1 && at < p.h {
		m.drawOthers(l, p.a, p.v.others)
		m.put(lines, p.y+at, l)
	}
}

// drawHeader draws the titles of the columns. Above the trends stand marks for
// the intervals that lost something, if there are any.
func (m *Model) drawHeader(l *ink.Line, p place, cols []chart.Column, widths []int, kinds []column) {
	sorted := sortedColumn(kinds, p)
	chart.Cells(l, widths, func(i, w int) {
		if lost := p.a.lost[max(len(p.a.lost)-w, 0):]; kinds[i] == trendColumn && slices.Contains(lost, true) {
			l.Skip(w - len(lost))
			for _, dropped := range lost {
				if dropped {
					l.Put(m.looks.Drop, "!")
				} else {
					l.Skip(1)
				}
			}
			return
		}
		m.looks.HeaderCell(l, cols[i], w, i == sorted, p.v.desc)
	})
}

// drawRow draws one key of a table.
func (m *Model) drawRow(l *ink.Line, p place, s *series, widths []int, kinds []column, cursor bool) {
	k, a := m.looks, p.a
	base, mark := ink.Ink{}, " "
	if m.picked(a).hasRow(s.id) {
		base, mark = k.Cursor, m.looks.Glyph("▌", ">")
	}
	if cursor && m.focused {
		base = k.Cursor
	}
	if cursor {
		mark = m.looks.Glyph("▌", ">")
	}
	l.Reset(m.w, base)
	look := k.Axis
	if cursor {
		look = k.Title
	}
	l.Put(look, mark)
	l.Put(look, m.foldMark(p, s))
	key := 0
	chart.Cells(l, widths, func(i, w int) {
		switch kinds[i] {
		case keyColumn:
			m.drawKey(l, a, s, key, w)
			key++
		case valueColumn:
			l.Right(k.Value, strconv.FormatInt(a.shown(s), 10), w)
		case countColumn:
			l.Right(k.Count, strconv.FormatUint(s.count, 10), w)
		case rateColumn:
			m.drawRate(l, s, w)
		case p50Column, p90Column, p99Column, maxColumn:
			l.Right(k.Value, m.spell(a, s, quantileOf(kinds[i])), w)
		case trendColumn:
			k.Spark(l, k.Rate, s.ring, a.lost, s.speed, w)
		case shareColumn:
			m.drawShare(l, a, s, w)
		}
	})
}

// drawKey draws one part of the key; columns that were dropped do not count.
func (m *Model) drawKey(l *ink.Line, a *agg, s *series, i, w int) {
	if i >= len(s.texts) {
		return
	}
	if k := s.keys[i].Kind; k == trace.IntValue || k == trace.UintValue { // numbers line up at the right
		l.Right(m.looks.Key, s.texts[i], w)
		return
	}
	l.Fit(m.looks.Key, s.texts[i], w)
}

// foldMark shows whether a key can be opened and is.
func (m *Model) foldMark(p place, s *series) string {
	switch {
	case p.v.detail(p.a, s) == 0:
		return " "
	case p.v.open[s.id]:
		return m.looks.Glyph("▾", "-")
	}
	return m.looks.Glyph("▸", "+")
}

func (m *Model) drawRate(l *ink.Line, s *series, w int) {
	switch {
	case !m.shown().spans.settled():
		l.Skip(w)
	case s.rate == 0:
		l.Right(m.looks.Axis, m.looks.Glyph("·", "."), w)
	default:
		l.Right(m.looks.Rate, perSecond(float64(s.rate)), w)
	}
}

// drawShare draws the key's part of the greatest: a bar, or the histogram on
// one line.
func (m *Model) drawShare(l *ink.Line, a *agg, s *series, w int) {
	if a.fn.IsHistogram() {
		m.looks.Pack(l, a.axis.Bars(s.buckets, s.fresh()), s.most, w)
		return
	}
	delta := s.delta
	if !flow.Amounts(a.fn) || s.how == lastInterval {
		delta = 0
	}
	m.looks.Bar(l, s.value, delta, a.scale, w)
}
