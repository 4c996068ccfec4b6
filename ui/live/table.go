package live

import (
	"slices"
	"strconv"

	"dscope.dev/engine/trace"
	"dscope.dev/ui/chart"
	"dscope.dev/ui/ink"
)

// A table has a row for each key, and below an open one its histogram or stack. Where its
// window is belongs to the section.
type table struct{ uncelled }

func (*table) refresh(*Model, *agg, *section) {}

func (*table) lines(p place) int { return p.header() + p.v.lines(p.a) + p.footer() }

func (*table) settle(m *Model, p place) {
	_, h := p.body()
	p.v.squeeze(p.a, h)
	p.v.show(p.a, h)
	m.showPick(p, h)
}

func (*table) title(m *Model, l *ink.Line, a *agg, v *section) {
	m.drawMeaning(l, a, v)
	held, flow := m.tally(a)
	if text := m.percentiles(a); ink.Width(text) < l.Left()-ink.Width(held+flow)-6 {
		l.Put(m.looks.Value, text)
	}
	if text := v.coarse(a); ink.Width(text) < l.Left()-ink.Width(held+flow)-4 {
		l.Put(m.looks.Axis, text)
	}
}

func (*table) move(a *agg, v *section, by int) {
	if v.rowLines(a) == 0 { // one histogram alone has nothing to select
		v.top = max(v.top+by, 0)
		return
	}
	v.move(by)
}

func (*table) click(m *Model, p place, x, y int) {
	dy, h := p.body()
	switch {
	case y == 0 && p.header() == 1:
		_, widths, kinds := m.columns(p)
		if c := chart.ColumnAt(widths, x-rowIndent); c >= 0 {
			m.clickHeader(p, kinds, c)
		}
	case y >= dy-1 && y < dy-1+h:
		i, line := p.v.rowAt(p.a, y-dy+1+p.v.top)
		if i < 0 {
			return
		}
		again := p.v.at == i && line == 0
		p.v.choose(i)
		if again {
			p.v.toggle()
		}
	}
}

func (*table) pickAt(m *Model, p place, made *pick, x, y int) bool {
	dy, h := p.body()
	if y < dy-1 || y >= dy-1+h {
		return false
	}
	i, line := p.v.rowAt(p.a, y-dy+1+p.v.top)
	if i < 0 {
		return false
	}
	s, head := p.v.rows[i], p.v.rowLines(p.a)
	if line < head {
		made.kind, made.from, made.rows = rows, corner{row: s.id}, []string{s.id}
		return true
	}
	b, ok := p.v.bucketAt(p.a, s, line-head)
	made.kind, made.from = buckets, corner{low: b.Low, high: b.High, row: s.id}
	return ok
}

// pickHere selects the fullest bucket of an open histogram, or else the key.
func (*table) pickHere(a *agg, v *section, made *pick) bool {
	s := v.selected()
	if s == nil {
		return false
	}
	if a.fn.IsHistogram() && (v.rowLines(a) == 0 || v.open[s.id]) && len(s.buckets) > 0 {
		axis := v.axis(a, s)
		b := fullest(axis.Gather(s.buckets))
		made.kind, made.from = buckets, corner{low: b.Low, high: b.High, row: s.id}
		return true
	}
	made.kind, made.from, made.rows = rows, corner{row: s.id}, []string{s.id}
	return true
}

func (*table) renew() {}

// rowAt returns which row line i of all is of, and which line of it that is; -1 is none.
func (v *section) rowAt(a *agg, i int) (row, line int) {
	for n, s := range v.rows {
		lines := v.rowLines(a) + v.below(a, s)
		if i < lines {
			return n, i
		}
		i -= lines
	}
	return -1, 0
}

// body returns how many lines of p hold rows, and how far below its title
// they begin.
func (p place) body() (y, h int) {
	y = 1 + p.header()
	return y, max(p.h-y-p.footer(), 0)
}

// footer is 1 if a last line tells of keys that are not shown.
func (p place) footer() int {
	if p.v.others.keys > 0 {
		return 1
	}
	return 0
}

// header is 1 if the columns of p have titles: all but those of a histogram
// that stands alone.
func (p place) header() int { return p.v.rowLines(p.a) }

func (*table) draw(m *Model, lines []string, l *ink.Line, p place) {
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
		var hist histogram
		if n > 0 {
			hist = m.histogram(p.a, s, p.v.axis(p.a, s))
		}
		for j := max(-y, 0); j < n && y+j < h; j++ {
			base := ink.Ink{}
			if b, ok := p.v.bucketAt(p.a, s, j); ok && m.picked(p.a).hasBucket(s.id, b) {
				base = m.looks.Cursor
			}
			l.Reset(m.w, base)
			if len(p.a.types) > 0 {
				l.Skip(rowIndent)
			}
			m.drawDetail(l, m.looks, s, hist, j)
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
			m.drawRate(l, a, s, w)
		case p50Column, p90Column, p99Column, maxColumn:
			l.Right(k.Value, m.spell(a, s, quantileOf(kinds[i])), w)
		case trendColumn:
			if a.lacks >= lacksTrends {
				l.Right(k.Axis, m.untold(), w)
				break
			}
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

func (m *Model) drawRate(l *ink.Line, a *agg, s *series, w int) {
	switch {
	case a.lacks >= lacksRates:
		l.Right(m.looks.Axis, m.untold(), w)
	case !a.spans.settled():
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
	if !a.fn.AddsUp() || s.how == lastInterval {
		delta = 0
	}
	m.looks.Bar(l, s.value, delta, a.scale, w)
}
