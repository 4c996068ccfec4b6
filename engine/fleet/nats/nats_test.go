package nats

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/nats-io/nats.go"

	"dscope.dev/engine/fleet"
	"dscope.dev/engine/fleet/nats/natstest"
	"dscope.dev/engine/trace"
	"dscope.dev/engine/wire"
)

// configured starts a server with the configuration that dscope agent --server-conf prints.
func configured(t *testing.T) (url func(user string) string) {
	for _, name := range []string{"WEB_1", "WEB_2", "ALICE", "BOB"} {
		t.Setenv(name+"_PASSWORD", "secret"+name)
	}
	at := natstest.Configured(t, Config)
	return func(user string) string {
		return at(user, "secret"+strings.ToUpper(strings.ReplaceAll(user, "-", "_")))
	}
}

// TestFleet runs a script on hosts that match, under the permissions of the configuration:
// one refuses, what the others count is merged, and all of them end when they are asked to.
func TestFleet(t *testing.T) {
	url := configured(t)
	a, b := serve(t, url("web-1"), "web-1", map[string]string{"role": "web"}), serve(t, url("web-2"), "web-2", nil)
	alice := client(t, url("alice"), "alice")
	run, err := start(t, alice, "web-*", fleet.Options{})
	if err != nil {
		t.Fatal(err)
	}
	one, two := await(t, "web-1 to be asked", a.came), await(t, "web-2 to be asked", b.came)
	one.counted(map[string]int64{"x": 1, "y": 2})
	two.counted(map[string]int64{"x": 10})
	one.events <- []trace.Event{{Kind: trace.DataEvent, Time: time.Now(), Items: []trace.Item{{Text: "hello"}}}}
	var seen reading
	read(t, run, &seen, func() bool { return slices.Equal(seen.rows, []string{"x=11", "y=2"}) && len(seen.events) == 1 })
	if e := seen.events[0]; e.Host != "web-1" || e.Items[0].Text != "hello" {
		t.Errorf("the event is %+v", e)
	}
	one.counted(map[string]int64{"x": 2, "y": 2})
	clocks := func() bool { // have been compared
		return !slices.ContainsFunc(seen.status.Hosts, func(h trace.Host) bool { return h.Bound == 0 })
	}
	read(t, run, &seen, func() bool { return slices.Equal(seen.rows, []string{"x=12", "y=2"}) && clocks() })
	for _, h := range seen.status.Hosts {
		if h.Bound <= 0 || h.Bound > time.Second || h.Clock.Abs() > h.Bound { // it is one clock
			t.Errorf("%s has a clock that is %v ahead within %v", h.Name, h.Clock, h.Bound)
		}
	}
	run.Stop()
	await(t, "web-1 to be stopped", one.stopped)
	await(t, "web-2 to be stopped", two.stopped)
	one.end()
	two.end()
	read(t, run, &seen, never)
	if !slices.Equal(seen.rows, []string{"x=12", "y=2"}) || seen.status.State != trace.Done {
		t.Errorf("it has ended with %v as %+v", seen.rows, seen.status)
	}
	await(t, "web-1 to close", one.closed)

	b.refuse = errProbe
	if run, err = start(t, alice, "*", fleet.Options{}); err != nil {
		t.Fatal(err)
	}
	read(t, run, &seen, func() bool { return len(seen.status.Hosts) == 2 && seen.status.Hosts[1].Refused })
	if h := seen.status.Hosts[1]; h.Name != "web-2" || h.Why != errProbe.Error() {
		t.Errorf("refused: %+v", h)
	}
	_, err = start(t, alice, "web-2", fleet.Options{})
	var refused *fleet.RefusedError
	if !errors.As(err, &refused) || !slices.Equal(refused.List[0].Hosts, []string{"web-2"}) {
		t.Errorf("refused by all: %v", err)
	}
	if run, err = start(t, alice, "role=web", fleet.Options{}); err != nil {
		t.Fatal(err)
	}
	read(t, run, &seen, func() bool { return len(seen.status.Hosts) == 1 })
}

