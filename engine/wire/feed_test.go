package wire

import (
	"bytes"
	"io"
	"math/rand"
	"reflect"
	"testing"
	"time"

	"dscope.dev/engine/trace"
)

// pieces keeps each frame as it was written.
type pieces [][]byte

func (p *pieces) Write(b []byte) (int, error) {
	*p = append(*p, bytes.Clone(b))
	return len(b), nil
}

// TestFeed reads a stream in pieces as a Reader reads it in one.
func TestFeed(t *testing.T) {
	r := rand.New(rand.NewSource(1))
	var list pieces
	w, err := NewWriter(&list, Hello{Kernel: "6.18"})
	if err != nil {
		t.Fatal(err)
	}
	if err := w.Write(&Begin{Run: 1, Began: time.Unix(0, 5)}); err != nil {
		t.Fatal(err)
	}
	snap := made[trace.Snapshot](r)
	fit(r, &snap)
	for i := range 8 {
		for _, m := range []Message{&Events{At: 1, List: made[[]trace.Event](r)}, &Snapshot{1, snap}} {
			if err := w.Write(m); err != nil {
				t.Fatal(err)
			}
		}
		if i%3 == 2 {
			if err := w.Flush(); err != nil {
				t.Fatal(err)
			}
		}
		snap = next(r, snap)
		fit(r, &snap)
	}
	if err := w.Finish(); err != nil {
		t.Fatal(err)
	}
	want, err := read(bytes.Join(list, nil))
	if err != io.EOF {
		t.Fatal(err)
	}
	f := NewFeed(Limits{})
	defer f.Close()
	var got []Message
	for _, piece := range list {
		some, err := f.Take(piece)
		if err != nil && err != io.EOF { // the index, with which a finished stream ends
			t.Fatal(err)
		}
		got = append(got, some...)
	}
	if !reflect.DeepEqual(got, want) || len(want) != 17 {
		t.Errorf("a feed reads %d messages that are not those %d that a reader reads", len(got), len(want))
	}
	if f.Hello().Kernel != "6.18" {
		t.Errorf("it was greeted by %q", f.Hello().Kernel)
	}
}

// TestFeedOfDamage reads pieces that are cut or changed: an error, and no more.
func TestFeedOfDamage(t *testing.T) {
	var list pieces
	w, err := NewWriter(&list, Hello{})
	if err != nil {
		t.Fatal(err)
	}
	if err := w.Write(&Begin{Run: 1, Began: time.Unix(0, 5)}); err != nil {
		t.Fatal(err)
	}
	if err := w.Write(&Events{At: 1, List: made[[]trace.Event](rand.New(rand.NewSource(2)))}); err != nil {
		t.Fatal(err)
	}
	if err := w.Finish(); err != nil {
		t.Fatal(err)
	}
	whole := bytes.Join(list, nil)
	ends := map[int]bool{} // of frames
	for i, at := 0, 0; i < len(list); i++ {
		at += len(list[i])
		ends[at] = true
	}
	for cut := range len(whole) {
		if ends[cut] {
			continue
		}
		f := NewFeed(Limits{})
		if _, err := f.Take(whole[:cut]); err == nil {
			t.Errorf("%d of %d bytes are taken for whole", cut, len(whole))
		} else {
			if again, still := f.Take(whole); still == nil || len(again) > 0 {
				t.Errorf("after %v at byte %d it goes on", err, cut)
			}
		}
		f.Close()
	}
}
