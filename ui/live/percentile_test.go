package live

import (
	"math"
	"strings"
	"testing"

	"dscope.dev/dlang/unit"
	"dscope.dev/engine/trace"
)

// powers makes buckets as quantize() has them, from 1 on.
func powers(counts ...int64) (list []trace.Bucket) {
	for i, n := range counts {
		list = append(list, trace.Bucket{Low: 1 << i, High: 1<<(i+1) - 1, Count: n})
	}
	return list
}

func TestQuantiles(t *testing.T) {
	for _, tt := range []struct {
		buckets []trace.Bucket
		want    [4]string // p50, p90, p99, max
	}{
		{nil, [4]string{}},
		{powers(0, 0, 0), [4]string{}},
		{powers(0, 1, 0), [4]string{"2–4ns", "2–4ns", "2–4ns", "2–4ns"}},
		{powers(50, 49, 1), [4]string{"1ns", "2–4ns", "2–4ns", "4–8ns"}},
		{powers(49, 50, 1), [4]string{"2–4ns", "2–4ns", "2–4ns", "4–8ns"}},
		{powers(89, 0, 10, 0, 1), [4]string{"1ns", "4–8ns", "4–8ns", "16–32ns"}},
		{powers(5, -1, 5), [4]string{}}, // increments that were negative
		{[]trace.Bucket{{Label: "< 0", Low: math.MinInt64, High: -1, Count: 1}, {Label: ">= 100", Low: 100, High: math.MaxInt64, Count: 9}},
			[4]string{"≥100ns", "≥100ns", "≥100ns", "≥100ns"}},
	} {
		m := pane(t, 80, 24)
		a, s := &agg{fn: trace.Quantize, unit: unit.Nanoseconds}, &series{buckets: tt.buckets}
		for i := range quantiles {
			if got := m.spell(a, s, &quantiles[i]); got != tt.want[i] {
				t.Errorf("%v: %s is %q, want %q", tt.buckets, quantiles[i].title, got, tt.want[i])
			}
		}
	}
}

// TestQuantilesRaw writes the very numbers of the bucket.
func TestQuantilesRaw(t *testing.T) {
	m := pane(t, 80, 24)
	m.toRaw()
	a := &agg{fn: trace.Quantize, unit: unit.Nanoseconds}
	if got := m.spell(a, &series{buckets: powers(0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 3)}, &quantiles[2]); got != "1024–2047" {
		t.Errorf("p99 is %s", got)
	}
}

// TestOrderByQuantile puts first what is slowest, and what has no values last.
func TestOrderByQuantile(t *testing.T) {
	a := &agg{fn: trace.Quantize, types: []string{"string"}, rows: map[string]*series{}}
	for id, buckets := range map[string][]trace.Bucket{"slow": powers(1, 0, 0, 0, 9), "fast": powers(99, 1), "none": powers(0), "tail": powers(99, 0, 0, 1)} {
		s := &series{id: id, texts: []string{id}, buckets: buckets}
		for _, b := range buckets {
			s.value += b.Count
		}
		a.rows[id] = s
	}
	v := newSection(a)
	for want, kind := range map[string]column{"slow": p99Column, "fast": valueColumn} {
		for i, c := range sortable(a) {
			if c == kind {
				v.sorted, v.desc = i, true
			}
		}
		v.arrange(a)
		if v.rows[0].id != want && !(kind == valueColumn && v.rows[0].id == "tail") {
			t.Errorf("ordered by %d, %s comes first", kind, v.rows[0].id)
		}
		if v.rows[3].id != "none" {
			t.Errorf("ordered by %d, %s comes last", kind, v.rows[3].id)
		}
	}
}

// TestOrderIsSeen orders by every column in a pane that has no room for all: the one that
// orders is there.
func TestOrderIsSeen(t *testing.T) {
	m := pane(t, 50, 12)
	m.SetSnapshot(snap(1, spread("time", "dd", 1, 2, 3)))
	for range 8 {
		m = press(t, m, "s")
		if first, _, _ := strings.Cut(text(m), "shape"); !strings.ContainsAny(first, "▼▲") {
			t.Errorf("no column is marked:\n%s", text(m))
		}
	}
}
