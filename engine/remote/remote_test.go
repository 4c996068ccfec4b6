package remote

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"net"
	"strings"
	"testing"
	"time"

	"dscope.dev/dlang/diag"
	"dscope.dev/engine/trace"
)

func TestCalls(t *testing.T) {
	c, _, _ := connect(t, &fake{})
	ctx := context.Background()
	if err := c.Available(ctx); err == nil || err.Error() != "root is needed" {
		t.Errorf("available: %v", err)
	}
	if l := c.Check(ctx, trace.Script{Text: "a\xffb"}); len(l) != 1 || l[0].Msg != "wrong: a\xffb" || l[0].Hint != "\xff" || l[0].At.To != 4 {
		t.Errorf("check: %+v", l)
	}
	if from, l := c.Complete(ctx, trace.Script{Text: "ab"}, 99); from != 1 || len(l) != 1 || l[0].Text != "ab" || l[0].Kind != trace.CompleteType {
		t.Errorf("complete: %d %+v", from, l)
	}
	if x, ok := c.Explain(ctx, trace.Script{Text: "ab"}, 1); !ok || x.From != 1 || x.To != 2 || len(x.Notes) != 2 {
		t.Errorf("explain: %v %+v", ok, x)
	}
	list, families, err := c.Probes(ctx, "read")
	if err != nil || len(list) != 2*manyProbes+1 || list[7].Function != "read\xfe" || len(families) != 1 || families[0].Unavailable != "no" {
		t.Errorf("probes: %v, %d, %v", err, len(list), families)
	}
	infos, wrong, err := c.DescribeAll(ctx, append(list[:atOnce:atOnce], trace.Probe{}))
	if err != nil || len(infos) != atOnce+1 || infos[3].ID != 3 || infos[3].Args[0].Type != "int" || wrong[3] != nil || wrong[atOnce] == nil {
		t.Errorf("describe: %v, %d", err, len(infos))
	}
	if info, err := c.Describe(ctx, list[5]); err != nil || info.Probe != list[5] {
		t.Errorf("describe: %v %v", info, err)
	}
	if l, err := c.Processes(ctx); err != nil || len(l) != 1 || l[0].Name != "\xff" {
		t.Errorf("processes: %v %v", l, err)
	}
	if p, err := c.Process(ctx, 9); err != nil || p.PID != 9 {
		t.Errorf("process: %v %v", p, err)
	}
	if l, err := c.Functions(ctx, trace.Process{PID: 9}, trace.Module{Name: "m"}); err == nil || len(l) != 1 || l[0].ID != 9 || l[0].Module != "m" {
		t.Errorf("functions: %v %v", l, err)
	}
	at := time.Unix(12, 34)
	if text, err := c.Lead(ctx, trace.Lead{At: at}); err != nil || text != at.UTC().String() {
		t.Errorf("lead: %q %v", text, err)
	}
	if _, err := c.Run(ctx, trace.Script{Text: "wrong"}); true {
		var list *diag.ListError
		if !errors.As(err, &list) || len(list.List) != 1 || list.File.Src != "wrong" {
			t.Errorf("run: %v", err)
		}
	}
}

// TestCanceled gives up calls, which end there as well.
func TestCanceled(t *testing.T) {
	f := &fake{hold: make(chan struct{}), left: make(chan error, 1), waits: make(chan string, 1)}
	c, _, _ := connect(t, f)
	noted := make(chan string, 1)
	ctx, cancel := context.WithCancel(context.Background())
	go func() {
		await(t, "note", noted)
		cancel()
	}()
	_, err := c.Run(trace.WithNotes(ctx, func(text string) { noted <- text }), trace.Script{})
	if !errors.Is(err, context.Canceled) {
		t.Errorf("run: %v", err)
	}
	await(t, "the start there", f.left)
	ctx, cancel = context.WithCancel(context.Background())
	go func() {
		defer cancel() // else nobody would, if it never comes
		await(t, "the call there", f.waits)
	}()
	if err := c.Ended(ctx, trace.Process{}); !errors.Is(err, context.Canceled) {
		t.Errorf("ended: %v", err)
	}
	await(t, "the end of the call there", f.left)
}

