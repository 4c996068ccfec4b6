package wire

import "time"

// Forward reads on to a moment of the run. What Next returns then is its beginning, its
// last state, its aggregations as they stood then, and what follows. The events before
// are left out, and snapshots are not made of what nobody sees.
func (r *Reader) Forward(to time.Duration) {
	var begin *Begin
	var status *Status
	var last *moment
	var rest any
	var failed error
	for rest == nil && failed == nil {
		part, err := r.message()
		if err == nil {
			if err = r.check(part); err != nil {
				err = r.damage(err)
			}
		}
		if err != nil {
			failed = err
			break
		}
		switch m := part.(type) {
		case *Begin:
			begin = m
		case *resume:
			begin, status = &m.Begin, m.Status
		case *Status:
			if m.At > to {
				rest = m
				break
			}
			status = m
		case *Events:
			if m.At > to {
				rest = m
			}
		case *rows, *change:
			failed = r.keepPart(part)
		case *moment:
			if m.At > to && !m.Again {
				rest = m
				break
			}
			if err := r.apply(m.Tables); err != nil {
				failed = r.damage(err)
			}
			last = m
		case *End:
			rest = m
		}
	}
	r.resumed = false
	if begin != nil {
		r.pending = append(r.pending, begin)
	}
	if status != nil {
		r.pending = append(r.pending, status)
	}
	if last != nil {
		s := &Snapshot{last.At, last.Snapshot}
		s.Snapshot.Aggs = r.merge.snapshot()
		if checkExamples(&s.Snapshot) != nil {
			s.Snapshot.Examples = nil
		}
		r.pending = append(r.pending, s)
	}
	if rest != nil {
		r.at = 0 // it is checked once more
		r.ended = false
		failed = r.take(rest)
	}
	r.failed = failed
}
