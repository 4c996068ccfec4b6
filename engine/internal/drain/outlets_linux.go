package drain

import "dscope.dev/engine/trace"

// Outlets are the channels of a run, to which the drain sends.
type Outlets struct {
	Snapshots chan trace.Snapshot
	Events    chan []trace.Event
	Status    chan trace.Status
	abandon   <-chan struct{} // closed when nobody reads any more
}

// queued is how many batches of events may wait for a slow reader. When they
// are full, records stay in the kernel's buffers, which count what they lose.
const queued = 64

// NewOutlets returns those of a run whose reader closes abandon.
func NewOutlets(abandon <-chan struct{}) Outlets {
	return Outlets{
		Snapshots: make(chan trace.Snapshot, 1),
		Events:    make(chan []trace.Event, queued),
		Status:    make(chan trace.Status, 1),
		abandon:   abandon,
	}
}

// Shut tells the readers that no more comes.
func (o Outlets) Shut() {
	close(o.Events)
	close(o.Snapshots)
	close(o.Status)
}
