package replay

import (
	"bytes"
	"compress/gzip"
	"context"
	"errors"
	"io"
	"math/rand"
	"reflect"
	"strings"
	"testing"
	"testing/quick"
	"testing/synctest"
	"time"

	"dscope.dev/engine/trace"
)

// random fills v, which must be addressable, with random values of all fields:
// a field that the wire format forgets shows as a difference.
func random(r *rand.Rand, v reflect.Value, depth int) {
	switch v.Type() {
	case reflect.TypeFor[time.Time]():
		v.Set(reflect.ValueOf(time.Unix(0, 1+r.Int63())))
		return
	case reflect.TypeFor[error]():
		v.Set(reflect.ValueOf(errors.New("reason \xff")))
		return
	}
	top := map[string]int{"AggFunc": 9, "ValueKind": 7, "EventKind": 4, "ItemKind": int(trace.LastItem) + 1, "FaultKind": 10, "DropKind": 13, "State": 5}
	switch v.Kind() {
	case reflect.Struct:
		for i := range v.NumField() {
			random(r, v.Field(i), depth+1)
		}
	case reflect.Slice:
		n := 1 + r.Intn(3)
		if depth > 12 {
			n = 1
		}
		v.Set(reflect.MakeSlice(v.Type(), n, n))
		for i := range n {
			random(r, v.Index(i), depth+1)
		}
	case reflect.Pointer:
		v.Set(reflect.New(v.Type().Elem()))
		random(r, v.Elem(), depth+1)
	case reflect.String:
		v.SetString([]string{"", "plain", "bytes \xff\xfe\x00", "<html>&\u2028", "\x1b[31m"}[r.Intn(5)])
	case reflect.Uint8:
		if n := top[v.Type().Name()]; n > 0 {
			v.SetUint(uint64(r.Intn(n)))
		} else {
			v.SetUint(uint64(r.Intn(9)))
		}
	case reflect.Float64:
		v.SetFloat(r.NormFloat64())
	case reflect.Bool:
		v.SetBool(r.Intn(2) == 0)
	default:
		if v.CanInt() {
			v.SetInt(r.Int63() - r.Int63())
		} else {
			v.SetUint(r.Uint64() >> (64 - v.Type().Bits()))
		}
	}
}

func made[T any](r *rand.Rand) T {
	var v T
	random(r, reflect.ValueOf(&v).Elem(), 0)
	return v
}

// fixed is a run that delivers what it is given.
type fixed struct {
	snaps  chan trace.Snapshot
	events chan []trace.Event
	status chan trace.Status
	closed bool
}

func newFixed() *fixed {
	return &fixed{make(chan trace.Snapshot), make(chan []trace.Event), make(chan trace.Status), false}
}

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

func TestRoundTripKeepsEveryField(t *testing.T) {
	check := func(seed int64) bool {
		r := rand.New(rand.NewSource(seed))
		snap, event, status := made[trace.Snapshot](r), made[trace.Event](r), made[trace.Status](r)
		info, probe, family := made[trace.ProbeInfo](r), made[trace.Probe](r), made[trace.ProviderInfo](r)
		var file bytes.Buffer
		w, err := NewWriter(&file, Header{Kernel: "6.18"})
		if err != nil {
			t.Fatal(err)
		}
		w.Probes([]trace.Probe{probe}, []trace.ProviderInfo{family})
		w.Info(info)
		run := newFixed()
		go func() {
			run.snaps <- snap
			run.events <- []trace.Event{event}
			run.status <- status
			run.end()
		}()
		if err := w.Record(context.Background(), "BEGIN\n", run); err != nil {
			t.Fatal(err)
		}
		if err := w.Close(); err != nil {
			t.Fatal(err)
		}
		p, err := Read(&file)
		if err != nil {
			t.Fatal(err)
		}
		got := p.runs[0]
		gotStatus := got.status[0].value
		if gotStatus.Err.Error() != status.Err.Error() {
			t.Errorf("error %q became %q", status.Err, gotStatus.Err)
		}
		gotStatus.Err = status.Err
		for _, pair := range [][2]any{
			{got.snaps[0].value, snap}, {got.events[0].value[0], event}, {gotStatus, status},
			{p.infos[info.Probe], info}, {p.probes[0], probe}, {p.providers[0], family},
			{got.script, "BEGIN\n"}, {got.whole, true}, {p.Header.Kernel, "6.18"},
		} {
			if !reflect.DeepEqual(pair[0], pair[1]) {
				t.Errorf("read\n\t%+v\nwrote\n\t%+v", pair[0], pair[1])
				return false
			}
		}
		return true
	}
	if err := quick.Check(check, &quick.Config{MaxCount: 60}); err != nil {
		t.Error(err)
	}
}

func zipped(s string) []byte {
	var b bytes.Buffer
	w := gzip.NewWriter(&b)
	io.WriteString(w, s)
	w.Close()
	return b.Bytes()
}

const head = `{"format":"dscope recording","version":1}` + "\n"

