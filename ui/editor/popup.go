package editor

import (
	"dscope.dev/ui/document/text"
	"dscope.dev/ui/ink"
	"dscope.dev/ui/widget"
)

// A popup is where the list of completions lies over the text.
type popup struct{ x, y, w, h int }

// holds reports whether a place of the pane is inside.
func (p popup) holds(x, y int) bool {
	return p.x <= x && x < p.x+p.w && p.y <= y && y < p.y+p.h
}

// popup returns where the list goes: below the word that it would replace, or
// above if there is more room; never over the word.
func (m *Model) popup() popup {
	c := &m.comp
	at := m.doc.Buf.Pos(c.from)
	x := m.gutter() + text.Column(m.doc.Buf.Line(at.Line), at.Col, m.opts.Tab) - m.left
	y := at.Line - m.top
	name, detail := 0, 0
	for i := range c.list {
		name = max(name, ink.Width(widget.Safe(c.list[i].Label())))
		detail = max(detail, ink.Width(widget.Safe(c.list[i].Detail)))
	}
	p := popup{w: min(name+3+min(detail, 40)+min(detail, 1)*2, m.w), h: min(len(c.list), popupRows)}
	below, above := m.rows()-y-1, y
	switch {
	case p.h <= below:
		p.y = y + 1
	case above > below:
		p.h = min(p.h, above)
		p.y = y - p.h
	default:
		p.h = max(below, 0)
		p.y = y + 1
	}
	p.x = max(min(x-2, m.w-p.w), 0)
	return p
}

// over draws the list over lines.
func (p popup) over(lines []string, m *Model) {
	c := &m.comp
	top := widget.Scroll{Top: c.top, Height: p.h, Total: len(c.list)}.Show(c.row).Top
	name := 0
	for i := range c.list {
		name = max(name, ink.Width(widget.Safe(c.list[i].Label())))
	}
	var l ink.Line
	for i := range p.h {
		y := p.y + i
		if y < 0 || y >= len(lines) || top+i >= len(c.list) {
			continue
		}
		l.Reset(p.w, ink.Ink{})
		p.row(&l, m, top+i, name)
		lines[y] = ink.Lay(lines[y], p.x, p.w, l.String())
	}
}

// row draws one completion: kind, text, detail.
func (p popup) row(l *ink.Line, m *Model, n, name int) {
	c := m.comp.list[n]
	kind, item, detail := m.look.itemKind, m.look.item, m.look.itemDetail
	if n == m.comp.row {
		kind, item, detail = m.look.itemSelected, m.look.itemSelected, m.look.itemSelected
	}
	l.Rep(kind, kindMark(c.Kind), 1)
	l.Rep(item, " ", 1)
	l.Fit(item, widget.Safe(c.Label()), min(name, l.Left()))
	if c.Detail != "" && l.Left() > 2 {
		l.Rep(item, " ", 2)
		l.Fit(detail, widget.Safe(c.Detail), l.Left()-1)
	}
	l.Rep(item, " ", l.Left())
}
