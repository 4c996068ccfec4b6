package wire

import (
	"bytes"
	"fmt"
	"reflect"
	"testing"
	"time"

	"dscope.dev/engine/trace"
)

// sheet returns n firings that share an event.
func sheet(n int) []trace.Event {
	probes := []trace.Probe{{ID: 1, Provider: "syscall", Function: "read", Name: "entry"}, {ID: 2, Provider: "syscall", Function: "read", Name: "return"}}
	p := trace.NewPrints()
	for i := range n {
		p.Text = fmt.Appendf(p.Text, "%d \xff\n", i)
		p.List = append(p.List, trace.Print{Probe: &probes[i%2], Clause: uint32(i % 3), End: uint32(len(p.Text))})
	}
	return []trace.Event{{Kind: trace.PrintsEvent, Time: time.Unix(7, 8), CPU: 3, Prints: p}}
}

// written returns the bytes of a stream of one message.
func written(t testing.TB, m Message) []byte {
	t.Helper()
	var b bytes.Buffer
	w, err := NewWriter(&b, Hello{})
	if err != nil {
		t.Fatal(err)
	}
	for _, m := range []Message{&Begin{Run: 1, Began: time.Unix(1, 0)}, m} {
		if err := w.Write(m); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Flush(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// TestPrintsCross has firings cross that share an event, and refuses those that were not
// written by us.
func TestPrintsCross(t *testing.T) {
	read := func(list []trace.Event) ([]trace.Event, error) {
		r, err := NewReader(bytes.NewReader(written(t, &Events{List: list})), Limits{})
		if err != nil {
			t.Fatal(err)
		}
		if _, err := r.Next(); err != nil {
			t.Fatal(err)
		}
		m, err := r.Next()
		if err != nil {
			return nil, err
		}
		return m.(*Events).List, nil
	}
	for _, n := range []int{0, 1, 5000} {
		want := sheet(n)
		got, err := read(want)
		if err != nil {
			t.Fatal(n, err)
		}
		var x, y []trace.Event
		for e := range trace.Each(want) {
			x = append(x, *e)
		}
		for e := range trace.Each(got) {
			y = append(y, *e)
		}
		if len(x) != n || !reflect.DeepEqual(x, y) {
			t.Fatalf("%d firings, %d came:\n%.500v\n%.500v", len(x), len(y), x, y)
		}
	}
	for name, spoil := range map[string]func(*trace.Event){
		"none":          func(e *trace.Event) { e.Prints = nil },
		"no probe":      func(e *trace.Event) { e.Prints.List[1].Probe = nil },
		"beyond":        func(e *trace.Event) { e.Prints.List[3].End = 1000 },
		"backwards":     func(e *trace.Event) { e.Prints.List[1].End = 1 },
		"another kind":  func(e *trace.Event) { e.Kind++ },
		"without texts": func(e *trace.Event) { e.Prints.Text = nil },
	} {
		list := sheet(4)
		spoil(&list[0])
		if got, err := read(list); err == nil {
			t.Errorf("%s: taken: %+v", name, got)
		}
	}
}

// BenchmarkEvents writes and reads firings, each an event of its own or all in one.
func BenchmarkEvents(b *testing.B) {
	const n = 4096
	shared := sheet(n)
	var alone []trace.Event
	for e := range trace.Each(shared) {
		alone = append(alone, *e)
	}
	for name, list := range map[string][]trace.Event{"shared": shared, "alone": alone} {
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				r, err := NewReader(bytes.NewReader(written(b, &Events{List: list})), Limits{})
				if err != nil {
					b.Fatal(err)
				}
				for range 2 {
					if _, err := r.Next(); err != nil {
						b.Fatal(err)
					}
				}
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/n, "ns/firing")
		})
	}
}
