package output

import (
	"fmt"
	"math/rand/v2"
	"reflect"
	"strings"
	"testing"
	"time"

	"dscope.dev/engine/trace"
)

// TestPrintsAsAlone shows firings that share an event as it shows events of their own, line
// for line, with what was let go counted.
func TestPrintsAsAlone(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	back := trace.Probe{ID: 4, Provider: "syscall", Function: "read", Name: "return"}
	began := time.Unix(100, 0)
	shared, alone := pane(t, 60, 12), pane(t, 60, 12)
	for _, m := range []*Model{shared, alone} {
		m.SetLimits(500, 1<<20)
		m.Begin(1, began, false)
	}
	for n := range 60 {
		p := trace.NewPrints()
		for i := range r.IntN(40) {
			text := strings.Repeat("line\n", r.IntN(3)) + []string{"", "rest", "\x1b[31mred", "\n"}[r.IntN(4)]
			p.Text = append(p.Text, fmt.Sprint(i, " ", text)[:r.IntN(len(text)+3)]...)
			probe := &read
			if r.IntN(2) == 0 {
				probe = &back
			}
			p.List = append(p.List, trace.Print{Probe: probe, Clause: 1, End: uint32(len(p.Text))})
		}
		batch := []trace.Event{{Kind: trace.PrintsEvent, Time: began.Add(time.Duration(n) * time.Second), CPU: n % 3, Prints: p}}
		if n%7 == 0 {
			batch = append(batch, trace.Event{Kind: trace.DropEvent, Drop: trace.Drop{Count: uint64(n), CPU: -1}})
		}
		shared.Add(batch)
		var each []trace.Event
		for e := range trace.Each(batch) {
			each = append(each, *e)
		}
		alone.Add(each)
		for _, key := range []string{"", "d", "up", "pgup", "end"} {
			if key != "" {
				press(t, shared, key)
				press(t, alone, key)
			}
			if got, want := shared.Rows(), alone.Rows(); !reflect.DeepEqual(got, want) {
				t.Fatalf("after %d batches and %q: got\n%s\nwant\n%s", n+1, key, strings.Join(got, "\n"), strings.Join(want, "\n"))
			}
			if got, want := shared.Title(), alone.Title(); got != want {
				t.Fatalf("after %d batches: %q, want %q", n+1, got, want)
			}
		}
	}
	if got, want := shared.Events(1), alone.Events(1); !reflect.DeepEqual(got, want) || len(got) == 0 {
		t.Errorf("%d events, want %d", len(got), len(want))
	}
	for _, m := range []*Model{shared, alone} {
		m.ShowUntil(1, 55*time.Second)
	}
	if got, want := shared.Rows(), alone.Rows(); !reflect.DeepEqual(got, want) {
		t.Errorf("at 55 s: got\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}
