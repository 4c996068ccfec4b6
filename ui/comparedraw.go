package ui

import (
	"fmt"
	"math"
	"strconv"
	"strings"

	"dscope.dev/dlang/unit"
	"dscope.dev/engine/trace"
	"dscope.dev/ui/chart"
	"dscope.dev/ui/compare"
	"dscope.dev/ui/ink"
	"dscope.dev/ui/widget"
)

// contrastHead is how many lines stand above the list of differences: the two sides, the
// names of the aggregations, the titles of the columns.
const contrastHead = 4

// histogramHeight returns how many lines the histogram below the list takes, with its own
// heading. It is the same for all rows, so that the list keeps still.
func (m *Model) histogramHeight() int {
	c := opened[*contrast](m)
	if len(c.tables) == 0 || !c.tables[c.at].Func.IsHistogram() {
		return 0
	}
	room := max(m.boxHeight()-2-contrastHead-1, 0)
	return min(1+len(c.tables[c.at].All.Buckets), room*2/3)
}

// contrastHeight returns how many differences are in view.
func (m *Model) contrastHeight() int {
	return max(m.boxHeight()-2-contrastHead-m.histogramHeight()-1, 1)
}

// drawContrast draws the comparison.
func (m *Model) drawContrast() []string {
	k, o := m.looks, opened[*contrast](m)
	var l ink.Line
	var out []string
	line := func(draw func()) {
		l.Reset(m.boxWidth()-2, k.popText)
		draw()
		out = append(out, l.String())
	}
	if o.busy {
		line(func() { l.Put(k.popDetail, " being compared "+k.chart.Glyph("…", "...")) })
		return m.filled(out, &l, 0)
	}
	upper, lower, _ := k.chart.PairGlyphs()
	inkA, inkB := k.chart.PairInks()
	line(func() { m.drawSide(&l, "A", upper, inkA, &o.a) })
	line(func() { m.drawSide(&l, "B", lower, inkB, &o.b) })
	line(func() { m.drawTables(&l) })
	if len(o.tables) == 0 {
		line(func() { l.Put(k.popDetail, "   neither has aggregated anything") })
		return m.filled(out, &l, 0)
	}
	if o.icicle() {
		return m.drawContrastStacks(out, &l)
	}
	t := &o.tables[o.at]
	cols, widths := m.contrastColumns(t)
	line(func() {
		l.Skip(1)
		chart.Cells(&l, widths, func(i, w int) { k.chart.HeaderCell(&l, cols[i], w, false, false) })
	})
	rows := o.rows()
	for i := o.top; i < len(rows) && len(out) < contrastHead+m.contrastHeight(); i++ {
		m.drawDifference(&l, t, &rows[i], widths, i == o.row)
		out = append(out, l.String())
	}
	if n := m.histogramHeight(); n > 0 && o.row < len(rows) {
		out = m.filled(out, &l, n+1)
		out = m.drawPairs(out, &l, t, &rows[o.row], n)
	}
	out = m.filled(out, &l, 1)
	line(func() { l.Fit(k.popDetail, " "+legend(t), l.Left()) })
	return out
}

// filled adds blank lines until so many are left.
func (m *Model) filled(out []string, l *ink.Line, left int) []string {
	for len(out) < m.boxHeight()-2-left {
		l.Reset(m.boxWidth()-2, m.looks.popText)
		out = append(out, l.String())
	}
	return out
}

// drawSide tells of one of the two: its bar, what it is, how long, and what it does not
// know.
func (m *Model) drawSide(l *ink.Line, letter, glyph string, look ink.Ink, s *compare.Side) {
	k := m.looks
	l.Put(k.heading, " "+letter+" ")
	l.Rep(look, glyph, 3)
	l.Put(k.popText, "  "+s.Name+", "+widget.Elapsed(s.Length)+" long")
	if s.Lost > 0 {
		l.Put(k.drops, fmt.Sprintf("  %s %s lost", k.glyphs.drop, chart.Short(float64(s.Lost))))
	}
	if s.Cleared {
		l.Put(k.warning, "  cleared meanwhile: at least")
	}
}

// drawTables draws the names of the aggregations, the one that is shown marked.
func (m *Model) drawTables(l *ink.Line) {
	c := opened[*contrast](m)
	for i, t := range c.tables {
		name := widget.Safe("@" + t.Name)
		look := m.looks.popDetail
		if i == c.at {
			name, look = "["+name+" "+t.Func.String()+"()]", m.looks.heading
		}
		l.Put(look, " "+name)
	}
}

// contrastColumns returns the columns of a table and their widths.
func (m *Model) contrastColumns(t *compare.Table) ([]chart.Column, []int) {
	per := ""
	if t.Flows {
		per = "/s"
	}
	cols := []chart.Column{{Title: "", Min: 7}}
	title := strings.Join(t.Titles, "  ")
	if title == "" {
		title = "value"
	}
	cols = append(cols, chart.Column{Title: title, Min: 12, Flex: true},
		chart.Column{Title: "A" + per, Min: 7, Right: true}, chart.Column{Title: "B" + per, Min: 7, Right: true},
		chart.Column{Title: "B-A", Min: 8, Right: true}, chart.Column{Title: "B/A", Min: 6, Right: true, Drop: 1})
	return cols, chart.Layout(cols, m.boxWidth()-4)
}

