package remote

import (
	"context"
	"errors"
	"net"
	"sync"
	"testing"
	"time"

	"dscope.dev/dlang/diag"
	"dscope.dev/dlang/token"
	"dscope.dev/engine/trace"
)

// A fake is a tracer that answers what it was asked.
type fake struct {
	mu      sync.Mutex
	runs    []*fakeRun
	swapped []trace.Run
	hold    chan struct{} // a start waits for it, or for its context; nil does not wait
	left    chan error    // why a start that waited was given up
	waits   chan string   // told when somebody waits for the end of a process; nil tells nobody
}

func (f *fake) Check(_ context.Context, s trace.Script) diag.List {
	var l diag.List
	l.Add(token.Span{From: 1, To: token.Pos(1 + len(s.Text))}, diag.Syntax, "wrong: %s", s.Text).Suggest("\xff")
	return l
}

func (f *fake) Complete(_ context.Context, s trace.Script, at int) (int, []trace.Completion) {
	return at - 1, []trace.Completion{{Text: s.Text, Detail: "it", Kind: trace.CompleteType}}
}

func (f *fake) Explain(_ context.Context, s trace.Script, at int) (trace.Explanation, bool) {
	return trace.Explanation{From: at, To: 1 << 30, Decl: s.Text, Notes: []string{"a", "b"}}, true
}

func (f *fake) Probes(_ context.Context, pattern string) ([]trace.Probe, []trace.ProviderInfo, error) {
	var list []trace.Probe
	for i := range 2*manyProbes + 1 {
		list = append(list, trace.Probe{ID: uint32(i), Provider: "p", Function: pattern + "\xfe", Name: "entry"})
	}
	return list, []trace.ProviderInfo{{Name: "p", Unavailable: "no"}}, nil
}

func (f *fake) Describe(_ context.Context, p trace.Probe) (trace.ProbeInfo, error) {
	if p.Name == "" {
		return trace.ProbeInfo{}, errors.New("it has no name")
	}
	return trace.ProbeInfo{Probe: p, Args: []trace.Arg{{Name: "a", Type: "int"}}}, nil
}

func (f *fake) Processes(context.Context) ([]trace.Process, error) {
	return []trace.Process{{PID: 7, Name: "\xff"}}, nil
}

func (f *fake) Process(_ context.Context, pid int) (trace.ProcessInfo, error) {
	return trace.ProcessInfo{Process: trace.Process{PID: pid}}, nil
}

func (f *fake) Functions(_ context.Context, p trace.Process, m trace.Module) ([]trace.Probe, error) {
	return []trace.Probe{{ID: uint32(p.PID), Module: m.Name}}, errors.New("and not all")
}

func (f *fake) Ended(ctx context.Context, _ trace.Process) error {
	if f.waits != nil {
		f.waits <- "here"
	}
	<-ctx.Done()
	f.left <- ctx.Err()
	return ctx.Err()
}

func (f *fake) Lead(_ context.Context, l trace.Lead) (string, error) { return l.At.UTC().String(), nil }

func (f *fake) Available() error { return errors.New("root is needed") }

func (f *fake) Run(ctx context.Context, s trace.Script) (trace.Run, error) {
	if s.Text == "wrong" {
		file := token.NewFile("script", s.Text)
		return nil, &diag.ListError{File: file, List: f.Check(ctx, s)}
	}
	trace.Note(ctx, "waiting")
	if f.hold != nil {
		select {
		case <-f.hold:
		case <-ctx.Done():
			f.left <- ctx.Err()
			return nil, ctx.Err()
		}
	}
	r := &fakeRun{began: time.Now(), snaps: make(chan trace.Snapshot, 1), events: make(chan []trace.Event, 64),
		status: make(chan trace.Status, 1), stopped: make(chan struct{}), closed: make(chan struct{})}
	f.mu.Lock()
	f.runs = append(f.runs, r)
	f.mu.Unlock()
	return r, nil
}

func (f *fake) Swap(ctx context.Context, old trace.Run, s trace.Script) (trace.Run, error) {
	f.mu.Lock()
	f.swapped = append(f.swapped, old)
	f.mu.Unlock()
	return f.Run(ctx, s)
}

func (f *fake) last() *fakeRun {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.runs[len(f.runs)-1]
}

// A fakeRun delivers what a test puts into its channels. It ends when it is stopped.
type fakeRun struct {
	began  time.Time
	snaps  chan trace.Snapshot
	events chan []trace.Event
	status chan trace.Status

	stop, close     sync.Once
	stopped, closed chan struct{}
	ends            sync.Once
}

func (r *fakeRun) Began() time.Time                 { return r.began }
func (r *fakeRun) Snapshots() <-chan trace.Snapshot { return r.snaps }
func (r *fakeRun) Events() <-chan []trace.Event     { return r.events }
func (r *fakeRun) Status() <-chan trace.Status      { return r.status }
func (r *fakeRun) Stop()                            { r.stop.Do(func() { close(r.stopped) }) }

func (r *fakeRun) Close() error {
	r.Stop()
	r.end(trace.Status{State: trace.Done})
	r.close.Do(func() { close(r.closed) })
	return nil
}

// end ends the run with a status.
func (r *fakeRun) end(s trace.Status) {
	r.ends.Do(func() {
		select {
		case <-r.status:
		default:
		}
		r.status <- s
		close(r.snaps)
		close(r.events)
		close(r.status)
	})
}

// connect returns a client of f, and the two ends of what lies between.
func connect(t testing.TB, f *fake) (c *Client, near, far net.Conn) {
	t.Helper()
	near, far = net.Pipe()
	served := make(chan error, 1)
	s := &Server{Backend: f, Greeting: Greeting{Program: "dscope there", Host: "there"}}
	ctx, cancel := context.WithCancel(context.Background())
	go func() { served <- s.Serve(ctx, far) }()
	c, err := NewClient(ctx, near, Greeting{Program: "dscope here"})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		c.Close()
		select {
		case err := <-served:
			if err != nil {
				t.Errorf("serve: %v", err)
			}
		case <-time.After(10 * time.Second):
			t.Error("the server does not end")
		}
		cancel()
	})
	return c, near, far
}

// await waits for a channel.
func await[T any](t testing.TB, what string, ch <-chan T) (v T) {
	t.Helper()
	select {
	case v = <-ch:
	case <-time.After(20 * time.Second):
		t.Fatalf("%s: nothing for 20 s", what)
	}
	return v
}
