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
	m.show(m.told().line.Len() - 1)
	return nil
}

// Past reports whether there is any moment to step to.
func (m *Model) Past() bool { return m.told().line.Len() > 0 }

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
	last := told.line.Len() - 1
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
	m.held = m.told().book.at(m.told().line, i)
	m.arrange()
}

// mostWork is how many rows of earlier frames are looked at to draw the trends of a moment:
// 3 to 6 ms.
const mostWork = 8_000

// work is how many of them there are for each aggregation of those that may be in view.
func (m *Model) work() int { return mostWork / max(min(len(m.shown().aggs), m.room()/7), 1) }

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
		a.types, a.unread = t.KeyTypes, true
		out.aggs = append(out.aggs, a)
	}
	return out
}

// read makes an aggregation of the moment that is shown of what is kept.
func (m *Model) read(a *agg) { m.shown().read(a, m.work()) }

// read enters what has arrived of an aggregation, or makes it of the past of its book, looking
// at so many rows. How wide axes and columns are is a matter of the whole run, so that pictures
// of two moments can be compared.
func (b *book) read(a *agg, work int) {
	a.enter(b)
	if !a.unread {
		return
	}
	p := b.past
	now := p.now.find(a.name, a.fn)
	rows := 1
	if now != nil {
		p.now.read(now, work)
		rows += len(now.rows)
	}
	if a.fn.IsHistogram() { // which take longer
		rows *= 2
	}
	frames := p.line.Until(p.frame)
	i := len(frames) - 1
	first := max(i-min(history, max(work/rows, 1)), 0)
	// Where few frames may be looked at, one more tells what rates are held against.
	begin := min(first, p.line.Find(p.frame.Elapsed()-window))
	made, r := &book{}, p.line.Reader(a.name, a.fn)
	for n := begin; n <= i; n = max(n+1, first) {
		made.takeOf(r, frames[n])
		if n == begin && n > 0 { // what came before it came in no interval of the trends
			made.forget()
		}
	}
	if it := made.find(a.name, a.fn); it != nil {
		*a = *it
	}
	if a.unread = false; now != nil {
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
