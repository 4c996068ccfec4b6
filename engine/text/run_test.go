package text_test

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"
	"time"

	"dscope.dev/engine/text"
	"dscope.dev/engine/trace"
)

// A fakeRun delivers what a test puts into it.
type fakeRun struct {
	snaps  chan trace.Snapshot
	events chan []trace.Event
	status chan trace.Status
	stop   chan bool
}

func newFakeRun() *fakeRun {
	return &fakeRun{make(chan trace.Snapshot), make(chan []trace.Event), make(chan trace.Status), make(chan bool, 2)}
}

func (r *fakeRun) Began() time.Time                 { return time.Time{} }
func (r *fakeRun) Snapshots() <-chan trace.Snapshot { return r.snaps }
func (r *fakeRun) Events() <-chan []trace.Event     { return r.events }
func (r *fakeRun) Status() <-chan trace.Status      { return r.status }
func (r *fakeRun) Stop()                            { r.stop <- true }
func (r *fakeRun) Close() error                     { return nil }

// finish delivers the last snapshot and status and closes everything.
func (r *fakeRun) finish(s trace.Status, tables ...trace.Table) {
	r.snaps <- trace.Snapshot{Aggs: tables}
	close(r.snaps)
	close(r.events)
	r.status <- s
	close(r.status)
}

func TestRunPrintsEventsThenAggregations(t *testing.T) {
	run := newFakeRun()
	go func() {
		run.events <- []trace.Event{{Items: []trace.Item{{Kind: trace.PrintfItem, Text: "hello\n"}}}}
		run.status <- trace.Status{State: trace.Running}
		run.finish(trace.Status{State: trace.Done, Exit: 3}, trace.Table{Rows: []trace.Row{{Value: 5}}})
	}()
	var out bytes.Buffer
	status, err := text.New(&out, &out, text.Options{Quiet: true}).Run(run)
	if err != nil || status.Exit != 3 {
		t.Errorf("exit %d, error %v; want 3 and none", status.Exit, err)
	}
	if got, want := out.String(), "hello\n\n"+strings.Repeat(" ", 16)+"5\n"; got != want {
		t.Errorf("printed %q, want %q", got, want)
	}
}

func TestFailedRunPrintsNoAggregations(t *testing.T) {
	run := newFakeRun()
	go run.finish(trace.Status{State: trace.Failed, Err: errors.New("lost")}, trace.Table{Rows: []trace.Row{{Value: 5}}})
	var out bytes.Buffer
	status, err := text.New(&out, &out, text.Options{}).Run(run)
	if err != nil || status.Err == nil || out.Len() != 0 {
		t.Errorf("status %v, error %v, printed %q", status, err, out.String())
	}
}

var errClosed = errors.New("pipe closed")

// A brokenPipe refuses everything.
type brokenPipe struct{}

func (brokenPipe) Write([]byte) (int, error) { return 0, errClosed }

func TestBrokenOutputStopsTheRun(t *testing.T) {
	run := newFakeRun()
	go func() {
		run.events <- []trace.Event{{}}
		<-run.stop
		run.events <- []trace.Event{{}} // what was under way is thrown away
		run.finish(trace.Status{State: trace.Done})
	}()
	if _, err := text.New(brokenPipe{}, &bytes.Buffer{}, text.Options{}).Run(run); !errors.Is(err, errClosed) {
		t.Errorf("error %v, want %v", err, errClosed)
	}
}

// FuzzSafe checks that nothing a terminal could obey survives, and that what is
// printable is left alone.
func FuzzSafe(f *testing.F) {
	f.Add("plain", true)
	f.Add("\x1b[31m\x9b1m\u009b \u202e\x00\x7f", true)
	f.Add("\x1b]0;\a\xff", false)
	f.Fuzz(func(t *testing.T, s string, terminal bool) {
		got := string(text.AppendSafe(nil, s, terminal))
		if strings.ContainsRune(got, 0x1b) {
			t.Errorf("ESC survives in %q", got)
		}
		if !terminal {
			want := strings.ReplaceAll(s, "\x1b", "^[")
			for r := rune(0x80); r < 0xa0; r++ {
				want = strings.ReplaceAll(want, string(r), fmt.Sprintf("\\u%04x", r))
			}
			if got != want {
				t.Errorf("%q, want %q", got, want)
			}
			return
		}
		for _, r := range got {
			if r < ' ' && r != '\n' && r != '\t' || r >= 0x7f && r < 0xa0 || r == 0xfffd && !strings.ContainsRune(s, 0xfffd) {
				t.Errorf("%U survives in %q", r, got)
			}
		}
		if again := string(text.AppendSafe(nil, got, true)); again != got {
			t.Errorf("%q becomes %q the second time", got, again)
		}
	})
}