// drawDifference draws one key.
func (m *Model) drawDifference(l *ink.Line, t *compare.Table, r *compare.Row, widths []int, cursor bool) {
	k := m.looks
	base, kind := k.popText, k.popKind
	if cursor {
		base, kind = k.popSelected, ink.Ink{}
	}
	l.Reset(m.boxWidth()-2, base)
	l.Skip(1)
	number := func(v compare.Value, has bool) string {
		switch {
		case !has:
			return ""
		case t.Flows:
			return chart.Short(v.Rate)
		}
		return strconv.FormatInt(v.N, 10)
	}
	chart.Cells(l, widths, func(i, w int) {
		switch i {
		case 0:
			l.Fit(kind, r.State.String(), w)
		case 1:
			l.Fit(ink.Ink{}, titleOf(r, t), w)
		case 2:
			l.Right(ink.Ink{}, number(r.A, r.State != compare.Added), w)
		case 3:
			l.Right(ink.Ink{}, number(r.B, r.State != compare.Gone), w)
		case 4:
			l.Right(ink.Ink{}, signedShort(r.B.Rate-r.A.Rate), w)
		case 5:
			l.Right(kind, factor(r), w)
		}
	})
}

// titleOf returns what a row is called.
func titleOf(r *compare.Row, t *compare.Table) string {
	switch {
	case len(r.Keys) > 0:
		return r.Title()
	case len(t.Titles) > 0:
		return "all keys"
	}
	return "all"
}

func signedShort(d float64) string {
	switch {
	case d > 0:
		return "+" + chart.Short(d)
	case d < 0:
		return chart.Short(d)
	}
	return "0"
}

// factor says how many times as much B has, where that means anything.
func factor(r *compare.Row) string {
	if r.A.Rate <= 0 || r.B.Rate <= 0 {
		return ""
	}
	f := r.B.Rate / r.A.Rate
	switch {
	case f >= 1000:
		return chart.Short(f)
	case f < 0.01:
		return "<0.01"
	}
	return strconv.FormatFloat(f, 'f', 2, 64)
}

// drawPairs draws the histogram of a key on h lines: quantiles first, then two bars for
// each bucket. Where there is not room for all buckets, a pair of bars stands for several.
func (m *Model) drawPairs(out []string, l *ink.Line, t *compare.Table, r *compare.Row, h int) []string {
	k := m.looks
	l.Reset(m.boxWidth()-2, k.popText)
	l.Put(k.heading, " "+widget.Cut(titleOf(r, t), 24))
	buckets, per := r.Squeezed(h - 1)
	if per > 1 {
		l.Put(k.popDetail, fmt.Sprintf("  a bar %d buckets", per))
	}
	quantiles := []struct {
		name  string
		part  float64
		value string // "" if there is no room for it
	}{{name: "p50", part: 0.50}, {name: "p90", part: 0.90}, {name: "p99", part: 0.99}, {name: "max", part: 1}}
	room := l.Left()
	for _, i := range []int{2, 0, 1, 3} { // people look for p99 first
		q := &quantiles[i]
		text := m.shift(t, r, q.part)
		if need := ink.Width(text) + ink.Width(q.name) + 3; need <= room {
			q.value, room = text, room-need
		}
	}
	for _, q := range quantiles {
		if q.value != "" {
			l.Put(k.popDetail, "  "+q.name+" ")
			l.Put(k.popText, q.value)
		}
	}
	out = append(out, l.String())
	most, label := 0.0, 5
	name := func(b *compare.Bucket) string { // as the live pane has it
		if t.Unit == unit.None {
			return widget.Safe(b.Label)
		}
		return m.sign(t.Unit.Label(b.Low, b.High))
	}
	for i := range buckets {
		b := &buckets[i]
		most = max(most, math.Abs(b.A.Rate), math.Abs(b.B.Rate))
		label = max(label, ink.Width(name(b)))
	}
	for i := range buckets {
		b := &buckets[i]
		l.Reset(m.boxWidth()-2, k.popText)
		l.Right(k.chart.Label, name(b), label+1)
		l.Put(k.chart.Axis, k.chart.Glyph(" │", " |"))
		k.chart.Pair(l, b.A.Rate, b.B.Rate, most, max(l.Left()-22, 0))
		inkA, inkB := k.chart.PairInks()
		l.Right(inkA, strconv.FormatInt(b.A.N, 10), 10)
		l.Skip(1)
		l.Right(inkB, strconv.FormatInt(b.B.N, 10), 10)
		out = append(out, l.String())
	}
	return out
}

// shift says in which bucket a quantile lies of both sides, once if it is the same.
func (m *Model) shift(t *compare.Table, r *compare.Row, part float64) string {
	a, b, inA, inB := r.Quantile(part)
	spell := func(x trace.Bucket, in bool) string {
		if !in {
			return "none"
		}
		return m.sign(t.Unit.Range(x.Low, x.High, m.looks.chart.Glyph("–", "-")))
	}
	was, is := spell(a, inA), spell(b, inB)
	if was == is {
		return is
	}
	return was + m.looks.chart.Glyph(" → ", " > ") + is
}

// sign writes ≥ as the terminal can.
func (m *Model) sign(text string) string {
	return strings.Replace(text, "≥", m.looks.chart.Glyph("≥", ">="), 1)
}

// legend says what the numbers are.
func legend(t *compare.Table) string {
	switch {
	case t.Func.IsHistogram():
		return "bars and columns a second, counts as they came; alike: chance may give that"
	case t.Func == trace.Count:
		return "a second, the greatest difference first; alike: chance may give that"
	case t.Flows:
		return "a second, the greatest difference first"
	}
	return "as it stood at the end of each, the greatest difference first"
}
