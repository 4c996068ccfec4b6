package live

import (
	"time"

	tea "github.com/charmbracelet/bubbletea"

	"dscope.dev/engine/trace"
	"dscope.dev/ui/timeline"
)

// freeze holds the picture as it is, or goes back to now.
func (m *Model) freeze() tea.Cmd {
	if m.held != nil {
		m.Now()
		return nil
	}
	m.show(m.told().whole().Len() - 1)
	return nil
}

// Past reports whether there is any moment to step to.
func (m *Model) Past() bool { return m.told().line.Entering() || m.told().line.Len() > 0 }

// Now shows what arrives again, or the end of the run that is visited.
func (m *Model) Now() {
	m.held, m.stepped = nil, false
	m.arrange()
}

// Step shows a moment so many frames earlier or later than the one that is shown, and
// says how long the run had lasted; behind the last frame is now. false means that
// there is nothing earlier.
func (m *Model) Step(by int) (at time.Duration, ok bool) {
	told := m.told()
	last := told.whole().Len() - 1
	if last < 0 {
		return 0, false
	}
	from := last
	if m.held != nil {
		from = told.line.Find(m.held.elapsed)
	}
	to := from + by
	switch {
	case to > last || m.held == nil && by > 0:
		m.Now()
		return told.book.elapsed, true
	case to < 0 && from == 0:
		return 0, false
	}
	m.show(max(to, 0))
	m.stepped = true
	return m.held.elapsed, true
}

// show shows frame i of the timeline.
func (m *Model) show(i int) {
	if m.held == nil {
		m.heldAt = m.now
	}
	m.held = m.told().book.at(m.told().whole(), i)
	m.arrange()
}

// work is how many rows of earlier frames are read for each aggregation of those that may be
// in view, of so many in all.
func (m *Model) work(rows int) int { return rows / max(min(len(m.shown().aggs), m.room()/7), 1) }

// A past is where the aggregations of a book come from, one by one as they are looked at:
// where there are a hundred, one is.
type past struct {
	now   *book // of the whole run
	line  *timeline.Timeline
	frame *timeline.Frame
}

// at returns the book as it was at frame i.
func (b *book) at(line *timeline.Timeline, i int) *book {
	f := line.Frame(i)
	out := &book{past: &past{b, line, f}}
	if i > 0 {
		out.pass(line.Frame(i - 1).Empty())
	}
	out.pass(f.Empty())
	for _, t := range line.Tables(f) {
		a := newAgg(&t)
		a.types, a.lacks = t.KeyTypes, lacksRows
		out.aggs = append(out.aggs, a)
	}
	return out
}

// read enters what has arrived of an aggregation, or makes it of the past of its book, lacking no
// more than is said. What it would lack is read at once where that is no more than so many rows. How
// wide axes and columns are is a matter of the whole run, so that pictures of two moments can be compared.
func (b *book) read(a *agg, most lack, work int) {
	a.enter(b)
	if a.lacks <= most {
		return
	}
	if now := b.past.now.find(a.name, a.fn); now != nil {
		b.past.now.read(now, lacksTrends, work) // of a run that is visited; else it lacks nothing
	}
	s := b.search(a, work)
	if !s.whole {
		s = b.nearest(a, most)
	}
	if it := s.find(); it != nil {
		b.become(a, it)
	}
	a.lacks = s.lacks
}

// become makes an aggregation what was found of it.
func (b *book) become(a, it *agg) {
	*a = *it
	if now := b.past.now.find(a.name, a.fn); now != nil {
		a.join(now)
	}
}

// join makes the picture as wide as that of the whole run.
func (a *agg) join(now *agg) {
	a.axis.Join(&now.axis)
	a.peak, a.burst = max(a.peak, now.peak), max(a.burst, now.burst)
	for id, s := range a.rows {
		if t := now.rows[id]; t != nil {
			s.axis.Join(&t.axis)
			s.place = t.place
			s.speed, s.burst = max(s.speed, t.speed), max(s.burst, t.burst)
		}
	}
}

// takeOf enters one aggregation of a frame.
func (b *book) takeOf(r *timeline.Reader, f *timeline.Frame) {
	s := f.Empty()
	if t, ok := r.Read(f); ok {
		s.Aggs = []trace.Table{t}
	}
	b.take(s)
}

// forget drops the trends and what rates are made of.
func (b *book) forget() {
	b.spans = nil
	for _, a := range b.aggs {
		a.lost = nil
		for _, s := range a.rows {
			s.ring, s.speed = nil, 0
		}
	}
}
