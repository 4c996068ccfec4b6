package timeline

import (
	"math/rand/v2"
	"reflect"
	"sync"
	"testing"
	"time"

	"dscope.dev/engine/trace"
)

// TestPast reads what is kept while more is added and thinned: it is what At gave when it
// was asked for.
func TestPast(t *testing.T) {
	r := rand.New(rand.NewPCG(7, 7))
	line := New(1 << 20)
	n := 0
	add := func() { n++; line.Add(wild(r, n)) }
	for range 500 {
		add()
	}
	var want []trace.Snapshot
	for i := range line.Len() {
		want = append(want, line.At(i))
	}
	frames, taken, of := line.Past(1 << 30)
	if taken != of || of != len(want) {
		t.Fatalf("%d of %d frames, want all %d", taken, of, len(want))
	}
	var reading sync.WaitGroup
	reading.Go(func() {
		i := 0
		for s := range frames {
			if !reflect.DeepEqual(ordered(s), ordered(want[i])) {
				t.Errorf("frame %d is another", i)
			}
			i++
		}
		if i != len(want) {
			t.Errorf("%d frames, want %d", i, len(want))
		}
	})
	for range 2000 {
		add()
	}
	reading.Wait()
}

// TestPastIsBounded takes frames evenly where all have too many rows, the last among them.
func TestPastIsBounded(t *testing.T) {
	line := New(8 << 20)
	for i := range 100 {
		rows := make([]trace.Row, 50)
		for j := range rows {
			rows[j] = trace.Row{ID: string(rune('a' + j)), Value: int64(i)}
		}
		line.Add(trace.Snapshot{Seq: uint64(i), Elapsed: time.Duration(i) * time.Second, Aggs: []trace.Table{{Rows: rows}}})
	}
	frames, taken, of := line.Past(1000)
	rows, last, n := 0, uint64(0), 0
	for s := range frames {
		rows += len(s.Aggs[0].Rows)
		last = s.Seq
		n++
	}
	if rows > 1000 || rows < 500 || last != 99 || n != taken || of != 100 {
		t.Errorf("%d rows in %d (%d) of %d frames, the last is %d", rows, n, taken, of, last)
	}
}

// TestPastOfExamples gives each example once, with the first frame that is no earlier.
func TestPastOfExamples(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 1))
	line := New(8 << 20)
	for seq := 1; seq <= 100; seq++ {
		line.Add(sampled(r, seq, 4, 3))
	}
	frames, _, _ := line.Past(1 << 30)
	for range 2 { // it may be asked for again
		got, before := 0, time.Duration(-1)
		for s := range frames {
			for _, e := range s.Examples {
				if e.Agg >= len(s.Aggs) {
					t.Fatalf("an example of aggregation %d of %d", e.Agg, len(s.Aggs))
				}
			}
			if got += len(s.Examples); len(s.Examples) > 0 && s.Elapsed <= before {
				t.Error("frames are not in order")
			}
			before = s.Elapsed
		}
		if got != line.Examples().Kept() {
			t.Errorf("%d examples, want %d", got, line.Examples().Kept())
		}
	}
}
