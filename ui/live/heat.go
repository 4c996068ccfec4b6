package live

import (
	"fmt"
	"slices"
	"time"

	tea "github.com/charmbracelet/bubbletea"

	"dscope.dev/engine/trace"
	"dscope.dev/ui/flow"
	"dscope.dev/ui/ink"
	"dscope.dev/ui/timeline"
	"dscope.dev/ui/widget"
)

// A heat is a histogram over time: a column an interval, a row a bucket. It is a picture
// of the timeline up to a moment.
type heat struct {
	all     bool                      // of all keys together, and not of the one under the cursor
	id      string                    // of the key that sums are of, or the filter that all keys are of
	sums    map[uint64][]trace.Bucket // the histogram at a snapshot, by its number
	columns []interval                // what is shown, the newest last
	length  time.Duration             // of an interval
	most    int64                     // the greatest count of a cell so far: shades keep their meaning
	at      int64                     // where the row begins that is read out
	fresh   bool                      // nobody has chosen that row: it is where the slow tail begins

	least, greatest int64 // where the buckets begin that have been reached
	reached         bool  // any has

	top float64 // the greatest value of a curve so far; see plot.go
}

// An interval is one column of a heat map.
type interval struct {
	n        int64 // how many of its length lie before it
	from, to time.Duration
	kept     bool           // its counts are known
	counts   []trace.Bucket // what came, ascending, without labels
	total    int64
	lost     uint64 // events that were dropped
}

// toHeat turns the histograms of an aggregation into a heat map, first of the selected
// key, then of all together, and back.
func (m *Model) toHeat() tea.Cmd {
	a, v := m.current()
	switch {
	case v.heat == nil:
		v.heat, v.stacks = &heat{fresh: true}, nil
	case !v.heat.all && len(a.types) > 0 && flow.Amounts(a.fn): // the sum of averages is nothing
		v.heat = &heat{all: true, fresh: true}
	default:
		v.heat = nil
	}
	return nil
}

// noHeat says why there is no heat map.
func (m *Model) noHeat() string {
	a, _ := m.current()
	switch {
	case a == nil:
		return m.nothing()
	}
	return ""
}

// anew lets the shades begin again with what is seen.
func (m *Model) anew() tea.Cmd {
	if _, v := m.current(); v != nil && v.heat != nil {
		v.heat.most, v.heat.top = 0, 0
	}
	return nil
}

// noShades says why no shades can begin again.
func (m *Model) noShades() string {
	if _, v := m.current(); v == nil || v.heat == nil {
		return "there is no heat map: " + m.keys.Key("live.heat") + " shows one"
	}
	return ""
}

// refresh works out the heat maps that are shown. It is called after whatever changes
// them, so that Rows need not.
func (m *Model) refresh() {
	for _, a := range m.shown().aggs {
		if v := m.view(a); v.heat != nil {
			v.heat.fill(m.told().line, a, v, m.moment(), m.heatWidth(a))
		} else if v.stacks != nil {
			m.refreshStacks(a, v)
		}
	}
}

// moment returns the frame that is shown; -1 if there is none.
func (m *Model) moment() int {
	line := m.told().line
	if m.held != nil && line.Len() > 0 {
		return line.Find(m.held.elapsed)
	}
	return line.Len() - 1
}

// heatWidth returns how many intervals a heat map has room for.
func (m *Model) heatWidth(a *agg) int { return max(m.w-m.labelWidth(a)-3, 1) }

