package ui

import (
	"fmt"
	"strings"

	"dscope.dev/ui/ink"
	"dscope.dev/ui/widget"
)

// View draws the screen: m.h lines of m.w cells.
func (m Model) View() string {
	if m.w <= 0 || m.h <= 0 {
		return ""
	}
	l := m.layout()
	if l.small {
		return m.drawSmall()
	}
	rows := make([]string, m.h)
	m.drawPanes(rows, &l)
	rows[l.status.y] = m.drawStatus()
	if l.footer.h > 0 {
		rows[l.footer.y] = m.drawFooter()
	}
	m.drawOverlay(rows)
	picture := strings.Join(rows, "\n")
	if m.opts.ASCII {
		picture = asciiOnly(picture)
	}
	if m.looks.paper != "" {
		picture = onPaper(picture, m.looks.paper)
	}
	return picture
}

// onPaper gives all of a picture that has no colours of its own those of a theme: each reset
// sets them again. Lines end as they ended, so that nothing of it outlives the picture.
func onPaper(picture, paper string) string {
	set := "\x1b[0;" + paper + "m"
	r := strings.NewReplacer("\x1b[0m", set, "\x1b[m", set, "\x1b[0;", "\x1b[0;"+paper+";", "\n", "\x1b[0m\n"+set)
	return set + r.Replace(picture) + "\x1b[0m"
}

// drawSmall asks for more room.
func (m *Model) drawSmall() string {
	var l ink.Line
	l.Reset(m.w, ink.Ink{})
	l.Put(m.looks.warning, fmt.Sprintf("needs %dx%d", minWidth, minHeight))
	rows := []string{l.String()}
	for len(rows) < m.h {
		rows = append(rows, ink.Blank(m.w))
	}
	return strings.Join(rows, "\n")
}

// drawPanes draws what stands on each line from left to right: titles, lines of
// panes, and the borders between those that stand side by side.
func (m *Model) drawPanes(rows []string, l *layout) {
	var views [slots][]string
	for s, p := range m.all {
		if l.visible(s) {
			views[s] = p.Rows()
		}
	}
	var b strings.Builder
	for y := range l.status.y {
		b.Reset()
		for x := 0; x < l.w; {
			x += m.drawAt(&b, l, &views, x, y)
		}
		rows[y] = b.String()
	}
}

// drawAt draws what begins at a cell, and returns how wide it is.
func (m *Model) drawAt(b *strings.Builder, l *layout, views *[slots][]string, x, y int) int {
	s, ok := l.at(x, y)
	if !ok {
		b.WriteString(m.joint(l, x, y))
		return 1
	}
	if l.title[s].holds(x, y) {
		b.WriteString(m.drawTitle(s, l.title[s].w))
		return l.title[s].w
	}
	if n := y - l.body[s].y; n < len(views[s]) {
		b.WriteString(views[s][n])
	} else {
		b.WriteString(ink.Blank(l.body[s].w))
	}
	return l.body[s].w
}

// joint draws the cell of a border between parts that stand side by side.
func (m *Model) joint(l *layout, x, y int) string {
	g := m.looks.glyphs
	left, right := l.titled(x-1, y), l.titled(x+1, y)
	_, above := l.at(x, y-1)
	glyph := g.vertical
	switch {
	case y == 0 || above:
		glyph = g.teeDown
	case left && right:
		glyph = g.cross
	case left:
		glyph = g.teeLeft
	case right:
		glyph = g.teeRight
	}
	return m.looks.border.Wrap(glyph)
}

// titled reports whether a cell belongs to the title of a pane.
func (l *layout) titled(x, y int) bool {
	s, ok := l.at(x, y)
	return ok && l.title[s].holds(x, y)
}

// parts returns as many of the parts of a text as w cells hold: a part that is cut says less
// than none.
func parts(text string, w int) string {
	for ink.Width(text) > w {
		i := max(strings.LastIndex(text, ", "), strings.LastIndex(text, "  "))
		if i <= 0 {
			return widget.Cut(text, w)
		}
		text = strings.TrimRight(text[:i], " ")
	}
	return text
}

// drawTitle draws the line above a pane: its number, name, and what it says
// of itself. The line of the pane in focus is heavy.
func (m *Model) drawTitle(s slot, w int) string {
	k, p := m.looks, m.in(s)
	var l ink.Line
	title, border, rule := k.title, k.border, k.glyphs.horizontal
	if s == m.focus {
		title, border, rule = k.titleFocused, k.borderFocused, k.glyphs.heavy
	}
	l.Reset(w, ink.Ink{})
	l.Rep(border, rule, 1)
	l.Put(title, fmt.Sprintf(" %d %s ", s+1, s))
	if held := p.Held(); held != "" {
		l.Put(k.frozen, " "+k.glyphs.frozen+" "+held+" ")
	}
	info := parts(widget.Safe(p.Title()), max(l.Left()-4, 0))
	if info == "" {
		l.Rep(border, rule, l.Left())
		return l.String()
	}
	l.Rep(border, rule, l.Left()-ink.Width(info)-3)
	l.Put(k.muted, " "+info+" ")
	l.Rep(border, rule, l.Left())
	return l.String()
}
