package trace

// A Sink takes what a run delivers.
type Sink interface {
	// Events takes a batch of events. An error stops the run.
	Events(batch []Event) error

	// End is called once, after the last batch, with the last status and the
	// aggregations as they stood at the end, however the run ended, unless Events
	// has failed.
	End(status Status, aggs []Table) error
}

// Follow hands a run to a sink until it has ended, and returns its last status. If
// the sink fails it stops the run and returns the error.
func Follow(run Run, to Sink) (Status, error) {
	var last Snapshot
	var status Status
	var failed error
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
		case s, ok := <-states:
			if !ok {
				states = nil
				break
			}
			status = s
		}
	}
	if failed == nil {
		failed = to.End(status, last.Aggs)
	}
	return status, failed
}
