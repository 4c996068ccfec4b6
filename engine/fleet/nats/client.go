package nats

import (
	"context"
	"crypto/rand"
	"fmt"
	"hash/maphash"
	"runtime"
	"strings"
	"sync"
	"time"

	"github.com/nats-io/nats.go"

	"dscope.dev/engine/fleet"
	"dscope.dev/engine/trace"
)

// A Client asks the agents of a fleet, for one user. It is a fleet.Network.
type Client struct {
	nc   *nats.Conn
	user string
	over chan struct{}
	once sync.Once
	subs []*nats.Subscription

	mu      sync.Mutex
	hosts   map[string]*seen
	watches map[*watch]bool
	hails   map[uint64]time.Time // when they were sent
	last    uint64               // hail
	calls   map[string]bool      // that are leased
	feeds   map[string]*feed     // by host and call
	tunnels map[string]*tunnel
	workers []chan *nats.Msg
	seed    maphash.Seed
	backlog int // bytes of data that may wait to be read
}

// A seen host has said that it is there.
type seen struct {
	card  fleet.Card
	clock fleet.Clock
	when  time.Time // the clock was compared
}

type watch struct{ card func(fleet.Card) }

// roomy is how many bytes of data may wait to be read. What does not fit is counted, and the
// rest is sent anew.
const roomy = 512 << 20

// NewClient asks in the name of a user, whom the server knows by that name.
func NewClient(nc *nats.Conn, user string) (*Client, error) {
	if err := CheckName(user); err != nil {
		return nil, err
	}
	c := &Client{nc: nc, user: user, over: make(chan struct{}), hosts: map[string]*seen{}, watches: map[*watch]bool{},
		hails: map[uint64]time.Time{}, calls: map[string]bool{}, feeds: map[string]*feed{}, tunnels: map[string]*tunnel{},
		seed: maphash.MakeSeed(), backlog: roomy}
	sub, err := nc.Subscribe(hereSubject("*"), c.seen)
	if err != nil {
		return nil, err
	}
	c.subs = append(c.subs, sub)
	for range runtime.GOMAXPROCS(0) {
		w := make(chan *nats.Msg, 256)
		c.workers = append(c.workers, w)
		go c.work(w)
	}
	if err := nc.FlushTimeout(Here); err != nil {
		c.Close()
		return nil, err
	}
	c.hail()
	go c.tend()
	return c, nil
}

// Close ends all that it has asked for. The connection stays.
func (c *Client) Close() error {
	c.once.Do(func() { close(c.over) })
	for _, s := range c.subs {
		_ = s.Unsubscribe() // a connection that is closed has none
	}
	return nil
}

// tend renews leases, and compares clocks now and then.
func (c *Client) tend() {
	tick := time.NewTicker(Renew)
	defer tick.Stop()
	for n := 1; ; n++ {
		select {
		case <-tick.C:
		case <-c.over:
			return
		}
		var l lease
		c.mu.Lock()
		for id := range c.calls {
			l.Calls = append(l.Calls, id)
		}
		c.mu.Unlock()
		if len(l.Calls) > 0 {
			_ = c.nc.Publish(leaseSubject(c.user), packed(l)) // it is said again
		}
		if n%5 == 0 {
			c.hail()
		}
	}
}

// hail asks who is there. Of a large fleet the answers are spread, so that they do not delay
// each other.
func (c *Client) hail() {
	c.mu.Lock()
	c.last++
	h := hail{ID: c.last, Spread: time.Duration(len(c.hosts)) * time.Millisecond / 2}
	c.hails[h.ID] = time.Now()
	delete(c.hails, h.ID-8)
	c.mu.Unlock()
	_ = c.nc.Publish(hailSubject(c.user), packed(h)) // it is said again
}

// seen takes what a host says of itself.
func (c *Client) seen(m *nats.Msg) {
	now := time.Now()
	var h here
	name := part(m.Subject, 2)
	if decoding.Unmarshal(m.Data, &h) != nil || h.Card.Name != name || CheckName(name) != nil {
		return
	}
	c.mu.Lock()
	s := c.hosts[name]
	if s == nil || s.card.Instance != h.Card.Instance {
		s = &seen{}
		c.hosts[name] = s
	}
	s.card = h.Card
	if asked, ok := c.hails[h.Hail]; ok && h.Hail != 0 {
		if trip := now.Sub(asked) - h.Held; trip > 0 && (s.when.IsZero() || trip/2 <= s.clock.Bound || now.Sub(s.when) > time.Minute) {
			s.clock = fleet.Clock{Ahead: time.Unix(0, h.Sent).Sub(asked.Add((now.Sub(asked)-h.Held)/2 + h.Held)), Bound: trip / 2}
			s.when = now
		}
	}
	var tell []*watch
	var gone []*feed
	if h.Bye {
		delete(c.hosts, name)
		for _, f := range c.feeds {
			if f.host == name {
				gone = append(gone, f)
			}
		}
	} else {
		for w := range c.watches {
			tell = append(tell, w)
		}
	}
	c.mu.Unlock()
	for _, f := range gone {
		f.bye()
	}
	for _, w := range tell {
		w.card(h.Card)
	}
}

