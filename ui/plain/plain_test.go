package plain

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"dscope.dev/dlang/diag"
	"dscope.dev/dlang/token"
	"dscope.dev/engine/trace"
)

// fake has one probe, finds fault with "bad", and runs what prints one line and counts one
// thing.
type fake struct{ ended chan struct{} }

func (f *fake) Check(_ context.Context, s trace.Script) (l diag.List) {
	if at := strings.Index(s.Text, "bad"); at >= 0 {
		l.Add(token.Span{From: token.Pos(at + 1), To: token.Pos(at + 4)}, diag.Syntax, "bad\x1b[31m is no script")
	}
	return l
}

func (f *fake) Probes(_ context.Context, pattern string) ([]trace.Probe, []trace.ProviderInfo, error) {
	if pattern == "none" {
		return nil, nil, errors.New("nothing matches none")
	}
	return make([]trace.Probe, 60), nil, nil
}

func (f *fake) Run(_ context.Context, s trace.Script) (trace.Run, error) {
	if strings.Contains(s.Text, "bad") {
		return nil, errors.New("it is bad")
	}
	if strings.Contains(s.Text, "wide") {
		return nil, &trace.WideError{}
	}
	r := &fakeRun{make(chan trace.Snapshot, 1), make(chan []trace.Event, 1), make(chan trace.Status, 1), f.ended}
	r.events <- []trace.Event{{Items: []trace.Item{{Kind: trace.PrintfItem, Text: "printed\x1b[31m\n"}}}}
	r.snaps <- trace.Snapshot{Aggs: []trace.Table{{Name: "n", Rows: []trace.Row{{Value: 3}, {Value: 5, Keys: []trace.Value{{Kind: trace.StringValue, Str: "cat\x07"}}}}}}}
	r.status <- trace.Status{State: trace.Done, Events: 1, Probes: 2, Elapsed: time.Second}
	close(r.events)
	close(r.snaps)
	close(r.status)
	return r, nil
}

type fakeRun struct {
	snaps  chan trace.Snapshot
	events chan []trace.Event
	status chan trace.Status
	ended  chan struct{}
}

func (r *fakeRun) Began() time.Time                 { return time.Time{} }
func (r *fakeRun) Snapshots() <-chan trace.Snapshot { return r.snaps }
func (r *fakeRun) Events() <-chan []trace.Event     { return r.events }
func (r *fakeRun) Status() <-chan trace.Status      { return r.status }
func (r *fakeRun) Stop()                            {}
func (r *fakeRun) Close() error                     { close(r.ended); return nil }

// TestEveryCommand gives each command, rightly and wrongly.
func TestEveryCommand(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "a.d")
	if err := os.WriteFile(path, []byte("one\ntwo\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	made := filepath.Join(dir, "b.d")
	for _, tt := range []struct {
		typed string // lines, parted by |
		want  []string
	}{
		{"", []string{"note: hello"}},
		{"help", []string{"run: run the script", "open FILE: open a script", "quit: leave"}},
		{"opne x", []string{"opne is no command; did you mean open?"}},
		{"zzz", []string{"zzz is no command\n"}},
		{"open", []string{"open what?"}},
		{"open " + path + "|show", []string{"a.d, 2 lines", "1: one", "2: two"}},
		{"open " + dir, []string{"it is a folder"}},
		{"open " + dir + "/new.d", []string{"new script "}},
		{"open " + path + "|show 2|show 3|show x|show 2 1|show 1 2 3", []string{"\n2: two", "there is no line 3; the script has 2 lines", "there is no line x", "line 1 comes before line 2", "which line?"}},
		{"show", []string{"the script is empty"}},
		{"add a|add b|insert 1 c|set 2 d|delete 3|delete 9|insert 9 x|set|show|quit|quit", []string{"1: c\n2: d\n", "deleted 1 line", "there is no line 9", "which line?", "the script is not saved; quit again"}},
		{"save", []string{"save it where?"}},
		{"add x|save " + made + "|save", []string{"b.d, 1 line\nsaved "}},
		{"add y|save " + made, []string{"there is such a file already"}},
		{"add x|clear|show", []string{"what was not saved of the script before is dropped", "the script is empty"}},
		{"check", []string{"nothing is wrong"}},
		{"add fine|add bad|check", []string{"line 2: bad^[[31m is no script"}},
		{"add bad|run", []string{"not started: it is bad"}},
		{"add wide|run", []string{"1\nnot started: about "}},
		{"run|stop|status|tables", []string{"there is no script", "nothing runs", "nothing has run yet"}},
		{"add fine|run|wait|status|tables|tables @n|tables m", []string{"running\nprinted^[[31m\ndone after 1.0s, 1 record, 2 probes\n", "table @n, count, 2 rows\ncat^G: 5\nall: 3\n", "there is no such table"}},
		{"probes|probes none|probes x", []string{"probes of what?", "nothing matches none", "60 probes", "and 10 more"}},
		{"questions slow reads", []string{"read-latency: "}},
		{"ask nosuch", []string{"no question is called nosuch"}},
		{"ask", []string{"which question?"}},
		{"ask read-latency|show", []string{"run runs it", "1: /*"}},
	} {
		var out bytes.Buffer
		err := Run(t.Context(), &fake{make(chan struct{})}, strings.NewReader(strings.ReplaceAll(tt.typed, "|", "\n")+"\n"), &out, Options{Notices: []string{"hello"}})
		if err != nil {
			t.Errorf("%q: %v", tt.typed, err)
		}
		for _, want := range tt.want {
			if !strings.Contains(out.String(), want) {
				t.Errorf("%q says\n%s\nwant %q", tt.typed, out.String(), want)
			}
		}
		if strings.ContainsAny(out.String(), "\x1b\x07\r") {
			t.Errorf("%q: a control code came through: %q", tt.typed, out.String())
		}
	}
}

// TestEnds ends the workbench from outside while it waits for a line, in mid-run: the run is
// closed.
func TestEnds(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	r, w := io.Pipe()
	heard, out := io.Pipe()
	f := &fake{make(chan struct{})}
	done := make(chan error)
	go func() {
		done <- Run(ctx, f, r, out, Options{})
		out.Close()
	}()
	go io.WriteString(w, "add x\nrun\n")
	lines := bufio.NewScanner(heard)
	for lines.Scan() && !strings.HasPrefix(lines.Text(), "done after") {
	}
	go io.Copy(io.Discard, heard)
	cancel()
	if err := <-done; err != nil {
		t.Error(err)
	}
	<-f.ended
	w.Close()
}
