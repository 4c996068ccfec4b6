package nats

import (
	"errors"
	"fmt"
	"sync"
	"time"

	"dscope.dev/engine/fleet"
	"dscope.dev/engine/trace"
	"dscope.dev/engine/wire"
)

// A feed is a run of a host as its reader sees it. Messages are taken in by one goroutine.
type feed struct {
	question *question
	client   *Client
	host     string
	update   func(fleet.Update)

	mu       sync.Mutex
	heard    time.Time // when anything has come
	answered bool
	stopped  bool
	ended    bool // nothing more is expected
	over     chan struct{}
	overs    sync.Once

	// Of the goroutine that takes messages in.
	began  bool
	epoch  uint32
	next   uint32 // number of the message that comes next
	acked  uint32
	broken bool // until the stream begins anew
	piece  []byte
	wire   *wire.Feed
	got    uint64    // events
	since  time.Time // when the stream began anew
	asked  time.Time // when it was last asked to, since it should have
	wait   time.Duration
}

// How long between two times that a host is asked to begin anew, at first and at most.
const (
	againFirst = time.Second
	againMost  = 30 * time.Second
)

// limits bound what one host may take of the memory of the reader.
var limits = wire.Limits{Message: 64 << 20, State: 256 << 20}

func (f *feed) askRun() {
	f.client.ask(f.host, ask{Op: opRun, Call: f.question.id, Script: &f.question.script})
}

// insist asks again until there is an answer, to stop until the run has, and whether there is
// still a run when nothing comes of it.
func (f *feed) insist() {
	tick := time.NewTicker(Here)
	defer tick.Stop()
	for {
		select {
		case <-tick.C:
		case <-f.over:
			return
		case <-f.client.over:
			return
		}
		f.mu.Lock()
		answered, stopped, ended, quiet := f.answered, f.stopped, f.ended, time.Since(f.heard) > 2*Beat
		f.mu.Unlock()
		switch {
		case !answered:
			f.askRun()
		case ended:
		case stopped:
			f.client.ask(f.host, ask{Op: opStop, Call: f.question.id})
		case quiet:
			f.client.ask(f.host, ask{Op: opAlive, Call: f.question.id})
		}
	}
}

// Stop asks the host to end the run.
func (f *feed) Stop() {
	f.mu.Lock()
	f.stopped = true
	f.mu.Unlock()
	f.client.ask(f.host, ask{Op: opStop, Call: f.question.id})
}

// Close ends the call.
func (f *feed) Close() {
	f.overs.Do(func() {
		f.client.ask(f.host, ask{Op: opClose, Call: f.question.id})
		close(f.over)
		f.client.drop(f)
	})
}

func (f *feed) isOver() bool {
	select {
	case <-f.over:
		return true
	default:
		return false
	}
}

// bye tells that the agent has been stopped, which takes its runs with it.
func (f *feed) bye() {
	f.mu.Lock()
	ended := f.ended
	f.ended = true
	f.mu.Unlock()
	if !ended {
		go f.hand(fleet.Update{Err: errors.New("its agent has been stopped")})
	}
}

func (f *feed) hand(u fleet.Update) {
	if !f.isOver() {
		f.update(u)
	}
}

// take takes a message in.
func (f *feed) take(h head, body []byte) {
	if f.isOver() {
		return
	}
	f.mu.Lock()
	f.heard = time.Now()
	f.mu.Unlock()
	switch h.kind {
	case kindAnswer:
		f.answer(body)
	case kindBeat:
		f.beat(h)
	case kindFrame:
		f.frame(h, body)
	case kindNone:
		f.none()
	}
}

func (f *feed) answer(body []byte) {
	var a answer
	if decoding.Unmarshal(body, &a) != nil {
		return
	}
	f.mu.Lock()
	first := !f.answered
	f.answered = true
	f.ended = f.ended || a.Err != nil
	f.mu.Unlock()
	if !first || f.began {
		return
	}
	if a.Err != nil {
		f.hand(fleet.Update{Err: a.Err.Err()})
		f.client.ask(f.host, ask{Op: opClose, Call: f.question.id})
		return
	}
	f.begin(a.Began)
}

