package live

import (
	"dscope.dev/engine/trace"
	"dscope.dev/ui/timeline"
)

// A reader reads frames of a timeline for one picture: each once, however many keys ask for
// it, and no more rows than may be read at once.
type reader struct {
	line *timeline.Timeline
	left int // rows
	have map[int]trace.Snapshot
}

// reader returns one for the run that is shown.
func (m *Model) reader() *reader {
	return &reader{line: m.told().line, left: work, have: map[int]trace.Snapshot{}}
}

// at returns frame i, of which an aggregation of so many rows is looked at; false if it has to
// wait for the next picture.
func (r *reader) at(i, rows int) (s trace.Snapshot, ok bool) {
	if s, ok = r.have[i]; ok {
		return s, true
	}
	if r.left <= 0 {
		return s, false
	}
	r.left -= max(rows, 100)
	s = r.line.At(i)
	r.have[i] = s
	return s, true
}