// TestNotice holds that what was added is for those who ask for it, and what may be
// missing for all.
func TestNotice(t *testing.T) {
	for _, verbose := range []bool{false, true} {
		var out, errs bytes.Buffer
		p := text.New(&out, &errs, text.Options{Verbose: verbose})
		p.Events([]trace.Event{
			{Kind: trace.NoticeEvent, Items: []trace.Item{{Kind: trace.EmptyItem, Text: "added 1 probe"}}},
			{Kind: trace.NoticeEvent, Items: []trace.Item{{Kind: trace.WarnItem, Text: "lost some"}}},
			{Kind: trace.NoticeEvent},
		})
		want := "dtrace: lost some\n"
		if verbose {
			want = "dtrace: added 1 probe\n" + want
		}
		if errs.String() != want || out.Len() > 0 {
			t.Errorf("verbose %v: %q and %q, want %q", verbose, out.String(), errs.String(), want)
		}
	}
}

// TestScreen writes text in pieces that part characters.
func TestScreen(t *testing.T) {
	const said = "a\u009bé\U000e0001€\x9b\x1b[m\n"
	for _, tt := range []struct {
		terminal bool
		want     string
	}{{true, `a\u009bé\U000e0001€\x9b^[[m` + "\n"}, {false, "a\\u009bé\U000e0001€\x9b^[[m\n"}} {
		for n := 1; n < len(said); n++ {
			var out bytes.Buffer
			w := text.NewScreen(&out, tt.terminal)
			for from := 0; from < len(said); from += n {
				part := said[from:min(from+n, len(said))]
				if k, err := io.WriteString(w, part); k != len(part) || err != nil {
					t.Fatal(k, err)
				}
			}
			if out.String() != tt.want {
				t.Errorf("in pieces of %d: %q, want %q", n, out.String(), tt.want)
			}
		}
	}
}

// TestMissesAreTold tells of what was missed as it comes, with what to do about it once and
// the sum at the end; of a quiet run at the end only.
func TestMissesAreTold(t *testing.T) {
	miss := func(n uint64, where string) trace.Event {
		return trace.Event{Kind: trace.DropEvent, CPU: -1, Drop: trace.Drop{Kind: trace.DropRecursion, CPU: -1, Count: n, Where: where}}
	}
	const (
		one  = "dtrace: 12 recursion misses in fbt::a:entry\n"
		two  = "dtrace: 30 recursion misses in fbt::b:entry (20), fbt::a:entry (10)\n"
		mean = "dtrace: recursion misses are firings while a probe was at work on the same CPU or in a thread that waits for it: enable fewer functions, or not those that the probes themselves come to, such as locks\n"
	)
	first, second := miss(12, "fbt::a:entry"), miss(30, "fbt::b:entry (20), fbt::a:entry (10)")
	for _, tt := range []struct {
		what   string
		quiet  bool
		events []trace.Event
		want   string
	}{
		{"nothing", false, nil, ""},
		{"once", false, []trace.Event{first}, one + mean},
		{"twice", false, []trace.Event{first, second}, one + mean + two + "dtrace: 42 recursion misses in all\n"},
		{"once, quiet", true, []trace.Event{first}, one + mean},
		{"twice, quiet", true, []trace.Event{first, second}, "dtrace: 42 recursion misses\n" + mean},
	} {
		run := newFakeRun()
		go func() {
			run.events <- tt.events
			run.finish(trace.Status{State: trace.Done})
		}()
		var errs bytes.Buffer
		if _, err := text.New(io.Discard, &errs, text.Options{Quiet: tt.quiet}).Run(run); err != nil {
			t.Error(err)
		}
		if got := errs.String(); got != tt.want {
			t.Errorf("%s: it said\n%s\nwant\n%s", tt.what, got, tt.want)
		}
	}
}
