package drain

import (
	"fmt"
	"testing"

	"dscope.dev/engine/trace"
	"dscope.dev/engine/trace/spell"
)

// TestDropsWait counts drops while the reader has no room: they take no memory,
// enter the sums at once, and are told in one event each when there is room.
func TestDropsWait(t *testing.T) {
	d := &Drain{out: Outlets{Events: make(chan []trace.Event, 1)}}
	d.drops.unsaid = map[loss]uint64{}
	full := func() { d.batch = make([]trace.Event, batchSize) }
	d.out.Events <- nil
	full()
	for range 1000 {
		d.drops.add(trace.DropPrincipal, 1, 2)
		d.drops.add(trace.DropAggregation, -1, 3)
		if err := d.count(); err != nil {
			t.Fatal(err)
		}
	}
	if len(d.batch) != batchSize || d.drops.total() != 5000 {
		t.Errorf("%d events wait and %d drops are counted, want %d and 5000", len(d.batch), d.drops.total(), batchSize)
	}
	<-d.out.Events
	for range 2 {
		if err := d.count(); err != nil {
			t.Fatal(err)
		}
	}
	if got := fmt.Sprintf("%d: %s, %s", len(d.batch), spell.Drop(d.batch[0].Drop), spell.Drop(d.batch[1].Drop)); got != "2: 2000 drops on CPU 1, 3000 aggregation drops" {
		t.Errorf("drops are told as %s", got)
	}
}
