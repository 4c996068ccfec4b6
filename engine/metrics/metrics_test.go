package metrics_test

import (
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"dscope.dev/engine/metrics"
	"dscope.dev/engine/trace"
)

func TestHistogram(t *testing.T) {
	s := source(metrics.Options{}, all()...)
	m := read(t, s, "latency")
	if m.Kind != metrics.Histogram || m.Unit != "ns" || !slices.Equal(m.Labels, []string{"args_0_name"}) || m.Help != "quantize(timestamp - self->ts) in ns" {
		t.Errorf("%+v", m)
	}
	if !slices.Equal(m.Bounds, []float64{127, 255, 511, 1023}) {
		t.Errorf("bounds %v", m.Bounds)
	}
	for i, want := range [][]uint64{{0, 3, 2, 0, 0}, {0, 0, 0, 0, 1}} {
		if p := m.Points[i]; !slices.Equal(p.Counts, want) {
			t.Errorf("point %d has %v, want %v", i, p.Counts, want)
		}
	}
	// Of lquantize() all bounds are there before anything has come.
	if m := read(t, s, "steps"); !slices.Equal(m.Bounds, []float64{-1, 9, 19, 29}) || !slices.Equal(m.Points[0].Counts, []uint64{0, 1, 0, 0, 0}) {
		t.Errorf("%v %v", m.Bounds, m.Points)
	}
}

// Bounds only become more, so that a series that is there stays.
func TestBoundsStay(t *testing.T) {
	s := source(metrics.Options{}, all()...)
	read(t, s, "latency")
	less := all()
	less[3].Rows = less[3].Rows[1:]
	s.Snapshot(trace.Snapshot{Aggs: less})
	if m := read(t, s, "latency"); len(m.Bounds) != 4 {
		t.Errorf("%v", m.Bounds)
	}
}

func TestNegativeCounts(t *testing.T) {
	tables := all()
	tables[3].Rows[0].Buckets[1].Count = -1
	s := source(metrics.Options{}, tables...)
	if m := read(t, s, "latency"); len(m.Points) != 1 {
		t.Errorf("%+v", m.Points)
	}
	if p := leftOut(t, s, "@latency"); p != 1 {
		t.Errorf("%v left out", p)
	}
}

func leftOut(t *testing.T, s *metrics.Source, agg string) float64 {
	t.Helper()
	for _, p := range read(t, s, "run_keys_left_out").Points {
		if p.Labels[0] == agg {
			return p.Value
		}
	}
	t.Fatalf("nothing is said of %s", agg)
	return 0
}

// TestCap has more keys than may be: the first stay, whatever comes, and a word is said once.
func TestCap(t *testing.T) {
	var said []string
	s := source(metrics.Options{Keys: 2, Say: func(text string) { said = append(said, text) }},
		trace.Table{Name: "n", Rows: []trace.Row{keyed("a", 1), keyed("b", 2), keyed("c", 3)}})
	names := func() (out []string) {
		for _, p := range read(t, s, "n").Points {
			out = append(out, p.Labels[0])
		}
		return out
	}
	if got := names(); !slices.Equal(got, []string{"a", "b"}) || leftOut(t, s, "@n") != 1 {
		t.Errorf("%q", got)
	}
	s.Snapshot(trace.Snapshot{Aggs: []trace.Table{{Name: "n", Rows: []trace.Row{keyed("d", 9), keyed("c", 8), keyed("b", 7), keyed("a", 1)}}}})
	if got := names(); !slices.Equal(got, []string{"b", "a"}) || leftOut(t, s, "@n") != 2 {
		t.Errorf("%q", got)
	}
	if len(said) != 1 || !strings.Contains(said[0], "@n has more keys than 2") {
		t.Errorf("said %q", said)
	}
	s.Begin(began) // another run has its own
	s.Snapshot(trace.Snapshot{Aggs: []trace.Table{{Name: "n", Rows: []trace.Row{keyed("d", 9)}}}})
	if got := names(); !slices.Equal(got, []string{"d"}) {
		t.Errorf("%q", got)
	}
}

// Keys that are spelled alike are one series, of what both have.
func TestJoined(t *testing.T) {
	for _, tt := range []struct {
		fn   trace.AggFunc
		want float64
	}{{trace.Count, 10}, {trace.Sum, 10}, {trace.Min, 2}, {trace.Max, 8}, {trace.Stddev, 8}, {trace.Avg, 6.5}} {
		a, b := keyed("x", 2), keyed("x", 8)
		a.Count, b.Count, b.ID = 1, 3, "y"
		m := read(t, source(metrics.Options{}, trace.Table{Name: "n", Func: tt.fn, Rows: []trace.Row{a, b}}), "n")
		if len(m.Points) != 1 || m.Points[0].Value != tt.want {
			t.Errorf("%v of 2 and 8 is %+v, want %v", tt.fn, m.Points, tt.want)
		}
	}
}

func TestNames(t *testing.T) {
	s := source(metrics.Options{},
		trace.Table{Name: "", KeyTypes: []string{"string", "string", "int", "int"}, Origins: called("", "args[0]->fd", "args[0]->fd", "$1", "le"), Rows: []trace.Row{{Value: 1}}},
		trace.Table{Name: "run_probes"})
	if m := read(t, s, "aggregation"); !slices.Equal(m.Labels, []string{"args_0_fd", "key2", "key3", "key4"}) {
		t.Errorf("%q", m.Labels)
	}
	read(t, s, "run_probes_2") // that of the run is there already
}

func TestDrops(t *testing.T) {
	for _, p := range read(t, source(metrics.Options{}), "run_drops").Points {
		want := 0.0
		if reflect.DeepEqual(p.Labels, []string{"DTRACEDROP_AGGREGATION", "@k"}) {
			want = 9
		}
		if p.Value != want {
			t.Errorf("%q is %v, want %v", p.Labels, p.Value, want)
		}
	}
}

func TestNothingYet(t *testing.T) {
	if r := metrics.New(metrics.Options{}).Read(); r.Metrics != nil || r.Began != (time.Time{}) {
		t.Errorf("%+v", r)
	}
}
