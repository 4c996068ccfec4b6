package trace

import "time"

// A Sink takes what a run delivers.
type Sink interface {
	// Events takes a batch of events. An error stops the run.
	Events(batch []Event) error

	// End is called once, after the last batch, with the last status and the
	// aggregations as they stood at the end, however the run ended, unless Events
	// has failed.
	End(status Status, aggs []Table) error
}

// An Observer is shown how a run comes along: every snapshot and every state that its
// reader is in time for, the last of either always. It may not hold up the run: what
// takes time it does elsewhere, and what goes wrong there is no fault of the run.
type Observer interface {
	// Begin is called before all else. A second call is that another run has taken the
	// place of the one before.
	Begin(began time.Time)
	Snapshot(s Snapshot)
	Status(s Status)
}

// Follow hands a run to a sink until it has ended, and returns its last status. If
// the sink fails it stops the run and returns the error. Observers are shown snapshots
// and states as they come, all before the sink's End.
func Follow(run Run, to Sink, beside ...Observer) (Status, error) {
	var last Snapshot
	var status Status
	var failed error
	for _, o := range beside {
		o.Begin(run.Began())
	}
	events, snaps, states := run.Events(), run.Snapshots(), run.Status()
	for events != nil || snaps != nil || states != nil {
		select {
		case batch, ok := <-events:
			if !ok {
				events = nil
				break
			}
			if failed != nil {
				break
			}
			if failed = to.Events(batch); failed != nil {
				run.Stop()
			}
		case s, ok := <-snaps:
			if !ok {
				snaps = nil
				break
			}
			last = s
			for _, o := range beside {
				o.Snapshot(s)
			}
		case s, ok := <-states:
			if !ok {
				states = nil
				break
			}
			status = s
			for _, o := range beside {
				o.Status(s)
			}
		}
	}
	if failed == nil {
		failed = to.End(status, last.Aggs)
	}
	return status, failed
}
