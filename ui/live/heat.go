package live

import (
	"fmt"

	tea "github.com/charmbracelet/bubbletea"

	"dscope.dev/engine/trace"
	"dscope.dev/ui/flow"
	"dscope.dev/ui/ink"
	"dscope.dev/ui/widget"
)

// A heat is a histogram over time: a row a bucket.
type heat struct {
	course
	rows   int   // on how many lines it is drawn
	most   int64 // the greatest count of a cell so far: shades keep their meaning
	cursor int64 // where the row begins that is read out
	fresh  bool  // nobody has chosen that row: it is where the slow tail begins

	least, greatest int64 // where the buckets begin that have been reached
	reached         bool  // any has
}

func newHeat(all bool) *heat { return &heat{course: course{all: all}, fresh: true} }

// noBuckets says why there is no heat map.
func noBuckets(_ *Model, a *agg, _ *section) string {
	if !a.fn.IsHistogram() {
		return a.fn.String() + "() has no buckets"
	}
	return ""
}

// noOthers says why there is no picture of all keys together.
func noOthers(_ *Model, a *agg, _ *section) string {
	switch {
	case len(a.types) == 0:
		return "the aggregation has no keys"
	case !flow.Amounts(a.fn):
		return "the sum of what " + a.fn.String() + "() is of several keys means nothing"
	}
	return ""
}

// A scaled is a figure with a scale that only grows.
type scaled interface{ rescale() }

// anew lets the scale begin again with what is seen.
func (m *Model) anew() tea.Cmd {
	_, v := m.current()
	v.figure.(scaled).rescale()
	return nil
}

// noShades says why no scale can begin again.
func (m *Model) noShades() string {
	if _, v := m.current(); v != nil {
		if _, ok := v.figure.(scaled); ok {
			return ""
		}
	}
	return "there is no heat map: " + m.keys.Key("live.heat") + " shows one"
}

func (h *heat) rescale() { h.most = 0 }

func (h *heat) renew() { *h = *newHeat(h.all) }

func (h *heat) refresh(m *Model, a *agg, v *section) {
	if h.follow(v) {
		h.most, h.reached = 0, false
	}
	h.fill(h, m.reader(a, v, h.keys()...), a, m.moment(), max(m.w-m.labelWidth(a)-3, 1))
	h.rows = v.height - heatAround
	h.scale(a, &h.course)
	if tail, ok := h.tail(); ok && h.fresh {
		h.cursor = tail.Low
	}
}

// heatAround is how many lines stand around the rows of a heat map: title, axis, and two that
// read it out.
const heatAround = 4

// scale takes what is in some courses into the rows and the shades.
func (h *heat) scale(a *agg, courses ...*course) {
	for _, c := range courses {
		for i := range c.columns {
			h.reach(c.columns[i].counts)
		}
	}
	for _, band := range h.bands(a) {
		for _, c := range courses {
			for i := range c.columns {
				x := &c.columns[i]
				h.most = max(h.most, x.top(within(x.counts, band), c.length))
			}
		}
	}
}

func (h *heat) part(_ *agg, r *trace.Row) []trace.Bucket { return r.Buckets }

func (h *heat) came(_ *agg, c *interval, now, was []trace.Bucket) {
	c.counts = flow.Arrived(now, was)
	for _, b := range c.counts {
		c.total += b.Count
	}
}

// lines are the buckets, the axis of time, and two that read it out.
func (h *heat) lines(p place) int { return len(h.buckets(p.a)) + heatAround - 1 }

func (h *heat) settle(_ *Model, p place) { h.rows = p.h - heatAround }

func (h *heat) title(m *Model, l *ink.Line, a *agg, v *section) { m.titleOf(l, a, v, h.all) }

// move goes to another key, or where there is none reads out another row.
func (h *heat) move(a *agg, v *section, by int) {
	if h.all || len(a.types) == 0 {
		h.scroll(a, by)
		return
	}
	v.move(by)
}

// scroll reads out another row, so many further down.
func (h *heat) scroll(a *agg, by int) {
	bands := h.bands(a)
	if len(bands) == 0 {
		return
	}
	i := min(max(bandOf(bands, h.cursor)+by, 0), len(bands)-1)
	h.cursor, h.fresh = bands[i].Low, false
}

func (h *heat) click(*Model, place, int, int) {}

func (h *heat) pickAt(m *Model, p place, made *pick, x, y int) bool {
	bands := h.bands(p.a)
	col := x - m.labelWidth(p.a) - ink.Width(" │")
	if y < 0 || y >= len(bands) || col < 0 || col >= len(h.columns) || !h.columns[col].kept {
		return false
	}
	made.kind, made.from = cells, cellCorner(bands[y], h.columns[col])
	made.from.row = h.key()
	return true
}

