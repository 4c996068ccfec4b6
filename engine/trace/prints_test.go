package trace

import (
	"reflect"
	"testing"
	"time"
)

// TestEach takes firings that share an event apart, and stops where the reader does.
func TestEach(t *testing.T) {
	at := time.Unix(1, 0)
	entry, back := Probe{ID: 1, Name: "entry"}, Probe{ID: 2, Name: "return"}
	p := NewPrints()
	p.Text = append(p.Text, "oneand two"...)
	p.List = append(p.List, Print{&entry, 1, 3}, Print{&back, 2, 3}, Print{&entry, 1, 10})
	batch := []Event{{CPU: 7}, {Kind: PrintsEvent, Time: at, CPU: 3, Prints: p}, {Kind: DropEvent}}
	text := func(s string) []Item { return []Item{{Kind: PrintfItem, Text: s}} }
	want := []Event{{CPU: 7},
		{Time: at, CPU: 3, Probe: entry, Clause: 1, Items: text("one")},
		{Time: at, CPU: 3, Probe: back, Clause: 2, Items: text("")},
		{Time: at, CPU: 3, Probe: entry, Clause: 1, Items: text("and two")},
		{Kind: DropEvent}}
	if n := Firings(batch); n != len(want) {
		t.Errorf("%d firings, want %d", n, len(want))
	}
	for n := range len(want) + 1 {
		var got []Event
		for e := range Each(batch) {
			if len(got) == n {
				break
			}
			got = append(got, *e)
		}
		if !reflect.DeepEqual(got, append([]Event(nil), want[:n]...)) {
			t.Errorf("the first %d: %+v", n, got)
		}
	}
	p.Release()
	if q := NewPrints(); len(q.Text) > 0 || len(q.List) > 0 {
		t.Errorf("new ones hold %q", q.Text)
	}
}
