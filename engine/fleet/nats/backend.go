package nats

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"sync"
	"time"

	"dscope.dev/dlang/diag"
	"dscope.dev/dlang/token"
	"dscope.dev/engine/fleet"
	"dscope.dev/engine/remote"
	"dscope.dev/engine/trace"
)

// A Fleet is the hosts that are meant, as one tracer: a ui.Backend. Runs are those of all
// hosts. What is asked about a script or a probe beside that is asked of one host of each
// kernel.
type Fleet struct {
	client *Client
	meant  fleet.Selector
	opts   fleet.Options
	here   remote.Greeting

	mu      sync.Mutex
	tracers map[string]*tracer // by host
}

// A tracer is that of one host, reached when it is first asked.
type tracer struct {
	*remote.Client
	card fleet.Card
	once sync.Once
	err  error
}

// NewFleet returns the hosts that are meant. It closes the client with it.
func NewFleet(c *Client, meant fleet.Selector, o fleet.Options, here remote.Greeting) *Fleet {
	return &Fleet{client: c, meant: meant, opts: o, here: here, tracers: map[string]*tracer{}}
}

// Close ends what is asked of hosts.
func (f *Fleet) Close() error {
	f.mu.Lock()
	defer f.mu.Unlock()
	for _, t := range f.tracers {
		if t.Client != nil {
			t.Client.Close()
		}
	}
	return f.client.Close()
}

// Hosts returns those that are meant and are there, by name. For the first it waits a moment.
func (f *Fleet) Hosts(ctx context.Context) []fleet.Card {
	for begun := time.Now(); ; {
		list := f.client.there(f.meant)
		if len(list) > 0 && time.Since(begun) > gathering || time.Since(begun) > mostGathering || ctx.Err() != nil {
			return list
		}
		select {
		case <-ctx.Done():
		case <-time.After(gathering / 4):
		}
	}
}

// There returns those that are meant and are there now.
func (f *Fleet) There() (list []trace.Host) {
	for _, c := range f.client.there(f.meant) {
		h := trace.Host{Name: c.Name, Kernel: c.Kernel}
		if k := f.client.clock(c.Name); k != nil {
			h.Clock, h.Bound = k.Ahead, k.Bound
		}
		list = append(list, h)
	}
	return list
}

// How long the first hosts are waited for.
const (
	gathering     = 300 * time.Millisecond
	mostGathering = 3 * time.Second
)

// there returns the hosts that have been seen and are meant.
func (c *Client) there(meant fleet.Selector) (list []fleet.Card) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, s := range c.hosts {
		if meant.Match(&s.card) {
			list = append(list, s.card)
		}
	}
	slices.SortFunc(list, func(a, b fleet.Card) int { return strings.Compare(a.Name, b.Name) })
	return list
}

// HostKey is the option that the fleet takes itself: the host is the first key of each
// aggregation.
const HostKey = "hostkey"

// hostKeyPragma is how a script sets it itself.
var hostKeyPragma = regexp.MustCompile(`(?m)^[ \t]*#[ \t]*pragma[ \t]+D[ \t]+option[ \t]+` + HostKey + `(=\w+)?[ \t]*$`)

// own takes the options of fleets out of a script. Pictures of many hosts need not move as
// those of one do.
func own(s trace.Script, o fleet.Options) (trace.Script, fleet.Options, error) {
	list := []string{"aggrate=500ms"}
	asked := s.Options
	s.Text = hostKeyPragma.ReplaceAllStringFunc(s.Text, func(line string) string {
		asked = append([]string{strings.Fields(line[strings.Index(line, HostKey):])[0]}, asked...)
		return strings.Repeat(" ", len(line)) // whatever is complained about stays where it was
	})
	for _, set := range asked {
		name, value, _ := strings.Cut(set, "=")
		if name != HostKey {
			list = append(list, set)
			continue
		}
		switch value {
		case "", "1", "yes", "on", "true", "enable", "set":
			o.HostKey = true
		case "0", "no", "off", "false", "disable", "unset":
			o.HostKey = false
		default:
			return s, o, fmt.Errorf("set option %s: it is on or off", set)
		}
	}
	s.Options, s.Prints = list, false // firings of many hosts are put in order one by one
	return s, o, nil
}

