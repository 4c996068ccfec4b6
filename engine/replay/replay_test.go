package replay

import (
	"bytes"
	"context"
	"errors"
	"io"
	"reflect"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"dscope.dev/engine/trace"
	"dscope.dev/engine/wire"
)

// fixed is a run that delivers what it is given.
type fixed struct {
	began  time.Time
	snaps  chan trace.Snapshot
	events chan []trace.Event
	status chan trace.Status
	closed bool
}

func newFixed() *fixed {
	return &fixed{time.Now(), make(chan trace.Snapshot), make(chan []trace.Event), make(chan trace.Status), false}
}

func (f *fixed) Began() time.Time                 { return f.began }
func (f *fixed) Snapshots() <-chan trace.Snapshot { return f.snaps }
func (f *fixed) Events() <-chan []trace.Event     { return f.events }
func (f *fixed) Status() <-chan trace.Status      { return f.status }
func (f *fixed) Stop()                            {}
func (f *fixed) Close() error                     { f.closed = true; return nil }

func (f *fixed) end() {
	close(f.snaps)
	close(f.events)
	close(f.status)
}

// Where aggregations are filled is written once for a run, and shared by what is played.
func TestOriginsAreToldOnce(t *testing.T) {
	place := []trace.Origin{{Clause: 2, Line: 3, From: 40, To: 70, Keys: []string{"execname", "arg2 / 1024"}, Arg: "timestamp - self->t"}}
	table := trace.Table{Name: "a", KeyTypes: []string{"string", "int64_t"}, Origins: place, Rows: []trace.Row{{ID: "k"}}}
	var file bytes.Buffer
	w, err := NewWriter(&file, Header{})
	if err != nil {
		t.Fatal(err)
	}
	run := newFixed()
	go func() {
		run.snaps <- trace.Snapshot{Seq: 1, Aggs: []trace.Table{table, {Name: "old"}}}
		run.events <- []trace.Event{{Items: []trace.Item{{Kind: trace.TablesItem, Rare: &trace.Rare{Tables: []trace.Table{table}}}}}}
		run.snaps <- trace.Snapshot{Seq: 2, Aggs: []trace.Table{table}}
		run.status <- trace.Status{State: trace.Done}
		run.end()
	}()
	if err := errors.Join(w.Record(context.Background(), "BEGIN", run), w.Close()); err != nil {
		t.Fatal(err)
	}
	p, err := readBytes(file.Bytes())
	if err != nil {
		t.Fatal(err)
	}
	p.Speed = 1e9
	again, err := p.Run(context.Background(), trace.Script{Text: "BEGIN"})
	if err != nil {
		t.Fatal(err)
	}
	defer again.Close()
	var got []trace.Table
	status, err := trace.Follow(again, collect{&got})
	if err != nil || status.State != trace.Done {
		t.Fatal(status, err)
	}
	if len(got) != 2 { // of the event and of the last snapshot
		t.Fatalf("%d tables", len(got))
	}
	for _, g := range got {
		if !reflect.DeepEqual(g.Origins, place) || &g.Origins[0] != &got[0].Origins[0] || g.KeyName(1) != "arg2 / 1024" {
			t.Errorf("got %+v", g.Origins)
		}
	}
}

// collect keeps the tables of a run.
type collect struct{ tables *[]trace.Table }

func (c collect) Events(batch []trace.Event) error {
	for i := range batch {
		for j := range batch[i].Items {
			*c.tables = append(*c.tables, batch[i].Items[j].Rest().Tables...)
		}
	}
	return nil
}

func (c collect) End(_ trace.Status, aggs []trace.Table) error {
	*c.tables = append(*c.tables, aggs...)
	return nil
}

// readBytes reads a recording.
func readBytes(b []byte) (*Player, error) { return Read(bytes.NewReader(b), int64(len(b))) }

// TestWriterKeepsTheBounds delivers more at once than a reader takes.
func TestWriterKeepsTheBounds(t *testing.T) {
	w, err := NewWriter(io.Discard, Header{})
	if err != nil {
		t.Fatal(err)
	}
	run := stopped{newFixed(), make(chan bool, 100)}
	go func() {
		run.events <- []trace.Event{{Items: []trace.Item{{Kind: trace.LastItem, Text: strings.Repeat("x", wire.MaxFrame)}}}}
		<-run.stop
		run.end()
	}()
	err = w.Record(t.Context(), "BEGIN", run)
	if err == nil || !strings.Contains(err.Error(), "64 MiB were delivered at once, and no more than 63 can be") {
		t.Error(err)
	}
}

// A stopped is a run that tells when it is stopped.
type stopped struct {
	*fixed
	stop chan bool
}

func (s stopped) Stop() { s.stop <- true }

// recording returns a recording of one run: a status, a snapshot and an event
// each tenth of a second for a second.
func recording(t testing.TB, script string) []byte {
	t.Helper()
	var file bytes.Buffer
	synctestRecord(t, &file, script)
	return file.Bytes()
}

