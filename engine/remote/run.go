package remote

import (
	"context"
	"errors"
	"fmt"
	"io"
	"sync"
	"time"

	"dscope.dev/engine/trace"
	"dscope.dev/engine/wire"
)

// grace is how long a start that is given up may take to leave nothing behind.
const grace = 2 * time.Second

// Run compiles and starts the script there.
func (c *Client) Run(ctx context.Context, s trace.Script) (trace.Run, error) {
	return c.start(ctx, &ask{Op: opRun, Script: s})
}

// Swap is Run in the place of a run of this client.
func (c *Client) Swap(ctx context.Context, old trace.Run, s trace.Script) (trace.Run, error) {
	r, ok := old.(*remoteRun)
	if !ok || r.client != c {
		return c.Run(ctx, s)
	}
	return c.start(ctx, &ask{Op: opSwap, Script: s, Old: r.id})
}

func (c *Client) start(ctx context.Context, a *ask) (trace.Run, error) {
	l, release, err := c.open(ctx, a, grace)
	if err != nil {
		return nil, err
	}
	r, err := c.await(ctx, l)
	if !release() && err == nil {
		r.Close() // it began as it was given up
		err = ctx.Err()
	}
	if err != nil {
		l.Close()
		return nil, err
	}
	return r, nil
}

// await waits until the run has begun.
func (c *Client) await(ctx context.Context, l *line) (*remoteRun, error) {
	for {
		var out answer
		if err := l.receive(&out, mostAnswer); err != nil {
			return nil, c.failed(ctx, err)
		}
		switch {
		case out.Err != nil:
			return nil, out.Err.Err()
		case out.Noted:
			trace.Note(ctx, out.Note)
			continue
		}
		from, err := wire.NewReader(l.ReadWriteCloser, wire.Limits{})
		if err != nil {
			return nil, c.failed(ctx, err)
		}
		m, err := from.Next()
		if err == nil {
			if begin, ok := m.(*wire.Begin); ok {
				return c.receiveRun(l, out.Run, from, begin), nil
			}
			err = errors.New("something is delivered before the run begins")
		}
		from.Close()
		return nil, c.failed(ctx, err)
	}
}

// A remoteRun is one that happens there. One goroutine reads what comes, another waits for the
// reader of events (backlog.go), so that neither snapshots nor states wait for who does not
// read events.
type remoteRun struct {
	client *Client
	line   *line
	id     uint64
	from   *wire.Reader
	began  time.Time

	snaps  chan trace.Snapshot
	events chan []trace.Event
	status chan trace.Status
	late   *backlog

	quit  chan struct{}
	quits sync.Once
	ended chan struct{}
}

func (c *Client) receiveRun(l *line, id uint64, from *wire.Reader, begin *wire.Begin) *remoteRun {
	r := &remoteRun{client: c, line: l, id: id, from: from, began: begin.Began,
		snaps: make(chan trace.Snapshot, 1), events: make(chan []trace.Event), status: make(chan trace.Status, 1),
		quit: make(chan struct{}), ended: make(chan struct{})}
	r.late = newBacklog(r.events, r.quit)
	go r.late.deliver()
	go r.read()
	return r
}

func (r *remoteRun) Began() time.Time                 { return r.began }
func (r *remoteRun) Snapshots() <-chan trace.Snapshot { return r.snaps }
func (r *remoteRun) Events() <-chan []trace.Event     { return r.events }
func (r *remoteRun) Status() <-chan trace.Status      { return r.status }

// Stop asks the server to end the run. Where that cannot be asked the stream has broken,
// which ends the run as well.
func (r *remoteRun) Stop() { go func() { _ = r.line.send(&ask{Op: opStop}) }() }

// Close ends the call, which closes the run there, and waits until that has been done.
func (r *remoteRun) Close() error {
	r.quits.Do(func() {
		close(r.quit)
		r.line.Close()
	})
	<-r.ended
	return nil // what went wrong the last status has told
}

// read reads until the run has ended.
func (r *remoteRun) read() {
	defer close(r.ended)
	defer r.from.Close()
	last, err := r.follow()
	if err == nil && last.State < trace.Done {
		err = errors.New("it has ended without a word")
	}
	if err != nil {
		last.State, last.Err = trace.Failed, fmt.Errorf("the run was lost: %w", r.client.instead(err))
	}
	r.late.end()
	last.Drops = r.late.withLost(last.Drops)
	wire.Latest(r.status, last)
	close(r.events)
	close(r.snaps)
	close(r.status)
	// The server ends the call when the kernel holds nothing of the run any more.
	<-r.quit
	_, _ = io.Copy(io.Discard, r.line.ReadWriteCloser)
}

// follow passes on what comes, and returns the last status, which follows the last events,
// as the last snapshot does.
func (r *remoteRun) follow() (last trace.Status, err error) {
	for {
		m, err := r.from.Next()
		if err != nil {
			return last, err
		}
		switch m := m.(type) {
		case *wire.Snapshot:
			if last.State >= trace.Stopping {
				r.late.settle()
			}
			wire.LatestSnapshot(r.snaps, m.Snapshot)
		case *wire.Status:
			if last = m.Status; last.State < trace.Done {
				last.Drops = r.late.withLost(last.Drops)
				wire.Latest(r.status, last)
				last = m.Status
			}
		case *wire.Events:
			r.late.put(m.List)
		case *wire.End:
			return last, nil
		}
	}
}

// Executing runs a command line there. What it prints is written by write, to the descriptor
// that it names; each of signals is sent to it.
func (c *Client) Executing(ctx context.Context, cmd Command, write func(descriptor int, b []byte) error, signals <-chan int) (code int, err error) {
	l, release, err := c.open(ctx, &ask{Op: opCommand, Command: &cmd}, 0)
	if err != nil {
		return 0, err
	}
	defer l.Close()
	defer release()
	over := make(chan struct{})
	defer close(over)
	go func() {
		for {
			select {
			case n := <-signals:
				_ = l.send(&ask{Op: opSignal, Signal: n}) // a connection that is lost says so
			case <-over:
				return
			}
		}
	}()
	for {
		var out answer
		if err := l.receive(&out, mostAnswer); err != nil {
			return 0, c.failed(ctx, err)
		}
		switch {
		case out.Err != nil:
			return 0, out.Err.Err()
		case out.Exit != nil:
			return *out.Exit, nil
		}
		if err := write(out.Output, out.Data); err != nil {
			return 0, err
		}
	}
}
