package nats

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"dscope.dev/dlang/diag"
	"dscope.dev/dlang/token"
	"dscope.dev/engine/trace"
	"dscope.dev/engine/wire"
)

// A sending is a run as its agent serves it: one goroutine takes what the run delivers and
// sends it, as long as the reader keeps up. It has all that it needs to begin anew: the last
// state, the last snapshot, and that it has ended.
type sending struct {
	send  func(head, []byte)
	start func(context.Context) (trace.Run, error)
	hello wire.Hello

	run    trace.Run
	writer *wire.Writer
	pieces [][]byte // frames that the writer has written
	status *wire.Status
	snap   *wire.Snapshot
	end    *wire.End
	failed bool // it has ended as something could not be sent
	epoch  uint32
	seq    uint32 // of the next message
	events uint64 // written
	told   uint64 // that messages have told of as gone before

	asks   chan ask
	ctx    context.Context
	cancel func()
	ended  chan struct{}

	mu     sync.Mutex
	leased time.Time
}

func newSending(ctx context.Context, send func(head, []byte), hello wire.Hello, start func(context.Context) (trace.Run, error)) *sending {
	s := &sending{send: send, start: start, hello: hello, asks: make(chan ask, 64), ended: make(chan struct{}), leased: time.Now()}
	s.ctx, s.cancel = context.WithCancel(ctx)
	go s.serve()
	return s
}

// renew has the call live on. The lease ends Lease later.
func (s *sending) renew() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.leased = time.Now()
}

func (s *sending) isLeased() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return time.Since(s.leased) < Lease
}

// take hands an ask on. One that does not get through is repeated by who asks.
func (s *sending) take(a ask) {
	if a.Op == opClose {
		s.cancel()
		return
	}
	select {
	case s.asks <- a:
	default:
	}
}

// serve starts the run, sends it, and closes it when the call is over.
func (s *sending) serve() {
	defer close(s.ended)
	defer s.cancel()
	go s.watch()
	var wrong error
	stop := s.beating()
	s.run, wrong = s.begin()
	stop()
	if wrong != nil {
		s.answer(answer{Err: wire.Fail(wrong)})
		s.linger(func() { s.answer(answer{Err: wire.Fail(wrong)}) })
		return
	}
	defer s.run.Close()
	s.answer(answer{Began: s.run.Began()})
	q := wire.NewQueue(0)
	go q.Fill(s.run)
	s.again()
	s.pump(q)
}

// beating tells that the call is alive while it starts, which may take long. Stop returns when
// nothing more is told.
func (s *sending) beating() (stop func()) {
	over := make(chan struct{})
	var wait sync.WaitGroup
	wait.Go(func() {
		tick := time.NewTicker(Beat)
		defer tick.Stop()
		for {
			select {
			case <-tick.C:
				s.send(head{kind: kindBeat}, nil)
			case <-over:
				return
			}
		}
	})
	return func() {
		close(over)
		wait.Wait()
	}
}

// begin starts the run, whatever becomes of the tracer.
func (s *sending) begin() (run trace.Run, err error) {
	defer func() {
		if why := recover(); why != nil {
			err = errors.New(diag.Mishap("dscope", token.Span{}, why).Msg)
		}
	}()
	return s.start(s.ctx)
}

// watch ends the call when its lease does.
func (s *sending) watch() {
	tick := time.NewTicker(Beat)
	defer tick.Stop()
	for s.isLeased() {
		select {
		case <-tick.C:
		case <-s.ctx.Done():
			return
		}
	}
	s.cancel()
}

// linger answers those who have not got the answer, until they close the call.
func (s *sending) linger(answer func()) {
	for {
		select {
		case a := <-s.asks:
			if a.Op == opRun {
				answer()
			}
		case <-s.ctx.Done():
			return
		}
	}
}

