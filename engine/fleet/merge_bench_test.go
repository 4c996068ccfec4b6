package fleet

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"dscope.dev/engine/trace"
	"dscope.dev/engine/wire"
)

// BenchmarkMerge merges what 1,000 hosts have delivered, of 1,000 keys each: how long a
// picture takes at the least.
//
//	kept      rows stand where they stood, as those of a sorted key do
//	moved     rows stand elsewhere each time, as those that are sorted by value may
//	stacks    keys are stacks of 20 frames
func BenchmarkMerge(b *testing.B) {
	const hosts, keys = 1000, 1000
	for _, test := range []struct {
		name  string
		moved bool
		value func(i int) trace.Value
	}{
		{"kept", false, shortKey},
		{"moved", true, shortKey},
		{"stacks", false, stackKey},
	} {
		b.Run(test.name, func(b *testing.B) {
			m, seq := asked(Options{}, hostNames(hosts)...), uint64(0)
			var tables [hosts]trace.Table
			for h := range tables {
				t := trace.Table{Name: "n", Func: trace.Count, KeyTypes: []string{"string"}, Normal: 1}
				for i := range keys {
					k := test.value(i)
					t.Rows = append(t.Rows, trace.Row{ID: fmt.Sprintf("%d-%d", h, i), Keys: []trace.Value{k}, Value: int64(i), Count: uint64(i)})
				}
				tables[h] = t
			}
			put := func() {
				seq++
				for h, name := range m.names {
					t := tables[h]
					t.Rows = append([]trace.Row(nil), t.Rows...)
					if test.moved {
						rand.Shuffle(keys, func(i, j int) { t.Rows[i], t.Rows[j] = t.Rows[j], t.Rows[i] })
					}
					m.Put(Update{Host: name, Message: &wire.Snapshot{At: 1, Snapshot: trace.Snapshot{Seq: seq, Aggs: []trace.Table{t}}}}, start)
				}
			}
			put()
			m.Snapshot(start)
			for b.Loop() {
				b.StopTimer()
				put()
				b.StartTimer()
				if s := m.Snapshot(start); len(s.Aggs[0].Rows) != keys {
					b.Fatalf("%d rows", len(s.Aggs[0].Rows))
				}
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/hosts/keys, "ns/row")
		})
	}
}

func hostNames(n int) (list []string) {
	for i := range n {
		list = append(list, fmt.Sprintf("host-%04d", i))
	}
	return list
}

func shortKey(i int) trace.Value {
	return trace.Value{Kind: trace.StringValue, Str: fmt.Sprintf("key-%d", i)}
}

func stackKey(i int) trace.Value {
	v := trace.Value{Kind: trace.StackValue}
	for f := range 20 {
		v.Frames = append(v.Frames, trace.Frame{Module: "vmlinux", Symbol: fmt.Sprintf("some_function_%d", (i+f*f)%500), Offset: uint64(i)})
	}
	return v
}