// fill works out the columns. It looks up the histograms at the ends of all intervals,
// as many as may be read at once, the newest first; what is left comes with the next
// snapshots, and is blank until then.
func (h *heat) fill(line *timeline.Timeline, a *agg, v *section, moment, width int) {
	id := ""
	if s := v.selected(); s != nil {
		id = s.id
	}
	if h.all {
		id = v.sieve.filter.String()
	}
	if h.sums == nil || id != h.id {
		h.id, h.sums, h.most, h.top, h.reached = id, map[uint64][]trace.Bucket{}, 0, 0, false
	}
	h.columns = make([]interval, width)
	if moment < 0 {
		return
	}
	h.length = lengthOf(line, moment, width)
	ends, last := make([]int, width+1), int64((line.Elapsed(moment)-1)/h.length) // frames; -1 is before the first
	wanted := map[uint64]bool{}
	for rows, x := work, width; x >= 0; x-- {
		n := time.Duration(last - int64(width-x) + 1)
		if ends[x] = -1; n < 0 || n*h.length < line.Elapsed(0) {
			continue
		}
		i := min(line.Find(n*h.length), moment)
		ends[x] = i
		seq := line.Seq(i)
		wanted[seq] = true
		if _, known := h.sums[seq]; !known && rows > 0 {
			h.sums[seq] = h.sum(line.At(i), a, v)
			rows -= max(len(a.rows), 100)
		}
	}
	for seq := range h.sums {
		if !wanted[seq] {
			delete(h.sums, seq)
		}
	}
	for x := range h.columns {
		h.columns[x] = h.column(line, a, ends[x], ends[x+1])
		h.columns[x].n = last - int64(width-1-x)
		h.reach(h.columns[x].counts)
	}
	if plots(a) {
		h.grow(a)
		return
	}
	for _, band := range h.bands(a, v.heatLines()) {
		for _, c := range h.columns {
			h.most = max(h.most, within(c.counts, band))
		}
	}
	if tail, ok := h.tail(); ok && h.fresh {
		h.at = tail.Low
	}
}

// lengthOf returns how long an interval is: as people count, and so that all of the
// timeline has room and every interval ends with a frame of its own. Intervals begin at
// whole multiples of it, so that the picture moves by columns and does not flicker.
func lengthOf(line *timeline.Timeline, moment, width int) time.Duration {
	gap := time.Duration(0)
	for i := 1; i <= moment; i++ {
		gap = max(gap, line.Elapsed(i)-line.Elapsed(i-1))
	}
	span := line.Elapsed(moment) - line.Elapsed(0)
	for _, d := range lengths {
		if d >= gap && span/d < time.Duration(width) {
			return d
		}
	}
	return lengths[len(lengths)-1]
}

// lengths are the intervals that people count in.
var lengths = []time.Duration{200 * time.Millisecond, 500 * time.Millisecond, time.Second, 2 * time.Second, 5 * time.Second, 10 * time.Second,
	30 * time.Second, time.Minute, 2 * time.Minute, 5 * time.Minute, 10 * time.Minute, 30 * time.Minute, time.Hour, 6 * time.Hour, 24 * time.Hour}

// sum returns the histogram of the key, or that of all keys that the filter leaves, in a
// snapshot.
func (h *heat) sum(s trace.Snapshot, a *agg, v *section) (out []trace.Bucket) {
	for i := range s.Aggs {
		t := &s.Aggs[i]
		if t.Name != a.name || t.Func != a.fn {
			continue
		}
		for j := range t.Rows {
			r := &t.Rows[j]
			list := r.Buckets
			if plots(a) {
				list = scalar(a, r)
			}
			switch {
			case !h.all && r.ID == h.id:
				return list
			case h.all && v.leaves(a, r):
				out = flow.Join(out, list)
			}
		}
	}
	return out
}

// column returns what came between two frames; -1 is before the first.
func (h *heat) column(line *timeline.Timeline, a *agg, from, to int) (c interval) {
	if to < 0 || from == to { // nothing is kept of this interval by itself
		return c
	}
	now, known := h.sums[line.Seq(to)]
	var was []trace.Bucket
	if from >= 0 && known {
		was, known = h.sums[line.Seq(from)]
		c.from, c.lost = line.Elapsed(from), line.Drops(to)-min(line.Drops(from), line.Drops(to))
	}
	c.to, c.kept = line.Elapsed(to), known
	if !known {
		return c
	}
	if plots(a) {
		c.kept = len(now) > 0 || flow.Amounts(a.fn)
		c.total = h.rise(a, now, was)
		return c
	}
	if slices.ContainsFunc(now, func(b trace.Bucket) bool { return b.Count < flow.Count(was, b) }) {
		was = nil // cleared in between: all that is there is new
	}
	for _, b := range now {
		if b.Count -= flow.Count(was, b); b.Count > 0 {
			c.counts = append(c.counts, b)
			c.total += b.Count
		}
	}
	return c
}

