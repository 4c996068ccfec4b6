package replay

import (
	"bytes"
	"compress/gzip"
	"context"
	"errors"
	"io"
	"math/rand"
	"reflect"
	"runtime"
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
	top := map[string]int{"AggFunc": 9, "ValueKind": int(trace.SymValue) + 1, "EventKind": 4, "ItemKind": int(trace.LastItem) + 1, "FaultKind": 10, "DropKind": 13, "State": 5}
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
		v.SetFloat(1 + r.ExpFloat64()) // as weights are
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

func TestRoundTripKeepsEveryField(t *testing.T) {
	check := func(seed int64) bool {
		r := rand.New(rand.NewSource(seed))
		snap, event, status := made[trace.Snapshot](r), made[trace.Event](r), made[trace.Status](r)
		for i := range snap.Examples { // which belong to what is there
			e := &snap.Examples[i]
			e.Agg = r.Intn(len(snap.Aggs))
			e.Origin = r.Intn(len(snap.Aggs[e.Agg].Origins))
		}
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
		p, err := readBytes(file.Bytes())
		if err != nil {
			t.Fatal(err)
		}
		got := p.runs[0]
		var gotSnap trace.Snapshot
		var gotEvents []trace.Event
		var gotStatus trace.Status
		var known known
		for _, r := range records(t, p) {
			known.learn(r)
			switch {
			case r.Snapshot != nil:
				gotSnap = r.Snapshot.snapshot()
				known.tables(gotSnap.Aggs, r.Snapshot.Aggs)
			case r.Events != nil:
				gotEvents = each(r.Events, wireEvent.event)
				known.events(gotEvents, r.Events)
			case r.Status != nil:
				gotStatus = r.Status.status()
			}
		}
		if gotStatus.Err.Error() != status.Err.Error() {
			t.Errorf("error %q became %q", status.Err, gotStatus.Err)
		}
		gotStatus.Err = status.Err
		for _, pair := range [][2]any{
			{gotSnap, snap}, {gotEvents, []trace.Event{event}}, {gotStatus, status},
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
		run.end()
	}()
	if err := errors.Join(w.Record(context.Background(), "BEGIN", run), w.Close()); err != nil {
		t.Fatal(err)
	}
	if n := strings.Count(unzipped(file.Bytes()), "execname"); n != 1 {
		t.Errorf("written %d times", n)
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

func unzipped(b []byte) string {
	r, err := gzip.NewReader(bytes.NewReader(b))
	if err != nil {
		return ""
	}
	text, _ := io.ReadAll(r)
	return string(text)
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
		{"older than the first", `{"format":"dscope recording"}`, "line 1: version 0"},
		{"origins of nothing", head + `{"origins":[[{"l":1}]]}` + "\n", "line 2: origins are told before a run begins"},
		{"unknown origin", head + `{"run":{"script":"x","start":1}}` + "\n" + `{"origins":[[{"l":1}]]}` + "\n" + `{"at":1,"snap":{"a":[{"o":2}]}}`, "line 4: aggregation @ has the unknown origin 2"},
		{"origin of a run before", head + `{"run":{"script":"x","start":1}}` + "\n" + `{"origins":[[{"l":1}]]}` + "\n" + `{"run":{"script":"y","start":1}}` + "\n" + `{"at":1,"events":[{"i":[{"a":[{"o":1}]}]}]}`, "line 5: aggregation @ has the unknown origin 1"},
		{"example of no aggregation", head + `{"run":{"script":"x","start":1}}` + "\n" + `{"at":1,"snap":{"a":[{}],"x":{"l":[{"a":1,"w":1}]}}}`, "line 3: an example of the unknown aggregation 1"},
		{"example of no place", head + `{"run":{"script":"x","start":1}}` + "\n" + `{"origins":[[{"l":1}]]}` + "\n" + `{"at":1,"snap":{"a":[{"n":"t","o":1}],"x":{"l":[{"o":1,"w":1}]}}}`, "line 4: an example of the unknown place 1 of @t"},
		{"example of no origin", head + `{"run":{"script":"x","start":1}}` + "\n" + `{"at":1,"snap":{"a":[{"n":"t"}],"x":{"l":[{"o":-1,"w":1}]}}}`, "line 3: an example of the unknown place -1 of @t"},
		{"example of no probe", head + `{"run":{"script":"x","start":1}}` + "\n" + `{"at":1,"snap":{"a":[{}],"x":{"l":[{"p":1,"w":1}]}}}`, "line 3: an example of the unknown probe 1"},
		{"example of no stack", head + `{"run":{"script":"x","start":1}}` + "\n" + `{"at":1,"snap":{"a":[{}],"x":{"l":[{"w":1,"f":[{"n":1}]}]}}}`, "line 3: an example with the unknown stack 1"},
		{"example of nothing", head + `{"run":{"script":"x","start":1}}` + "\n" + `{"at":1,"snap":{"a":[{}],"x":{"l":[{"w":0.5}]}}}`, "line 3: an example of the weight 0.5"},
		{"unknown fact", head + `{"run":{"script":"x","start":1}}` + "\n" + `{"at":1,"snap":{"a":[{}],"x":{"l":[{"w":1,"f":[{"k":77}]}]}}}`, "line 3: a value of the unknown kind 77"},
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
		_, err := readBytes(zipped(tt.file))
		if err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%s: error %v, want %q", tt.name, err, tt.want)
		}
	}
	if _, err := readBytes([]byte("plain text, no gzip")); err == nil || !strings.Contains(err.Error(), "not a recording") {
		t.Errorf("plain text: %v", err)
	}
	if _, err := Open("testdata/none"); err == nil {
		t.Error("a missing file opens")
	}
}

// readBytes reads a recording.
func readBytes(b []byte) (*Player, error) { return Read(bytes.NewReader(b), int64(len(b))) }

// records returns what stands in a recording behind its first line.
func records(t testing.TB, p *Player) (list []*record) {
	t.Helper()
	err := p.lines(func(number int, line []byte) (bool, error) {
		if number == 1 {
			return true, nil
		}
		r, err := decode(line)
		list = append(list, r)
		return true, err
	})
	if err != nil {
		t.Fatal(err)
	}
	return list
}

// TestBombsAreRefused reads lines that are longer than lines are, and one that is not but
// would become very many objects: they are refused before that.
func TestBombsAreRefused(t *testing.T) {
	for _, tt := range []struct {
		begin, again, want string
		times              int
	}{
		{`{"providers":[{"n":"`, strings.Repeat("a", 1<<20), "line 2: longer than 64 MiB", 80},
		{`{"events":[{}`, strings.Repeat(",{}", 1<<18), "line 2: it would take more than 1024 MiB of memory", 60},
	} {
		var file bytes.Buffer
		w := gzip.NewWriter(&file)
		io.WriteString(w, head+tt.begin)
		for range tt.times {
			io.WriteString(w, tt.again)
		}
		io.WriteString(w, "\n")
		w.Close()
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		if _, err := readBytes(file.Bytes()); err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("error %v, want %q", err, tt.want)
		}
		runtime.ReadMemStats(&after)
		if n := after.TotalAlloc - before.TotalAlloc; n > 300<<20 {
			t.Errorf("%s…: %d MB were allocated", tt.begin, n>>20)
		}
	}
}

// TestLongRunsTakeLittle reads a recording that unpacks to more than a hundred times
// what may stay of it.
func TestLongRunsTakeLittle(t *testing.T) {
	var file bytes.Buffer
	w := gzip.NewWriter(&file)
	io.WriteString(w, head+`{"run":{"script":"BEGIN","start":1}}`+"\n")
	line := `{"at":1,"events":[` + strings.Repeat(`{"i":[{"k":1,"t":"xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx"}]},`, 1000) + "{}]}\n"
	const lines = 400
	for range lines {
		io.WriteString(w, line)
	}
	io.WriteString(w, `{"at":2,"end":true}`+"\n")
	w.Close()
	p, err := readBytes(file.Bytes())
	if err != nil {
		t.Fatal(err)
	}
	runtime.GC()
	var mem runtime.MemStats
	runtime.ReadMemStats(&mem)
	if mem.HeapAlloc > 100<<20 {
		t.Errorf("%d MB stay in memory", mem.HeapAlloc>>20)
	}
	run, err := p.Run(t.Context(), trace.Script{Text: "BEGIN"})
	if err != nil {
		t.Fatal(err)
	}
	defer run.Close()
	n := 0
	for range run.Events() {
		n++
	}
	var last trace.Status
	for s := range run.Status() {
		last = s
	}
	if n != lines || last.State != trace.Done {
		t.Errorf("%d batches, %+v", n, last)
	}
}

// TestDamageIsRefused changes, adds and takes bytes behind all that is shown: the recording
// must not play as if it were what was recorded.
func TestDamageIsRefused(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		whole := recording(t, "BEGIN { }")
		sum, size := len(whole)-8, len(whole)-4
		changed := func(at int) []byte {
			b := bytes.Clone(whole)
			b[at] ^= 1
			return b
		}
		for name, b := range map[string][]byte{
			"another checksum":  changed(sum),
			"another size":      changed(size),
			"garbage behind":    append(bytes.Clone(whole), "garbage"...),
			"a zero behind":     append(bytes.Clone(whole), 0),
			"another recording": append(bytes.Clone(whole), whole...),
		} {
			if _, err := readBytes(b); err == nil || !strings.Contains(err.Error(), "the recording is damaged behind line ") {
				t.Errorf("%s: %v", name, err)
			}
		}
		if _, err := readBytes(whole); err != nil {
			t.Error(err)
		}
	})
}

