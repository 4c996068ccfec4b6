package ui

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"time"

	"dscope.dev/dlang/diag"
	"dscope.dev/dlang/token"
	"dscope.dev/engine/trace"
)

// fake is a backend whose runs deliver what a test sends.
type fake struct {
	mu      sync.Mutex
	runs    []*fakeRun
	started chan *fakeRun // each run, if not nil
	refuse  error
	slow    chan struct{}               // closed when Run is to go on; nil if it need not wait
	waits   func(context.Context) error // before a run starts, if not nil
	checks  []trace.Script
	lacks   string // what scripts may not have, if not ""
	panics  bool   // Run panics, as a fault of the program would
	probes  []trace.Probe
	info    trace.ProbeInfo // what Describe tells beyond the name
}

func (f *fake) Check(_ context.Context, s trace.Script) diag.List {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.checks = append(f.checks, s)
	var l diag.List
	if s.Text == "bad" {
		l.Add(token.Span{From: 1, To: 4}, diag.Syntax, "bad is no script")
	}
	if f.lacks != "" && strings.Contains(s.Text, f.lacks) {
		l.Add(token.Span{From: 1, To: 4}, diag.Syntax, "%s cannot be traced here", f.lacks)
	}
	return l
}

func (f *fake) Complete(context.Context, trace.Script, int) (int, []trace.Completion) { return 0, nil }

func (f *fake) Probes(context.Context, string) ([]trace.Probe, []trace.ProviderInfo, error) {
	return f.probes, nil, nil
}

func (f *fake) Describe(_ context.Context, p trace.Probe) (trace.ProbeInfo, error) {
	info := f.info
	info.Probe = p
	return info, nil
}

func (f *fake) Run(ctx context.Context, s trace.Script) (trace.Run, error) {
	if f.panics {
		panic("a fault of the program")
	}
	if f.waits != nil {
		if err := f.waits(ctx); err != nil {
			return nil, err
		}
	}
	if f.slow != nil {
		<-f.slow
	}
	if f.refuse != nil {
		return nil, f.refuse
	}
	r := &fakeRun{began: time.Now(), script: s, snaps: make(chan trace.Snapshot, 1), events: make(chan []trace.Event, 8),
		status: make(chan trace.Status, 1), closed: make(chan struct{})}
	f.mu.Lock()
	f.runs = append(f.runs, r)
	f.mu.Unlock()
	if f.started != nil {
		f.started <- r
	}
	return r, nil
}

// fakeRun ends when it is stopped or closed.
type fakeRun struct {
	began  time.Time
	script trace.Script
	snaps  chan trace.Snapshot
	events chan []trace.Event
	status chan trace.Status
	stop   sync.Once
	once   sync.Once
	closed chan struct{}
	failed error // of Close
}

func (r *fakeRun) Began() time.Time                 { return r.began }
func (r *fakeRun) Snapshots() <-chan trace.Snapshot { return r.snaps }
func (r *fakeRun) Events() <-chan []trace.Event     { return r.events }
func (r *fakeRun) Status() <-chan trace.Status      { return r.status }

func (r *fakeRun) Stop() {
	r.stop.Do(func() {
		select {
		case <-r.status:
		default:
		}
		r.status <- trace.Status{State: trace.Done}
		close(r.snaps)
		close(r.events)
		close(r.status)
	})
}

func (r *fakeRun) Close() error {
	r.Stop()
	r.once.Do(func() { close(r.closed) })
	return r.failed
}

func (r *fakeRun) isClosed() bool {
	select {
	case <-r.closed:
		return true
	default:
		return false
	}
}

// table returns @name[string] = count() of n keys.
func table(name string, n int) trace.Table {
	t := trace.Table{Name: name, KeyTypes: []string{"string"}, Normal: 1}
	for i := range n {
		key := fmt.Sprintf("process-%d", i)
		t.Rows = append(t.Rows, trace.Row{ID: key, Keys: []trace.Value{{Kind: trace.StringValue, Str: key}}, Value: int64(i), Count: uint64(i)})
	}
	return t
}

// swapping is a fake whose runs can take the place of one another.
type swapping struct {
	fake
	swapped []trace.Run // those whose place was taken
}

func (s *swapping) Swap(ctx context.Context, old trace.Run, script trace.Script) (trace.Run, error) {
	run, err := s.Run(ctx, script)
	if err == nil {
		s.swapped = append(s.swapped, old)
	}
	return run, err
}