func TestRun(t *testing.T) {
	f := &fake{}
	c, _, _ := connect(t, f)
	run, err := c.Run(context.Background(), trace.Script{})
	if err != nil {
		t.Fatal(err)
	}
	there := f.last()
	if !run.Began().Equal(there.began) {
		t.Errorf("began %v, there %v", run.Began(), there.began)
	}
	there.status <- trace.Status{State: trace.Running, Probes: 3}
	if s := await(t, "status", run.Status()); s.Probes != 3 {
		t.Errorf("status %+v", s)
	}
	there.snaps <- trace.Snapshot{Aggs: []trace.Table{{Name: "a", Func: trace.Count}}}
	if s := await(t, "snapshot", run.Snapshots()); len(s.Aggs) != 1 || s.Aggs[0].Name != "a" {
		t.Errorf("snapshot %+v", s)
	}
	other, err := c.Swap(context.Background(), run, trace.Script{})
	if err != nil {
		t.Fatal(err)
	}
	if len(f.swapped) != 1 || f.swapped[0] != there {
		t.Error("another run was swapped")
	}
	if err := other.Close(); err != nil {
		t.Error(err)
	}
	await(t, "the other there", f.last().closed)
	run.Stop()
	await(t, "stop there", there.stopped)
	there.events <- []trace.Event{{Exit: 1}}
	there.end(trace.Status{State: trace.Done, Exit: 4})
	if e := await(t, "events", run.Events()); len(e) != 1 || e[0].Exit != 1 {
		t.Errorf("events %+v", e)
	}
	var last trace.Status
	for s := range run.Status() {
		last = s
	}
	if last.State != trace.Done || last.Exit != 4 {
		t.Errorf("last status %+v", last)
	}
	select {
	case <-there.closed:
		t.Error("it is closed before it was")
	default:
	}
	run.Close()
	await(t, "close there", there.closed)
}

// TestIndependent floods a run whose events nobody takes: the tracer is not held up, states
// arrive all the same, and what was lost is counted.
func TestIndependent(t *testing.T) {
	f := &fake{}
	c, _, _ := connect(t, f)
	run, err := c.Run(context.Background(), trace.Script{})
	if err != nil {
		t.Fatal(err)
	}
	run.(*remoteRun).late.room = 1 << 10
	there := f.last()
	const batches = 500
	batch := make([]trace.Event, 100)
	for range batches {
		select {
		case there.events <- batch:
		case <-time.After(10 * time.Second):
			t.Fatal("the tracer is held up")
		}
	}
	there.status <- trace.Status{State: trace.Running, Probes: 9}
	for s := range run.Status() {
		if s.Probes == 9 {
			break
		}
	}
	there.end(trace.Status{State: trace.Done})
	var got, told uint64
	for list := range run.Events() {
		for _, e := range list {
			if e.Kind == trace.DropEvent {
				told += e.Drop.Count
			} else {
				got++
			}
		}
	}
	s := await(t, "status", run.Status())
	if len(s.Drops) != 1 || s.Drops[0].Kind != trace.DropReader || s.Drops[0].Count != told || got+told != batches*100 || told == 0 {
		t.Errorf("of %d events %d came and %d are told of as lost; status %+v", batches*100, got, told, s)
	}
	run.Close()
}

// TestBroken breaks the stream under a run.
func TestBroken(t *testing.T) {
	for _, side := range []string{"here", "there"} {
		t.Run(side, func(t *testing.T) {
			f := &fake{}
			c, near, far := connect(t, f)
			run, err := c.Run(context.Background(), trace.Script{})
			if err != nil {
				t.Fatal(err)
			}
			if side == "here" {
				near.Close()
			} else {
				far.Close()
			}
			await(t, "close there", f.last().closed)
			lostRun(t, run)
			if _, err := c.Processes(context.Background()); !isLost(err) {
				t.Errorf("processes: %v", err)
			}
		})
	}
}

func isLost(err error) bool {
	var lost *LostError
	return errors.As(err, &lost) && strings.Contains(err.Error(), "the connection to there was lost: ")
}

// lostRun holds that a run ends, and says why.
func lostRun(t *testing.T, run trace.Run) {
	t.Helper()
	var last trace.Status
	for done := false; !done; {
		s := await(t, "last status", run.Status())
		done = s.State >= trace.Done
		last = s
	}
	if last.State != trace.Failed || !isLost(last.Err) {
		t.Errorf("last status %+v", last)
	}
	run.Close()
}

