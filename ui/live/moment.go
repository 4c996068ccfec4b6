package live

import (
	"time"

	tea "github.com/charmbracelet/bubbletea"

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

// work is how many rows of earlier frames are looked at to draw the trends of a moment:
// about 10 ms.
const work = 20_000

// at returns the book as it was at frame i. How wide axes and columns are is a matter
// of the whole run, so that pictures of two moments can be compared.
func (b *book) at(line *timeline.Timeline, i int) *book {
	rows := 1
	for _, a := range b.aggs {
		rows += len(a.rows)
	}
	past := &book{}
	first := max(i-min(history, max(work/rows, 1)), 0)
	// Where few frames may be looked at, one more tells what rates are held against.
	begin := min(first, line.Find(line.Elapsed(i)-window))
	for n := begin; n <= i; n = max(n+1, first) {
		past.take(line.At(n))
		if n == begin && n > 0 { // what came before it came in no interval of the trends
			past.forget()
		}
	}
	for _, a := range past.aggs {
		now := b.find(a.name, a.fn)
		if now == nil {
			continue
		}
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
	return past
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