// TestWhoMaySpeak has agents speak for others and users ask what they may not.
func TestWhoMaySpeak(t *testing.T) {
	url := configured(t)
	a, b := serve(t, url("web-1"), "web-1", nil), serve(t, url("web-2"), "web-2", nil)
	for _, test := range []struct{ who, subject string }{
		{"web-2", hereSubject("web-1")},                  // to be there for another host
		{"web-2", dataSubject("web-1", "alice", "x")},    // to deliver what another host has seen
		{"web-2", askSubject("web-1", "web-2")},          // to ask at all
		{"alice", askSubject("web-1", "bob")},            // to ask as somebody else
		{"alice", leaseSubject("bob")},                   // to have the runs of others live on
		{"bob", askSubject("web-1", "bob")},              // to ask whom one may not
		{"alice", dataSubject("web-1", "alice", "call")}, // to make up what a host says
	} {
		if err := denied(t, url(test.who), func(nc *nats.Conn) error { return nc.Publish(test.subject, nil) }); !errors.Is(err, nats.ErrPermissionViolation) {
			t.Errorf("%s says %s: %v", test.who, test.subject, err)
		}
	}
	for _, test := range []struct{ who, subject string }{
		{"alice", dataSubject("*", "bob", "*")}, // to see what others have asked
		{"web-1", askSubject("web-2", "*")},     // to see what others are asked
		{"web-1", dataSubject("*", "*", "*")},
	} {
		if err := denied(t, url(test.who), func(nc *nats.Conn) error { _, err := nc.SubscribeSync(test.subject); return err }); !errors.Is(err, nats.ErrPermissionViolation) {
			t.Errorf("%s hears %s: %v", test.who, test.subject, err)
		}
	}
	if _, err := Dial(Login{URL: strings.Replace(url("alice"), "secret", "guessed", 1)}); err == nil || strings.Contains(err.Error(), "guessed") {
		t.Errorf("a wrong password: %v", err)
	}

	run, err := start(t, client(t, url("bob"), "bob"), "web-2", fleet.Options{})
	if err != nil {
		t.Fatal(err)
	}
	await(t, "web-2 to be asked", b.came).counted(map[string]int64{"x": 1})
	var seen reading
	read(t, run, &seen, func() bool { return slices.Equal(seen.rows, []string{"x=1"}) })
	a.mu.Lock()
	defer a.mu.Unlock()
	if len(a.runs) > 0 {
		t.Error("bob runs a script on web-1")
	}
}

// denied does something at a server, and returns what that has against it.
func denied(t *testing.T, url string, do func(*nats.Conn) error) error {
	t.Helper()
	said := make(chan error, 4)
	nc, err := nats.Connect(url, nats.ErrorHandler(func(_ *nats.Conn, _ *nats.Subscription, err error) { said <- err }))
	if err != nil {
		t.Fatal(err)
	}
	defer nc.Close()
	if err := errors.Join(do(nc), nc.Flush()); err != nil {
		t.Fatal(err)
	}
	return await(t, "the server to complain", said)
}

// TestDeaths has one agent be stopped and another one die without a word. What they had
// delivered stays; one that comes back is asked again, under the same name.
func TestDeaths(t *testing.T) {
	_, url := natstest.Token(t)
	a, b, c := serve(t, url, "a", nil), serve(t, url, "b", nil), serve(t, url, "c", nil)
	run, err := start(t, client(t, url, "u"), "*", fleet.Options{Silence: 2 * Beat})
	if err != nil {
		t.Fatal(err)
	}
	for i, agent := range []*agency{a, b, c} {
		await(t, "an agent to be asked", agent.came).counted(map[string]int64{"x": []int64{1, 10, 100}[i]})
	}
	var seen reading
	read(t, run, &seen, func() bool { return slices.Equal(seen.rows, []string{"x=111"}) })

	b.leave()
	read(t, run, &seen, func() bool { return seen.status.Hosts[1].State == trace.Failed })
	if h := seen.status.Hosts[1]; h.Why != "its agent has been stopped" {
		t.Errorf("the host that left is %+v", h)
	}
	await(t, "its run to be closed", b.runs[0].closed)

	c.kill()
	read(t, run, &seen, func() bool { return seen.status.Hosts[2].Silent > 0 })
	if !slices.Equal(seen.rows, []string{"x=111"}) {
		t.Errorf("of the dead is left %v", seen.rows)
	}
	await(t, "the run of the dead to end, which nobody leases any more", c.runs[0].closed)

	again := serve(t, url, "b", nil)
	await(t, "b to be asked again", again.came).counted(map[string]int64{"x": 1000})
	read(t, run, &seen, func() bool { return slices.Equal(seen.rows, []string{"x=1111"}) })
	later := serve(t, url, "d", nil)
	await(t, "d, which has come later, to be asked", later.came).counted(map[string]int64{"y": 1})
	read(t, run, &seen, func() bool { return slices.Equal(seen.rows, []string{"x=1111", "y=1"}) })
	var told []string
	for _, e := range seen.events {
		if e.Kind == trace.NoticeEvent {
			told = append(told, e.Items[0].Text)
		}
	}
	if len(told) < 2 || told[0] != "b died: its agent has been stopped" || !strings.HasPrefix(told[1], "c has been silent for ") {
		t.Errorf("told: %q", told)
	}
}

