package wire

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"time"

	"dscope.dev/dlang/diag"
	"dscope.dev/dlang/token"
	"dscope.dev/engine/trace"
)

// fixed is a run that delivers what it is given.
type fixed struct {
	snaps  chan trace.Snapshot
	events chan []trace.Event
	status chan trace.Status
	stop   chan bool
}

func newFixed() *fixed {
	return &fixed{make(chan trace.Snapshot), make(chan []trace.Event), make(chan trace.Status), make(chan bool, 100)}
}

func (f *fixed) Began() time.Time                 { return time.Unix(1_750_000_000, 0) }
func (f *fixed) Snapshots() <-chan trace.Snapshot { return f.snaps }
func (f *fixed) Events() <-chan []trace.Event     { return f.events }
func (f *fixed) Status() <-chan trace.Status      { return f.status }
func (f *fixed) Stop()                            { f.stop <- true }
func (f *fixed) Close() error                     { return nil }

func (f *fixed) end() {
	close(f.snaps)
	close(f.events)
	close(f.status)
}

// line is an event.
func line(text string) []trace.Event {
	return []trace.Event{{Items: []trace.Item{{Kind: trace.PrintfItem, Text: text}}}}
}

// TestSocket has a run cross a socket.
func TestSocket(t *testing.T) {
	l, err := net.Listen("unix", filepath.Join(t.TempDir(), "s"))
	if err != nil {
		t.Skipf("no socket can be had: %v", err)
	}
	defer l.Close()
	run := newFixed()
	sent := make(chan error, 1)
	go func() {
		c, err := l.Accept()
		if err != nil {
			sent <- err
			return
		}
		defer c.Close()
		w, err := NewWriter(c, Hello{Kernel: "there"})
		if err == nil {
			err = Send(t.Context(), w, &Begin{Run: 1, Script: trace.Script{Text: "BEGIN"}, Began: run.Began()}, run)
		}
		sent <- err
	}()
	c, err := net.Dial("unix", l.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	r, err := NewReader(c, Limits{})
	if err != nil {
		t.Fatal(err)
	}
	m, err := r.Next()
	if err != nil {
		t.Fatal(err)
	}
	here := Receive(r, m.(*Begin), func() error { return nil }, c.Close)
	if r.Hello().Kernel != "there" || !here.Began().Equal(run.Began()) {
		t.Errorf("%+v, %v", r.Hello(), here.Began())
	}
	run.snaps <- trace.Snapshot{Seq: 1, Aggs: []trace.Table{{Name: "a", Rows: []trace.Row{{ID: "k", Value: 1}}}}}
	if s := <-here.Snapshots(); s.Aggs[0].Rows[0].Value != 1 {
		t.Errorf("%+v", s)
	}
	run.events <- line("a")
	if e := <-here.Events(); e[0].Items[0].Text != "a" {
		t.Errorf("%+v", e)
	}
	run.status <- trace.Status{State: trace.Failed, Err: fmt.Errorf("over there: %w", &trace.DearError{Share: 0.5, Limit: 0.25})}
	run.end()
	var last trace.Status
	for s := range here.Status() {
		last = s
	}
	var dear *trace.DearError
	if !errors.As(last.Err, &dear) || dear.Share != 0.5 || !trace.Whole(last.Err) || !strings.HasPrefix(last.Err.Error(), "over there: detached: ") {
		t.Errorf("it ends with %v", last.Err)
	}
	if err := errors.Join(here.Close(), <-sent); err != nil {
		t.Error(err)
	}
}

// TestLostStream ends a run whose stream breaks off as failed.
func TestLostStream(t *testing.T) {
	here, there := net.Pipe()
	go func() {
		w, err := NewWriter(there, Hello{})
		if err == nil {
			w.Write(&Begin{Run: 1})
			w.Write(&Status{1, trace.Status{State: trace.Running, Events: 3}})
			w.Flush()
		}
		there.Close()
	}()
	r, err := NewReader(here, Limits{})
	if err != nil {
		t.Fatal(err)
	}
	m, err := r.Next()
	if err != nil {
		t.Fatal(err)
	}
	run := Receive(r, m.(*Begin), func() error { return nil }, here.Close)
	defer run.Close()
	var last trace.Status
	for s := range run.Status() {
		last = s
	}
	if last.State != trace.Failed || last.Events != 3 || !strings.Contains(last.Err.Error(), "the run elsewhere was lost: unexpected EOF") {
		t.Errorf("%+v", last)
	}
}

// TestSlowReader delivers far more than a writer takes that is stuck: nothing waits for it,
// memory is bounded, and what it misses is counted, in its place and in the states.
func TestSlowReader(t *testing.T) {
	run, q := newFixed(), NewQueue(100<<10)
	filled := make(chan bool)
	go func() {
		q.Fill(run)
		close(filled)
	}()
	const batches = 5000
	for i := range batches {
		run.events <- line(strings.Repeat("x", 100))
		run.snaps <- trace.Snapshot{Seq: uint64(i + 1), Aggs: []trace.Table{{Name: "a"}}, Examples: []trace.Example{{Value: int64(i), Weight: 1}}}
		state := trace.Running
		if i >= batches-2 {
			state = trace.Stopping
		}
		run.status <- trace.Status{State: state, Events: uint64(i)}
	}
	run.status <- trace.Status{State: trace.Done}
	run.end()
	<-filled
	var lost, events uint64
	var last trace.Status
	var states []trace.State
	var kept []int64
	snaps := 0
	for {
		m, more := q.Next(t.Context())
		if !more {
			break
		}
		switch m := m.(type) {
		case *Events:
			for _, e := range m.List {
				if e.Kind == trace.DropEvent {
					lost += e.Drop.Count
				} else {
					events++
				}
			}
		case *Snapshot:
			snaps++
			for _, e := range m.Snapshot.Examples {
				kept = append(kept, e.Value)
			}
		case *Status:
			last = m.Status
			if len(states) == 0 || states[len(states)-1] != last.State {
				states = append(states, last.State)
			}
		}
	}
	if events+lost != batches || lost == 0 {
		t.Errorf("%d events came, %d are counted as lost, of %d", events, lost, batches)
	}
	if len(last.Drops) != 1 || last.Drops[0].Kind != trace.DropReader || last.Drops[0].Count != lost {
		t.Errorf("the last state has the drops %+v, %d were lost", last.Drops, lost)
	}
	if !reflect.DeepEqual(states, []trace.State{trace.Running, trace.Stopping, trace.Done}) {
		t.Errorf("the states are %v", states)
	}
	if snaps > waiting || len(kept) != batches {
		t.Errorf("%d snapshots with %d examples", snaps, len(kept))
	}
}

// TestStopsWhenUnwritten stops a run that cannot be written, and reads it to its end.
func TestStopsWhenUnwritten(t *testing.T) {
	here, there := net.Pipe()
	run := newFixed()
	go func() {
		io.ReadFull(here, make([]byte, 100))
		here.Close()
	}()
	go func() {
		<-run.stop
		run.status <- trace.Status{State: trace.Done}
		run.end()
	}()
	w, err := NewWriter(there, Hello{})
	if err == nil {
		go func() { run.events <- line("x") }()
		err = Send(context.Background(), w, &Begin{Run: 1}, run)
	} else {
		run.stop <- true // the hello was cut already
	}
	if !errors.Is(err, io.ErrClosedPipe) {
		t.Errorf("error %v", err)
	}
}

// TestScriptErrors has the complaints about a script cross, with places in the script itself,
// in a header and in a library.
func TestScriptErrors(t *testing.T) {
	script := "BEGIN\n{\n\tnone();\n}\n"
	header := token.NewSource("head.h", "a\nint x = bad;\n", nil, &token.Origin{})
	made := script + "int x = bad;\n"
	base := token.NewFile("s.d", made)
	file := token.NewMapped("s.d", made, []token.Run{{At: 0, File: token.NewFile("s.d", script)}, {At: len(script), File: header, Off: 2}})
	annex := token.NewAnnex("lib.d", "inline int y = worse;", 12, file.End()+10)
	file = file.WithAnnexes([]*token.File{annex})
	at := func(text string) token.Span {
		i := token.Pos(strings.Index(made, text) + 1)
		return token.Span{From: i, To: i + token.Pos(len(text))}
	}
	worse := annex.Base() + token.Pos(strings.Index(annex.Src, "worse")+1)
	list := diag.List{
		{At: at("none"), Code: diag.UnknownFunc, Msg: "none is no function", Hint: "use one", Fixes: []diag.Fix{{At: at("none"), Text: "trace"}}},
		{At: at("bad"), Code: diag.UnknownIdent, Msg: "bad", Notes: []diag.Note{{At: token.Span{From: worse, To: worse + 5}, Msg: "as here"}}},
	}
	var want error = fmt.Errorf("record x: %w", &diag.ListError{File: file, List: list})
	got, err := read(stream(t, &Refusal{want}).Bytes())
	if err != io.EOF {
		t.Fatal(err)
	}
	var crossed *diag.ListError
	if err := got[0].(*Refusal).Err; !errors.As(err, &crossed) || err.Error() != want.Error() {
		t.Fatalf("got %v, want %v", err, want)
	}
	if !reflect.DeepEqual(crossed.List, list) {
		t.Errorf("got %+v", crossed.List)
	}
	for _, p := range []token.Pos{list[0].At.From, list[1].At.From, worse} {
		name, line, col := file.Place(p)
		text, off := file.LineAt(p)
		gotName, gotLine, gotCol := crossed.File.Place(p)
		gotText, gotOff := crossed.File.LineAt(p)
		if name != gotName || line != gotLine || col != gotCol || text != gotText || off != gotOff {
			t.Errorf("%s:%d:%d %q+%d became %s:%d:%d %q+%d", name, line, col, text, off, gotName, gotLine, gotCol, gotText, gotOff)
		}
	}
	if base.Lines() != crossed.File.Lines() {
		t.Errorf("%d lines", crossed.File.Lines())
	}
}

// TestOtherVersions reads a stream whose writer calls a field by a name that is not known
// here: it is read over, ours stays empty, and the rest is as it was.
func TestOtherVersions(t *testing.T) {
	snap := trace.Snapshot{Seq: 3, Aggs: []trace.Table{{Name: "a", Rows: []trace.Row{{ID: "k", Value: 5, Count: 7, Keys: []trace.Value{{Kind: trace.StringValue, Str: "x"}}}}}}}
	list := raws(t, stream(t, &Begin{Run: 1}, &Snapshot{2, snap}, &End{At: 3}).Bytes())
	if !bytes.Contains(list[0], []byte("\x05Count")) {
		t.Fatal("the schema has no such field")
	}
	list[0] = bytes.ReplaceAll(list[0], []byte("\x05Count"), []byte("\x05Times"))
	var b []byte
	for i, raw := range list {
		b = append(b, frameOf(t, []Flags{HelloFrame, KeyFrame, 0}[i], uint32(i), raw)...)
	}
	got, err := read(b)
	if err != io.EOF || len(got) != 3 {
		t.Fatalf("%d messages, %v", len(got), err)
	}
	snap.Aggs[0].Rows[0].Count = 0
	if s := got[1].(*Snapshot).Snapshot; !reflect.DeepEqual(s, snap) {
		t.Errorf("got %+v", s)
	}
}

// TestOnce holds that what repeats is written once.
func TestOnce(t *testing.T) {
	place := []trace.Origin{{Clause: 2, Keys: []string{"execname"}}}
	stack := func() []trace.Frame {
		return []trace.Frame{{Addr: 1, Module: "app", Symbol: "serve"}, {Addr: 2, Module: "app", Symbol: "main"}}
	}
	snap := trace.Snapshot{Seq: 1, Aggs: []trace.Table{{Name: "a", Origins: place, Rows: []trace.Row{{ID: "some key"}}}}}
	for i := range 50 {
		snap.Examples = append(snap.Examples, trace.Example{CPU: i, Weight: 1, Probe: trace.Probe{Provider: "syscall"}, Facts: []trace.Value{{Kind: trace.UstackValue, Frames: stack()}}})
	}
	list := []Message{&Begin{Run: 1}}
	for i := range 10 {
		list = append(list, &Snapshot{time.Duration(i), snap}, &Events{time.Duration(i), []trace.Event{{Items: []trace.Item{{Kind: trace.TablesItem, Rare: &trace.Rare{Tables: snap.Aggs}}}}}})
	}
	b := stream(t, append(list, &End{At: 20})...).Bytes()
	text := bytes.Join(raws(t, b)[1:], nil)
	for word, most := range map[string]int{"serve": 1, "syscall": 1, "execname": 1, "some key": 11} { // events have their rows themselves
		if n := bytes.Count(text, []byte(word)); n != most {
			t.Errorf("%s is written %d times, want %d", word, n, most)
		}
	}
	got, err := read(b)
	if err != io.EOF {
		t.Fatal(err)
	}
	first, other := got[1].(*Snapshot).Snapshot, got[3].(*Snapshot).Snapshot
	if &first.Examples[0].Facts[0].Frames[0] != &other.Examples[49].Facts[0].Frames[0] {
		t.Error("a stack is not shared")
	}
	event := got[2].(*Events).List[0].Items[0].Rare.Tables[0]
	if &first.Aggs[0].Origins[0] != &other.Aggs[0].Origins[0] || &first.Aggs[0].Origins[0] != &event.Origins[0] {
		t.Error("origins are not shared")
	}
}
