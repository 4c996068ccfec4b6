package live

import (
	"dscope.dev/ui/ink"
)

// under returns what lies under a cell of the pane that can be selected, as a selection
// of that alone.
func (m *Model) under(x, y int) *pick {
	places, _ := m.layout()
	for _, p := range places {
		if y < p.y || y >= p.y+p.h {
			continue
		}
		made := &pick{a: viewID(p.a), stretching: true}
		if p.v.stacks != nil {
			return nil
		}
		if p.v.heat != nil {
			return m.underHeat(p, made, x, y-p.y-1)
		}
		return m.underRows(p, made, y-p.y)
	}
	return nil
}

func (m *Model) underHeat(p place, made *pick, x, y int) *pick {
	buckets := p.v.heat.bands(p.a, p.h-4)
	col := x - m.labelWidth(p.a) - ink.Width(" │")
	if y < 0 || y >= len(buckets) || col < 0 || col >= len(p.v.heat.columns) || !p.v.heat.columns[col].kept {
		return nil
	}
	made.kind = cells
	made.from = cellCorner(buckets[y], p.v.heat.columns[col])
	return made
}

func (m *Model) underRows(p place, made *pick, y int) *pick {
	dy, h := p.body()
	if y < dy || y >= dy+h {
		return nil
	}
	line := y - dy + p.v.top
	for i, s := range p.v.rows {
		head, below := p.v.rowLines(p.a), p.v.below(p.a, s)
		switch {
		case line < head:
			made.kind, made.from = rows, corner{row: p.v.rows[i].id}
			made.rows = []string{s.id}
			return made
		case line < head+below:
			b, ok := p.v.bucketAt(s, line-head)
			if !ok {
				return nil
			}
			made.kind, made.from = buckets, corner{low: b.Low, high: b.High, row: s.id}
			return made
		}
		line -= head + below
	}
	return nil
}

// grab notes where the button went down; nothing is selected until it is dragged.
func (m *Model) grab(x, y int) {
	m.grabbed = m.under(x, y)
	if p := m.grabbed; p != nil && p.kind != rows { // a click on a bucket or a cell selects it
		p.to = p.from
		m.pick = p
	}
}

// drag stretches the selection from where the button went down.
func (m *Model) drag(x, y int) {
	from, to := m.grabbed, m.under(x, y)
	if from == nil || to == nil || from.a != to.a || from.kind != to.kind {
		return
	}
	if from.kind == rows {
		a, v := m.current()
		if viewID(a) != from.a {
			return
		}
		if from.from.row == to.from.row && m.pick != from {
			return // the button has not left the row
		}
		m.pick = from
		for i, s := range v.rows {
			if s.id == to.from.row {
				v.at, v.cursor, v.moved = i, s.id, true
			}
		}
		m.stretchRows(v)
		return
	}
	from.to = to.from
	if from.kind == buckets {
		from.to.row = from.from.row
	}
	m.pick = from
}

// drawPicked draws a cell of the heat map that is selected.
func (m *Model) drawPicked(l *ink.Line, look ink.Ink, shade string) {
	if shade == " " {
		shade = m.looks.Glyph("·", "'")
	}
	l.Put(look.Over(m.looks.Cursor), shade)
}