// TestReaderDies closes the connection of a reader: its runs end on the hosts when their lease
// does.
func TestReaderDies(t *testing.T) {
	_, url := natstest.Token(t)
	a := serve(t, url, "a", nil)
	c := client(t, url, "u")
	if _, err := start(t, c, "*", fleet.Options{}); err != nil {
		t.Fatal(err)
	}
	run := await(t, "the agent to be asked", a.came)
	c.nc.Close()
	await(t, "the run to be closed", run.closed)
}

// TestLeaseIsLost has a reader whose renewals do not get through for longer than a lease: the
// host says that it has ended the run, and is asked again at once. What it had delivered stays.
func TestLeaseIsLost(t *testing.T) {
	_, url := natstest.Token(t)
	a := serve(t, url, "a", nil)
	c := client(t, url, "u")
	run, err := start(t, c, "*", fleet.Options{})
	if err != nil {
		t.Fatal(err)
	}
	leased := func(yes bool) {
		c.mu.Lock()
		defer c.mu.Unlock()
		for _, f := range c.feeds {
			if delete(c.calls, f.question.id); yes {
				c.calls[f.question.id] = true
			}
		}
	}
	first := await(t, "the agent to be asked", a.came)
	first.counted(map[string]int64{"x": 1})
	var seen reading
	read(t, run, &seen, func() bool { return slices.Equal(seen.rows, []string{"x=1"}) })
	leased(false)
	await(t, "the run to end", first.closed)
	leased(true)
	await(t, "the agent to be asked again", a.came).counted(map[string]int64{"x": 10})
	read(t, run, &seen, func() bool { return slices.Equal(seen.rows, []string{"x=11"}) && len(seen.status.Hosts) == 2 })
	if h := seen.status.Hosts; h[0].State != trace.Running || h[1].Name != "a (before 1)" || h[1].Why != "it heard nothing from here for 10s" {
		t.Errorf("the hosts are %+v", h)
	}
}

// TestNoSuchCall: a host says so when it is asked about a run that it does not have, as after
// its word that the run is over was lost.
func TestNoSuchCall(t *testing.T) {
	_, url := natstest.Token(t)
	serve(t, url, "a", nil)
	c := client(t, url, "u")
	said := make(chan head, 8)
	sub, err := c.nc.Subscribe(dataSubject("a", "u", "call"), func(m *nats.Msg) {
		if h, _, err := parseHead(m.Data); err == nil {
			said <- h
		}
	})
	if err != nil {
		t.Fatal(err)
	}
	defer sub.Unsubscribe()
	for _, o := range []op{opAlive, opAck, opAgain, opStop} {
		c.ask("a", ask{Op: o, Call: "call"})
		if h := await(t, "a word", said); h.kind != kindNone {
			t.Errorf("asked %s it answers %+v", o, h)
		}
	}

	q, err := c.Open(trace.Script{})
	if err != nil {
		t.Fatal(err)
	}
	defer q.Close()
	dropped := make(chan error, 8)
	f := q.Ask(fleet.Card{Name: "a"}, func(u fleet.Update) {
		if u.Dropped != nil {
			dropped <- u.Dropped
		}
	}).(*feed)
	defer f.Close()
	f.take(head{kind: kindNone}, nil)
	if len(dropped) > 0 {
		t.Error("before a host has answered, its word about an earlier call ends this one")
	}
	f.take(head{kind: kindAnswer}, packed(answer{Began: time.Now()}))
	f.take(head{kind: kindNone}, nil)
	f.take(head{kind: kindNone}, nil)
	if len(dropped) != 1 {
		t.Errorf("it is told %d times that the call is over", len(dropped))
	}
}

// FuzzFeed takes in what a host may send that is not ours.
func FuzzFeed(f *testing.F) {
	for _, h := range []head{{kind: kindFrame}, {kind: kindFrame, epoch: 1, more: true}, {kind: kindBeat, epoch: 7, seq: 3}, {kind: kindAnswer}, {kind: kindNone}} {
		f.Add(h.append(nil), h.append([]byte{}))
	}
	c := &Client{hosts: map[string]*seen{}, nc: &nats.Conn{}}
	f.Fuzz(func(t *testing.T, a, b []byte) {
		feed := &feed{question: &question{}, client: c, update: func(fleet.Update) {}, over: make(chan struct{})}
		for _, m := range [][]byte{a, b, a} {
			if h, body, err := parseHead(m); err == nil {
				feed.take(h, body)
			}
		}
	})
}