// pickHere selects the slow tail, or the row that has been chosen.
func (h *heat) pickHere(a *agg, _ *section, made *pick) bool {
	bands := h.bands(a)
	if len(bands) == 0 || len(h.columns) == 0 {
		return false
	}
	made.kind = cells
	if from, to, ok := h.pickTail(a); ok && h.fresh && h.at == 0 {
		made.from, made.to = from, to
	} else {
		made.from = cellCorner(bands[bandOf(bands, h.cursor)], h.columns[h.now()])
		made.to = made.from
	}
	made.from.row = h.key()
	return true
}

func (h *heat) walk(a *agg, _ *section, made *pick, down, right int) {
	made.to.step(h.columns, right)
	h.cursor = made.to.low
	h.scroll(a, down)
	bands := h.bands(a)
	b := bands[bandOf(bands, h.cursor)]
	made.to.low, made.to.high = b.Low, b.High
}

func (h *heat) draw(m *Model, lines []string, l *ink.Line, p place) {
	pick := m.picked(p.a)
	bands := h.bands(p.a)
	read := h.readBand(bands)
	for y, b := range bands {
		m.drawBand(l, p.a, b, read)
		m.drawCells(l, &h.course, b, max(h.most, 1), pick)
		m.put(lines, p.y+1+y, l)
	}
	y := p.y + 1 + len(bands)
	m.skipLabel(l, p.a)
	m.drawTimes(l, &h.course, pick)
	m.put(lines, y, l)
	h.drawFoot(m, lines, l, p, y+1)
}

// readBand returns the row that is read out.
func (h *heat) readBand(bands []trace.Bucket) (read trace.Bucket) {
	if len(bands) > 0 {
		read = bands[bandOf(bands, h.cursor)]
	}
	return read
}

// drawBand draws where a row begins, for its cells to follow.
func (m *Model) drawBand(l *ink.Line, a *agg, b, read trace.Bucket) {
	look := m.looks.Label
	if b.Compare(read) == 0 && m.focused {
		look = m.looks.Title
	}
	l.Reset(m.w, ink.Ink{})
	l.Right(look, m.label(a, b), m.labelWidth(a))
	l.Put(m.looks.Axis, m.looks.Glyph(" │", " |"))
}

// skipLabel leaves blank what labels take.
func (m *Model) skipLabel(l *ink.Line, a *agg) {
	l.Reset(m.w, ink.Ink{})
	l.Skip(m.labelWidth(a) + 2)
}

// drawFoot draws what is read out, and what shades, columns and rows stand for.
func (h *heat) drawFoot(m *Model, lines []string, l *ink.Line, p place, y int) {
	l.Reset(m.w, ink.Ink{})
	l.Skip(1)
	if len(h.columns) > 0 {
		m.drawReading(l, p.a, h.columns[h.read(m.picked(p.a))], h.readBand(h.bands(p.a)))
	}
	m.put(lines, y, l)
	l.Reset(m.w, ink.Ink{})
	l.Skip(1)
	m.looks.ShadeLegend(l, max(h.most, 1))
	text := fmt.Sprintf("; a column is %v", h.length)
	if per := h.per(p.a); per > 1 {
		short := fmt.Sprintf("; a cell is %v by %d buckets", h.length, per)
		if text += fmt.Sprintf(", a row %d buckets", per); ink.Width(text) > l.Left() {
			text = short
		}
	}
	l.Put(m.looks.Axis, widget.Cut(text, l.Left()))
	m.put(lines, y+1, l)
}

// drawCells draws a row of a heat map: of each interval how much came into a band.
func (m *Model) drawCells(l *ink.Line, of *course, band trace.Bucket, most int64, pick *pick) {
	k, cursor := m.looks, of.shownAt()
	for x := range of.columns {
		c := &of.columns[x]
		look := k.Total
		switch {
		case c.lost > 0:
			look = k.Drop
		case c.partial:
			look = k.Axis
		}
		shade := k.Shade(c.paced(within(c.counts, band), of.length), most)
		switch {
		case pick.hasCell(*c, band):
			m.drawPicked(l, look, shade)
		case x == cursor && pick == nil:
			l.Put(look.Over(k.Cursor), shade)
		default:
			l.Rep(look, shade, 1)
		}
	}
}

// drawReading tells of an interval in numbers: the row that the cursor is on, and what part
// of all is no greater.
func (m *Model) drawReading(l *ink.Line, a *agg, c interval, b trace.Bucket) {
	if !m.drawSpan(l, &c) {
		return
	}
	var upTo int64
	for _, x := range c.counts {
		if x.High <= b.High {
			upTo += x.Count
		}
	}
	n := within(c.counts, b)
	text := fmt.Sprintf("  %s: %d of %d", widget.Safe(m.rowText(a, b)), n, c.total)
	if c.total > 0 {
		share, upTo := fmt.Sprintf(" (%.1f%%)", 100*float64(n)/float64(c.total)), fmt.Sprintf(", up to it %.1f%%", 100*float64(upTo)/float64(c.total))
		for _, more := range []string{share + upTo, upTo, share} {
			if ink.Width(text+more) <= l.Left() {
				text += more
				break
			}
		}
	}
	l.Put(m.looks.Value, text)
}
