package live

import (
	"fmt"
	"math"

	"dscope.dev/dlang/unit"
	"dscope.dev/engine/trace"
	"dscope.dev/engine/trace/spell"
	"dscope.dev/ui/chart"
	"dscope.dev/ui/flow"
	"dscope.dev/ui/ink"
)

// What has no buckets is drawn over time as a curve, in the columns of a heat map: of counts
// and sums how much came a second, of least, greatest, average and deviation what they were
// at the end of each interval.

// plotLines is how many lines a curve asks for.
const plotLines = 12

// A curve is what has no buckets over time.
type curve struct {
	course
	top float64 // the greatest value so far
}

// curveLabel is how wide the labels of a curve are, in cells.
const curveLabel = 6

// noCurve says why there is no curve.
func noCurve(_ *Model, a *agg, _ *section) string {
	if a.fn.IsHistogram() {
		return "a histogram has no one value"
	}
	return ""
}

func (h *curve) rescale() { h.top = 0 }

func (h *curve) renew() { *h = curve{course: course{all: h.all}} }

func (h *curve) refresh(m *Model, a *agg, v *section) {
	if h.follow(v) {
		h.top = 0
	}
	h.fill(h, m.reader(a, v, h.keys()...), a, m.moment(), max(m.w-curveLabel-3, 1))
	for i := range h.columns {
		if c := &h.columns[i]; c.kept && !c.partial { // see top
			h.top = max(h.top, math.Abs(c.value(a)))
		}
	}
}

// part makes of a row a histogram of one bucket.
func (h *curve) part(a *agg, r *trace.Row) []trace.Bucket {
	n := r.Value
	if !a.fn.AddsUp() {
		n = spell.Divided(a.fn, n, uint64(a.normal))
	}
	return []trace.Bucket{{Count: n}}
}

// came enters what came, or of what is no amount what it is.
func (h *curve) came(a *agg, c *interval, now, was []trace.Bucket) {
	c.total = flow.Count(now, trace.Bucket{})
	if !a.fn.AddsUp() {
		c.kept = len(now) > 0
		return
	}
	before := flow.Count(was, trace.Bucket{})
	if a.fn.Counts() && c.total < before { // cleared in between: all that is there is new
		before = 0
	}
	c.total -= before
}

func (h *curve) lines(place) int { return plotLines + 3 }

func (h *curve) settle(*Model, place) {}

func (h *curve) title(m *Model, l *ink.Line, a *agg, v *section) { m.titleOf(l, a, v, h.all) }

// move goes to another key.
func (h *curve) move(a *agg, v *section, by int) {
	if !h.all {
		v.move(by)
	}
}

func (h *curve) click(*Model, place, int, int) {}

// noBucket is what a stretch of time has in place of buckets.
func noBucket() trace.Bucket { return trace.Bucket{Low: math.MinInt64, High: math.MinInt64} }

// pickHere selects the interval that the cursor is on, and of a key its row.
func (h *curve) pickHere(_ *agg, _ *section, made *pick) bool { return h.pickColumn(made, h.now()) }

func (h *curve) pickAt(_ *Model, p place, made *pick, x, y int) bool {
	return y >= 0 && y < p.h-2 && h.pickColumn(made, x-curveLabel-ink.Width(" │"))
}

// pickColumn selects an interval, if anything is kept of it.
func (h *curve) pickColumn(made *pick, col int) bool {
	if col < 0 || col >= len(h.columns) || !h.columns[col].kept {
		return false
	}
	made.kind, made.from = cells, cellCorner(noBucket(), h.columns[col])
	made.from.row = h.key()
	return true
}

// walk moves the cursor of a selection in time: there is nothing above or below.
func (h *curve) walk(_ *agg, _ *section, made *pick, _, right int) { made.to.step(h.columns, right) }

// value returns how high the curve is in an interval.
func (c *interval) value(a *agg) float64 {
	if !a.fn.AddsUp() {
		return float64(c.total)
	}
	length := (c.to - c.from).Seconds()
	if length <= 0 {
		return 0
	}
	return float64(c.total) / length / float64(a.normal)
}

// number writes a value of the curve.
func (m *Model) number(a *agg, v float64) string {
	if m.raw || a.unit == unit.None || a.fn.AddsUp() {
		return chart.Short(v)
	}
	n := int64(v)
	return a.unit.Label(n, n)
}

func (h *curve) draw(m *Model, lines []string, l *ink.Line, p place) {
	k, pick, cursor := m.looks, m.picked(p.a), h.shownAt()
	rows := max(p.h-4, 1)
	label := curveLabel
	for y := range rows {
		l.Reset(m.w, ink.Ink{})
		from := float64(rows - 1 - y) // eighths begin at this line's foot
		text := ""
		switch y {
		case 0:
			text = m.number(p.a, h.top)
		case rows - 1:
			text = "0"
		}
		l.Right(k.Label, text, label)
		l.Put(k.Axis, k.Glyph(" │", " |"))
		for i := range h.columns {
			c := &h.columns[i]
			look, part, marked := k.Total, 0.0, i == cursor && pick == nil || pick.hasCell(*c, noBucket())
			if c.kept && h.top > 0 {
				part = math.Abs(c.value(p.a))/h.top*float64(rows) - from
			}
			switch {
			case c.lost > 0:
				look = k.Drop
			case c.kept && c.total < 0:
				look = k.Minus
			case c.partial:
				look = k.Axis
			}
			block := k.Block(part, c.kept && c.total != 0 && y == rows-1)
			switch {
			case marked && pick != nil:
				m.drawPicked(l, look, block)
			case marked:
				l.Put(look.Over(k.Cursor), block)
			default:
				l.Rep(look, block, 1)
			}
		}
		m.put(lines, p.y+1+y, l)
	}
	y := p.y + 1 + rows
	l.Reset(m.w, ink.Ink{})
	l.Skip(label + 2)
	m.drawTimes(l, &h.course, pick)
	m.put(lines, y, l)
	l.Reset(m.w, ink.Ink{})
	l.Skip(1)
	if len(h.columns) > 0 {
		m.drawPlotReading(l, p.a, &h.columns[h.read(pick)])
	}
	m.put(lines, y+1, l)
	l.Reset(m.w, ink.Ink{})
	l.Skip(1)
	what := "what it was at the end of each column"
	if p.a.fn.AddsUp() {
		what = "how much came a second"
	}
	l.Put(k.Axis, fmt.Sprintf("%s; a column is %v", what, h.length))
	m.put(lines, y+2, l)
}

// drawPlotReading tells of an interval in numbers.
func (m *Model) drawPlotReading(l *ink.Line, a *agg, c *interval) {
	if !m.drawSpan(l, c) {
		return
	}
	text := "  " + m.number(a, c.value(a))
	if a.fn.AddsUp() {
		text += fmt.Sprintf(" a second, %s in all", chart.Short(float64(c.total)/float64(a.normal)))
	}
	l.Put(m.looks.Value, text)
}
