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
	return picture
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

// drawPanes draws the columns side by side, with a line between.
func (m *Model) drawPanes(rows []string, l *layout) {
	var views [panes][]string
	for p := range panes {
		if l.visible(p) {
			views[p] = strings.Split(m.paneView(p), "\n")
		}
	}
	var b strings.Builder
	var line ink.Line
	for y := range l.status.y {
		b.Reset()
		for i, c := range l.columns {
			if i > 0 {
				b.WriteString(m.joint(l, i, y))
			}
			m.drawCell(&b, &line, l, &views, c, y)
		}
		rows[y] = b.String()
	}
}

// drawCell draws line y of a column.
func (m *Model) drawCell(b *strings.Builder, line *ink.Line, l *layout, views *[panes][]string, c column, y int) {
	for _, p := range c.panes {
		switch {
		case l.title[p].y == y:
			m.drawTitle(line, p, c.w)
			b.WriteString(line.String())
			return
		case l.body[p].holds(c.x, y):
			if n := y - l.body[p].y; n < len(views[p]) {
				b.WriteString(views[p][n])
			} else {
				b.WriteString(ink.Blank(c.w))
			}
			return
		}
	}
	b.WriteString(ink.Blank(c.w))
}

// joint draws the cell at line y of the border before column i.
func (m *Model) joint(l *layout, i, y int) string {
	g := m.looks.glyphs
	left, right := hasTitle(l, i-1, y), hasTitle(l, i, y)
	glyph := g.vertical
	switch {
	case y == 0:
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

func hasTitle(l *layout, column, y int) bool {
	for _, p := range l.columns[column].panes {
		if l.title[p].y == y {
			return true
		}
	}
	return false
}

// drawTitle draws the line above a pane: its number, name, and what it says
// of itself. The line of the pane in focus is heavy.
func (m *Model) drawTitle(l *ink.Line, p pane, w int) {
	k := m.looks
	title, border, rule := k.title, k.border, k.glyphs.horizontal
	if p == m.focus {
		title, border, rule = k.titleFocused, k.borderFocused, k.glyphs.heavy
	}
	l.Reset(w, ink.Ink{})
	l.Rep(border, rule, 1)
	l.Put(title, fmt.Sprintf(" %d %s ", p+1, p))
	held, info := m.paneTitle(p)
	if held != "" {
		l.Put(k.frozen, " "+k.glyphs.frozen+" "+held+" ")
	}
	info = widget.Cut(widget.Safe(info), max(l.Left()-4, 0))
	if info == "" {
		l.Rep(border, rule, l.Left())
		return
	}
	l.Rep(border, rule, l.Left()-ink.Width(info)-3)
	l.Put(k.muted, " "+info+" ")
	l.Rep(border, rule, l.Left())
}

// paneTitle returns what a pane says of itself: that it is held, and the rest.
func (m *Model) paneTitle(p pane) (held, info string) {
	switch p {
	case browserPane:
		return "", m.browser.Title()
	case editorPane:
		return "", m.editor.Title()
	case livePane:
		return m.live.Frozen(), m.live.Title()
	default:
		return m.output.Held(), m.output.Title()
	}
}

func (m *Model) paneView(p pane) string {
	switch p {
	case browserPane:
		return m.browser.View()
	case editorPane:
		return m.editor.View()
	case livePane:
		return m.live.View()
	default:
		return m.output.View()
	}
}