// deliver delivers many events of a run, and ends it.
func deliver(run *fakeRun, many int, text string) {
	for range many {
		run.events <- []trace.Event{{Kind: trace.DataEvent, Time: time.Now(), Items: []trace.Item{{Text: text}}}}
	}
	run.counted(map[string]int64{"x": int64(many)})
	run.end()
}

// accounted counts the events that have come, and those that are told of as lost.
func accounted(list []trace.Event) (came, lost int) {
	for _, e := range list {
		switch e.Kind {
		case trace.DataEvent:
			came++
		case trace.DropEvent:
			lost += int(e.Drop.Count)
		}
	}
	return came, lost
}

// TestSlowReader has a reader that takes nothing until the run has ended: the run is not held
// up, and what found no room is counted.
func TestSlowReader(t *testing.T) {
	_, url := natstest.Token(t)
	a := serve(t, url, "a", nil)
	run, err := start(t, client(t, url, "u"), "*", fleet.Options{})
	if err != nil {
		t.Fatal(err)
	}
	const many = 400
	delivered := make(chan bool)
	there := await(t, "the agent to be asked", a.came)
	go func() {
		deliver(there, many, strings.Repeat("x", 1<<19))
		close(delivered)
	}()
	await(t, "the run to deliver all", delivered)
	await(t, "the run to be closed", there.closed)
	var seen reading
	read(t, run, &seen, never)
	came, lost := accounted(seen.events)
	if came+lost != many || lost == 0 || !slices.Equal(seen.rows, []string{"x=400"}) {
		t.Errorf("of %d events %d came and %d are counted as lost; rows are %v", many, came, lost, seen.rows)
	}
	t.Logf("of %d events %d came and %d were counted as lost", many, came, lost)
}

// TestLossOnTheWay has a client that has no room for most of what comes: what is lost is seen
// by the numbers of messages, and counted to the last event; the picture is whole in the end.
func TestLossOnTheWay(t *testing.T) {
	_, url := natstest.Token(t)
	a := serve(t, url, "a", nil)
	c := client(t, url, "u")
	c.backlog = 64 << 10
	run, err := start(t, c, "*", fleet.Options{})
	if err != nil {
		t.Fatal(err)
	}
	const many = 100_000
	there := await(t, "the agent to be asked", a.came)
	go deliver(there, many, "an event")
	var seen reading
	read(t, run, &seen, never)
	came, lost := accounted(seen.events)
	if came+lost != many || !slices.Equal(seen.rows, []string{"x=100000"}) {
		t.Errorf("of %d events %d came and %d are counted as lost; rows are %v", many, came, lost, seen.rows)
	}
	t.Logf("of %d events %d came and %d were counted as lost", many, came, lost)
}

// TestBeginningIsLost loses the first messages of a stream that begins anew: the host is asked
// to begin once more, in words that it takes for its present stream.
func TestBeginningIsLost(t *testing.T) {
	_, url := natstest.Token(t)
	c := client(t, url, "u")
	q, err := c.Open(trace.Script{})
	if err != nil {
		t.Fatal(err)
	}
	defer q.Close()
	for _, h := range []head{{kind: kindBeat, epoch: 3, seq: 5}, {kind: kindFrame, epoch: 3, seq: 5}} {
		asked := make(chan ask, 8)
		sub, err := c.nc.Subscribe(askSubject("a", "u"), func(m *nats.Msg) {
			var a ask
			if decoding.Unmarshal(m.Data, &a) == nil && a.Op == opAgain {
				asked <- a
			}
		})
		if err != nil {
			t.Fatal(err)
		}
		f := q.Ask(fleet.Card{Name: "a"}, func(fleet.Update) {}).(*feed)
		f.take(h, nil)
		if a := await(t, "the host to be asked", asked); a.Epoch != 3 {
			t.Errorf("asked to begin anew is epoch %d, not the one that goes on", a.Epoch)
		}
		f.Close()
		if err := sub.Unsubscribe(); err != nil {
			t.Fatal(err)
		}
	}
}

// TestSlowStart: a host that takes long to start a script says that it is there meanwhile.
func TestSlowStart(t *testing.T) {
	sent, begin := make(chan head, 16), make(chan struct{})
	s := newSending(t.Context(), func(h head, _ []byte) { sent <- h }, wire.Hello{}, func(context.Context) (trace.Run, error) {
		<-begin
		return nil, errProbe
	})
	for range 2 {
		if h := await(t, "a beat", sent); h.kind != kindBeat || h.epoch != 0 || h.seq != 0 {
			t.Errorf("before it has begun it sends %+v", h)
		}
	}
	close(begin)
	for h := await(t, "the answer", sent); h.kind != kindAnswer; h = await(t, "the answer", sent) {
	}
	s.take(ask{Op: opClose})
	await(t, "the end", s.ended)
}
