package live

import (
	"fmt"
	"reflect"
	"testing"

	tea "github.com/charmbracelet/bubbletea"

	"dscope.dev/engine/trace"
	"dscope.dev/ui/flow"
)

// TestReadBeside fills heat maps of many keys beside the screen while the run goes on: in the
// end they show what every frame had.
func TestReadBeside(t *testing.T) {
	const keys = 300
	next := func(n int) trace.Snapshot {
		var all trace.Table
		for k := range keys {
			one := spread("q", fmt.Sprint("key", k), int64(n*k%97+n*100), int64(n*3), int64(k))
			one.Rows = append(all.Rows, one.Rows...)
			all = one
		}
		return snap(n, all)
	}
	m := pane(t, 90, 24)
	n := 0
	for n < 80 {
		n++
		m.SetSnapshot(next(n))
	}
	for _, of := range []string{"the key under the cursor", "all keys", "several keys"} {
		press(t, m, "h")
		cmd := m.Work()
		if cmd == nil && of == "all keys" {
			t.Fatal("all is read at once")
		}
		for ; cmd != nil; cmd = m.Work() {
			came := make(chan tea.Msg)
			go func() { came <- cmd() }()
			for range 3 {
				n++
				m.SetSnapshot(next(n))
			}
			m.Update(<-came)
		}
		a, v := m.current()
		courses := map[string]*course{}
		switch f := v.figure.(type) {
		case *heat:
			courses[f.id] = &f.course
		case *multiples:
			courses = f.maps
		}
		for _, c := range courses {
			kept := 0
			for i := range c.columns {
				x := &c.columns[i]
				if !x.kept {
					continue
				}
				kept++
				var was []trace.Bucket
				if x.from > 0 {
					was = whole(m, c, x.from.Seconds())
				}
				want := interval{}
				(&heat{}).came(a, &want, unnamed(whole(m, c, x.to.Seconds())), unnamed(was))
				if got := unnamed(x.counts); !reflect.DeepEqual(got, want.counts) {
					t.Fatalf("%s, from %v to %v:\n got %v\nwant %v", of, x.from, x.to, got, want.counts)
				}
			}
			if kept < 40 {
				t.Errorf("%s: %d of %d columns are there", of, kept, len(c.columns))
			}
		}
	}
}

// whole returns what there was of a course at a moment, read out of the whole frame.
func whole(m *Model, c *course, seconds float64) (out []trace.Bucket) {
	line := m.Timeline()
	for i := range line.Len() {
		if line.Elapsed(i).Seconds() != seconds {
			continue
		}
		for _, r := range line.At(i).Aggs[0].Rows {
			if c.all || r.ID == c.id {
				out = flow.Join(out, r.Buckets)
			}
		}
	}
	return out
}

// unnamed returns buckets without their labels.
func unnamed(list []trace.Bucket) (out []trace.Bucket) {
	for _, b := range list {
		b.Label = ""
		out = append(out, b)
	}
	return out
}
