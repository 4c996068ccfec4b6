package nats

import (
	"context"
	"crypto/sha256"
	"fmt"
	"math/rand/v2"
	"slices"
	"sync"
	"time"

	"github.com/nats-io/nats.go"

	"dscope.dev/engine/fleet"
	"dscope.dev/engine/remote"
	"dscope.dev/engine/trace"
	"dscope.dev/engine/wire"
)

// A Runner starts scripts.
type Runner interface {
	Run(ctx context.Context, s trace.Script) (trace.Run, error)
}

// An Agent serves the tracer of a host to those who may ask.
type Agent struct {
	Card   fleet.Card
	Runner Runner
	Server *remote.Server // answers what is asked beside runs: probes, completions; nil refuses it
	Allow  []string       // users who may ask, beside what the server of NATS says; nil is all that it lets through
	Say    func(string)   // is told of every start and end: who, which script; may be nil

	nc     *nats.Conn
	mu     sync.Mutex
	calls  map[string]*sending
	dialed map[string]*tunnel
	wait   sync.WaitGroup
}

// mostRuns is how many runs a host has at once for others.
const mostRuns = 32

// Serve serves until ctx ends. All runs have been closed when it returns.
func (a *Agent) Serve(ctx context.Context, nc *nats.Conn) error {
	if err := CheckName(a.Card.Name); err != nil {
		return err
	}
	a.nc, a.calls, a.dialed = nc, map[string]*sending{}, map[string]*tunnel{}
	calls, cancel := context.WithCancel(context.WithoutCancel(ctx))
	defer a.wait.Wait()
	defer cancel()
	for subject, take := range map[string]nats.MsgHandler{
		askSubject(a.Card.Name, "*"): func(m *nats.Msg) { a.asked(calls, m) },
		hailSubject("*"):             func(m *nats.Msg) { a.hailed(ctx, m) },
		leaseSubject("*"):            a.leased,
	} {
		sub, err := nc.Subscribe(subject, take)
		if err != nil {
			return fmt.Errorf("subscribe to %s: %w", subject, err)
		}
		defer sub.Unsubscribe()
	}
	if err := nc.FlushTimeout(Here); err != nil {
		return err
	}
	tick := time.NewTicker(Here)
	defer tick.Stop()
	for {
		a.here(here{})
		select {
		case <-tick.C:
		case <-ctx.Done():
			a.here(here{Bye: true})
			return nc.FlushTimeout(time.Second)
		}
	}
}

func (a *Agent) say(format string, args ...any) {
	if a.Say != nil {
		a.Say(fmt.Sprintf(format, args...))
	}
}

// here says that the host is there. What cannot be said now is said in a few seconds.
func (a *Agent) here(h here) {
	h.Card, h.Sent = a.Card, time.Now().UnixNano()
	_ = a.nc.Publish(hereSubject(a.Card.Name), packed(h))
}

// hailed answers who asks who is there.
func (a *Agent) hailed(ctx context.Context, m *nats.Msg) {
	var h hail
	came := time.Now()
	if decoding.Unmarshal(m.Data, &h) != nil {
		return
	}
	answer := func() { a.here(here{Hail: h.ID, Held: time.Since(came)}) }
	if h.Spread <= 0 {
		answer()
		return
	}
	time.AfterFunc(rand.N(min(h.Spread, Here)), func() {
		if ctx.Err() == nil {
			answer()
		}
	})
}

