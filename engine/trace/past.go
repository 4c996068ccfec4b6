package trace

import (
	"iter"
	"time"
)

// A Past is what is kept of a run, which may go on: enough to play it again.
type Past struct {
	Script    string
	Began     time.Time
	Snapshots iter.Seq[Snapshot] // by their time; of all that there were those that are kept
	Events    []*Event           // by their time: the last
	Status    Status             // as it was seen last
}

// Follow hands what is kept of a run to a sink and to observers, as Follow does with one
// that goes on, in the order of time.
func (p Past) Follow(to Sink, beside ...Observer) error {
	for _, o := range beside {
		o.Begin(p.Began)
	}
	left := p.Events
	upTo := func(until time.Time) error {
		var batch []Event
		for len(left) > 0 && !left[0].Time.After(until) {
			batch, left = append(batch, *left[0]), left[1:]
		}
		if batch == nil {
			return nil
		}
		return to.Events(batch)
	}
	var last Snapshot
	for s := range p.Snapshots {
		if err := upTo(p.Began.Add(s.Elapsed)); err != nil {
			return err
		}
		last = s
		for _, o := range beside {
			o.Snapshot(s)
		}
	}
	for len(left) > 0 { // their times need not ascend
		if err := upTo(left[0].Time); err != nil {
			return err
		}
	}
	for _, o := range beside {
		o.Status(p.Status)
	}
	return to.End(p.Status, last.Aggs)
}