// TestAnyChangeIsSeen turns each bit of a recording in turn: it is refused, or broken.
func TestAnyChangeIsSeen(t *testing.T) {
	const lines = head + `{"run":{"script":"x","start":1}}` + "\n" + `{"at":1,"snap":{"q":2660}}` + "\n" + `{"at":2,"end":true}` + "\n"
	whole := zipped(lines)
	header := 10 // of gzip, whose time and system nobody reads
	for at := header; at < len(whole); at++ {
		for bit := range 8 {
			b := bytes.Clone(whole)
			b[at] ^= 1 << bit
			p, err := readBytes(b)
			if err != nil || p.broken != nil {
				continue
			}
			if got := unzipped(b); got != lines { // the last byte that is packed has bits to spare
				t.Errorf("bit %d of byte %d was turned, and nobody said so", bit, at)
			}
		}
	}
}

// TestNoChecksumNoEnd cuts a recording behind its last run: whether that is what was
// recorded nobody can tell.
func TestNoChecksumNoEnd(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		whole := recording(t, "BEGIN { }")
		p, err := readBytes(whole[:len(whole)-8])
		if err != nil {
			t.Fatal(err)
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
		if last.State != trace.Failed || last.Events != 10 {
			t.Errorf("it ends with %+v", last)
		}
	})
}

