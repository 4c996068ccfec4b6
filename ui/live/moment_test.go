package live

import (
	"fmt"
	"testing"

	"dscope.dev/engine/trace"
	"dscope.dev/ui/timeline"
)

// TestLookLater goes from one aggregation to the next at a moment that is held, while the run
// goes on and its past is thinned: each is shown as it was at that moment, though it is read
// only now.
func TestLookLater(t *testing.T) {
	const aggs = 40
	value := func(seq, agg, key int) int { return seq*(key+1) + agg }
	next := func(seq int) trace.Snapshot {
		var tables []trace.Table
		for i := range aggs {
			var pairs []any
			for k := range 5 {
				pairs = append(pairs, fmt.Sprint("key", k), value(seq, i, k))
			}
			tables = append(tables, counted(fmt.Sprint("n", i), pairs...))
		}
		return snap(seq, tables...)
	}
	m := pane(t, 90, 20)
	m.line = timeline.New(256 << 10)
	seq := 0
	add := func(n int) {
		for range n {
			seq++
			m.SetSnapshot(next(seq))
		}
	}
	add(60)
	m.Step(-7)
	at := int(m.held.seq)
	for n := range 3 * aggs {
		a, v := m.current()
		if a.lacks == lacksRows || len(v.rows) != 5 {
			t.Fatalf("aggregation %d of %d has not been read", n, len(m.shown().aggs))
		}
		for k := range 5 {
			if got, want := a.rows[fmt.Sprint("key", k)].value, int64(value(at, m.sel, k)); got != want {
				t.Fatalf("@%s has %d of key %d at the moment that is held, want %d", a.name, got, k, want)
			}
		}
		press(t, m, "]")
		add(7)
	}
	read := 0
	for _, a := range m.held.aggs {
		if a.lacks < lacksRows {
			read++
		}
	}
	if read != aggs {
		t.Errorf("%d of %d aggregations were looked at", read, aggs)
	}
	if m.line.Rarer() == 1 {
		t.Error("the past was not thinned")
	}
	m.Step(-7)
	read = 0
	for _, a := range m.held.aggs {
		if a.lacks < lacksRows {
			read++
		}
	}
	if read > 10 {
		t.Errorf("%d of %d aggregations are read, and no more than three are in view", read, aggs)
	}
}
