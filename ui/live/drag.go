package live

import (
	"dscope.dev/ui/ink"
)

// under returns what lies under a cell of the pane that can be selected, as a selection
// of that alone.
func (m *Model) under(x, y int) *pick {
	places, _ := m.layout(nil)
	for _, p := range places {
		if y < p.y || y >= p.y+p.h {
			continue
		}
		made := &pick{a: viewID(p.a), stretching: true}
		if p.v.figure.pickAt(m, p, made, x, y-p.y-1) {
			return made
		}
		return nil
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
				v.choose(i)
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