// Watch tells of hosts.
func (c *Client) Watch(ctx context.Context, card func(fleet.Card)) {
	w := &watch{card}
	c.mu.Lock()
	c.watches[w] = true
	var there []fleet.Card
	for _, s := range c.hosts {
		there = append(there, s.card)
	}
	c.mu.Unlock()
	for _, h := range there {
		card(h)
	}
	c.hail()
	<-ctx.Done()
	c.mu.Lock()
	defer c.mu.Unlock()
	delete(c.watches, w)
}

// clock returns what is known of the clock of a host; nil if nothing is.
func (c *Client) clock(host string) *fleet.Clock {
	c.mu.Lock()
	defer c.mu.Unlock()
	if s := c.hosts[host]; s != nil && !s.when.IsZero() {
		k := s.clock
		return &k
	}
	return nil
}

// A question is a script that hosts are asked to run, under one name for all of them.
type question struct {
	client *Client
	id     string
	script trace.Script
	sub    *nats.Subscription
}

// Open takes what comes of a script.
func (c *Client) Open(s trace.Script) (fleet.Question, error) {
	q := &question{client: c, id: strings.ToLower(rand.Text()), script: s}
	var err error
	if q.sub, err = c.subscribe("*", q.id); err != nil {
		return nil, err
	}
	return q, nil
}

// subscribe takes what comes of a call, and has it live on.
func (c *Client) subscribe(host, call string) (*nats.Subscription, error) {
	sub, err := c.nc.Subscribe(dataSubject(host, c.user, call), func(m *nats.Msg) {
		n := maphash.String(c.seed, part(m.Subject, 2)) % uint64(len(c.workers))
		select {
		case c.workers[n] <- m:
		case <-c.over:
		}
	})
	if err != nil {
		return nil, fmt.Errorf("subscribe: %w", err)
	}
	if err := sub.SetPendingLimits(-1, c.backlog); err != nil {
		return nil, err
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.calls[call] = true
	return sub, nil
}

// Ask asks a host to run it.
func (q *question) Ask(card fleet.Card, update func(fleet.Update)) fleet.Call {
	f := &feed{question: q, client: q.client, host: card.Name, update: update, over: make(chan struct{})}
	q.client.mu.Lock()
	q.client.feeds[feedKey(f.host, q.id)] = f
	q.client.mu.Unlock()
	f.askRun()
	go f.insist()
	return f
}

// Close ends all calls. Agents that do not hear of it find that nobody wants them any more.
func (q *question) Close() {
	c := q.client
	c.mu.Lock()
	delete(c.calls, q.id)
	var list []*feed
	for _, f := range c.feeds {
		if f.question == q {
			list = append(list, f)
		}
	}
	c.mu.Unlock()
	for _, f := range list {
		f.Close()
	}
	_ = q.sub.Unsubscribe() // a connection that is closed has none
}

func feedKey(host, call string) string { return host + " " + call }

// drop takes nothing more of a feed, if another one has not taken its place.
func (c *Client) drop(f *feed) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if key := feedKey(f.host, f.question.id); c.feeds[key] == f {
		delete(c.feeds, key)
	}
}

// work reads what some of the hosts send.
func (c *Client) work(from <-chan *nats.Msg) {
	for {
		var m *nats.Msg
		select {
		case m = <-from:
		case <-c.over:
			return
		}
		h, body, err := parseHead(m.Data)
		if err != nil {
			continue
		}
		key := feedKey(part(m.Subject, 2), part(m.Subject, 4))
		c.mu.Lock()
		f, t := c.feeds[key], c.tunnels[key]
		c.mu.Unlock()
		switch {
		case f != nil:
			f.take(h, body)
		case t != nil && h.kind == kindBytes:
			t.take(opBytes, h.seq, body)
		case t != nil:
			t.take(opClose, 0, nil)
		}
	}
}

func (c *Client) ask(host string, a ask) {
	_ = c.nc.Publish(askSubject(host, c.user), packed(a)) // what has to be heard is said again
}