// lines returns how many lines a heat map takes below its title: the buckets, the axis
// of time, and two that read it out.
func (h *heat) lines(a *agg) int {
	if plots(a) {
		return plotLines + 3
	}
	return len(h.buckets(a)) + 3
}

// move reads out another row, so many further down.
func (h *heat) move(a *agg, v *section, by int) {
	bands := h.bands(a, v.heatLines())
	if len(bands) == 0 {
		return
	}
	i := min(max(bandOf(bands, h.at)+by, 0), len(bands)-1)
	h.at, h.fresh = bands[i].Low, false
}

// drawHeat draws a heat map into its place, below the title.
func (m *Model) drawHeat(lines []string, l *ink.Line, p place) {
	h, k, pick := p.v.heat, m.looks, m.picked(p.a)
	bands := h.bands(p.a, p.h-4)
	label := m.labelWidth(p.a)
	var read trace.Bucket
	if len(bands) > 0 {
		read = bands[bandOf(bands, h.at)]
	}
	for y, b := range bands {
		l.Reset(m.w, ink.Ink{})
		look := k.Label
		if b.Compare(read) == 0 && m.focused {
			look = k.Title
		}
		l.Right(look, m.label(p.a, b), label)
		l.Put(k.Axis, k.Glyph(" │", " |"))
		for _, c := range h.columns {
			look := k.Total
			if c.lost > 0 {
				look = k.Drop
			}
			shade := k.Shade(within(c.counts, b), h.most)
			if pick.hasCell(c, b) {
				m.drawPicked(l, look, shade)
				continue
			}
			l.Rep(look, shade, 1)
		}
		m.put(lines, p.y+1+y, l)
	}
	y := p.y + 1 + len(bands)
	m.drawTimes(l, h.columns, h.length, label)
	m.put(lines, y, l)
	l.Reset(m.w, ink.Ink{})
	l.Skip(1)
	if n := len(h.columns); n > 0 {
		m.drawReading(l, p.a, h.columns[pick.column(h.columns, n-1)], read)
	}
	m.put(lines, y+1, l)
	l.Reset(m.w, ink.Ink{})
	l.Skip(1)
	k.ShadeLegend(l, max(h.most, 1))
	text := fmt.Sprintf("; a column is %v", h.length)
	if per := h.per(p.a, p.h-4); per > 1 {
		text += fmt.Sprintf(", a row %d buckets", per)
	}
	l.Put(k.Axis, text)
	m.put(lines, y+2, l)
}

// drawTimes draws how long the run had lasted, and a mark below each interval that lost
// something.
func (m *Model) drawTimes(l *ink.Line, columns []interval, length time.Duration, label int) {
	l.Reset(m.w, ink.Ink{})
	l.Skip(label + 2)
	for x := 0; x < len(columns); {
		c := columns[x]
		text := widget.Elapsed(time.Duration(c.n+1) * length)
		switch {
		case c.lost > 0:
			l.Put(m.looks.Drop, "!")
			x++
		case c.kept && (c.n+1)%10 == 0 && x+len(text) < len(columns) && !slices.ContainsFunc(columns[x:x+len(text)], func(c interval) bool { return c.lost > 0 }):
			l.Put(m.looks.Axis, text)
			x += len(text)
		default:
			l.Skip(1)
			x++
		}
	}
}

// drawReading tells of an interval in numbers: the row that the cursor is on, and what part
// of all is no greater.
func (m *Model) drawReading(l *ink.Line, a *agg, c interval, b trace.Bucket) {
	if !c.kept {
		l.Put(m.looks.Axis, "nothing is kept of this interval")
		return
	}
	l.Put(m.looks.Value, widget.Elapsed(c.from)+" to "+widget.Elapsed(c.to))
	if c.lost > 0 {
		l.Put(m.looks.Drop, fmt.Sprintf("  %s %d lost", m.looks.Glyph("▲", "!"), c.lost))
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
		text += fmt.Sprintf(" (%.1f%%), up to it %.1f%%", 100*float64(n)/float64(c.total), 100*float64(upTo)/float64(c.total))
	}
	l.Put(m.looks.Value, text)
}
