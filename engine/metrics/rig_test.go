package metrics_test

import (
	"math"
	"testing"
	"time"

	"dscope.dev/engine/metrics"
	"dscope.dev/engine/trace"
)

func text(s string) trace.Value { return trace.Value{Kind: trace.StringValue, Str: s} }

// keyed is a row of one key.
func keyed(key string, v int64) trace.Row {
	return trace.Row{ID: key, Keys: []trace.Value{text(key)}, Value: v}
}

// called says what a script calls the keys, and what goes in.
func called(arg string, keys ...string) []trace.Origin {
	return []trace.Origin{{Clause: 1, Keys: keys, Arg: arg}}
}

// began is when the runs of these tests began.
var began = time.Unix(1_700_000_000, 0)

// source returns a source that has been shown a snapshot.
func source(o metrics.Options, aggs ...trace.Table) *metrics.Source {
	s := metrics.New(o)
	s.Begin(began)
	s.Status(trace.Status{State: trace.Running, Events: 12, Probes: 3, Drops: []trace.Drop{{Kind: trace.DropAggregation, CPU: 1, Count: 4, Where: "@k"}, {Kind: trace.DropAggregation, CPU: 2, Count: 5, Where: "@k"}}})
	s.Snapshot(trace.Snapshot{Time: began.Add(3 * time.Second), Elapsed: 3 * time.Second, Aggs: aggs})
	return s
}

// read returns the metric of a name.
func read(t *testing.T, s *metrics.Source, name string) metrics.Metric {
	t.Helper()
	for _, m := range s.Read().Metrics {
		if m.Name == name {
			return m
		}
	}
	t.Fatalf("there is no metric %s", name)
	return metrics.Metric{}
}

// all is aggregations of every kind.
func all() []trace.Table {
	return []trace.Table{
		{Name: "calls", KeyTypes: []string{"string"}, Origins: called("", "execname"), Rows: []trace.Row{keyed("dd", 7), keyed("\x1b[m\xff\"\n\\", 2)}},
		{Name: "bytes", Func: trace.Sum, Rows: []trace.Row{{Value: -3}}},
		{Name: "least", Func: trace.Min, Rows: []trace.Row{{Value: math.MinInt64}}},
		{Name: "latency", Func: trace.Quantize, KeyTypes: []string{"string"}, Origins: called("timestamp - self->ts", "args[0]->name"), Rows: []trace.Row{
			{ID: "a", Keys: []trace.Value{text("a")}, Value: 5, Buckets: []trace.Bucket{{Low: 64, High: 127}, {Low: 128, High: 255, Count: 3}, {Low: 256, High: 511, Count: 2}, {Low: 512, High: 1023}}},
			{ID: "b", Keys: []trace.Value{text("b")}, Value: 1, Buckets: []trace.Bucket{{Low: 1 << 62, High: math.MaxInt64, Count: 1}}},
		}},
		{Name: "steps", Func: trace.Lquantize, Params: []int64{0, 30, 10}, Rows: []trace.Row{
			{Value: 1, Buckets: []trace.Bucket{{Low: math.MinInt64, High: -1}, {Low: 0, High: 9, Count: 1}, {Low: 10, High: 19}}},
		}},
	}
}
