package replay

import (
	"errors"
	"io"
	"math"
	"sync"
	"time"

	"dscope.dev/engine/trace"
	"dscope.dev/engine/wire"
)

// A playback is a recorded run in progress. One goroutine reads the recording, ahead of
// time but by no more than memory for it is there; one for each kind of what it delivers
// waits until its moment has come.
type playback struct {
	rec    *recorded
	broken error // why the run is not there to its end
	from   time.Duration
	speed  float64
	start  time.Time
	snaps  chan trace.Snapshot
	events chan []trace.Event
	status chan trace.Status
	stop   chan struct{} // closed by Stop: deliver no more, end properly
	quit   chan struct{} // closed by Close: nobody reads any more
	stops  sync.Once
	quits  sync.Once
	wait   sync.WaitGroup

	snapsDue  chan stamped[trace.Snapshot]
	eventsDue chan stamped[[]trace.Event]
	statusDue chan stamped[trace.Status]
	failed    chan reached

	mu   sync.Mutex
	room *sync.Cond // signalled when held falls
	held uint64     // bytes of what is due
	over bool       // nobody will take what is due
}

// A reached says how far a run could be read, and why no further; nil if that is its end.
type reached struct {
	at  time.Duration
	err error
}

// A stamped is a value, when it was delivered, since the start of its run, and the memory
// that is given back with it.
type stamped[T any] struct {
	at    time.Duration
	cost  uint64
	value T
}

// Of how many snapshots and states the reader is ahead, and of how many batches of
// events. Who takes no events holds up the rest once so many wait.
const (
	ahead       = 64
	eventsAhead = 4096
)

func (p *Player) play(r *recorded, from time.Duration) *playback {
	speed := p.Speed
	if speed <= 0 {
		speed = 1
	}
	b := &playback{
		rec: r, from: max(from, r.from), speed: speed, start: time.Now(),
		snaps: make(chan trace.Snapshot, 1), events: make(chan []trace.Event), status: make(chan trace.Status, 1),
		stop: make(chan struct{}), quit: make(chan struct{}),
		snapsDue: make(chan stamped[trace.Snapshot], ahead), eventsDue: make(chan stamped[[]trace.Event], eventsAhead),
		statusDue: make(chan stamped[trace.Status], ahead), failed: make(chan reached, 1),
	}
	if !r.whole {
		b.broken = p.broken
	}
	b.room = sync.NewCond(&b.mu)
	b.wait.Go(func() { b.read(p) })
	b.wait.Go(b.playSnapshots)
	b.wait.Go(b.playEvents)
	b.wait.Go(b.playStatus)
	return b
}

func (b *playback) Began() time.Time                 { return b.rec.start }
func (b *playback) Snapshots() <-chan trace.Snapshot { return b.snaps }
func (b *playback) Events() <-chan []trace.Event     { return b.events }
func (b *playback) Status() <-chan trace.Status      { return b.status }

// Stop ends the playback where it is.
func (b *playback) Stop() {
	b.stops.Do(func() {
		close(b.stop)
		b.mu.Lock()
		b.over = true
		b.mu.Unlock()
		b.room.Broadcast()
	})
}

// Close ends the playback and waits until it has ended.
func (b *playback) Close() error {
	b.Stop()
	b.quits.Do(func() { close(b.quit) })
	b.wait.Wait()
	return nil
}

// read reads the run and hands out what it delivers.
func (b *playback) read(p *Player) {
	defer close(b.snapsDue)
	defer close(b.eventsDue)
	defer close(b.statusDue)
	at, err := b.readAll(p)
	var damage *wire.DamageError
	switch {
	case err == nil:
	case errors.As(err, &damage):
		err = broken(err)
	case b.broken != nil:
		err = b.broken
	case err == io.EOF:
		err = errors.New("the recording of this run has no end")
	default:
		err = broken(err)
	}
	b.failed <- reached{at, err}
}

// readAll reads from the last key frame before the moment at which the playback begins.
func (b *playback) readAll(p *Player) (at time.Duration, err error) {
	in, err := wire.NewReader(p.section(0), wire.Limits{})
	if err != nil {
		return 0, err
	}
	defer in.Close()
	key := b.rec.keyBefore(b.from)
	in.Resume(p.section(key.Offset), key.Offset)
	if b.from > b.rec.from {
		in.Forward(b.from)
	}
	for {
		m, err := in.Next()
		if err != nil {
			return at, err
		}
		if !b.take(in.Cost()) {
			return at, nil
		}
		switch m := m.(type) {
		case *wire.End:
			return m.At, nil
		case *wire.Begin:
			b.give(in.Cost())
		case *wire.Snapshot:
			at = max(at, m.At)
			if !give(b, b.snapsDue, stamped[trace.Snapshot]{m.At, in.Cost(), m.Snapshot}) {
				return at, nil
			}
		case *wire.Events:
			at = max(at, m.At)
			if !give(b, b.eventsDue, stamped[[]trace.Event]{m.At, in.Cost(), m.List}) {
				return at, nil
			}
		case *wire.Status:
			at = max(at, m.At)
			if !give(b, b.statusDue, stamped[trace.Status]{m.At, in.Cost(), m.Status}) {
				return at, nil
			}
		}
	}
}

// take waits until there is memory for a message; false means that Stop came first.
func (b *playback) take(price uint64) bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	for b.held > 0 && b.held+price > maxHeld && !b.over {
		b.room.Wait()
	}
	b.held += price
	return !b.over
}

// give gives the memory of a message back.
func (b *playback) give(price uint64) {
	b.mu.Lock()
	b.held -= price
	b.mu.Unlock()
	b.room.Signal()
}

// give delivers a value; false means that Stop came first.
func give[T any](b *playback, due chan<- T, v T) bool {
	select {
	case due <- v:
		return true
	case <-b.stop:
		return false
	}
}

// until waits for a moment of the recording; false means that Stop came first.
func (b *playback) until(at time.Duration) bool {
	left := time.Duration(float64(at-b.from)/b.speed) - time.Since(b.start)
	if left <= 0 {
		select {
		case <-b.stop:
			return false
		default:
			return true
		}
	}
	t := time.NewTimer(left)
	defer t.Stop()
	select {
	case <-t.C:
		return true
	case <-b.stop:
		return false
	}
}

func (b *playback) playSnapshots() {
	defer close(b.snaps)
	for s := range b.snapsDue {
		if !b.until(s.at) {
			return
		}
		if !math.IsInf(b.speed, 1) {
			wire.LatestSnapshot(b.snaps, s.value)
		} else if !give(b, b.snaps, s.value) {
			return
		}
		b.give(s.cost)
	}
}

func (b *playback) playEvents() {
	defer close(b.events)
	for e := range b.eventsDue {
		if !b.until(e.at) {
			return
		}
		select {
		case b.events <- e.value:
		case <-b.quit:
			return
		}
		b.give(e.cost)
	}
}

// playStatus ends with a final state whatever happens.
func (b *playback) playStatus() {
	defer close(b.status)
	var last trace.Status
	for s := range b.statusDue {
		if !b.until(s.at) {
			break
		}
		last = s.value
		if b.broken != nil && last.State == trace.Done {
			last.State, last.Err = trace.Failed, b.broken
		}
		wire.Latest(b.status, last)
		b.give(s.cost)
	}
	if last.State == trace.Done || last.State == trace.Failed {
		return
	}
	last.State, last.Rate = trace.Done, 0
	select {
	case r := <-b.failed:
		if b.until(r.at) && r.err != nil {
			last.State, last.Err = trace.Failed, r.err
		}
	case <-b.stop:
	}
	wire.Latest(b.status, last)
}
