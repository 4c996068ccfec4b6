package ui

import (
	"fmt"

	tea "github.com/charmbracelet/bubbletea"

	"dscope.dev/ui/chart"
	"dscope.dev/ui/compare"
	"dscope.dev/ui/flame"
	"dscope.dev/ui/icicle"
	"dscope.dev/ui/ink"
	"dscope.dev/ui/widget"
)

// A stackContrast is how the stacks of the aggregation that is compared differ, as an icicle
// in the place of the list of its keys.
type stackContrast struct {
	stacks *compare.Stacks // nil until they are merged
	view   icicle.View
	listed bool // the keys are listed all the same
}

// compareStackActs are what keys do in the icicle of a comparison.
var compareStackActs = widget.Table[Model]{Context: "compare.stacks", Acts: []widget.Act[Model]{
	{Name: "stacks.up", Do: onContrast((*icicle.View).Up)},
	{Name: "stacks.down", Do: onContrast((*icicle.View).Down)},
	{Name: "stacks.left", Do: onContrast(func(v *icicle.View) { v.Beside(-1) })},
	{Name: "stacks.right", Do: onContrast(func(v *icicle.View) { v.Beside(+1) })},
	{Name: "stacks.zoom", Off: offContrast((*icicle.View).NoZoom), Do: onContrast((*icicle.View).Zoom)},
	{Name: "stacks.out", Off: offContrast(notZoomed), Do: onContrast((*icicle.View).Out)},
	{Name: "stacks.pageup", Do: onContrast(func(v *icicle.View) { v.Scroll(-10) })},
	{Name: "stacks.pagedown", Do: onContrast(func(v *icicle.View) { v.Scroll(+10) })},
	{Name: "stacks.first", Do: onContrast(func(v *icicle.View) { v.Scroll(-1 << 30) })},
	{Name: "stacks.last", Do: onContrast(func(v *icicle.View) { v.Scroll(+1 << 30) })},
	{Name: "compare.stacks", Off: (*Model).unstacked, Do: (*Model).listContrast},
	{Name: "compare.next", Off: (*Model).oneTable, Do: func(m *Model) tea.Cmd { return m.toTable(+1) }},
	{Name: "compare.previous", Off: (*Model).oneTable, Do: func(m *Model) tea.Cmd { return m.toTable(-1) }},
	{Name: "compare.open", Do: (*Model).compareAgain},
	{Name: "list.close", Do: (*Model).outOfContrast},
}}

// onContrast does something to the icicle, once there is one.
func onContrast(do func(*icicle.View)) func(*Model) tea.Cmd {
	return func(m *Model) tea.Cmd {
		if o := opened[*contrast](m); o.stacks != nil {
			do(m.fitContrast())
			m.fitContrast()
		}
		return nil
	}
}

// offContrast says why something cannot be done to it.
func offContrast(why func(*icicle.View) string) func(*Model) string {
	return func(m *Model) string {
		c := opened[*contrast](m)
		if c.stacks == nil {
			return "the stacks are not merged yet"
		}
		return why(&c.view)
	}
}

func notZoomed(v *icicle.View) string {
	if !v.Zoomed() {
		return "all is shown already"
	}
	return ""
}

// fitContrast fits the icicle into the box.
func (m *Model) fitContrast() *icicle.View {
	v := &opened[*contrast](m).view
	v.Fit(m.boxWidth()-4, m.levelsInBox())
	return v
}

// The icicle stands between the two sides with the names of aggregations, and three lines: of
// the frame, of its numbers, and the legend.
const icicleHead, icicleFoot = 3, 3

func (m *Model) levelsInBox() int { return max(m.boxHeight()-2-icicleHead-icicleFoot, 1) }

// icicle reports whether that is what is shown of the table.
func (c *contrast) icicle() bool {
	return len(c.tables) > 0 && !c.listed && c.tables[c.at].Stacked()
}

// unstacked says why there is no icicle.
func (m *Model) unstacked() string {
	if o := opened[*contrast](m); len(o.tables) == 0 || !o.tables[o.at].Stacked() {
		return "no key of the aggregation is a stack() or ustack() whose values add up"
	}
	return ""
}

// listContrast goes from the icicle to the list of keys, or back.
func (m *Model) listContrast() tea.Cmd {
	c := opened[*contrast](m)
	c.listed = !c.listed
	return nil
}

