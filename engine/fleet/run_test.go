package fleet

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"dscope.dev/engine/trace"
	"dscope.dev/engine/wire"
)

// A fakeNet is a network of which a test says who is there and what comes of each.
type fakeNet struct {
	mu    sync.Mutex
	there []Card
	watch func(Card)
	calls map[string]*fakeCall
	when  func(*fakeCall) // is called when a host is asked
}

type fakeCall struct {
	host            string
	update          func(Update)
	stopped, closed chan struct{}
	stops, closes   sync.Once
}

func (n *fakeNet) Watch(ctx context.Context, card func(Card)) {
	n.mu.Lock()
	n.watch = card
	there := slices.Clone(n.there)
	n.mu.Unlock()
	for _, c := range there {
		card(c)
	}
	<-ctx.Done()
}

func (n *fakeNet) join(c Card) {
	n.mu.Lock()
	watch := n.watch
	n.mu.Unlock()
	watch(c)
}

func (n *fakeNet) Open(trace.Script) (Question, error) { return n, nil }
func (n *fakeNet) Close()                              {}

func (n *fakeNet) Ask(c Card, update func(Update)) Call {
	f := &fakeCall{host: c.Name, update: update, stopped: make(chan struct{}), closed: make(chan struct{})}
	n.mu.Lock()
	n.calls[c.Name] = f
	n.mu.Unlock()
	go n.when(f)
	return f
}

func (f *fakeCall) Stop()  { f.stops.Do(func() { close(f.stopped) }) }
func (f *fakeCall) Close() { f.closes.Do(func() { close(f.closed) }) }

// serve runs a script that counts one of x and ends when it is asked to.
func (f *fakeCall) serve() {
	f.update(Update{Began: time.Now()})
	f.update(Update{Message: counts(1, map[string]int64{"x": 1}), Sent: time.Now()})
	<-f.stopped
	f.update(Update{Message: &wire.Status{At: 1, Status: trace.Status{State: trace.Done}}, Sent: time.Now()})
}

func newFakeNet(when func(*fakeCall), names ...string) *fakeNet {
	n := &fakeNet{calls: map[string]*fakeCall{}, when: when}
	for _, name := range names {
		n.there = append(n.there, Card{Name: name, Instance: "1"})
	}
	return n
}