// none takes that the host knows nothing of the call. Before its answer that is about an
// earlier one under the same name.
func (f *feed) none() {
	f.mu.Lock()
	lost := f.answered && !f.ended
	f.ended = f.ended || lost
	f.mu.Unlock()
	if lost {
		f.hand(fleet.Update{Dropped: fmt.Errorf("it heard nothing from here for %v", Lease)})
	}
}

func (f *feed) begin(at time.Time) {
	f.began = true
	f.mu.Lock()
	f.answered = true
	f.mu.Unlock()
	f.hand(fleet.Update{Began: at, Clock: f.client.clock(f.host)})
}

// beat sees by the number of the next message whether something is missing.
func (f *feed) beat(h head) {
	switch {
	case h.epoch < f.epoch: // it was under way as the stream began anew
	case h.epoch > f.epoch || h.seq != f.next || f.broken:
		f.again(h.epoch)
	case f.acked != f.next:
		f.ack() // one may have been lost
		f.hand(fleet.Update{Sent: upTo(h), Clock: f.client.clock(f.host)})
	default:
		f.hand(fleet.Update{Sent: upTo(h), Clock: f.client.clock(f.host)})
	}
}

func upTo(h head) time.Time {
	if h.sent == 0 {
		return time.Time{}
	}
	return time.Unix(0, h.sent)
}

// frame takes a frame in, or a part of one.
func (f *feed) frame(h head, body []byte) {
	switch {
	case h.epoch < f.epoch || h.epoch == 0:
		return // what was under way as the stream began anew, or comes of no stream
	case h.epoch > f.epoch && h.seq != 0:
		f.again(h.epoch)
		return
	case h.epoch > f.epoch:
		f.anew(h)
	case f.broken || h.seq < f.next:
		return // what came twice
	case h.seq > f.next:
		f.broken = true
		f.again(h.epoch)
		return
	}
	f.next++
	if f.next-f.acked >= step {
		f.ack()
	}
	f.piece = append(f.piece, body...)
	if h.more {
		if len(f.piece) > 2*wire.MaxFrame {
			f.broken = true
		}
		return
	}
	list, err := f.wire.Take(f.piece)
	f.piece = nil
	for _, m := range list {
		f.message(m)
	}
	if err != nil {
		f.broken = true
		f.again(h.epoch)
		return
	}
	f.hand(fleet.Update{Sent: upTo(h)})
}

// anew begins with a stream that has begun anew. What it does not repeat are the events that
// had gone before and have not come.
func (f *feed) anew(h head) {
	if f.wire != nil {
		f.wire.Close()
	}
	f.wire, f.piece, f.broken = wire.NewFeed(limits), nil, false
	f.epoch, f.next, f.acked = h.epoch, 0, 0
	if h.events > f.got {
		f.hand(fleet.Update{Lost: h.events - f.got})
	}
	f.got = h.events
	f.since, f.asked = time.Now(), time.Time{}
}

func (f *feed) message(m wire.Message) {
	switch m := m.(type) {
	case *wire.Begin:
		if !f.began { // the answer was lost
			f.begin(m.Began)
		}
		return
	case *wire.Events:
		f.got += uint64(trace.Firings(m.List))
	case *wire.End:
		f.mu.Lock()
		f.ended = true
		f.mu.Unlock()
		f.client.ask(f.host, ask{Op: opClose, Call: f.question.id})
		return
	}
	f.hand(fleet.Update{Message: m})
}

func (f *feed) ack() {
	f.acked = f.next
	f.client.ask(f.host, ask{Op: opAck, Call: f.question.id, Epoch: f.epoch, Seq: f.next})
}

// again asks the host to begin anew, the less often the less that helps. It names the epoch in
// which something is missing, which may be one of which nothing has come but that.
func (f *feed) again(epoch uint32) {
	now := time.Now()
	if now.Sub(f.asked) < f.wait {
		return
	}
	if f.asked.IsZero() && now.Sub(f.since) > againMost {
		f.wait = 0 // all went well for long
	}
	f.wait = min(max(2*f.wait, againFirst), againMost)
	f.asked = now
	f.client.ask(f.host, ask{Op: opAgain, Call: f.question.id, Epoch: epoch})
}
