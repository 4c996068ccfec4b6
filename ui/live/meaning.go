package live

import (
	"time"

	tea "github.com/charmbracelet/bubbletea"

	"dscope.dev/engine/trace"
	"dscope.dev/ui/flow"
	"dscope.dev/ui/timeline"
	"dscope.dev/ui/widget"
)

// A meaning is what values say: what has come in a stretch of the run that ends at the moment
// that is shown. Least, greatest, average and deviation are no amounts and stay those of the
// whole run; of them only how often they were fed follows.
type meaning uint8

const (
	sinceStart   meaning = iota // as the script has it: since the start, or since it was cleared
	lastInterval                // since the frame before
	sinceMark                   // since the last mark before the moment
	meanings
)

// toMeaning goes on to the next meaning of values.
func (m *Model) toMeaning() tea.Cmd {
	m.meaning = (m.meaning + 1) % meanings
	m.arrange()
	return nil
}

// Marked takes notice that marks have been set or taken away.
func (m *Model) Marked() { m.arrange() }

// mark returns the last mark before the moment that is shown.
func (m *Model) mark() (at time.Duration, ok bool) {
	for _, mark := range m.told().line.Marks() {
		if mark < m.shown().elapsed {
			at, ok = mark, true
		}
	}
	return at, ok
}

// readSince is how many rows of earlier frames are added up since a mark: 3 to 6 ms.
const readSince = 8_000

// weigh gives all values of an aggregation of the moment their meaning.
func (m *Model) weigh(a *agg) {
	how := m.meaning
	if a.adds = a.adds && how == sinceMark; how == sinceMark {
		mark, ok := m.mark()
		if !ok {
			a.adds, how = false, sinceStart
		} else if !a.adds || a.base != mark {
			a.addSince(m.told().line, mark, m.shown().elapsed, m.work(readSince))
		}
	}
	a.weigh(how)
}

// meaningText is how the title of an aggregation says what its values mean.
func (m *Model) meaningText(a *agg) string {
	if m.meaning == sinceStart {
		return ""
	}
	mark, ok := m.mark()
	switch {
	case m.meaning == sinceMark && !ok:
		return " no mark before: since the start"
	case !a.fn.AddsUp():
		return " since the start"
	case m.meaning == sinceMark:
		return " since mark at " + widget.Elapsed(mark)
	}
	b := m.shown()
	return " last " + (b.elapsed - b.last).Round(10*time.Millisecond).String()
}

// An amount is what came into a key.
type amount struct {
	n       int64
	buckets []trace.Bucket
}

// addSince begins to add up what comes, with what has come from a mark up to now as far as
// frames tell that are kept. What the script clears is no longer there but has come; what it
// truncates is forgotten with its key.
func (a *agg) addSince(line *timeline.Timeline, mark, now time.Duration, work int) {
	a.base, a.adds = mark, true
	from, to := line.Find(mark), line.Find(now)
	past, step := &book{}, max((to-from)*len(a.rows)/work, 1)
	if r := line.Reader(a.name, a.fn); r != nil {
		past.takeOf(r, line.Frame(from))
		past.adds = true
		for _, then := range past.aggs {
			then.adds = true
		}
		for i := from + 1; i <= to; {
			past.takeOf(r, line.Frame(i))
			if i == to {
				break
			}
			i = min(i+step, to)
		}
	}
	then := past.find(a.name, a.fn)
	for id, s := range a.rows {
		s.since = amount{}
		if then != nil && then.rows[id] != nil {
			s.since = then.rows[id].since
		}
	}
}

// weigh gives the values of a their meaning, and their bars a scale.
func (a *agg) weigh(how meaning) {
	a.scale = 0
	for _, s := range a.rows {
		s.how, s.most = how, 0
		s.value, s.count, s.buckets = s.sum, s.fed, s.sums
		switch how {
		case sinceStart:
			s.most = s.axis.Max
		case lastInterval:
			s.own = flow.AppendSince(s.own[:0], s.sums, s.was)
			s.mean(a, s.delta, s.own)
			s.most = s.burst
		case sinceMark:
			s.mean(a, s.since.n, s.since.buckets)
		}
		for _, b := range s.buckets {
			s.most = max(s.most, magnitude(b.Count))
		}
		a.scale = max(a.scale, magnitude(s.value))
	}
	switch how {
	case sinceStart:
		a.scale = max(a.scale, a.peak)
	case lastInterval:
		a.scale = max(a.scale, a.burst)
	}
}

// mean makes n what is shown of a key.
func (s *series) mean(a *agg, n int64, buckets []trace.Bucket) {
	if a.fn.AddsUp() {
		s.value, s.buckets = n, buckets
		return
	}
	s.count = uint64(max(n, 0))
}

// fresh returns what came into a bucket in the last interval, for the second tone of bars;
// nil where that is all that they show.
func (s *series) fresh() func(trace.Bucket) int64 {
	if s.how == lastInterval {
		return nil
	}
	return s.came
}