func all(t *testing.T) Selector {
	t.Helper()
	s, err := ParseSelector("*")
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// until reads what a run delivers until a snapshot is as it should be.
func until(t *testing.T, r *Run, rowsAre ...string) {
	t.Helper()
	late := time.After(20 * time.Second)
	var last []string
	for {
		select {
		case s := <-r.Snapshots():
			if last = rows(s); slices.Equal(last, rowsAre) {
				return
			}
		case <-r.Events():
		case <-r.Status():
		case <-late:
			t.Fatalf("rows are %v, not %v", last, rowsAre)
		}
	}
}

// rest reads a run to its end.
func rest(r *Run) (snap trace.Snapshot, status trace.Status) {
	snaps, events, states := r.Snapshots(), r.Events(), r.Status()
	for snaps != nil || events != nil || states != nil {
		select {
		case s, ok := <-snaps:
			if !ok {
				snaps = nil
				break
			}
			snap = s
		case _, ok := <-events:
			if !ok {
				events = nil
			}
		case s, ok := <-states:
			if !ok {
				states = nil
				break
			}
			status = s
		}
	}
	return snap, status
}

// TestRun has two hosts, one that refuses and one that comes later.
func TestRun(t *testing.T) {
	n := newFakeNet(func(f *fakeCall) {
		if f.host == "old" {
			f.update(Update{Err: errors.New("no such probe")})
			return
		}
		f.serve()
	}, "a", "b", "old")
	r, err := Start(t.Context(), n, all(t), trace.Script{}, Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	until(t, r, "x=2")
	n.join(Card{Name: "c", Instance: "1"})
	until(t, r, "x=3")
	r.Stop()
	snap, status := rest(r)
	want(t, "rows", rows(snap), []string{"x=3"})
	if status.State != trace.Done || len(status.Hosts) != 4 || !status.Hosts[3].Refused || status.Hosts[3].Why != "no such probe" {
		t.Errorf("it has ended as %+v", status)
	}
}

// TestDropped has a host that ends its part of a run by itself and can be asked again: it is,
// at once, and what it had delivered counts. While the run is being ended it is not.
func TestDropped(t *testing.T) {
	asked := map[string]int{}
	n := newFakeNet(nil, "a", "b")
	n.when = func(f *fakeCall) {
		n.mu.Lock()
		asked[f.host]++
		again := asked[f.host] > 1
		n.mu.Unlock()
		if again {
			f.stops.Do(func() {}) // it does not end when it is asked to
		}
		f.serve()
	}
	r, err := Start(t.Context(), n, all(t), trace.Script{}, Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	until(t, r, "x=2")
	first := n.calls["a"]
	first.update(Update{Dropped: errors.New("it heard nothing from here")})
	until(t, r, "x=3")
	<-first.closed
	n.mu.Lock()
	again, other := n.calls["a"], n.calls["b"]
	n.mu.Unlock()
	first.update(Update{Dropped: errors.New("a late word of the first")})
	r.Stop()
	<-other.stopped
	again.update(Update{Dropped: errors.New("it was ended")})
	snap, status := rest(r)
	want(t, "rows", rows(snap), []string{"x=3"})
	var ends []string
	for _, h := range status.Hosts {
		ends = append(ends, fmt.Sprintf("%s: %s", h.Name, h.Why))
	}
	want(t, "ends", ends, []string{"a: it was ended", "a (before 1): it heard nothing from here", "b: "})
	want(t, "asked", []string{fmt.Sprint(asked)}, []string{"map[a:2 b:1]"})
}

// TestGivenUp gives a start up that one of two hosts does not answer.
func TestGivenUp(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	n := newFakeNet(func(f *fakeCall) {
		if f.host == "a" {
			f.serve()
		} else {
			time.AfterFunc(2*settle, cancel) // both have been asked by then
		}
	}, "a", "b")
	_, err := Start(ctx, n, all(t), trace.Script{}, Options{})
	if !errors.Is(err, context.Canceled) || err.Error() != "given up while there was no answer yet from b" {
		t.Errorf("it ends with %v", err)
	}
	if _, err := Start(ctx, newFakeNet(nil), all(t), trace.Script{}, Options{}); err == nil || err.Error() != "given up before all hosts of the fleet were found" {
		t.Errorf("before any was found it ends with %v", err)
	}
}

func TestNobodyRuns(t *testing.T) {
	if _, err := Start(t.Context(), newFakeNet(nil), all(t), trace.Script{}, Options{}); !errors.Is(err, ErrNobody) {
		t.Errorf("without hosts: %v", err)
	}
	no := errors.New("no such probe")
	n := newFakeNet(func(f *fakeCall) { f.update(Update{Err: no}) }, "a", "b")
	_, err := Start(t.Context(), n, all(t), trace.Script{}, Options{})
	var refused *RefusedError
	if !errors.As(err, &refused) || !errors.Is(err, no) || !strings.HasPrefix(err.Error(), "a, b: ") {
		t.Errorf("refused by all: %v", err)
	}
}

// TestRunIsClosed closes a run that nobody reads: its calls are closed, and all of it ends.
func TestRunIsClosed(t *testing.T) {
	n := newFakeNet((*fakeCall).serve, "a")
	r, err := Start(t.Context(), n, all(t), trace.Script{}, Options{})
	if err != nil {
		t.Fatal(err)
	}
	for range 100 { // more than is taken without a reader
		n.calls["a"].update(Update{Message: &wire.Events{At: 1, List: []trace.Event{event(time.Now(), 1)}}, Sent: time.Now()})
	}
	if err := errors.Join(r.Close(), r.Close()); err != nil {
		t.Error(err)
	}
	if _, status := rest(r); status.State != trace.Done {
		t.Errorf("it has ended as %v", status.State)
	}
}

// TestSlowEnd has hosts that take their time to end: one that is heard meanwhile is waited
// for, and what it counted last counts.
func TestSlowEnd(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		n := newFakeNet(func(f *fakeCall) {
			f.update(Update{Began: time.Now()})
			f.update(Update{Message: counts(1, map[string]int64{"x": 1}), Sent: time.Now()})
			<-f.stopped
			for n := 0; f.host != "dumb" && (f.host != "slow" || n < 40); n++ {
				select {
				case <-f.closed:
					return
				case <-time.After(time.Second):
					f.update(Update{Sent: time.Now()})
				}
			}
			if f.host == "slow" {
				f.update(Update{Message: counts(2, map[string]int64{"x": 5}), Sent: time.Now()})
				f.update(Update{Message: &wire.Status{At: 2, Status: trace.Status{State: trace.Done}}, Sent: time.Now()})
			}
		}, "dumb", "slow", "stuck")
		r, err := Start(t.Context(), n, all(t), trace.Script{}, Options{})
		if err != nil {
			t.Fatal(err)
		}
		defer r.Close()
		until(t, r, "x=3")
		r.Stop()
		asked := time.Now()
		snap, status := rest(r)
		want(t, "rows", rows(snap), []string{"x=7"})
		var ends []string
		for _, h := range status.Hosts {
			ends = append(ends, fmt.Sprintf("%s %v %s", h.Name, h.State, h.Why))
		}
		want(t, "ends", ends, []string{"dumb failed nothing has come of it for 10s", "slow done ", "stuck failed it did not end in time"})
		if took := time.Since(asked); took < lasting || took > lasting+2*time.Second {
			t.Errorf("it took %v to end", took)
		}
	})
}
