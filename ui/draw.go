package ui

import (
	"fmt"
	"strconv"
	"strings"
	"time"

	"dscope.dev/engine/trace"
	"dscope.dev/themes"
	"dscope.dev/ui/chart"
	"dscope.dev/ui/ink"
	"dscope.dev/ui/widget"
)

// looks are the inks and lines of what surrounds the panes.
type looks struct {
	theme                                                         string // its name
	title, titleFocused, border, borderFocused, muted, text       ink.Ink
	bar, value, drops, frozen, plain, warning, failure            ink.Ink
	states                                                        [trace.Failed + 1]ink.Ink
	idle                                                          ink.Ink
	key, hint, off, heading                                       ink.Ink
	popBorder, popText, popSelected, popDetail, popMatch, popKind ink.Ink
	glyphs                                                        glyphs
}

// glyphs are what lines and signs are drawn with.
type glyphs struct {
	horizontal, vertical, heavy                string
	topLeft, topRight, bottomLeft, bottomRight string
	teeLeft, teeRight, teeDown, cross          string
	states                                     [trace.Failed + 1]string
	idle, drop, frozen, sep                    string
}

func newLooks(t *themes.Theme) looks {
	f, s, h, p := t.Frame, t.Status, t.Hint, t.Popup
	k := looks{
		theme: t.Name,
		title: ink.Of(f.Title), titleFocused: ink.Of(f.TitleFocused), border: ink.Of(f.Border),
		borderFocused: ink.Of(f.BorderFocused), muted: ink.Of(f.Muted), text: ink.Of(f.Text),
		bar: ink.Of(s.Bar), value: ink.Of(s.Value), drops: ink.Of(s.Drops), frozen: ink.Of(s.Frozen),
		plain: ink.Of(s.Notice), warning: ink.Of(s.Warning), failure: ink.Of(s.Error), idle: ink.Of(s.Idle),
		key: ink.Of(h.Key), hint: ink.Of(h.Text), off: ink.Of(h.Off), heading: ink.Of(h.Heading),
		popBorder: ink.Of(p.Border), popText: ink.Of(p.Text), popSelected: ink.Of(p.Selected),
		popDetail: ink.Of(p.Detail), popMatch: ink.Of(p.Match), popKind: ink.Of(p.Kind),
		glyphs: glyphs{
			horizontal: "─", vertical: "│", heavy: "━", topLeft: "╭", topRight: "╮", bottomLeft: "╰", bottomRight: "╯",
			teeLeft: "┤", teeRight: "├", teeDown: "┬", cross: "┼",
			states: [...]string{"◌", "●", "◍", "■", "✗"}, idle: "○", drop: "▲", frozen: "❚❚", sep: "·",
		},
	}
	k.states = [...]ink.Ink{ink.Of(s.Starting), ink.Of(s.Running), ink.Of(s.Stopping), ink.Of(s.Done), ink.Of(s.Failed)}
	if t.ASCII {
		k.glyphs = glyphs{
			horizontal: "-", vertical: "|", heavy: "=", topLeft: "+", topRight: "+", bottomLeft: "+", bottomRight: "+",
			teeLeft: "+", teeRight: "+", teeDown: "+", cross: "+",
			states: [...]string{"~", "*", "~", "#", "x"}, idle: "o", drop: "!", frozen: "||", sep: ".",
		}
	}
	return k
}

// A notice is a word to the user in the status line, until the next key.
type notice struct {
	level level
	text  string
}

// A level says how a notice looks.
type level uint8

const (
	plain level = iota
	warning
	failure
)

func (m *Model) say(l level, text string) { m.notice = notice{l, text} }

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

// drawStatus draws the state of the run, and at the right what there is to say.
func (m *Model) drawStatus() string {
	k := m.looks
	var l ink.Line
	l.Reset(m.w, k.bar)
	l.Skip(1)
	word, glyph, look := m.state()
	l.Put(look, glyph+" "+word)
	if m.run.shown {
		m.drawCounts(&l)
	}
	if f := m.live.Frozen(); f != "" && m.w >= 60 {
		l.Skip(2)
		l.Put(k.frozen, f)
	}
	m.drawWord(&l)
	return l.String()
}

