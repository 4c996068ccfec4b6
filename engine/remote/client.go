package remote

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"sync"
	"time"

	"github.com/hashicorp/yamux"

	"dscope.dev/dlang/diag"
	"dscope.dev/dlang/token"
	"dscope.dev/engine/trace"
	"dscope.dev/engine/wire"
)

// A Client is the tracer at the other end of a stream: a ui.Backend, with all that it may
// be besides. Its methods may be called from any goroutine.
type Client struct {
	mux   *yamux.Session
	conn  *watched
	here  Greeting
	there Greeting

	mu     sync.Mutex
	closed bool
	why    func() error // what the carrier of the stream knows of its end; may be nil
}

// NewClient greets the server at the other end. It owns conn from then on, even if it fails.
// Ctx bounds the greeting.
func NewClient(ctx context.Context, conn io.ReadWriteCloser, here Greeting) (*Client, error) {
	c := &Client{conn: &watched{ReadWriteCloser: conn}, here: here}
	stop := context.AfterFunc(ctx, func() { conn.Close() })
	err := c.greet()
	if !stop() {
		err = context.Cause(ctx)
	}
	if err != nil {
		conn.Close()
		return nil, err
	}
	return c, nil
}

func (c *Client) greet() (err error) {
	if c.there, err = greeted(c.conn); err != nil {
		return err
	}
	if err := greet(c.conn, c.here); err != nil {
		return err
	}
	if err := agree(c.here, c.there); err != nil {
		return err
	}
	c.mux, err = yamux.Client(c.conn, newConfig())
	return err
}

// Greeting returns what the server has said of itself.
func (c *Client) Greeting() Greeting { return c.there }

// Why sets what tells more of the end of the stream than the stream does.
func (c *Client) Why(why func() error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.why = why
}

// Done is closed when the connection is.
func (c *Client) Done() <-chan struct{} { return c.mux.CloseChan() }

// Close ends the connection, and with it all runs.
func (c *Client) Close() error {
	c.mu.Lock()
	c.closed = true
	c.mu.Unlock()
	return c.mux.Close()
}

// Lost says why the connection is gone; nil if it is not.
func (c *Client) Lost() error {
	if !c.mux.IsClosed() {
		return nil
	}
	c.mu.Lock()
	closed, why := c.closed, c.why
	c.mu.Unlock()
	if closed {
		return &LostError{c.there.Host, errors.New("it was closed here")}
	}
	err := c.conn.why()
	if why != nil {
		if more := why(); more != nil {
			err = more
		}
	}
	return &LostError{c.there.Host, err}
}

// instead returns why the connection is gone, or else err.
func (c *Client) instead(err error) error {
	if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) { // the session may be about to end
		select {
		case <-c.mux.CloseChan():
		case <-time.After(settling):
		}
	}
	if lost := c.Lost(); lost != nil {
		return lost
	}
	return err
}

// settling is how long the end of a call may come before that of its connection.
const settling = 100 * time.Millisecond

// open begins a call. When ctx ends it is given up: nothing more is written, and after grace
// nothing more is read.
func (c *Client) open(ctx context.Context, a *ask, grace time.Duration) (l *line, release func() bool, err error) {
	if err := ctx.Err(); err != nil {
		return nil, nil, err
	}
	stream, err := c.mux.OpenStream()
	if err != nil {
		return nil, nil, c.instead(err)
	}
	release = context.AfterFunc(ctx, func() {
		stream.Close()
		stream.SetReadDeadline(time.Now().Add(grace))
	})
	l = &line{ReadWriteCloser: stream}
	if err := l.send(a); err != nil {
		release()
		stream.Close()
		return nil, nil, c.failed(ctx, err)
	}
	return l, release, nil
}

// failed returns why a call failed: that it was given up, that the connection is gone, or err.
func (c *Client) failed(ctx context.Context, err error) error {
	if ctx.Err() != nil {
		return ctx.Err()
	}
	return c.instead(err)
}

// ask makes a call that has one answer.
func (c *Client) ask(ctx context.Context, a *ask) (*answer, error) {
	l, release, err := c.open(ctx, a, 0)
	if err != nil {
		return nil, err
	}
	defer l.Close()
	defer release()
	var out answer
	if err := l.receive(&out, mostAnswer); err != nil {
		return nil, c.failed(ctx, err)
	}
	if out.Err != nil {
		return &out, out.Err.Err()
	}
	return &out, nil
}

// Available says what is missing to trace there; nil if nothing is.
func (c *Client) Available(ctx context.Context) error {
	_, err := c.ask(ctx, &ask{Op: opAvailable})
	return err
}

// Check returns what is wrong with the script there. If it cannot be asked, that is what is wrong.
func (c *Client) Check(ctx context.Context, s trace.Script) diag.List {
	out, err := c.ask(ctx, &ask{Op: opCheck, Script: s})
	if err != nil {
		if ctx.Err() != nil {
			return nil
		}
		d := diag.Mishap("dscope", token.Span{From: 1, To: 1}, err)
		d.Msg, d.Hint = err.Error(), ""
		return diag.List{d}
	}
	return slices.DeleteFunc(out.List, misplaced)
}

