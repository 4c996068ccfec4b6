package wire

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"math/rand"
	"reflect"
	"testing"
	"testing/quick"
	"time"

	"dscope.dev/engine/trace"
)

// tops are how many values kinds have.
var tops = map[string]int{"AggFunc": 9, "ValueKind": int(trace.SymValue) + 1, "EventKind": 5, "ItemKind": int(trace.LastItem) + 1, "FaultKind": 10, "DropKind": 13, "State": 5}

// random fills v, which must be addressable, with random values of all fields:
// a field that is forgotten shows as a difference.
func random(r *rand.Rand, v reflect.Value, depth int) {
	switch v.Type() {
	case reflect.TypeFor[time.Time]():
		v.Set(reflect.ValueOf(time.Unix(0, 1+r.Int63())))
		return
	case reflect.TypeFor[error]():
		v.Set(reflect.ValueOf(errors.New("reason \xff")))
		return
	}
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
		v.SetUint(uint64(r.Intn(max(tops[v.Type().Name()], 9*(1-min(tops[v.Type().Name()], 1))))))
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

// fit makes the examples of a snapshot belong to what is there.
func fit(r *rand.Rand, s *trace.Snapshot) {
	for i := range s.Examples {
		e := &s.Examples[i]
		e.Agg = r.Intn(len(s.Aggs))
		e.Origin = r.Intn(max(len(s.Aggs[e.Agg].Origins), 1))
	}
}

// stream writes messages.
func stream(t testing.TB, list ...Message) *bytes.Buffer {
	t.Helper()
	var b bytes.Buffer
	w, err := NewWriter(&b, Hello{Kernel: "6.18"})
	if err != nil {
		t.Fatal(err)
	}
	for _, m := range list {
		if err := w.Write(m); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Finish(); err != nil {
		t.Fatal(err)
	}
	return &b
}

// read reads all messages, and why no more follow.
func read(b []byte) (list []Message, err error) {
	r, err := NewReader(bytes.NewReader(b), Limits{})
	if err != nil {
		return nil, err
	}
	defer r.Close()
	for {
		m, err := r.Next()
		if err != nil {
			return list, err
		}
		list = append(list, m)
	}
}

// TestEveryFieldCrosses writes messages with random values in all fields of all types.
func TestEveryFieldCrosses(t *testing.T) {
	check := func(seed int64) bool {
		r := rand.New(rand.NewSource(seed))
		snap, status := made[trace.Snapshot](r), made[trace.Status](r)
		fit(r, &snap)
		script := made[trace.Script](r)
		list := []Message{
			&Providers{made[[]trace.ProviderInfo](r)}, &Probes{made[[]trace.Probe](r)}, &Infos{made[[]trace.ProbeInfo](r)},
			&Refusal{errors.New("no")},
			&Begin{1, script, time.Unix(0, 5)}, &Events{1, made[[]trace.Event](r)}, &Snapshot{2, snap}, &Status{3, status},
			&Snapshot{4, snap}, &Events{5, made[[]trace.Event](r)}, &End{At: 6},
		}
		got, err := read(stream(t, list...).Bytes())
		if err != io.EOF {
			t.Error(err)
		}
		if len(got) != len(list) {
			t.Fatalf("%d messages", len(got))
		}
		for i := range got {
			if !reflect.DeepEqual(got[i], list[i]) {
				t.Errorf("read\n\t%+v\nwrote\n\t%+v", got[i], list[i])
				return false
			}
		}
		return true
	}
	if err := quick.Check(check, &quick.Config{MaxCount: 60}); err != nil {
		t.Error(err)
	}
}

// TestDifferTakesInEveryField reminds of edits: a number of a row that is new must be one of
// those that they compare.
func TestDifferTakesInEveryField(t *testing.T) {
	for typ, want := range map[reflect.Type][]string{
		reflect.TypeFor[trace.Row]():   {"ID", "Keys", "Value", "Count", "Buckets", "PerCPU", "Sums"},
		reflect.TypeFor[trace.Share](): {"CPU", "Value", "Buckets"},
	} {
		var got []string
		for i := range typ.NumField() {
			got = append(got, typ.Field(i).Name)
		}
		if !reflect.DeepEqual(got, want) {
			t.Errorf("%v has the fields %v: compare and row of change.go, and edit of apply.go know %v", typ, got, want)
		}
	}
}

// next returns a snapshot as it may follow another: rows change, go, come, change places.
func next(r *rand.Rand, before trace.Snapshot) trace.Snapshot {
	s := before
	s.Seq++
	s.Examples = nil
	s.Aggs = append([]trace.Table(nil), before.Aggs...)
	if r.Intn(10) == 0 {
		s.Aggs = s.Aggs[:r.Intn(len(s.Aggs)+1)]
	}
	if r.Intn(5) == 0 || len(s.Aggs) == 0 {
		table := made[trace.Table](r)
		table.Rows = nil
		s.Aggs = append(s.Aggs, table)
	}
	for i := range s.Aggs {
		t := &s.Aggs[i]
		var rows []trace.Row
		for _, row := range t.Rows {
			switch r.Intn(6) {
			case 0:
				continue
			case 1:
				row.Value += r.Int63()
				row.Buckets = append([]trace.Bucket(nil), row.Buckets...)
				row.Buckets[r.Intn(len(row.Buckets))].Count--
			case 2:
				row.PerCPU = append([]trace.Share(nil), row.PerCPU...)
				share := &row.PerCPU[r.Intn(len(row.PerCPU))]
				share.Buckets = append([]trace.Bucket(nil), share.Buckets...)
				share.Buckets[0].Count *= 3
				row.Count = 7
				if row.Sums != nil {
					row.Sums = &trace.Sums{Sum: row.Sums.Sum - 5, SquaresLow: row.Sums.SquaresLow + 1<<63}
				}
			case 3:
				if r.Intn(3) == 0 {
					row.Keys = made[[]trace.Value](r)
				}
			}
			rows = append(rows, row)
		}
		for range r.Intn(4) {
			row := made[trace.Row](r)
			row.ID = fmt.Sprint(r.Intn(1000))
			rows = append(rows, row)
		}
		if n := len(rows); n > 1 && r.Intn(3) == 0 {
			a, b := r.Intn(n), r.Intn(n)
			rows[a], rows[b] = rows[b], rows[a]
		}
		if r.Intn(12) == 0 {
			r.Shuffle(len(rows), func(a, b int) { rows[a], rows[b] = rows[b], rows[a] })
		}
		t.Rows = rows
	}
	return s
}

// TestDifferences writes snapshots that follow each other, with key frames between them, and
// reads them from the start and from each key frame on.
func TestDifferences(t *testing.T) {
	for seed := range int64(30) {
		r := rand.New(rand.NewSource(seed))
		var file bytes.Buffer
		w, err := NewWriter(&file, Hello{})
		if err != nil {
			t.Fatal(err)
		}
		var snap trace.Snapshot
		var want []trace.Snapshot
		if err := w.Write(&Begin{Run: 1}); err != nil {
			t.Fatal(err)
		}
		for i := range 40 {
			snap = next(r, snap)
			want = append(want, snap)
			if r.Intn(8) == 0 {
				w.Key()
			}
			if err := w.Write(&Snapshot{time.Duration(i), snap}); err != nil {
				t.Fatal(err)
			}
		}
		if err := errors.Join(w.Write(&End{At: 40}), w.Finish()); err != nil {
			t.Fatal(err)
		}
		reader, err := NewReader(bytes.NewReader(file.Bytes()), Limits{})
		if err != nil {
			t.Fatal(err)
		}
		marks, err := reader.Marks(bytes.NewReader(file.Bytes()), int64(file.Len()))
		if err != nil || len(marks) < 3 {
			t.Fatalf("%d marks, %v", len(marks), err)
		}
		for _, m := range marks {
			if !m.Is(KeyFrame) {
				continue
			}
			reader.Resume(bytes.NewReader(file.Bytes()[m.Offset:]), m.Offset)
			got := snapshots(t, reader)
			left := want[len(want)-len(got):]
			for i := range got {
				if !reflect.DeepEqual(got[i].Snapshot, left[i]) {
					t.Fatalf("seed %d from byte %d, snapshot %d: read\n%+v\nwrote\n%+v", seed, m.Offset, i, got[i].Snapshot, left[i])
				}
			}
			to := time.Duration(r.Intn(45))
			if to < m.First {
				continue
			}
			reader.Resume(bytes.NewReader(file.Bytes()[m.Offset:]), m.Offset)
			reader.Forward(to)
			got = snapshots(t, reader)
			left = want[min(int(to), 39):]
			if len(got) != len(left) {
				t.Fatalf("forward to %d: %d snapshots, want %d", to, len(got), len(left))
			}
			for i := range got {
				if !reflect.DeepEqual(got[i].Snapshot, left[i]) {
					t.Fatalf("forward to %d, snapshot %d: read\n%+v\nwrote\n%+v", to, i, got[i].Snapshot, left[i])
				}
			}
		}
	}
}

// snapshots reads the snapshots up to the end of a run.
func snapshots(t *testing.T, r *Reader) (list []*Snapshot) {
	t.Helper()
	for i := 0; ; i++ {
		m, err := r.Next()
		if err != nil {
			t.Fatal(err)
		}
		switch m := m.(type) {
		case *Begin:
			if i > 0 {
				t.Fatalf("message %d begins the run", i)
			}
		case *Snapshot:
			list = append(list, m)
		case *End:
			return list
		}
	}
}