// Run runs a script on all hosts.
func (f *Fleet) Run(ctx context.Context, s trace.Script) (trace.Run, error) {
	if s.Target != 0 {
		return nil, errors.New("a process is one of one host: $target and -p do not go with --fleet")
	}
	s, o, err := own(s, f.opts)
	if err != nil {
		return nil, err
	}
	run, err := fleet.Start(ctx, f.client, f.meant, s, o)
	if err != nil { // a nil of another type is none
		return nil, err
	}
	return run, nil
}

// kernels returns a tracer of each kernel, of no more than a few.
func (f *Fleet) kernels(ctx context.Context) (list []*tracer, err error) {
	const most = 8
	seen := map[string]bool{}
	for _, c := range f.Hosts(ctx) {
		if key := c.Kernel + " " + c.Machine; !seen[key] && len(list) < most {
			t, wrong := f.tracer(ctx, c)
			if wrong != nil {
				err = wrong
				continue
			}
			seen[key] = true
			list = append(list, t)
		}
	}
	switch {
	case len(list) > 0:
		return list, nil
	case err != nil:
		return nil, err
	}
	return nil, fleet.ErrNobody
}

// tracer reaches that of a host.
func (f *Fleet) tracer(ctx context.Context, c fleet.Card) (*tracer, error) {
	f.mu.Lock()
	t := f.tracers[c.Name]
	if t == nil || t.card.Instance != c.Instance || t.Client != nil && t.Lost() != nil {
		t = &tracer{card: c}
		f.tracers[c.Name] = t
	}
	f.mu.Unlock()
	t.once.Do(func() { t.Client, t.err = f.client.reach(c, f.here) })
	if t.err != nil {
		f.mu.Lock()
		defer f.mu.Unlock()
		if f.tracers[c.Name] == t { // the next who asks tries again
			delete(f.tracers, c.Name)
		}
	}
	return t, t.err
}

// reaching is how long a tracer may take to greet.
const reaching = 10 * time.Second

// reach opens a stream to the tracer of a host.
func (c *Client) reach(card fleet.Card, here remote.Greeting) (*remote.Client, error) {
	id := strings.ToLower(rand.Text())
	sub, err := c.subscribe(card.Name, id)
	if err != nil {
		return nil, err
	}
	seq := uint32(0)
	t := newTunnel(func(b []byte) error {
		a := ask{Op: opBytes, Call: id, Seq: seq, Data: b}
		if b == nil {
			a.Op = opClose
		}
		c.ask(card.Name, a)
		seq++
		return nil
	})
	c.mu.Lock()
	c.tunnels[feedKey(card.Name, id)] = t
	c.mu.Unlock()
	forget := func() {
		_ = sub.Unsubscribe() // a connection that is closed has none
		c.mu.Lock()
		defer c.mu.Unlock()
		delete(c.calls, id)
		delete(c.tunnels, feedKey(card.Name, id))
	}
	c.ask(card.Name, ask{Op: opDial, Call: id})
	ctx, cancel := context.WithTimeoutCause(context.Background(), reaching, fmt.Errorf("%s does not answer", card.Name))
	defer cancel()
	r, err := remote.NewClient(ctx, t, here)
	if err != nil {
		forget()
		return nil, fmt.Errorf("%s: %w", card.Name, err)
	}
	go func() {
		<-r.Done()
		forget()
	}()
	return r, nil
}

// Check returns what is wrong with the script on any of the kernels. What is wrong on some
// and right on others is a warning that names them: it runs on the others.
func (f *Fleet) Check(ctx context.Context, s trace.Script) diag.List {
	mishap := func(err error) diag.List {
		if ctx.Err() != nil {
			return nil
		}
		d := diag.Mishap("dscope", token.Span{From: 1, To: 1}, err)
		d.Msg, d.Hint = err.Error(), ""
		return diag.List{d}
	}
	s, _, err := own(s, f.opts)
	if err != nil {
		return mishap(err)
	}
	list, err := f.kernels(ctx)
	if err != nil {
		return mishap(err)
	}
	lists := make([]diag.List, len(list))
	var wait sync.WaitGroup
	for i, t := range list {
		wait.Go(func() { lists[i] = t.Check(ctx, s) })
	}
	wait.Wait()
	return common(list, lists)
}

