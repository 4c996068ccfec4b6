package wire

import (
	"context"
	"fmt"
	"io"
	"sync"
	"time"

	"dscope.dev/engine/trace"
)

// Send writes a run to a stream for a reader that is there now, such as one behind a
// socket: what is known is flushed whenever there is no more. If writing fails the run is
// stopped and read to its end. If ctx ends the run is stopped and written to its end.
func Send(ctx context.Context, w *Writer, b *Begin, run trace.Run) error {
	stop := context.AfterFunc(ctx, run.Stop)
	defer stop()
	q := NewQueue(0)
	go q.Fill(run)
	failed := w.Write(b)
	for {
		m, more := q.Next(context.Background()) // the run ends, and so does this
		if !more {
			return failed
		}
		if failed == nil {
			failed = w.Write(m)
		}
		if failed == nil && q.Empty() {
			failed = w.Flush()
		}
		if failed != nil {
			run.Stop()
		}
	}
}

// A Received is a run that happens elsewhere.
type Received struct {
	from   *Reader
	begin  *Begin
	ask    func() error
	leave  func() error
	snaps  chan trace.Snapshot
	events chan []trace.Event
	status chan trace.Status
	quit   chan struct{}
	quits  sync.Once
	ended  chan struct{}
	err    error // of leave
}

// Receive reads the run that has begun. Ask asks the other side to stop it, leave gives up
// the stream, so that whoever waits to read from it returns.
func Receive(from *Reader, b *Begin, ask, leave func() error) *Received {
	r := &Received{
		from: from, begin: b, ask: ask, leave: leave,
		snaps: make(chan trace.Snapshot, 1), events: make(chan []trace.Event), status: make(chan trace.Status, 1),
		quit: make(chan struct{}), ended: make(chan struct{}),
	}
	go r.read()
	return r
}

// Began is when the run began, by the clock of the other side.
func (r *Received) Began() time.Time { return r.begin.Began }

// Snapshots delivers the state of the aggregations.
func (r *Received) Snapshots() <-chan trace.Snapshot { return r.snaps }

// Events delivers what was recorded. While nobody takes it the stream is not read, and what
// the other side cannot send it counts.
func (r *Received) Events() <-chan []trace.Event { return r.events }

// Status delivers the state of the run. A stream that breaks off ends it as Failed.
func (r *Received) Status() <-chan trace.Status { return r.status }

// Stop asks the other side to end the run.
func (r *Received) Stop() { _ = r.ask() } // where that cannot be asked the stream breaks off, which says it

// Close stops the run, gives up the stream and waits until nothing is read any more.
func (r *Received) Close() error {
	r.quits.Do(func() {
		r.Stop()
		close(r.quit)
		r.err = r.leave()
	})
	<-r.ended
	return r.err
}

func (r *Received) read() {
	defer close(r.ended)
	defer close(r.status)
	defer close(r.events)
	defer close(r.snaps)
	var last trace.Status
	for {
		m, err := r.from.Next()
		if err != nil {
			last.State, last.Err = trace.Failed, fmt.Errorf("the run elsewhere was lost: %w", noEnd(err))
			Latest(r.status, last)
			return
		}
		switch m := m.(type) {
		case *Snapshot:
			LatestSnapshot(r.snaps, m.Snapshot)
		case *Status:
			last = m.Status
			Latest(r.status, last)
		case *Events:
			select {
			case r.events <- m.List:
			case <-r.quit:
				return
			}
		case *End:
			return
		}
	}
}

// noEnd is what is wrong with a stream that ends within a run.
func noEnd(err error) error {
	if err == io.EOF {
		return io.ErrUnexpectedEOF
	}
	return err
}

// Latest replaces what waits in a channel of one. There is one sender, so that the second
// send cannot block.
func Latest[T any](ch chan T, v T) {
	select {
	case <-ch:
	default:
	}
	ch <- v
}

// LatestSnapshot does so with a snapshot, which gets the examples of the one that it
// replaces.
func LatestSnapshot(ch chan trace.Snapshot, s trace.Snapshot) {
	select {
	case skipped := <-ch:
		s.Examples = Merge(skipped.Examples, s.Examples)
	default:
	}
	ch <- s
}