// misplaced reports whether a complaint has no place that a screen could show.
func misplaced(d *diag.Diagnostic) bool {
	wrong := func(s token.Span) bool { return s.From < 0 || s.To < s.From }
	return d == nil || wrong(d.At) ||
		slices.ContainsFunc(d.Notes, func(n diag.Note) bool { return wrong(n.At) }) ||
		slices.ContainsFunc(d.Fixes, func(f diag.Fix) bool { return wrong(f.At) })
}

// Complete returns what could stand at a byte offset of the script.
func (c *Client) Complete(ctx context.Context, s trace.Script, at int) (from int, list []trace.Completion) {
	out, err := c.ask(ctx, &ask{Op: opComplete, Script: s, At: at})
	if err != nil {
		return at, nil
	}
	return min(max(out.From, 0), at), out.Completions
}

// Explain tells what the word at a byte offset of the script means.
func (c *Client) Explain(ctx context.Context, s trace.Script, at int) (x trace.Explanation, ok bool) {
	out, err := c.ask(ctx, &ask{Op: opExplain, Script: s, At: at})
	if err != nil {
		return x, false
	}
	x = out.Explanation
	x.From = within(x.From, s.Text)
	x.To = max(within(x.To, s.Text), x.From)
	return x, out.OK
}

// Probes returns the probes there that a pattern covers, and the families.
func (c *Client) Probes(ctx context.Context, pattern string) ([]trace.Probe, []trace.ProviderInfo, error) {
	return c.list(ctx, &ask{Op: opProbes, Pattern: pattern})
}

// Functions lists entry and return of all functions of a file of a process there.
func (c *Client) Functions(ctx context.Context, p trace.Process, file trace.Module) ([]trace.Probe, error) {
	list, _, err := c.list(ctx, &ask{Op: opFunctions, Process: p, Module: file})
	return list, err
}

// list makes a call that answers with probes.
func (c *Client) list(ctx context.Context, a *ask) (list []trace.Probe, families []trace.ProviderInfo, err error) {
	l, release, err := c.open(ctx, a, 0)
	if err != nil {
		return nil, nil, err
	}
	defer l.Close()
	defer release()
	var head answer
	if err := l.receive(&head, mostAnswer); err != nil {
		return nil, nil, c.failed(ctx, err)
	}
	from, err := wire.NewReader(l.ReadWriteCloser, wire.Limits{})
	if err != nil {
		return nil, nil, c.failed(ctx, err)
	}
	defer from.Close()
	for told := false; !told || len(list) < head.Count; {
		m, err := from.Next()
		if err != nil {
			return nil, nil, c.failed(ctx, err)
		}
		switch m := m.(type) {
		case *wire.Providers:
			families, told = m.List, true
		case *wire.Probes:
			list = append(list, m.List...)
		}
	}
	if head.Err != nil {
		err = head.Err.Err()
	}
	return list, families, err
}

// Describe returns what is known there of a probe.
func (c *Client) Describe(ctx context.Context, p trace.Probe) (trace.ProbeInfo, error) {
	infos, errs, err := c.DescribeAll(ctx, []trace.Probe{p})
	if err != nil {
		return trace.ProbeInfo{}, err
	}
	return infos[0], errs[0]
}

// atOnce is how many probes are asked about together: the way to and fro takes longer than
// an answer.
const atOnce = 1 << 10

// DescribeAll returns what is known there of each of many probes, or why that is nothing.
func (c *Client) DescribeAll(ctx context.Context, list []trace.Probe) (infos []trace.ProbeInfo, wrong []error, err error) {
	for part := range slices.Chunk(list, atOnce) {
		out, err := c.ask(ctx, &ask{Op: opDescribe, Probes: part})
		if err == nil && (len(out.Infos) != len(part) || len(out.Wrong) != len(part)) {
			err = fmt.Errorf("%d probes were asked about, and %d are told of", len(part), len(out.Infos))
		}
		if err != nil {
			return nil, nil, err
		}
		infos = append(infos, out.Infos...)
		for _, text := range out.Wrong {
			if text == "" {
				wrong = append(wrong, nil)
			} else {
				wrong = append(wrong, errors.New(text))
			}
		}
	}
	return infos, wrong, nil
}

// Processes lists those that execute a program there.
func (c *Client) Processes(ctx context.Context) ([]trace.Process, error) {
	out, err := c.ask(ctx, &ask{Op: opProcesses})
	if err != nil {
		return nil, err
	}
	return out.Processes, nil
}

// Process tells of a process there.
func (c *Client) Process(ctx context.Context, pid int) (trace.ProcessInfo, error) {
	out, err := c.ask(ctx, &ask{Op: opProcess, PID: pid})
	if err != nil {
		return trace.ProcessInfo{}, err
	}
	return out.Process, nil
}

// Ended returns once a process there has ended, with an error that says so, or ctx has.
func (c *Client) Ended(ctx context.Context, p trace.Process) error {
	_, err := c.ask(ctx, &ask{Op: opEnded, Process: p})
	return err
}

// Lead tells where a number of a firing leads.
func (c *Client) Lead(ctx context.Context, l trace.Lead) (string, error) {
	out, err := c.ask(ctx, &ask{Op: opLead, Lead: l})
	if err != nil {
		return "", err
	}
	return out.Text, nil
}
