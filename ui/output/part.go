package output

import (
	"fmt"
	"time"

	"dscope.dev/engine/trace"
)

// A part is the output of one run.
type part struct {
	run   int
	start time.Time
	first uint64 // line, behind the rule
	fired bool   // times are those of firing, and not those of reading
}

// mostParts is of how many runs it is known which lines are theirs.
const mostParts = 256

// Begin rules off what was printed so far and begins the output of a run. fired is whether its
// times are those at which it fired; else they are those at which it was read, some
// milliseconds later and many at once.
func (m *Model) Begin(run int, start time.Time, fired bool) {
	if m.ring.end() > 0 {
		m.ring.addNote(fmt.Sprintf("run %d", run), false, false)
	}
	m.parts = append(m.parts, part{run, start, m.ring.end(), fired})
	if len(m.parts) > mostParts {
		m.parts = m.parts[1:]
	}
	m.settle()
}

// partOf returns the part that line n is in, nil if that is not known.
func (m *Model) partOf(n uint64) *part {
	for i := len(m.parts) - 1; i >= 0; i-- {
		if m.parts[i].first <= n {
			return &m.parts[i]
		}
	}
	return nil
}

// span returns the part of a run and the lines from and up to which it is kept; nil if
// nothing is known of it.
func (m *Model) span(run int) (p *part, from, to uint64) {
	for i := range m.parts {
		if m.parts[i].run != run {
			continue
		}
		to = m.ring.end()
		if i+1 < len(m.parts) {
			to = max(m.parts[i+1].first, 1) - 1 // without the rule of the next run
		}
		return &m.parts[i], max(m.parts[i].first, m.ring.begin()), to
	}
	return nil, 0, 0
}

// ShowUntil shows what a run had printed when it had lasted elapsed, and holds it.
func (m *Model) ShowUntil(run int, elapsed time.Duration) {
	p, from, to := m.span(run)
	if p == nil || m.ring.begin() == m.ring.end() { // there is nothing to hold
		return
	}
	m.held = nil
	m.cursor, m.follow = m.ring.until(p.start.Add(elapsed), from, to), false
	m.settle()
}

// Events returns what a run has printed, as much as is kept.
func (m *Model) Events(run int) (list []*trace.Event) {
	p, from, to := m.span(run)
	if p == nil {
		return nil
	}
	for i := range m.ring.entries[m.ring.head:] {
		if e := &m.ring.entries[m.ring.head+i]; e.event != nil && e.first >= from && e.first < to {
			list = append(list, e.own())
		}
	}
	return list
}