func TestBadFilesAreRefused(t *testing.T) {
	for _, tt := range []struct{ name, file, want string }{
		{"empty", "", "it is empty"},
		{"something else", "{}\n", "line 1: not a recording of dscope"},
		{"newer", `{"format":"dscope recording","version":9}`, "line 1: version 9"},
		{"no JSON", head + "hello\n", "line 2: invalid character"},
		{"unknown name", head + `{"colour":1}` + "\n", `line 2: json: unknown field "colour"`},
		{"two values", head + `{"end":true} {"end":true}` + "\n", "line 2: more than one value"},
		{"no run", head + `{"at":1,"snap":{"q":1}}` + "\n", "line 2: something is delivered before a run begins"},
		{"unknown function", head + `{"run":{"script":"x","start":1}}` + "\n" + `{"at":1,"snap":{"a":[{"f":77}]}}`, "line 3: aggregation @ has the unknown function 77"},
		{"unknown kind", head + `{"run":{"script":"x","start":1}}` + "\n" + `{"at":1,"events":[{"k":9}]}`, "line 3: an event of the unknown kind 9"},
		{"unknown item", head + `{"run":{"script":"x","start":1}}` + "\n" + `{"at":1,"events":[{"i":[{"k":99}]}]}`, "line 3: an item of the unknown kind 99"},
		{"unknown state", head + `{"run":{"script":"x","start":1}}` + "\n" + `{"at":1,"status":{"s":9}}`, "line 3: the unknown state 9"},
		{"back in time", head + `{"run":{"script":"x","start":1}}` + "\n" + `{"at":5,"status":{}}` + "\n" + `{"at":4,"status":{}}`, "line 4: delivered at 4ns, after 5ns"},
		{"number too large", head + `{"run":{"script":"x","start":1}}` + "\n" + `{"at":1,"status":{"s":300}}`, "line 3: json: cannot unmarshal number 300"},
	} {
		_, err := Read(bytes.NewReader(zipped(tt.file)))
		if err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%s: error %v, want %q", tt.name, err, tt.want)
		}
	}
	if _, err := Read(strings.NewReader("plain text, no gzip")); err == nil || !strings.Contains(err.Error(), "not a recording") {
		t.Errorf("plain text: %v", err)
	}
	if _, err := Open("testdata/none"); err == nil {
		t.Error("a missing file opens")
	}
}

func TestBombIsRefused(t *testing.T) {
	if testing.Short() {
		t.Skip("decompresses a gigabyte")
	}
	pr, pw := io.Pipe()
	go func() {
		w := gzip.NewWriter(pw)
		io.WriteString(w, head)
		line := []byte(`{"providers":[{"n":"` + strings.Repeat("a", 1<<20) + `"}]}` + "\n")
		for range 80 { // one line, beyond the limit of a line
			w.Write(line[:len(line)-4])
		}
		w.Close()
		pw.Close()
	}()
	if _, err := Read(pr); err == nil || !strings.Contains(err.Error(), "line 2: longer than 64 MiB") {
		t.Errorf("error %v", err)
	}
}

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
		p, err := Read(bytes.NewReader(recording(t, "BEGIN { }")))
		if err != nil {
			t.Fatal(err)
		}
		p.Speed = 2
		run, err := p.Run(t.Context(), "BEGIN\n{\n}\n")
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
		p, err := Read(bytes.NewReader(recording(t, "BEGIN { }")))
		if err != nil {
			t.Fatal(err)
		}
		run, err := p.Run(t.Context(), "BEGIN { }")
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
		p, err := Read(bytes.NewReader(whole[:len(whole)-30]))
		if err != nil {
			t.Fatal(err)
		}
		if len(p.runs) == 0 {
			t.Skip("the compressor kept all lines for its last block")
		}
		run, err := p.Run(t.Context(), "BEGIN { }")
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
		p, err := Read(bytes.NewReader(recording(t, "BEGIN { }")))
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
		if from, list := p.Complete(ctx, "sys", 3); from != 0 || len(list) != 1 || list[0].Text != "syscall:vmlinux:read:entry" {
			t.Errorf("Complete: %d %v", from, list)
		}
		if list := p.Check(ctx, "BEGIN {"); !list.Failed() {
			t.Error("Check finds nothing wrong with half a clause")
		}
		if _, err := p.Run(ctx, "BEGIN {"); err == nil {
			t.Error("half a clause runs")
		}
		if _, err := p.Run(ctx, "END { }"); err == nil || !strings.Contains(err.Error(), `only of "BEGIN { }"`) {
			t.Errorf("a script that was not recorded: %v", err)
		}
		if _, err := p.Describe(ctx, trace.Probe{Name: "none"}); err == nil {
			t.Error("a probe that was not recorded is described")
		}
	})
}

func FuzzRead(f *testing.F) {
	f.Add([]byte(head + `{"run":{"script":"x","start":1}}` + "\n" + `{"at":1,"events":[{"i":[{"k":1,"t":{"b":"/w=="}}]}]}`))
	f.Add([]byte(head + `{"probes":[{"i":1,"p":"a"}]}` + "\n" + `{"info":{"p":{}}}`))
	f.Fuzz(func(t *testing.T, lines []byte) {
		p, err := Read(bytes.NewReader(zipped(string(lines))))
		if err == nil && p == nil {
			t.Error("neither player nor error")
		}
	})
}