// drawCounts draws what the run has counted. Of a script that records nothing
// but aggregates, it tells of the aggregations: no rate of records would say
// that anything happens.
func (m *Model) drawCounts(l *ink.Line) {
	k, s := m.looks, m.run.status
	count := func(value, what string) {
		l.Skip(2)
		l.Put(k.value, value)
		l.Put(k.bar, what)
	}
	count(elapsed(s.Elapsed), "")
	if sum := m.live.Summary(); sum != "" && s.Events == 0 {
		count(sum, "")
	} else {
		count(chart.Short(s.Rate)+"/s", "")
		if m.w >= 60 {
			count(chart.Short(float64(s.Events)), " events")
		}
	}
	if m.w >= 100 {
		count(strconv.Itoa(s.Probes), " probes")
	}
	if n := m.run.drops(); n > 0 {
		l.Skip(2)
		l.Put(k.drops, k.glyphs.drop+" "+chart.Short(float64(n))+" drops")
	} else if m.w >= 60 {
		count("", "0 drops")
	}
}

// drawWord draws what there is to say: why a key did nothing, a notice, or how
// many complaints there are.
func (m *Model) drawWord(l *ink.Line) {
	k := m.looks
	look, text := k.plain, m.why()
	if text == "" {
		text = m.notice.text
		look = [...]ink.Ink{k.plain, k.warning, k.failure}[m.notice.level]
	}
	if text == "" {
		if n, _ := m.editor.Complaints(); n > 0 {
			look, text = k.failure, widget.Count(n, "error")
		}
	}
	if text == "" {
		look, text = k.bar, m.opts.Source
	}
	room := l.Left() - 3
	if text == "" || room < 8 {
		return
	}
	text = widget.Cut(widget.Safe(text), room)
	l.To(l.X() + l.Left() - ink.Width(text) - 1)
	l.Put(look, text)
}

// state returns how the state of the run is shown.
func (m *Model) state() (word, glyph string, look ink.Ink) {
	k, s := m.looks, m.run.status.State
	switch {
	case m.run.starting:
		s = trace.Starting
	case m.run.id == 0, m.run.run == nil && m.run.err == nil && m.run.status.State == trace.Starting:
		return "ready", k.glyphs.idle, k.idle
	case m.run.err != nil:
		s = trace.Failed
	case m.run.stopping && s < trace.Stopping:
		s = trace.Stopping
	}
	word = s.String()
	if code := m.run.status.Exit; s == trace.Done && code != 0 {
		word += ", exit " + strconv.Itoa(code)
	}
	return word, k.glyphs.states[s], k.states[s]
}

// elapsed writes a duration as people read a clock.
func elapsed(d time.Duration) string {
	switch {
	case d < time.Minute:
		return fmt.Sprintf("%.1fs", d.Seconds())
	case d < time.Hour:
		return fmt.Sprintf("%d:%02d", int(d.Minutes()), int(d.Seconds())%60)
	}
	return fmt.Sprintf("%d:%02d:%02d", int(d.Hours()), int(d.Minutes())%60, int(d.Seconds())%60)
}

// A hint is one of the keys in the bottom line and the cells it takes.
type hint struct {
	on, text string
	x, w     int
}

// hints returns the keys of the bottom line: those of the pane in focus, then
// those of the root, as many as there is room for.
func (m *Model) hints() []hint {
	var rows []widget.Help
	for _, table := range m.tables() {
		rows = append(rows, widget.Helps(m, table)...)
	}
	first := rows[:min(2, len(rows))] // run and stop come first
	rows = append(append(append([]widget.Help(nil), first...), m.paneKeys(m.focus)...), rows[len(first):]...)
	if m.focus == editorPane {
		rows = append(rows, widget.Help{On: "esc", Hint: "leave"}, widget.Help{On: "f1", Hint: "help"})
	}
	var out []hint
	x := 1
	for _, h := range rows {
		if h.Hint == "" || h.Off != "" {
			continue
		}
		on, _, _ := strings.Cut(h.On, " ")
		key := widget.KeyLabel(h.On, m.opts.ASCII)
		w := ink.Width(key) + 1 + ink.Width(h.Hint)
		if x+w > m.w {
			break
		}
		out = append(out, hint{on, key + " " + h.Hint, x, w})
		x += w + 2
	}
	return out
}

func (m *Model) drawFooter() string {
	var l ink.Line
	l.Reset(m.w, ink.Ink{})
	for _, h := range m.hints() {
		l.To(h.x)
		key, text, _ := strings.Cut(h.text, " ")
		l.Put(m.looks.key, key)
		l.Put(m.looks.hint, " "+text)
	}
	return l.String()
}