// common puts what several kernels complain about together.
func common(from []*tracer, lists []diag.List) (out diag.List) {
	runs := slices.ContainsFunc(lists, func(l diag.List) bool { return !l.Failed() })
	type key struct {
		at  token.Span
		msg string
	}
	at := map[key]int{}
	by := map[key][]string{}
	for i, l := range lists {
		for _, d := range l {
			k := key{d.At, d.Msg}
			if _, ok := at[k]; !ok {
				at[k] = len(out)
				c := *d
				out = append(out, &c)
			}
			by[k] = append(by[k], from[i].card.Kernel)
		}
	}
	for k, i := range at {
		if len(by[k]) == len(lists) {
			continue
		}
		d := out[i]
		d.Msg = fmt.Sprintf("on Linux %s: %s", strings.Join(by[k], ", "), d.Msg)
		if runs && d.Severity == diag.Error {
			d.Severity = diag.Warning
		}
	}
	out.Sort()
	return out
}

// first returns the tracer that is asked what one host can tell.
func (f *Fleet) first(ctx context.Context) (*tracer, error) {
	list, err := f.kernels(ctx)
	if err != nil {
		return nil, err
	}
	return list[0], nil
}

// Complete returns what could stand at a byte offset of the script, on the first host.
func (f *Fleet) Complete(ctx context.Context, s trace.Script, at int) (from int, list []trace.Completion) {
	t, err := f.first(ctx)
	if err != nil {
		return at, nil
	}
	return t.Complete(ctx, s, at)
}

// Explain tells what a word of the script means, on the first host.
func (f *Fleet) Explain(ctx context.Context, s trace.Script, at int) (x trace.Explanation, ok bool) {
	t, err := f.first(ctx)
	if err != nil {
		return x, false
	}
	return t.Explain(ctx, s, at)
}

// Probes returns the probes of the first host.
func (f *Fleet) Probes(ctx context.Context, pattern string) ([]trace.Probe, []trace.ProviderInfo, error) {
	t, err := f.first(ctx)
	if err != nil {
		return nil, nil, err
	}
	return t.Probes(ctx, pattern)
}

// A KernelProbes is what a host of one kernel has for a pattern.
type KernelProbes struct {
	Kernel string
	Probes []trace.Probe
	Infos  []trace.ProbeInfo // of each; without more than its name where nothing is known
}

// ProbesByKernel returns the probes of one host of each kernel.
func (f *Fleet) ProbesByKernel(ctx context.Context, pattern string) ([]KernelProbes, error) {
	list, err := f.kernels(ctx)
	if err != nil {
		return nil, err
	}
	out := make([]KernelProbes, len(list))
	errs := make([]error, len(list))
	var wait sync.WaitGroup
	for i, t := range list {
		wait.Go(func() {
			k := &out[i]
			k.Kernel = t.card.Kernel
			if k.Probes, _, errs[i] = t.Probes(ctx, pattern); errs[i] == nil {
				k.Infos, _, errs[i] = t.DescribeAll(ctx, k.Probes)
			}
			if errs[i] != nil {
				errs[i] = fmt.Errorf("%s: %w", t.card.Name, errs[i])
			}
		})
	}
	wait.Wait()
	return out, errors.Join(errs...)
}

// DescribeAll tells of many probes of the first host.
func (f *Fleet) DescribeAll(ctx context.Context, list []trace.Probe) (infos []trace.ProbeInfo, wrong []error, err error) {
	t, err := f.first(ctx)
	if err != nil {
		return nil, nil, err
	}
	return t.DescribeAll(ctx, list)
}

// Describe tells of a probe of the first host.
func (f *Fleet) Describe(ctx context.Context, p trace.Probe) (trace.ProbeInfo, error) {
	t, err := f.first(ctx)
	if err != nil {
		return trace.ProbeInfo{}, err
	}
	return t.Describe(ctx, p)
}

// Process refuses: a process is one of one host.
func (f *Fleet) Process(context.Context, int) (trace.ProcessInfo, error) {
	return trace.ProcessInfo{}, errors.New("a process is one of one host: -p does not go with --fleet")
}