func synctestRecord(t testing.TB, file io.Writer, script string) {
	w, err := NewWriter(file, Header{})
	if err != nil {
		t.Fatal(err)
	}
	w.Probes([]trace.Probe{{ID: 1, Provider: "dtrace", Name: "BEGIN"}, {ID: 2, Provider: "syscall", Module: "vmlinux", Function: "read", Name: "entry"}}, nil)
	run := newFixed()
	go func() {
		for i := range 10 {
			time.Sleep(100 * time.Millisecond)
			run.status <- trace.Status{State: trace.Running, Events: uint64(i)}
			run.snaps <- trace.Snapshot{Seq: uint64(i + 1)}
			run.events <- []trace.Event{{CPU: i}}
		}
		run.status <- trace.Status{State: trace.Done, Events: 10}
		run.end()
	}()
	if err := w.Record(context.Background(), script, run); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
}

func TestPlaysInTime(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p, err := readBytes(recording(t, "BEGIN { }"))
		if err != nil {
			t.Fatal(err)
		}
		p.Speed = 2
		run, err := p.Run(t.Context(), trace.Script{Text: "BEGIN\n{\n}\n"})
		if err != nil {
			t.Fatal(err)
		}
		start, n := time.Now(), 0
		for e := range run.Events() {
			n++
			if want := time.Duration(n) * 50 * time.Millisecond; time.Since(start) < want || e[0].CPU != n-1 {
				t.Errorf("batch %d of CPU %d came after %v", n, e[0].CPU, time.Since(start))
			}
		}
		synctest.Wait()
		if n != 10 {
			t.Errorf("%d batches", n)
		}
		var last trace.Status
		for s := range run.Status() { // a slow reader gets the last
			last = s
		}
		if last.State != trace.Done || last.Events != 10 {
			t.Errorf("the last status is %+v", last)
		}
		if s := <-run.Snapshots(); s.Seq != 10 {
			t.Errorf("a slow reader got snapshot %d", s.Seq)
		}
		for range 2 {
			if err := run.Close(); err != nil {
				t.Error(err)
			}
		}
	})
}

func TestStopEndsProperly(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p, err := readBytes(recording(t, "BEGIN { }"))
		if err != nil {
			t.Fatal(err)
		}
		run, err := p.Run(t.Context(), trace.Script{Text: "BEGIN { }"})
		if err != nil {
			t.Fatal(err)
		}
		time.Sleep(350 * time.Millisecond)
		run.Stop()
		run.Stop()
		var last trace.Status
		for s := range run.Status() {
			last = s
		}
		if last.State != trace.Done || last.Events != 2 {
			t.Errorf("after Stop: %+v", last)
		}
		run.Close() // the events are unread: it must not wait for a reader
	})
}

func TestBrokenRecordingPlaysUpToThere(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		whole := recording(t, "BEGIN { }")
		p, err := readBytes(whole[:len(whole)-250])
		if err != nil {
			t.Fatal(err)
		}
		if p.Broken() == nil {
			t.Error("nobody says that it is broken")
		}
		run, err := p.Run(t.Context(), trace.Script{Text: "BEGIN { }"})
		if err != nil {
			t.Fatal(err)
		}
		defer run.Close()
		var last trace.Status
		for s := range run.Status() {
			last = s
		}
		if last.State != trace.Failed || last.Err == nil {
			t.Errorf("a broken recording ends with %+v", last)
		}
	})
}

func TestPlayerIsABackend(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p, err := readBytes(recording(t, "BEGIN { }"))
		if err != nil {
			t.Fatal(err)
		}
		ctx := t.Context()
		if got, _, err := p.Probes(ctx, "syscall::r*:"); err != nil || len(got) != 1 || got[0].ID != 2 {
			t.Errorf("Probes: %v, %v", got, err)
		}
		if got, _, _ := p.Probes(ctx, "BEGIN"); len(got) != 1 {
			t.Errorf("Probes(BEGIN): %v", got)
		}
		if from, list := p.Complete(ctx, trace.Script{Text: "sys"}, 3); from != 0 || len(list) != 1 || list[0].Text != "syscall:vmlinux:read:entry" {
			t.Errorf("Complete: %d %v", from, list)
		}
		if list := p.Check(ctx, trace.Script{Text: "BEGIN {"}); !list.Failed() {
			t.Error("Check finds nothing wrong with half a clause")
		}
		if _, err := p.Run(ctx, trace.Script{Text: "BEGIN {"}); err == nil {
			t.Error("half a clause runs")
		}
		if _, err := p.Run(ctx, trace.Script{Text: "END { }"}); err == nil || !strings.Contains(err.Error(), `only of "BEGIN { }"`) {
			t.Errorf("a script that was not recorded: %v", err)
		}
		if _, err := p.Describe(ctx, trace.Probe{Name: "none"}); err == nil {
			t.Error("a probe that was not recorded is described")
		}
	})
}

// TestNoRecordings opens what is none.
func TestNoRecordings(t *testing.T) {
	for text, want := range map[string]string{
		"":                           "it is empty",
		"plain text, no recording":   "not a recording of dscope",
		strings.Repeat("long ", 100): "not a recording of dscope",
		"\x1f\x8b but no gzip":       "not a recording",
	} {
		if _, err := readBytes([]byte(text)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v", text, err)
		}
	}
	if _, err := Open("testdata/none"); err == nil {
		t.Error("a missing file opens")
	}
}
