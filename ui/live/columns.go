package live

import (
	"strconv"

	"dscope.dev/ui/chart"
	"dscope.dev/ui/flow"
	"dscope.dev/ui/ink"
)

// rowIndent is the room for the mark of the cursor and of open keys.
const rowIndent = 2

// widestTitle is what a column takes for its title, in cells, where its values take less.
const widestTitle = 24

// columns returns the columns of the table of p, their widths, and what each
// holds.
func (m *Model) columns(p place) ([]chart.Column, []int, []column) {
	a := p.a
	var cols []chart.Column
	var kinds []column
	add := func(kind column, c chart.Column) {
		cols, kinds = append(cols, c), append(kinds, kind)
	}
	for i, t := range a.titles {
		want := min(ink.Width(t), widestTitle) + 1
		for _, s := range p.v.rows[:min(len(p.v.rows), 200)] {
			if i < len(s.texts) {
				want = max(want, ink.Width(s.texts[i]))
			}
		}
		add(keyColumn, chart.Column{Title: t, Min: min(want, 8), Want: min(want, max(m.w/2, 16))})
	}
	digits := len(strconv.FormatInt(max(a.peak, a.scale)/a.normal, 10)) + 1
	value := a.fn.String()
	if a.fn.IsHistogram() {
		value = "count"
	}
	add(valueColumn, chart.Column{Title: value, Min: max(digits, len(value)+2, 7), Right: true})
	if !flow.Amounts(a.fn) && a.counted {
		add(countColumn, chart.Column{Title: "times", Min: 7, Right: true, Drop: 2})
	}
	if a.fn.IsHistogram() && len(a.types) > 0 {
		for _, q := range quantiles {
			add(q.kind, chart.Column{Title: q.title, Min: quantileWidth, Right: true, Drop: q.drop})
		}
	}
	add(rateColumn, chart.Column{Title: windowText, Min: len(windowText) + ink.Width(m.looks.Glyph("▼", " v")), Right: true, Drop: 1})
	trend := chart.Column{Title: "trend", Min: 8, Want: min(m.w/5, history), Drop: 3}
	if trend.Want >= 16 {
		trend.Title = "trend, own scale"
	}
	trend.Flex = len(a.types) == 0 // there is nothing to compare it with
	add(trendColumn, trend)
	if !trend.Flex {
		share := chart.Column{Min: 10, Flex: true, Drop: 4}
		if a.fn.IsHistogram() {
			share.Title, share.Drop = "distribution", 2
			if m.w < 80 {
				share.Title = "shape"
			}
		}
		add(shareColumn, share)
	}
	if i := sortedColumn(kinds, p); i >= 0 { // who orders by it wants to see it
		cols[i].Drop = 0
	}
	widths := chart.Layout(cols, m.w-rowIndent)
	for i, kind := range kinds { // a title that would be cut says it in a word
		short := map[column]string{trendColumn: "trend", shareColumn: "shape"}[kind]
		if short != "" && ink.Width(cols[i].Title) > widths[i] {
			cols[i].Title = short
		}
	}
	return cols, widths, kinds
}

// sortedColumn returns which column of the table orders the rows.
func sortedColumn(kinds []column, p place) int {
	if len(p.a.types) > p.v.sorted {
		return p.v.sorted
	}
	want := sortable(p.a)[p.v.sorted]
	for i, k := range kinds {
		if k == want {
			return i
		}
	}
	return -1
}
