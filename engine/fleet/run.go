package fleet

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"time"

	"dscope.dev/engine/trace"
	"dscope.dev/engine/wire"
)

// How a run goes about it.
const (
	pace    = 250 * time.Millisecond // between looks at what has come
	settle  = 500 * time.Millisecond // without a new host, all are known that are there
	meeting = 3 * time.Second        // but no longer than this
	waiting = 30 * time.Second       // until each host has answered, when a run begins
	leaving = 10 * time.Second       // of silence, of a host that was asked to end
	lasting = time.Minute            // until each host has ended that speaks meanwhile
	share   = 2                      // merging takes one part in so many of the time at most
	dead    = 30 * time.Second       // without a word, a host is taken for dead
)

// A Run is one script on many hosts. It is a trace.Run.
type Run struct {
	asking Question
	meant  Selector
	merge  *Merge
	began  time.Time

	snaps  chan trace.Snapshot
	events chan []trace.Event
	status chan trace.Status
	late   *wire.Queue // events that nobody has taken yet

	cards   chan Card
	updates chan update
	begun   chan error // what is told to whoever starts it
	calls   map[string]call
	count   int // of calls
	cancel  func()

	quit      chan struct{}
	stop      chan struct{}
	ended     chan struct{}
	delivered chan struct{} // nobody waits for events any more
	quits     sync.Once
	stops     sync.Once
}

// A call is a run on a host.
type call struct {
	Call
	id   int
	card Card
	gone bool // it was given up
}

// An update is one of a call.
type update struct {
	id int
	Update
}

// ErrNobody is that no host is meant by a selector, or none is there.
var ErrNobody = errors.New("no host of the fleet is meant by it, or none is there")

// Start runs a script on all hosts that are meant, on those too that come later. It returns
// when each of those that are there has begun or refused, or has not answered in time; an
// error if none has begun. Ctx bounds the start alone.
func Start(ctx context.Context, net Network, meant Selector, s trace.Script, o Options) (*Run, error) {
	asking, err := net.Open(s)
	if err != nil {
		return nil, err
	}
	now := time.Now()
	r := &Run{asking: asking, meant: meant, merge: NewMerge(now, o), began: now,
		snaps: make(chan trace.Snapshot, 1), events: make(chan []trace.Event), status: make(chan trace.Status, 1),
		late: wire.NewQueue(0), cards: make(chan Card, 64), updates: make(chan update, 64), begun: make(chan error, 1),
		calls: map[string]call{}, quit: make(chan struct{}), stop: make(chan struct{}), ended: make(chan struct{}), delivered: make(chan struct{})}
	watching, cancel := context.WithCancel(context.Background())
	r.cancel = cancel
	found := make(chan Card)
	go net.Watch(watching, func(c Card) {
		select {
		case found <- c:
		case <-watching.Done():
		}
	})
	go r.meet(watching, found)
	go r.deliver()
	go r.loop()
	select {
	case err := <-r.begun:
		if err != nil {
			r.Close()
			return nil, err
		}
		return r, nil
	case <-ctx.Done():
		r.Close()
		return nil, &GivenUpError{r.merge.Unanswered(), ctx.Err()}
	}
}

// meet hands hosts on without end, so that whoever finds them never waits for the run.
func (r *Run) meet(ctx context.Context, found <-chan Card) {
	var list []Card
	for {
		var to chan<- Card
		var first Card
		if len(list) > 0 {
			to, first = r.cards, list[0]
		}
		select {
		case c := <-found:
			list = append(list, c)
		case to <- first:
			list = list[1:]
		case <-ctx.Done():
			return
		}
	}
}

// Began returns when the run began.
func (r *Run) Began() time.Time { return r.began }

// Snapshots delivers the aggregations of all hosts.
func (r *Run) Snapshots() <-chan trace.Snapshot { return r.snaps }

// Events delivers what was recorded, by time.
func (r *Run) Events() <-chan []trace.Event { return r.events }

// Status delivers the state of the run.
func (r *Run) Status() <-chan trace.Status { return r.status }

// Stop asks all hosts to end it.
func (r *Run) Stop() { r.stops.Do(func() { close(r.stop) }) }

// Close ends it on all hosts.
func (r *Run) Close() error {
	r.quits.Do(func() { close(r.quit) })
	<-r.ended
	return nil // what went wrong the last status has told
}

// deliver hands events over as they are taken.
func (r *Run) deliver() {
	defer close(r.delivered)
	defer close(r.events)
	for {
		m, more := r.late.Next(context.Background()) // the run puts an end to it
		if !more {
			return
		}
		if e, ok := m.(*wire.Events); ok {
			select {
			case r.events <- e.List:
			case <-r.quit:
				return
			}
		}
	}
}