// outOfContrast takes a zoom back, or else closes the comparison.
func (m *Model) outOfContrast() tea.Cmd {
	if o := opened[*contrast](m); o.stacks != nil && o.view.Zoomed() {
		return onContrast((*icicle.View).Out)(m)
	}
	return m.closeOverlay()
}

// A contrastMsg is the stacks of a table that has been compared.
type contrastMsg struct {
	of     *compare.Table
	stacks *compare.Stacks
}

// mergeContrast merges the stacks of the table that is shown, beside the screen.
func (m *Model) mergeContrast() tea.Cmd {
	o := opened[*contrast](m)
	if o.stacks = nil; m.unstacked() != "" {
		return nil
	}
	t := &o.tables[o.at]
	return func() tea.Msg { return contrastMsg{t, t.Stacks()} }
}

// mergedContrast shows them, unless something else is shown by now.
func (m *Model) mergedContrast(msg contrastMsg) {
	o := opened[*contrast](m)
	if o == nil || len(o.tables) == 0 || msg.of != &o.tables[o.at] {
		return
	}
	o.stacks = msg.stacks
	o.view.Show(o.stacks.Tree)
	m.fitContrast()
}

// drawContrastStacks draws the icicle in the colours of what is different.
func (m *Model) drawContrastStacks(out []string, l *ink.Line) []string {
	k, o := m.looks, opened[*contrast](m)
	line := func(draw func()) {
		l.Reset(m.boxWidth()-2, k.popText)
		l.Skip(1)
		draw()
		out = append(out, l.String())
	}
	if o.stacks == nil || o.stacks.Tree.Empty() {
		text := "stacks are being merged " + k.chart.Glyph("…", "...")
		if o.stacks != nil {
			text = "no stack has anything on either side"
		}
		line(func() { l.Put(k.popDetail, text) })
		return m.filled(out, l, 0)
	}
	v := m.fitContrast()
	tone := func(n int32) chart.Tone {
		d := o.stacks.Total(n)
		return k.chart.ChangeTone(d.Change(), n == v.At)
	}
	for i := range min(m.levelsInBox(), len(v.Picture)-v.Top) {
		line(func() { k.chart.IcicleLine(l, v.Tree, v.Picture[v.Top+i], tone) })
	}
	out = m.filled(out, l, icicleFoot)
	line(func() {
		name := v.Tree.Full(v.At)
		if kind := v.Tree.Name(v.At).Kind; kind == flame.User || kind == flame.Kernel {
			name = kind.String() + " " + name
		}
		l.FitEnd(k.heading, name, l.Left())
	})
	line(func() { m.drawFrameContrast(l, v.At) })
	line(func() {
		l.Put(k.popDetail, "B has ")
		k.chart.ChangeLegend(l)
		text := "; as wide as both have"
		if n := o.stacks.Negative; n > 0 {
			text = widget.Count(n, "key") + " below zero left out"
		}
		if ink.Width(text) <= l.Left() {
			l.Put(k.popDetail, text)
		}
	})
	return out
}

// drawFrameContrast draws the numbers of a frame: on both sides, which part of all that is, and
// how they differ.
func (m *Model) drawFrameContrast(l *ink.Line, n int32) {
	k, s := m.looks, opened[*contrast](m).stacks
	d, self, all := s.Total(n), s.Self(n), s.Total(0)
	inkA, inkB := k.chart.PairInks()
	l.Put(inkA, fmt.Sprintf("A %s/s %s", chart.Short(d.A.Rate), ofAll(d.A.Rate, all.A.Rate)))
	l.Put(inkB, fmt.Sprintf("  B %s/s %s", chart.Short(d.B.Rate), ofAll(d.B.Rate, all.B.Rate)))
	l.Put(k.popText, "  B-A "+signedShort(d.B.Rate-d.A.Rate))
	text := d.State.String()
	if f := factor(&d); f != "" {
		text += ", B/A " + f
	}
	l.Put(k.popKind, "  "+text)
	if text := "  self " + signedShort(self.B.Rate-self.A.Rate); self.A.N+self.B.N != 0 && ink.Width(text) <= l.Left() {
		l.Put(k.popDetail, text)
	}
}

// ofAll writes which part of all something is.
func ofAll(n, all float64) string {
	if all <= 0 {
		return "0%"
	}
	return fmt.Sprintf("%.1f%%", 100*n/all)
}