// A mute stream passes on nothing any more once it is told to, and stays open.
type mute struct {
	net.Conn
	muted chan struct{}
}

func (m *mute) Write(b []byte) (int, error) {
	select {
	case <-m.muted:
		return len(b), nil
	default:
		return m.Conn.Write(b)
	}
}

// TestSilent has each side fall silent: both notice in time.
func TestSilent(t *testing.T) {
	if testing.Short() {
		t.Skip("waits for a silence of seconds")
	}
	f := &fake{}
	a, b := net.Pipe()
	muted := make(chan struct{})
	near, far := &mute{a, muted}, &mute{b, muted}
	served := make(chan error, 1)
	go func() {
		served <- (&Server{Backend: f, Greeting: Greeting{Host: "there"}}).Serve(context.Background(), far)
	}()
	c, err := NewClient(context.Background(), near, Greeting{})
	if err != nil {
		t.Fatal(err)
	}
	run, err := c.Run(context.Background(), trace.Script{})
	if err != nil {
		t.Fatal(err)
	}
	close(muted)
	from := time.Now()
	await(t, "close there", f.last().closed)
	lostRun(t, run)
	<-served
	if took := time.Since(from); took > Pulse+Silence+3*time.Second {
		t.Errorf("noticed after %v", took)
	}
}

// TestVersions has sides meet that have no version in common.
func TestVersions(t *testing.T) {
	a, b := net.Pipe()
	served := make(chan error, 1)
	go func() {
		served <- (&Server{Backend: &fake{}, Greeting: Greeting{Oldest: 2, Newest: 3, Program: "dscope 9"}}).Serve(context.Background(), b)
	}()
	_, err := NewClient(context.Background(), a, Greeting{Program: "dscope 1"})
	const want = "dscope 9 there speaks versions 2 to 3 of the protocol, and dscope 1 here versions 1: use the same dscope on both sides"
	if err == nil || err.Error() != want {
		t.Errorf("client: %v\nwant %s", err, want)
	}
	var wrong *VersionError
	if err := <-served; !errors.As(err, &wrong) {
		t.Errorf("server: %v", err)
	}
}

// TestNoise meets what a login prints.
func TestNoise(t *testing.T) {
	var b bytes.Buffer
	b.WriteString("Welcome to \x1b[1mthere\r\n")
	greet(&b, Greeting{Host: "there"})
	if g, err := greeted(&b); err != nil || g.Host != "there" {
		t.Errorf("%+v, %v", g, err)
	}
	if _, err := greeted(strings.NewReader("sh: no \x1b such file")); err == nil || err.Error() != `no dscope answers, but: "sh: no \x1b such file"` {
		t.Error(err)
	}
	if _, err := greeted(bytes.NewReader(make([]byte, 1<<20))); err == nil {
		t.Error("noise without an end is no greeting")
	}
	long := binary.LittleEndian.AppendUint32([]byte(greets), 1<<30)
	if _, err := greeted(bytes.NewReader(long)); err == nil {
		t.Error("a long greeting is taken")
	}
}

func TestCommand(t *testing.T) {
	a, b := net.Pipe()
	s := &Server{Backend: &fake{}, Execute: func(ctx context.Context, c Command, term Terminal) (int, error) {
		if c.Args[0] == "fail" {
			return 0, errors.New("it cannot be executed")
		}
		term.Write(1, []byte("out "+c.Files["x"]))
		term.Write(2, []byte("err\xff"))
		return <-term.Signals, nil
	}}
	go s.Serve(context.Background(), b)
	c, err := NewClient(context.Background(), a, Greeting{})
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	signals := make(chan int, 1)
	out := map[int]string{}
	code, err := c.Executing(context.Background(), Command{Args: []string{"run"}, Files: map[string]string{"x": "\xfe"}},
		func(fd int, b []byte) error {
			out[fd] += string(b)
			if fd == 2 {
				signals <- 15
			}
			return nil
		}, signals)
	if err != nil || code != 15 || out[1] != "out \xfe" || out[2] != "err\xff" {
		t.Errorf("code %d, %v, %q, %q", code, err, out[1], out[2])
	}
	_, err = c.Executing(context.Background(), Command{Args: []string{"fail"}}, func(int, []byte) error { return nil }, nil)
	if err == nil || err.Error() != "it cannot be executed" {
		t.Error(err)
	}
}
