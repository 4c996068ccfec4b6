package live

import (
	"sync/atomic"

	tea "github.com/charmbracelet/bubbletea"

	"dscope.dev/ui/timeline"
)

// What a moment holds is in its frame. What came in the last interval, rates, and trends are
// found by reading the frames before it, and that may take longer than somebody waits for a
// picture. Then the moment is shown without them, and says so; an errand brings them.

// A lack is what of a moment has not been read, and with it all that stands before it here.
type lack uint8

const (
	lacksNothing lack = iota
	lacksTrends       // what came in each of the last intervals
	lacksRates        // how much came a second
	lacksLast         // what came in the last interval
	lacksRows         // all
)

// bears returns the most that a picture may lack: what its rows are ordered by it may not, nor
// what its values mean.
func (m *Model) bears(a *agg, v *section) lack {
	switch {
	case v.byRate(a):
		return lacksTrends
	case m.meaning == lastInterval:
		return lacksRates
	}
	return lacksLast
}

// misses reports whether an aggregation lacks what its picture now may not.
func (m *Model) misses(a *agg, v *section) bool {
	return a.lacks > lacksNothing && a.lacks > m.bears(a, v)
}

// readBeside is how many rows are read on an errand: 20 to 30 ms.
const readBeside = 40_000

// A search reads frames of a past for one aggregation. It may be made in one place and done in
// another.
type search struct {
	a      *agg
	table  *timeline.Reader  // nil if there is nothing of it
	frames []*timeline.Frame // the last is the moment
	before bool              // the first only tells what rates are held against
	whole  bool              // these are all that trends show
	lacks  lack              // what is not found by it
}

// search returns what finds all of an aggregation, with trends as long as they may be for so
// many rows.
func (b *book) search(a *agg, work int) search {
	p := b.past
	all := p.line.Until(p.frame)
	i := len(all) - 1
	n := min(history, i)
	room := max(work/b.cost(a)-1, 0)
	first := max(i-max(min(n, room), 1), 0)
	// Where few frames may be read, one more tells what rates are held against.
	begin := min(first, p.line.Find(p.frame.Elapsed()-window))
	return b.of(a, all, begin, first, search{whole: n <= room, lacks: lacksNothing})
}

// nearest returns what finds of an aggregation what its picture may not lack.
func (b *book) nearest(a *agg, most lack) search {
	p := b.past
	all := p.line.Until(p.frame)
	i := len(all) - 1
	switch most {
	case lacksNothing, lacksTrends:
		first := max(i-1, 0)
		return b.of(a, all, min(first, p.line.Find(p.frame.Elapsed()-window)), first, search{lacks: lacksTrends})
	case lacksRates:
		return b.of(a, all, max(i-1, 0), max(i-1, 0), search{lacks: lacksRates})
	}
	return b.of(a, all, i, i, search{lacks: lacksLast})
}

// of completes a search: it reads frame begin, and those from first on.
func (b *book) of(a *agg, all []*timeline.Frame, begin, first int, s search) search {
	s.a, s.table, s.before = a, b.past.line.Reader(a.name, a.fn), begin > 0
	if begin < first {
		s.frames = append(s.frames, all[begin])
	}
	s.frames = append(s.frames, all[first:]...) // copied: the past is thinned meanwhile
	return s
}

// cost is how many rows a frame of an aggregation counts for.
func (b *book) cost(a *agg) int {
	n := 1 + b.past.line.Keys(a.name, a.fn)
	if a.fn.IsHistogram() { // which take longer
		n *= 2
	}
	return n
}

// find does the search; nil if there is nothing of it.
func (s *search) find() *agg { return s.findUnless(func() bool { return false }) }

func (s *search) findUnless(stop func() bool) *agg {
	if s.table == nil {
		return nil
	}
	made := &book{}
	for i, f := range s.frames {
		if stop() {
			return nil
		}
		made.takeOf(s.table, f)
		if i == 0 && s.before { // what came before it came in no interval of the trends
			made.forget()
		}
	}
	it := made.find(s.a.name, s.a.fn)
	if it != nil && s.lacks == lacksLast {
		for _, r := range it.rows { // not: all of it
			r.delta, r.was, r.rate = 0, r.sums, 0
		}
	}
	return it
}

// An errand finds beside the screen what is lacking of the aggregations of a moment.
type errand struct {
	of       *book
	searches []search
	found    []*agg
	off      atomic.Bool // nobody waits for it any more
}

// trendsLater returns what finds what some aggregations that are shown lack; nil if that is
// nothing, or another errand is under way.
func (m *Model) trendsLater(places []place) tea.Cmd {
	e := &errand{of: m.shown()}
	if m.trends != nil {
		if m.trends.of != e.of {
			m.trends.off.Store(true)
		}
		return nil
	}
	for _, p := range places {
		if p.a.lacks > lacksNothing {
			e.searches = append(e.searches, e.of.search(p.a, m.work(readBeside)))
		}
	}
	if e.searches == nil {
		return nil
	}
	m.trends = e
	return func() tea.Msg {
		for i := range e.searches {
			e.found = append(e.found, e.searches[i].findUnless(e.off.Load))
		}
		return e
	}
}

// brought takes what an errand has found, if that moment is still shown.
func (m *Model) brought(e *errand) {
	m.trends = nil
	if e.of != m.shown() || e.off.Load() {
		return
	}
	for i, s := range e.searches {
		if e.found[i] != nil {
			e.of.become(s.a, e.found[i])
		}
		s.a.lacks = lacksNothing
		m.section(s.a).stale = true
	}
}

// untold is written where something is lacking.
func (m *Model) untold() string { return m.looks.Glyph("…", "...") }