// leased renews the leases of a user.
func (a *Agent) leased(m *nats.Msg) {
	var l lease
	if decoding.Unmarshal(m.Data, &l) != nil {
		return
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	for _, id := range l.Calls {
		key := callKey(part(m.Subject, 2), id)
		if s := a.calls[key]; s != nil {
			s.renew()
		}
		if t := a.dialed[key]; t != nil {
			t.renew()
		}
	}
}

// callKey names a call: those of two users are never one.
func callKey(user, call string) string { return user + " " + call }

// asked does what a user asks.
func (a *Agent) asked(ctx context.Context, m *nats.Msg) {
	var q ask
	user := part(m.Subject, 3)
	if decoding.Unmarshal(m.Data, &q) != nil || CheckName(q.Call) != nil || len(q.Call) > 64 {
		return
	}
	key := callKey(user, q.Call)
	a.mu.Lock()
	defer a.mu.Unlock()
	if t := a.dialed[key]; t != nil {
		t.take(q.Op, q.Seq, q.Data)
		return
	}
	if s := a.calls[key]; s != nil {
		s.renew()
		s.take(q)
		return
	}
	send := a.sender(user, q.Call)
	wrong := a.allowed(user)
	switch {
	case q.Op == opRun && q.Script != nil:
		if wrong == nil && len(a.calls) >= mostRuns {
			wrong = fmt.Errorf("%d runs for others go on here already", mostRuns)
		}
		if wrong != nil {
			a.say("refused %s: %v", user, wrong)
			send(head{kind: kindAnswer}, packed(answer{Err: wire.Fail(wrong)}))
			return
		}
		a.run(ctx, user, q, send)
	case q.Op == opDial && wrong == nil && a.Server != nil && len(a.dialed) < mostRuns:
		a.dial(ctx, user, q.Call, send)
	case slices.Contains([]op{opStop, opAck, opAgain, opAlive}, q.Op) && wrong == nil:
		send(head{kind: kindNone}, nil)
	}
}

func (a *Agent) allowed(user string) error {
	if a.Allow != nil && !slices.Contains(a.Allow, user) {
		return fmt.Errorf("%s may not ask here", user)
	}
	return nil
}

// sender returns what sends to a user, for a call. What the connection does not take is
// missed there, by its number.
func (a *Agent) sender(user, call string) func(head, []byte) {
	subject := dataSubject(a.Card.Name, user, call)
	return func(h head, body []byte) {
		h.sent = time.Now().UnixNano()
		_ = a.nc.Publish(subject, append(h.append(make([]byte, 0, headSize+len(body))), body...))
	}
}

// run begins a call. The lock is held.
func (a *Agent) run(ctx context.Context, user string, q ask, send func(head, []byte)) {
	sum := sha256.Sum256([]byte(q.Script.Text))
	a.say("run %s of %s: script %x, %d bytes", q.Call, user, sum[:8], len(q.Script.Text))
	s := newSending(ctx, send, wire.Hello{Made: time.Now(), Kernel: a.Card.Kernel, Machine: a.Card.Machine},
		func(ctx context.Context) (trace.Run, error) { return a.Runner.Run(ctx, *q.Script) })
	key := callKey(user, q.Call)
	a.calls[key] = s
	a.wait.Go(func() {
		<-s.ended
		a.mu.Lock()
		defer a.mu.Unlock()
		delete(a.calls, key)
		if s.isLeased() {
			a.say("run %s of %s is over", q.Call, user)
			return
		}
		a.say("run %s of %s is over: nobody has renewed its lease for %v", q.Call, user, Lease)
		send(head{kind: kindNone}, nil) // whoever still wants it asks again
	})
}

// dial begins a stream to the tracer. The lock is held.
func (a *Agent) dial(ctx context.Context, user, call string, send func(head, []byte)) {
	seq := uint32(0)
	t := newTunnel(func(b []byte) error {
		k := kindBytes
		if b == nil {
			k = kindEnd
		}
		send(head{kind: k, seq: seq}, b)
		seq++
		return nil
	})
	key := callKey(user, call)
	a.dialed[key] = t
	a.wait.Go(func() {
		ctx, cancel := context.WithCancel(ctx)
		defer cancel()
		go t.watch(ctx)
		_ = a.Server.Serve(ctx, t) // who has asked sees how it ends
		t.Close()
		a.mu.Lock()
		defer a.mu.Unlock()
		delete(a.dialed, key)
	})
}
