package replay

import (
	"bytes"
	"errors"
	"io"
	"reflect"
	"testing"
	"time"

	"dscope.dev/engine/trace"
)

// A shelf keeps files.
type shelf struct {
	files  []*bytes.Buffer
	closed int
}

func (s *shelf) next() (io.WriteCloser, error) {
	b := &bytes.Buffer{}
	s.files = append(s.files, b)
	return book{b, s}, nil
}

type book struct {
	*bytes.Buffer
	shelf *shelf
}

func (b book) Close() error {
	b.shelf.closed++
	return nil
}

// TestRotation spreads half a minute over files, by size and by time: each is whole, knows
// the machine, begins with the state at which the one before ended, and together they have
// all that was delivered.
func TestRotation(t *testing.T) {
	_, whole := damaged(t)
	for name, rotation := range map[string]Rotation{
		"by size": {Size: 5 << 10},
		"by time": {Every: 7 * time.Second},
	} {
		var s shelf
		rotation.Next = s.next
		w, err := NewRotating(rotation, Header{Kernel: "made"})
		if err != nil {
			t.Fatal(err)
		}
		w.Probes([]trace.Probe{{ID: 1, Provider: "syscall"}}, nil)
		d := newDay(12)
		d.write(t, w, damagedSeconds, 100, 10)
		if err := w.Close(); err != nil {
			t.Fatal(err)
		}
		if len(s.files) < 3 || s.closed != len(s.files) {
			t.Errorf("%s: %d files, %d closed", name, len(s.files), s.closed)
		}
		var all played
		for i, f := range s.files {
			p, err := readBytes(f.Bytes())
			if err != nil || p.Broken() != nil {
				t.Fatal(name, err, p.Broken())
			}
			if probes, _, _ := p.Probes(t.Context(), ""); len(probes) != 1 || p.Header.Kernel != "made" || p.Scripts()[0] != hourScript {
				t.Errorf("%s: file %d has the probes %v of %q, and runs of %q", name, i, probes, p.Header.Kernel, p.Scripts())
			}
			got := playAll(t, p)
			if got.status.State != trace.Done || got.status.Err != nil {
				t.Errorf("%s: file %d ends with %+v", name, i, got.status)
			}
			if i > 0 && len(all.snaps) > 0 { // the state is repeated
				if !reflect.DeepEqual(got.snaps[0], all.snaps[len(all.snaps)-1]) {
					t.Errorf("%s: file %d begins with snapshot %d, after %d", name, i, got.snaps[0].Seq, len(all.snaps))
				}
				got.snaps = got.snaps[1:]
			}
			all.snaps = append(all.snaps, got.snaps...)
			all.events = append(all.events, got.events...)
		}
		if len(all.snaps) != len(whole.snaps) || len(all.events) != len(whole.events) || !all.isPart(whole) {
			t.Errorf("%s: %d snapshots and %d events, want %d and %d", name, len(all.snaps), len(all.events), len(whole.snaps), len(whole.events))
		}
	}
}

// TestNoMoreRoom ends a recording whose next file cannot be begun.
func TestNoMoreRoom(t *testing.T) {
	full := errors.New("no space left on device")
	n := 0
	w, err := NewRotating(Rotation{Every: time.Second, Next: func() (io.WriteCloser, error) {
		if n++; n == 2 {
			return nil, full
		}
		return (&shelf{}).next()
	}}, Header{})
	if err != nil {
		t.Fatal(err)
	}
	run := stopped{newFixed(), make(chan bool, 100)}
	run.began = time.Now().Add(-time.Hour)
	go func() {
		run.status <- trace.Status{State: trace.Running}
		run.status <- trace.Status{State: trace.Running}
		<-run.stop
		run.end()
	}()
	if err := w.Record(t.Context(), "BEGIN", run); !errors.Is(err, full) {
		t.Errorf("error %v", err)
	}
	if err := w.Close(); !errors.Is(err, full) {
		t.Errorf("Close: %v", err)
	}
}

// TestPlayFrom begins at moments of a run: with the state as it was then, and what follows.
func TestPlayFrom(t *testing.T) {
	file, whole := damaged(t)
	for _, second := range []int{0, 1, 6, 7, 8, 29, 30, 100} {
		p, err := readBytes(file)
		if err != nil {
			t.Fatal(err)
		}
		p.From = time.Duration(second)*time.Second + time.Millisecond
		got := playAll(t, p)
		from := min(max(second-1, 0), damagedSeconds-1)
		if want := whole.snaps[from:]; len(got.snaps) != len(want) || !reflect.DeepEqual(got.snaps[0], want[0]) || !reflect.DeepEqual(got.snaps[len(got.snaps)-1], want[len(want)-1]) {
			t.Errorf("from second %d: %d snapshots, the first is %d", second, len(got.snaps), got.snaps[0].Seq)
		}
		if want := whole.events[min(second, damagedSeconds)*10:]; len(got.events) != len(want) || len(want) > 0 && !reflect.DeepEqual(got.events, want) {
			t.Errorf("from second %d: %d events, want %d", second, len(got.events), len(want))
		}
		if got.status.State != trace.Done || got.status.Err != nil {
			t.Errorf("from second %d: it ends with %+v", second, got.status)
		}
	}
}
