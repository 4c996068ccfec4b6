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
