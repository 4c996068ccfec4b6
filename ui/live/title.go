package live

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"dscope.dev/ui/ink"
	"dscope.dev/ui/widget"
)

// drawTabs draws the names of all aggregations, the selected one marked. Where it alone is in
// view it has no title, and the line says what that would.
func (m *Model) drawTabs(l *ink.Line, places []place) {
	l.Reset(m.w, ink.Ink{})
	for _, t := range m.tabs() {
		look := m.looks.Header
		if t.n == m.sel {
			look = m.looks.Title
		}
		l.Put(look, t.text)
	}
	if len(places) > 1 {
		return
	}
	a, v := places[0].a, places[0].v
	v.figure.title(m, l, a, v)
	m.drawSummary(l, a)
}

// A tab is one name in the line of tabs.
type tab struct {
	text string
	n    int // index of the aggregation
}

// tabs returns as many names as two thirds of the line hold, around that of the selected one. A
// sign stands for those at either end that have no room.
func (m *Model) tabs() []tab {
	var all []tab
	from := 0
	for i, n := range m.order() {
		t := tab{" " + widget.Safe("@"+m.shown().aggs[n].name) + " ", n}
		if n == m.sel {
			t.text, from = "["+strings.TrimSpace(t.text)+"]", i
		}
		all = append(all, t)
	}
	to, left := from+1, m.w*2/3-ink.Width(all[from].text)
	for grown := true; grown; {
		grown = false
		if to < len(all) && ink.Width(all[to].text) <= left {
			left, to, grown = left-ink.Width(all[to].text), to+1, true
		}
		if from > 0 && ink.Width(all[from-1].text) <= left {
			left, from, grown = left-ink.Width(all[from-1].text), from-1, true
		}
	}
	more := m.looks.Glyph("…", "~")
	out := slices.Clone(all[from:to])
	if from > 0 {
		out = slices.Insert(out, 0, tab{more, all[from-1].n})
	}
	if to < len(all) {
		out = append(out, tab{more, all[to].n})
	}
	return out
}

// drawTitle draws the name of an aggregation, its function, and what flows
// into it.
func (m *Model) drawTitle(l *ink.Line, p place, several bool) {
	a := p.a
	l.Reset(m.w, ink.Ink{})
	if several && p.n == m.sel && m.focused {
		l.Put(m.looks.Title, m.looks.Glyph("▸", ">"))
	} else {
		l.Skip(1)
	}
	l.Put(m.looks.Title, widget.Safe("@"+a.name))
	l.Put(m.looks.Label, " "+a.fn.String()+"()")
	p.v.figure.title(m, l, a, p.v)
	m.drawSummary(l, a)
}

// drawMeaning says in the title what values mean, and what is filtered.
func (m *Model) drawMeaning(l *ink.Line, a *agg, v *section) {
	l.Put(m.looks.Sorted, m.meaningText(a))
	l.Put(m.looks.Key, v.filterText())
}

// drawSummary draws the summary against the right edge.
func (m *Model) drawSummary(l *ink.Line, a *agg) {
	held, flow := m.tally(a)
	if from := " from " + widget.Group(uint64(a.came)) + " rows"; a.came > len(a.rows) && ink.Width(held+from+flow)+4 <= l.Left() {
		held += from
	}
	right := strings.TrimSpace(held + "  " + flow)
	if a.normal != 1 {
		right = fmt.Sprintf("%s%d  ", m.looks.Glyph("÷", "/"), a.normal) + right
	}
	l.To(m.w - ink.Width(right) - 1)
	l.Skip(1)
	l.Put(m.looks.Axis, right)
}

// tally is summary for what is looked at of an aggregation.
func (m *Model) tally(a *agg) (held, flow string) {
	held, flow = a.summary()
	v := m.view(a)
	if len(a.types) > 0 {
		held = v.held()
	} else if held != "" {
		held = strconv.FormatInt(a.divided(v.sum()), 10)
	}
	if v.left < len(v.all) {
		flow = flowText(v.rate())
	}
	if a.lacks >= lacksRates {
		flow = m.untold()
	}
	return held, flow
}

// mostFigures is how many aggregations are told of in a line each.
const mostFigures = 8

// Figures says of each aggregation of the run what it holds, a line each: its keys, what flows
// into it, and of those with the most what they have.
func (m *Model) Figures() (out []string) {
	for _, a := range m.book.aggs[:min(len(m.book.aggs), mostFigures)] {
		a.enter(m.book)
		held, flow := a.summary()
		line := strings.TrimSpace("@" + a.name + " " + held + "  " + flow)
		rows := slices.SortedFunc(maps.Values(a.rows), func(x, y *series) int { return cmp.Compare(y.sum, x.sum) })
		for _, s := range rows[:min(len(rows), 3)] {
			line += "  " + strings.Join(s.texts, " ") + " " + strconv.FormatInt(a.divided(s.sum), 10)
		}
		if s := strings.TrimSpace(widget.Safe(line)); s != "" {
			out = append(out, widget.Cut(s, 200))
		}
	}
	return out
}

// summary says how many keys or values there are, and how many come a second.
func (a *agg) summary() (held, flow string) {
	if len(a.types) > 0 {
		held = widget.Count(len(a.rows), "key")
	} else if a.fn.IsHistogram() {
		var n int64
		for _, s := range a.rows {
			n += s.sum
		}
		held = strconv.FormatInt(a.divided(n), 10)
	}
	return held, flowText(a.rate())
}

func flowText(rate float64) string {
	if rate == 0 {
		return ""
	}
	return perSecond(rate) + "/s"
}
