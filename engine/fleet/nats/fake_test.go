package nats

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/nats-io/nats.go"

	"dscope.dev/engine/fleet"
	"dscope.dev/engine/trace"
)

// A fakeRunner starts runs that deliver what a test puts into their channels.
type fakeRunner struct {
	mu     sync.Mutex
	runs   []*fakeRun
	refuse error
	came   chan *fakeRun
}

func newRunner() *fakeRunner { return &fakeRunner{came: make(chan *fakeRun, 16)} }

func (f *fakeRunner) Run(_ context.Context, s trace.Script) (trace.Run, error) {
	if f.refuse != nil {
		return nil, f.refuse
	}
	r := &fakeRun{script: s, began: time.Now(), snaps: make(chan trace.Snapshot), events: make(chan []trace.Event),
		status: make(chan trace.Status, 1), stopped: make(chan struct{}), closed: make(chan struct{})}
	f.mu.Lock()
	f.runs = append(f.runs, r)
	f.mu.Unlock()
	f.came <- r
	return r, nil
}

type fakeRun struct {
	script          trace.Script
	began           time.Time
	snaps           chan trace.Snapshot
	events          chan []trace.Event
	status          chan trace.Status
	stopped, closed chan struct{}
	stops, closes   sync.Once
	ends            sync.Once
	seq             uint64
}

func (r *fakeRun) Began() time.Time                 { return r.began }
func (r *fakeRun) Snapshots() <-chan trace.Snapshot { return r.snaps }
func (r *fakeRun) Events() <-chan []trace.Event     { return r.events }
func (r *fakeRun) Status() <-chan trace.Status      { return r.status }
func (r *fakeRun) Stop()                            { r.stops.Do(func() { close(r.stopped) }) }

func (r *fakeRun) Close() error {
	r.Stop()
	r.end()
	r.closes.Do(func() { close(r.closed) })
	return nil
}

// end ends the run in order.
func (r *fakeRun) end() {
	r.ends.Do(func() {
		r.status <- trace.Status{State: trace.Done}
		close(r.snaps)
		close(r.events)
		close(r.status)
	})
}

// counted delivers a snapshot: so many of each key.
func (r *fakeRun) counted(list map[string]int64) {
	r.seq++
	t := trace.Table{Name: "n", Func: trace.Count, KeyTypes: []string{"string"}, Normal: 1}
	for key, n := range list {
		t.Rows = append(t.Rows, trace.Row{ID: key, Keys: []trace.Value{{Kind: trace.StringValue, Str: key}}, Value: n, Count: uint64(n)})
	}
	slices.SortFunc(t.Rows, func(a, b trace.Row) int { return strings.Compare(a.ID, b.ID) })
	r.snaps <- trace.Snapshot{Seq: r.seq, Time: time.Now(), Aggs: []trace.Table{t}}
}

// An agency is an agent that a test has started.
type agency struct {
	*fakeRunner
	nc    *nats.Conn
	leave func() // in order; it waits
	kill  func() // as the machine would without power: nothing is heard of it any more
}

// serve has a host serve for the rest of the test.
func serve(t *testing.T, url, name string, labels map[string]string) *agency {
	t.Helper()
	nc, err := Dial(Login{URL: url, Name: name})
	if err != nil {
		t.Fatal(err)
	}
	a := &agency{fakeRunner: newRunner(), nc: nc}
	agent := &Agent{Card: fleet.Card{Name: name, Labels: labels, Kernel: "6.1", Instance: fmt.Sprint(time.Now().UnixNano())}, Runner: a}
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() { ended <- agent.Serve(ctx, nc) }()
	a.leave = sync.OnceFunc(func() {
		cancel()
		if err := await(t, name+" to leave", ended); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		nc.Close()
	})
	a.kill = nc.Close
	t.Cleanup(func() {
		cancel()
		nc.Close()
	})
	return a
}

// client asks in the name of a user for the rest of the test.
func client(t *testing.T, url, user string) *Client {
	t.Helper()
	nc, err := Dial(Login{URL: url, Name: user})
	if err != nil {
		t.Fatal(err)
	}
	c, err := NewClient(nc, user)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		c.Close()
		nc.Close()
	})
	return c
}

// await waits for a channel.
func await[T any](t testing.TB, what string, ch <-chan T) (v T) {
	t.Helper()
	select {
	case v = <-ch:
	case <-time.After(40 * time.Second):
		t.Fatalf("waited in vain for %s", what)
	}
	return v
}

// A reading is what a reader of a run has seen.
type reading struct {
	rows   []string
	events []trace.Event
	status trace.Status
	over   bool
}

// read reads a run until done says so, or to its end.
func read(t testing.TB, run trace.Run, into *reading, done func() bool) {
	t.Helper()
	late := time.After(60 * time.Second)
	snaps, events, states := run.Snapshots(), run.Events(), run.Status()
	for !done() && (snaps != nil || events != nil || states != nil) {
		select {
		case s, ok := <-snaps:
			if !ok {
				snaps = nil
				break
			}
			into.rows = rows(s)
		case e, ok := <-events:
			if !ok {
				events = nil
			}
			into.events = append(into.events, e...)
		case s, ok := <-states:
			if !ok {
				states, into.over = nil, true
				break
			}
			into.status = s
		case <-late:
			t.Fatalf("it does not come to that; seen were %v, %+v", into.rows, into.status)
		}
	}
}

func never() bool { return false }

func rows(s trace.Snapshot) (list []string) {
	for _, table := range s.Aggs {
		for _, r := range table.Rows {
			list = append(list, fmt.Sprintf("%s=%d", r.Keys[0].Str, r.Value))
		}
	}
	slices.Sort(list)
	return list
}

// start runs a script on all hosts that are meant.
func start(t *testing.T, c *Client, meant string, o fleet.Options) (trace.Run, error) {
	t.Helper()
	s, err := fleet.ParseSelector(meant)
	if err != nil {
		t.Fatal(err)
	}
	run, err := fleet.Start(t.Context(), c, s, trace.Script{Text: "BEGIN"}, o)
	if err != nil {
		return nil, err
	}
	t.Cleanup(func() { run.Close() })
	return run, nil
}

var errProbe = errors.New("no such probe")