// TestWriterKeepsTheBounds delivers more at once than a reader takes.
func TestWriterKeepsTheBounds(t *testing.T) {
	w, err := NewWriter(io.Discard, Header{})
	if err != nil {
		t.Fatal(err)
	}
	run := stopped{newFixed(), make(chan bool, 100)}
	go func() {
		run.events <- []trace.Event{{Items: []trace.Item{{Kind: trace.LastItem, Text: strings.Repeat("x", maxLine)}}}}
		<-run.stop
		run.end()
	}()
	err = w.Record(t.Context(), "BEGIN", run)
	if err == nil || !strings.Contains(err.Error(), "64 MiB were delivered at once, and a recording takes no more than 64") {
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
		p, err := readBytes(whole[:len(whole)-30])
		if err != nil {
			t.Fatal(err)
		}
		if len(p.runs) == 0 {
			t.Skip("the compressor kept all lines for its last block")
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

func FuzzRead(f *testing.F) {
	f.Add([]byte(head + `{"run":{"script":"x","start":1}}` + "\n" + `{"at":1,"snap":{"a":[{}],"x":{"l":[{"w":1,"p":1,"f":[{"n":1},{"i":3}]}],"s":[[{"a":1}]],"p":[{"i":1}]}}}`))
	f.Add([]byte(head + `{"run":{"script":"x","start":1}}` + "\n" + `{"at":1,"events":[{"i":[{"k":1,"t":{"b":"/w=="}}]}]}`))
	f.Add([]byte(head + `{"probes":[{"i":1,"p":"a"}]}` + "\n" + `{"info":{"p":{}}}`))
	f.Fuzz(func(t *testing.T, lines []byte) {
		p, err := readBytes(zipped(string(lines)))
		if err == nil && p == nil {
			t.Error("neither player nor error")
		}
	})
}
