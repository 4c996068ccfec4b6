package remote

import (
	"context"
	"errors"
	"fmt"
	"io"
	"sync"
	"time"

	"github.com/hashicorp/yamux"

	"dscope.dev/dlang/diag"
	"dscope.dev/dlang/token"
	"dscope.dev/engine/trace"
)

// A Backend is the tracer that is served: ui.Backend says what its methods promise.
type Backend interface {
	Check(ctx context.Context, s trace.Script) diag.List
	Complete(ctx context.Context, s trace.Script, at int) (from int, list []trace.Completion)
	Explain(ctx context.Context, s trace.Script, at int) (trace.Explanation, bool)
	Probes(ctx context.Context, pattern string) ([]trace.Probe, []trace.ProviderInfo, error)
	Describe(ctx context.Context, p trace.Probe) (trace.ProbeInfo, error)
	Processes(ctx context.Context) ([]trace.Process, error)
	Process(ctx context.Context, pid int) (trace.ProcessInfo, error)
	Functions(ctx context.Context, p trace.Process, file trace.Module) ([]trace.Probe, error)
	Ended(ctx context.Context, p trace.Process) error
	Lead(ctx context.Context, l trace.Lead) (string, error)
	Run(ctx context.Context, s trace.Script) (trace.Run, error)
	Swap(ctx context.Context, old trace.Run, s trace.Script) (trace.Run, error)

	// Available says what is missing to trace; nil if nothing is.
	Available() error
}

// A Command is a command line that runs at the server.
type Command struct {
	Args     []string
	Files    map[string]string // what files of this side hold that Args name
	Terminal bool              // whether what it prints on its output goes to a terminal
	Env      []string
}

// A Terminal is what a command has in place of one.
type Terminal struct {
	Write   func(descriptor int, b []byte) error
	Signals <-chan int // those that it is sent; it ends when its context does
}

// A Server serves a tracer to one client on each stream.
type Server struct {
	Backend Backend
	Greeting

	// Execute runs a command line and returns its exit code; nil refuses all.
	Execute func(ctx context.Context, c Command, t Terminal) (code int, err error)
}

// Serve serves the client at the other end until the stream breaks, is closed there, or ctx
// ends. All runs have been closed when it returns, unless one takes longer than leaving.
func (s *Server) Serve(ctx context.Context, conn io.ReadWriteCloser) error {
	defer conn.Close()
	stop := context.AfterFunc(ctx, func() { conn.Close() })
	defer stop()
	if err := greet(conn, s.Greeting); err != nil {
		return err
	}
	there, err := greeted(conn)
	if err != nil {
		return err
	}
	if err := agree(s.Greeting, there); err != nil {
		return err
	}
	mux, err := yamux.Server(conn, newConfig())
	if err != nil {
		return err
	}
	p := &peer{server: s, runs: map[uint64]trace.Run{}}
	p.ctx, p.cancel = context.WithCancel(ctx)
	err = p.accept(mux)
	p.cancel()
	mux.Close()
	p.leave()
	return err
}

// leaving is how long a server waits for what it has canceled. Who ends the process then has
// the kernel give back the rest.
const leaving = 4 * time.Second

// A peer is a client as its server sees it.
type peer struct {
	server *Server
	ctx    context.Context
	cancel func()
	calls  sync.WaitGroup

	mu    sync.Mutex
	runs  map[uint64]trace.Run // that have not been closed
	count uint64
	under int // calls that go on
}

func (p *peer) accept(mux *yamux.Session) error {
	for {
		stream, err := mux.AcceptStream()
		if err != nil {
			if err == io.EOF || mux.IsClosed() {
				return nil
			}
			return err
		}
		if !p.enter() {
			stream.Close()
			continue
		}
		p.calls.Add(1)
		go func() {
			defer p.calls.Done()
			defer p.exit()
			defer stream.Close()
			p.serve(stream)
		}()
	}
}

// enter reports whether one more call may go on.
func (p *peer) enter() bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.under >= mostCalls {
		return false
	}
	p.under++
	return true
}

func (p *peer) exit() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.under--
}

// leave waits for the calls.
func (p *peer) leave() {
	over := make(chan struct{})
	go func() {
		p.calls.Wait()
		close(over)
	}()
	select {
	case <-over:
	case <-time.After(leaving):
	}
}

// A call is one of a client as its server sees it.
type call struct {
	*peer
	line
	ask    ask
	ctx    context.Context
	cancel func()
}

// serve serves one call. One that was not asked for in time is none.
func (p *peer) serve(stream *yamux.Stream) {
	c := &call{peer: p, line: line{ReadWriteCloser: stream}}
	c.ctx, c.cancel = context.WithCancel(p.ctx)
	defer c.cancel()
	stream.SetReadDeadline(time.Now().Add(Silence))
	if err := c.receive(&c.ask, mostAsk); err != nil {
		return
	}
	stream.SetReadDeadline(time.Time{})
	defer func() {
		if why := recover(); why != nil {
			d := diag.Mishap("dscope", token.Span{}, why)
			_ = c.send(failed(errors.New(d.Msg))) // a client that is gone needs no answer
		}
	}()
	switch c.ask.Op {
	case opRun, opSwap:
		c.run()
	case opCommand:
		c.command()
	case opProbes, opFunctions:
		c.untilClosed()
		c.probes()
	default:
		c.untilClosed()
		_ = c.send(c.reply()) // a client that is gone needs no answer
	}
}

// untilClosed ends the context of the call when the client gives it up.
func (c *call) untilClosed() {
	go func() {
		defer c.cancel()
		var more ask
		_ = c.receive(&more, 0) // there is none
	}()
}

func failed(err error) *answer { return &answer{Err: fail(err)} }

// reply answers a call in one message.
func (c *call) reply() *answer {
	b, a, out := c.server.Backend, &c.ask, &answer{}
	var err error
	switch a.Op {
	case opAvailable:
		err = b.Available()
	case opCheck:
		out.List = b.Check(c.ctx, a.Script)
	case opComplete:
		out.From, out.Completions = b.Complete(c.ctx, a.Script, within(a.At, a.Script.Text))
	case opExplain:
		out.Explanation, out.OK = b.Explain(c.ctx, a.Script, within(a.At, a.Script.Text))
	case opDescribe:
		for _, p := range a.Probes {
			info, wrong := b.Describe(c.ctx, p)
			out.Infos, out.Wrong = append(out.Infos, info), append(out.Wrong, textOf(wrong))
		}
	case opProcesses:
		out.Processes, err = b.Processes(c.ctx)
	case opProcess:
		out.Process, err = b.Process(c.ctx, a.PID)
	case opEnded:
		err = b.Ended(c.ctx, a.Process)
	case opLead:
		out.Text, err = b.Lead(c.ctx, a.Lead)
	default:
		err = fmt.Errorf("the dscope there is too old: it knows no %q", a.Op)
	}
	out.Err = fail(err)
	return out
}

func textOf(err error) string {
	if err == nil {
		return ""
	}
	return err.Error()
}

// within keeps an offset inside a text.
func within(at int, text string) int { return min(max(at, 0), len(text)) }