// loop is the run.
func (r *Run) loop() {
	defer close(r.ended)
	defer func() {
		r.cancel()
		r.asking.Close()
	}()
	tick := time.NewTimer(pace)
	defer tick.Stop()
	starting, changed := true, false
	newest := r.began // when the last host came
	stop := r.stop
	silence := dead
	var leave, last <-chan time.Time
	for {
		select {
		case c := <-r.cards:
			if stop != nil && r.ask(c) {
				newest = time.Now()
			}
		case u := <-r.updates:
			c := r.calls[u.Host]
			if c.id != u.id {
				break
			}
			changed = changed || isData(u.Update)
			if u.Dropped == nil {
				r.merge.Put(u.Update, time.Now())
				break
			}
			r.give(u.Host, u.Dropped.Error())
			if stop != nil {
				r.ask(c.card)
			}
		case <-stop:
			stop = nil
			leave, last = time.After(leaving), time.After(lasting)
			for _, c := range r.calls {
				c.Stop()
			}
		case <-leave: // a slow host that is heard is on its way, and the last of it is yet to come
			silence = leaving
		case <-last:
			for name := range r.calls {
				r.give(name, "it did not end in time")
			}
		case <-r.quit:
			r.finish()
			return
		case <-tick.C:
			now := time.Now()
			for _, name := range r.merge.Silent(now, silence) {
				r.give(name, fmt.Sprintf("nothing has come of it for %v", silence))
			}
			took := r.publish(now, changed)
			changed = false
			tick.Reset(max(pace, share*took))
			if starting {
				starting = !r.started(now, newest)
				break
			}
			if over, _ := r.merge.Over(); over {
				r.finish()
				return
			}
		}
	}
}

// ask asks a host that is meant and has not been asked, and reports whether it did.
func (r *Run) ask(c Card) bool {
	known, asked := r.calls[c.Name]
	if !r.meant.Match(&c) || asked && known.card.Instance == c.Instance && !known.gone {
		return false
	}
	if asked {
		r.give(c.Name, "it has been started again")
	}
	r.merge.Asked(c, time.Now())
	r.count++
	id := r.count
	r.calls[c.Name] = call{id: id, card: c, Call: r.asking.Ask(c, func(u Update) {
		u.Host = c.Name
		select {
		case r.updates <- update{id, u}:
		case <-r.ended:
		}
	})}
	return true
}

// give gives a host up.
func (r *Run) give(name, why string) {
	c := r.calls[name]
	if !c.gone {
		c.Close()
		c.gone = true
		r.calls[name] = c
	}
	r.merge.Gone(name, why, time.Now())
}

func isData(u Update) bool { return u.Message != nil || u.Err != nil || u.Lost > 0 }

// started reports whether the start is over, and tells whoever waits for it.
func (r *Run) started(now, newest time.Time) bool {
	if met := now.Sub(r.began); met < meeting && (now.Sub(newest) < settle || len(r.calls) == 0) {
		return false
	}
	if len(r.calls) == 0 {
		r.begun <- ErrNobody
		return true
	}
	pending := len(r.merge.Unanswered())
	_, any := r.merge.Over()
	if pending > 0 && now.Sub(r.began) < waiting {
		return false
	}
	switch refused := r.merge.Refusals(); {
	case any:
		r.begun <- nil
	case len(refused) > 0:
		r.begun <- &RefusedError{refused}
	default:
		r.begun <- fmt.Errorf("none of %d hosts has answered", pending)
	}
	return true
}

// publish hands out what there is, and returns how long merging took.
func (r *Run) publish(now time.Time, changed bool) time.Duration {
	if changed {
		wire.LatestSnapshot(r.snaps, r.merge.Snapshot(now))
	}
	took := time.Since(now)
	status := r.merge.Status(now)
	r.put(r.merge.Events(now, false))
	wire.Latest(r.status, status)
	return took
}

func (r *Run) put(list []trace.Event) {
	if len(list) > 0 {
		r.late.Put(&wire.Events{At: max(time.Since(r.began), 1), List: list})
	}
}

// finish hands out the last of everything. The last status follows the last events.
func (r *Run) finish() {
	now := time.Now()
	wire.LatestSnapshot(r.snaps, r.merge.Snapshot(now))
	status := r.merge.Status(now)
	r.put(r.merge.Events(now, true))
	r.late.Put(&wire.End{At: max(time.Since(r.began), 1)})
	status.State = trace.Done
	if _, any := r.merge.Over(); !any {
		status.State, status.Err = trace.Failed, &RefusedError{r.merge.Refusals()}
	}
	go func() {
		<-r.delivered
		wire.Latest(r.status, status)
		close(r.snaps)
		close(r.status)
	}()
}

// A GivenUpError is that a start was given up before all hosts had answered.
type GivenUpError struct {
	Hosts []string // that had not
	Cause error    // of the context
}

func (e *GivenUpError) Error() string {
	if len(e.Hosts) == 0 {
		return "given up before all hosts of the fleet were found"
	}
	return fmt.Sprintf("given up while there was no answer yet from %s", Names(e.Hosts))
}

// Unwrap returns the error of the context.
func (e *GivenUpError) Unwrap() error { return e.Cause }

// A RefusedError is that no host runs a script.
type RefusedError struct{ List []Refusal }

func (e *RefusedError) Error() string {
	var lines []string
	for _, r := range e.List {
		lines = append(lines, fmt.Sprintf("%s: %v", Names(r.Hosts), r.Err))
	}
	if len(lines) == 0 {
		return "no host runs the script"
	}
	return strings.Join(lines, "\n")
}

// Unwrap returns why, of each.
func (e *RefusedError) Unwrap() (list []error) {
	for _, r := range e.List {
		list = append(list, r.Err)
	}
	return list
}

// Names lists hosts, of many the first.
func Names(list []string) string {
	const most = 8
	if len(list) > most {
		return fmt.Sprintf("%s and %d more", strings.Join(list[:most], ", "), len(list)-most)
	}
	return strings.Join(list, ", ")
}