// pump sends what the run delivers.
func (s *sending) pump(q *wire.Queue) {
	coming := make(chan wire.Message)
	go func() {
		defer close(coming)
		for {
			m, more := q.Next(s.ctx)
			if !more {
				return
			}
			select {
			case coming <- m:
			case <-s.ctx.Done():
				return
			}
		}
	}()
	beat := time.NewTicker(Beat)
	defer beat.Stop()
	acked, sent := uint32(0), time.Now()
	for {
		from := coming
		if s.seq-acked >= window {
			from = nil // what comes meanwhile is merged, or counted
		}
		select {
		case m, ok := <-from:
			if !ok {
				coming = nil
				break
			}
			s.write(m)
			if q.Empty() {
				s.flush()
				sent = time.Now()
			}
		case a := <-s.asks:
			switch a.Op {
			case opRun:
				s.answer(answer{Began: s.run.Began()})
			case opStop:
				s.run.Stop()
			case opAlive:
				s.beat()
			case opAck:
				if a.Epoch == s.epoch && a.Seq <= s.seq {
					acked = max(acked, a.Seq)
				}
			case opAgain:
				if a.Epoch == s.epoch { // and not one that crossed the answer to it
					acked = 0
					s.again()
				}
			}
		case <-beat.C:
			if time.Since(sent) >= Beat/2 {
				s.beat()
			}
		case <-s.ctx.Done():
			return
		}
	}
}

// beat tells how far the stream is.
func (s *sending) beat() {
	s.send(head{kind: kindBeat, epoch: s.epoch, seq: s.seq, events: s.told}, nil)
}

// write writes a message to the stream.
func (s *sending) write(m wire.Message) {
	if s.failed {
		return
	}
	switch m := m.(type) {
	case *wire.Events:
		s.events += uint64(trace.Firings(m.List))
	case *wire.Status:
		s.status = m
	case *wire.Snapshot:
		keep := *m
		keep.Snapshot.Examples = nil
		s.snap = &keep
	case *wire.End:
		s.end = m
	}
	if err := s.writer.Write(m); err != nil {
		s.fail(err)
	}
}

// fail ends a stream that cannot be written: more was delivered at once than a frame holds.
func (s *sending) fail(err error) {
	s.run.Stop()
	s.failed, s.snap = true, nil
	s.status = &wire.Status{At: 1, Status: trace.Status{State: trace.Failed, Err: fmt.Errorf("it cannot be sent: %w", err)}}
	s.end = &wire.End{At: 1}
	s.again()
}

// again begins the stream anew, with all that is known.
func (s *sending) again() {
	s.epoch++
	s.seq, s.pieces = 0, nil
	s.told = s.events
	s.writer, _ = wire.NewWriter(piecing{s}, s.hello) // which fails if its writer does
	_ = s.writer.Write(&wire.Begin{Run: 1, Began: s.run.Began()})
	for _, m := range s.known() {
		_ = s.writer.Write(m)
	}
	s.flush()
}

// known returns the last of each, in the order in which they were delivered.
func (s *sending) known() (list []wire.Message) {
	at := time.Duration(1)
	if s.snap != nil {
		list, at = append(list, s.snap), s.snap.At
	}
	if s.status != nil {
		status := *s.status
		status.At = max(status.At, at)
		list, at = append(list, &status), status.At
	}
	if s.end != nil {
		end := *s.end
		end.At = max(end.At, at)
		list = append(list, &end)
	}
	return list
}

// A piecing takes what the writer writes: a frame each time.
type piecing struct{ s *sending }

func (p piecing) Write(b []byte) (int, error) {
	p.s.pieces = append(p.s.pieces, append([]byte(nil), b...))
	return len(b), nil
}

// flush sends the frames that are whole.
func (s *sending) flush() {
	_ = s.writer.Flush() // which fails if its writer does
	for _, piece := range s.pieces {
		for len(piece) > 0 {
			n := min(len(piece), maxChunk)
			s.send(head{kind: kindFrame, more: n < len(piece), epoch: s.epoch, seq: s.seq, events: s.told}, piece[:n])
			s.seq++
			piece = piece[n:]
		}
	}
	s.pieces = nil
	s.told = s.events
}

func (s *sending) answer(a answer) {
	s.send(head{kind: kindAnswer}, packed(a))
}
