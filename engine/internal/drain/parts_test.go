package drain

import (
	"slices"
	"testing"

	"dscope.dev/engine/record"
	"dscope.dev/engine/trace"
)

// part makes a part of an event of clause 1 on CPU 0 with so many items.
func part(stamp uint64, items int, last bool) record.Record {
	return record.Record{Event: trace.Event{Clause: 1, Items: make([]trace.Item, items)}, Part: true, Stamp: stamp, Last: last}
}

// sizes are the numbers of items of events.
func sizes(events []trace.Event) []int {
	var n []int
	for _, e := range events {
		n = append(n, len(e.Items))
	}
	return n
}

func TestParts(t *testing.T) {
	for _, tt := range []struct {
		name string
		in   []record.Record
		want []int // items of the events delivered, in order; those of rest come last
		rest []int
	}{
		{"one after another", []record.Record{part(1, 2, false), part(1, 1, false), part(1, 0, true), part(2, 1, false), part(2, 0, true)}, []int{3, 1}, nil},
		{"nothing recorded", []record.Record{part(1, 0, true), part(2, 0, false), part(2, 0, true)}, nil, nil},
		{"one within another", []record.Record{part(1, 1, false), part(2, 5, false), part(2, 0, true), part(1, 1, false), part(1, 0, true)}, []int{5, 2}, nil},
		{"the last part was lost", []record.Record{part(1, 1, false), part(2, 2, false), part(2, 0, true)}, []int{2}, []int{1}},
		{"many last parts were lost", []record.Record{part(1, 1, false), part(2, 2, false), part(3, 3, false), part(4, 4, false), part(5, 5, false)}, []int{1}, []int{2, 3, 4, 5}},
		{"too long", []record.Record{part(1, mostItems-1, false), part(1, 2, false), part(1, 3, false), part(1, 0, true)}, []int{mostItems + 1, 3}, nil},
	} {
		var p parts
		var got []trace.Event
		for _, r := range tt.in {
			got = append(got, p.add(r)...)
		}
		if !slices.Equal(sizes(got), tt.want) {
			t.Errorf("%s: events of %v items, want %v", tt.name, sizes(got), tt.want)
		}
		if rest := sizes(p.rest()); !slices.Equal(rest, tt.rest) {
			t.Errorf("%s: %v are left, want %v", tt.name, rest, tt.rest)
		}
	}
}

// TestPartsFault ends the youngest event of the clause and the CPU, no other.
func TestPartsFault(t *testing.T) {
	var p parts
	p.add(part(1, 1, false))
	p.add(part(2, 2, false))
	if got := sizes(p.fault(&trace.Event{Clause: 1, CPU: 3})); got != nil {
		t.Errorf("a fault of another CPU delivers %v", got)
	}
	if got := sizes(p.fault(&trace.Event{Clause: 1})); !slices.Equal(got, []int{2}) {
		t.Errorf("the fault delivers %v", got)
	}
	if got := sizes(p.rest()); !slices.Equal(got, []int{1}) {
		t.Errorf("%v are left", got)
	}
}
