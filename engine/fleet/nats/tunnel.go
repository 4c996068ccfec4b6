package nats

import (
	"context"
	"io"
	"sync"
	"time"
)

// A tunnel is a stream over messages, which are numbered: one that is missing breaks it. It
// is not bounded by itself; what runs over it (engine/remote) has windows.
type tunnel struct {
	send func([]byte) error // nil tells the end

	mu      sync.Mutex
	cond    *sync.Cond
	in      []byte
	next    uint32 // number of the message that comes next
	closed  bool
	leased  time.Time
	writing sync.Mutex
}

func newTunnel(send func([]byte) error) *tunnel {
	t := &tunnel{send: send, leased: time.Now()}
	t.cond = sync.NewCond(&t.mu)
	return t
}

// take takes what comes.
func (t *tunnel) take(o op, seq uint32, b []byte) {
	t.mu.Lock()
	defer t.mu.Unlock()
	switch {
	case o == opBytes && seq == t.next:
		t.in = append(t.in, b...)
		t.next++
	case o == opBytes && seq < t.next: // it came before
	case o == opDial:
	default:
		t.closed = true
	}
	t.leased = time.Now()
	t.cond.Broadcast()
}

// Read reads what has come, for which it waits.
func (t *tunnel) Read(b []byte) (int, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	for len(t.in) == 0 && !t.closed {
		t.cond.Wait()
	}
	if len(t.in) == 0 {
		return 0, io.EOF
	}
	n := copy(b, t.in)
	if t.in = t.in[n:]; len(t.in) == 0 {
		t.in = nil
	}
	return n, nil
}

// Write sends b.
func (t *tunnel) Write(b []byte) (n int, err error) {
	t.writing.Lock()
	defer t.writing.Unlock()
	for len(b) > 0 {
		if t.isClosed() {
			return n, io.ErrClosedPipe
		}
		m := min(len(b), maxChunk)
		if err := t.send(b[:m]); err != nil {
			return n, err
		}
		n, b = n+m, b[m:]
	}
	return n, nil
}

// Close ends the stream on both sides.
func (t *tunnel) Close() error {
	t.mu.Lock()
	was := t.closed
	t.closed = true
	t.cond.Broadcast()
	t.mu.Unlock()
	if was {
		return nil
	}
	t.writing.Lock()
	defer t.writing.Unlock()
	return t.send(nil)
}

func (t *tunnel) isClosed() bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.closed
}

func (t *tunnel) renew() {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.leased = time.Now()
}

// watch closes the stream when nobody wants it any more, or ctx ends.
func (t *tunnel) watch(ctx context.Context) {
	tick := time.NewTicker(Beat)
	defer tick.Stop()
	for !t.isClosed() {
		t.mu.Lock()
		late := time.Since(t.leased) > Lease
		t.mu.Unlock()
		if late {
			_ = t.Close() // nobody is there who could be told
			return
		}
		select {
		case <-tick.C:
		case <-ctx.Done():
			_ = t.Close()
			return
		}
	}
}
