package wire

import (
	"context"
	"slices"
	"sync"
	"time"
	"unsafe"

	"dscope.dev/engine/trace"
)

// A Queue lies between a run, which must never wait, and a writer, which may: for a disk,
// or for a reader far away. It is bounded. While the writer keeps up it gets all that was
// delivered, in order. Of one that does not, snapshots are merged into the latest, states
// into the latest of their kind, and events that find no room are thrown away and counted:
// the writer is told of them in an event of kind DropEvent where they would have been, and
// each state that follows has them among its drops.
type Queue struct {
	mu      sync.Mutex
	list    []Message
	bytes   int    // of events that wait
	snaps   int    // snapshots that wait
	states  int    // states that wait
	lost    uint64 // events that no DropEvent has told of yet
	total   uint64 // events
	limit   int
	ended   bool
	arrived chan struct{} // has something if list may have become longer
}

// Of how many snapshots and states a writer may be late before they are merged, how much
// memory events may take that wait, and how many examples a merged snapshot keeps.
const (
	waiting   = 16
	roomy     = 64 << 20
	maxMerged = 20_000
)

// NewQueue returns a queue for events of so many bytes; 0 is 64 MiB.
func NewQueue(bytes int) *Queue {
	if bytes <= 0 {
		bytes = roomy
	}
	return &Queue{limit: bytes, arrived: make(chan struct{}, 1)}
}

// Fill puts all that a run delivers into the queue, and then an End. It never waits for
// the writer.
func (q *Queue) Fill(run trace.Run) {
	start := run.Began()
	snaps, events, status := run.Snapshots(), run.Events(), run.Status()
	for snaps != nil || events != nil || status != nil {
		select {
		case s, ok := <-snaps:
			if !ok {
				snaps = nil
				continue
			}
			q.Put(&Snapshot{since(start), s})
		case e, ok := <-events:
			if !ok {
				events = nil
				continue
			}
			q.Put(&Events{since(start), e})
		case s, ok := <-status:
			if !ok {
				status = nil
				continue
			}
			q.Put(&Status{since(start), s})
		}
	}
	q.Put(&End{At: since(start)})
}

// since returns how long ago start was, at least a nanosecond.
func since(start time.Time) time.Duration { return max(time.Since(start), 1) }

// Put adds a message. It does not wait.
func (q *Queue) Put(m Message) {
	q.mu.Lock()
	defer q.mu.Unlock()
	switch m := m.(type) {
	case *Events:
		q.events(m)
	case *Snapshot:
		q.snapshot(m)
	case *Status:
		q.status(m)
	case *End:
		q.tell(m.At)
		q.list = append(q.list, m)
		q.ended = true
	default:
		q.list = append(q.list, m)
	}
	select {
	case q.arrived <- struct{}{}:
	default:
	}
}

func (q *Queue) events(m *Events) {
	size := eventsSize(m.List)
	if q.bytes > 0 && q.bytes+size > q.limit {
		n := uint64(trace.Firings(m.List))
		q.lost += n
		q.total += n
		return
	}
	q.tell(m.At)
	q.bytes += size
	q.list = append(q.list, m)
}

// tell tells of the events that were thrown away.
func (q *Queue) tell(at time.Duration) {
	if q.lost == 0 {
		return
	}
	drop := trace.Event{Kind: trace.DropEvent, Time: time.Now(), Drop: trace.Drop{Kind: trace.DropReader, CPU: -1, Count: q.lost}}
	q.list = append(q.list, &Events{at, []trace.Event{drop}})
	q.lost = 0
}

func (q *Queue) snapshot(m *Snapshot) {
	if q.snaps++; q.snaps > waiting {
		i := lastOf[*Snapshot](q.list)
		s := *m
		s.Snapshot.Examples = Merge(q.list[i].(*Snapshot).Snapshot.Examples, m.Snapshot.Examples)
		q.list = slices.Delete(q.list, i, i+1)
		q.snaps--
		m = &s
	}
	q.list = append(q.list, m)
}

// Merge returns the examples of two snapshots of which a reader gets the second. A reader
// may skip states, but what happened in an interval is told once. Of a reader that takes
// none for long, the oldest are lost.
func Merge(skipped, now []trace.Example) []trace.Example {
	if len(skipped) == 0 {
		return now
	}
	all := slices.Concat(skipped, now)
	return all[max(len(all)-maxMerged, 0):]
}

func (q *Queue) status(m *Status) {
	if q.total > 0 {
		s := *m
		s.Status.Drops = append(slices.Clone(m.Status.Drops), trace.Drop{Kind: trace.DropReader, CPU: -1, Count: q.total})
		m = &s
	}
	if q.states++; q.states > waiting {
		if i := lastOf[*Status](q.list); q.list[i].(*Status).Status.State == m.Status.State {
			q.list = slices.Delete(q.list, i, i+1)
			q.states--
		}
	}
	q.list = append(q.list, m)
}

// lastOf returns where the last message of a type is, of which there is one.
func lastOf[T Message](list []Message) int {
	for i, m := range slices.Backward(list) {
		if _, ok := m.(T); ok {
			return i
		}
	}
	return 0
}

// eventsSize returns about how many bytes of memory events take.
func eventsSize(list []trace.Event) int {
	n := len(list) * int(unsafe.Sizeof(trace.Event{}))
	for i := range list {
		if p := list[i].Prints; p != nil {
			n += cap(p.Text) + cap(p.List)*int(unsafe.Sizeof(trace.Print{}))
		}
		for j := range list[i].Items {
			it := &list[i].Items[j]
			n += int(unsafe.Sizeof(trace.Item{})) + len(it.Text) + len(it.Value.Str) + len(it.Value.Frames)*int(unsafe.Sizeof(trace.Frame{}))
			if it.Rare == nil {
				continue
			}
			n += len(it.Rare.Output) + len(it.Rare.Args)*int(unsafe.Sizeof(trace.Value{}))
			for k := range it.Rare.Tables {
				n += len(it.Rare.Tables[k].Rows) * int(rowSize)
			}
			if it.Rare.Packet != nil {
				n += len(it.Rare.Packet.Data)
			}
		}
	}
	return n
}

// Next returns the next message, which it waits for; false after the End, or if ctx ends.
func (q *Queue) Next(ctx context.Context) (Message, bool) {
	for {
		if m, more := q.take(); m != nil || !more {
			return m, more
		}
		select {
		case <-q.arrived:
		case <-ctx.Done():
			return nil, false
		}
	}
}

// Empty reports whether nothing waits: it is time to flush.
func (q *Queue) Empty() bool {
	q.mu.Lock()
	defer q.mu.Unlock()
	return len(q.list) == 0
}

func (q *Queue) take() (m Message, more bool) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if len(q.list) == 0 {
		return nil, !q.ended
	}
	m = q.list[0]
	q.list[0] = nil
	q.list = q.list[1:]
	switch m := m.(type) {
	case *Events:
		q.bytes = max(q.bytes-eventsSize(m.List), 0)
	case *Snapshot:
		q.snaps--
	case *Status:
		q.states--
	}
	return m, true
}
