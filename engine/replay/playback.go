package replay

import (
	"errors"
	"fmt"
	"math"
	"sync"
	"time"

	"dscope.dev/engine/trace"
)

// A playback is a recorded run in progress. One goroutine reads the recording, ahead of
// time but by no more than memory for it is there; one for each kind of what it delivers
// waits until its moment has come.
type playback struct {
	rec    *recorded
	broken error // why nobody can tell whether the recording is what was recorded
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
	failed    chan error // receives why the run is not whole, nil if it is

	mu   sync.Mutex
	room *sync.Cond // signalled when held falls
	held uint64     // bytes of what is due
	over bool       // nobody will take what is due
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

func (p *Player) play(r *recorded) *playback {
	speed := p.Speed
	if speed <= 0 {
		speed = 1
	}
	b := &playback{
		rec: r, broken: p.broken, speed: speed, start: time.Now(),
		snaps: make(chan trace.Snapshot, 1), events: make(chan []trace.Event), status: make(chan trace.Status, 1),
		stop: make(chan struct{}), quit: make(chan struct{}),
		snapsDue: make(chan stamped[trace.Snapshot], ahead), eventsDue: make(chan stamped[[]trace.Event], eventsAhead),
		statusDue: make(chan stamped[trace.Status], ahead), failed: make(chan error, 1),
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

// read reads the run and hands out what it delivers. That it was read whole once before
// does not say that the file is still the same.
func (b *playback) read(p *Player) {
	defer close(b.snapsDue)
	defer close(b.eventsDue)
	defer close(b.statusDue)
	whole := false
	var known known
	err := p.lines(func(number int, line []byte) (bool, error) {
		if number <= b.rec.line {
			return true, nil
		}
		price := cost(line)
		if !b.take(price) {
			return false, nil
		}
		r, err := decode(line)
		if err != nil || r.Run != nil {
			return false, err
		}
		if err := known.check(r); err != nil {
			return false, err
		}
		known.learn(r)
		whole = r.End
		return !whole && b.hand(r, known, price), nil
	})
	switch {
	case p.broken != nil:
		b.failed <- p.broken
	case whole:
		b.failed <- nil
	case err != nil:
		b.failed <- fmt.Errorf("the recording was changed while it was played: %w", err)
	default:
		b.failed <- errors.New("the recording of this run has no end")
	}
}

// take waits until there is memory for a line; false means that Stop came first.
func (b *playback) take(price uint64) bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	for b.held > 0 && b.held+price > maxHeld && !b.over {
		b.room.Wait()
	}
	b.held += price
	return !b.over
}

// give gives the memory of a line back.
func (b *playback) give(price uint64) {
	b.mu.Lock()
	b.held -= price
	b.mu.Unlock()
	b.room.Signal()
}

// hand hands a record to those who deliver it; false means that Stop came first.
func (b *playback) hand(r *record, known known, price uint64) bool {
	at := time.Duration(r.At)
	switch {
	case r.Snapshot != nil:
		s := r.Snapshot.snapshot()
		known.tables(s.Aggs, r.Snapshot.Aggs)
		return give(b, b.snapsDue, stamped[trace.Snapshot]{at, price, s})
	case r.Events != nil:
		events := each(r.Events, wireEvent.event)
		known.events(events, r.Events)
		return give(b, b.eventsDue, stamped[[]trace.Event]{at, price, events})
	case r.Status != nil:
		return give(b, b.statusDue, stamped[trace.Status]{at, price, r.Status.status()})
	}
	b.give(price)
	return true
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
	left := time.Duration(float64(at)/b.speed) - time.Since(b.start)
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
			latestSnapshot(b.snaps, s.value)
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
		latest(b.status, last)
		b.give(s.cost)
	}
	if last.State == trace.Done || last.State == trace.Failed {
		return
	}
	last.State, last.Rate = trace.Done, 0
	if b.until(b.rec.length) {
		if err := <-b.failed; err != nil {
			last.State, last.Err = trace.Failed, err
		}
	}
	latest(b.status, last)
}

// latest replaces what waits in ch. There is one sender, so that the second
// send cannot block.
func latest[T any](ch chan T, v T) {
	select {
	case <-ch:
	default:
	}
	ch <- v
}
