package merge

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"dscope.dev/engine/trace"
	"dscope.dev/ui/datum"
)

// user is a stack of a process, innermost first: "main+0x12", or the place in a stripped
// file as ":1234"; both are loaded at base.
func user(pid int64, base uint64, frames ...string) trace.Value {
	v := trace.Value{Kind: trace.UstackValue, Int: pid}
	for _, s := range frames {
		f := trace.Frame{Module: "a.out"}
		if place, ok := strings.CutPrefix(s, ":"); ok {
			fmt.Sscanf(place, "%x", &f.Offset)
			f.Addr = base + f.Offset
		} else if place, ok := strings.CutPrefix(s, "@"); ok {
			f.Module = ""
			fmt.Sscanf(place, "%x", &f.Addr)
			f.Addr += base
		} else {
			fmt.Sscanf(strings.Replace(s, "+", " +", 1), "%s +0x%x", &f.Symbol, &f.Offset)
			f.Addr = base + 0x1000 + f.Offset
		}
		v.Frames = append(v.Frames, f)
	}
	return v
}

func word(s string) trace.Value { return trace.Value{Kind: trace.StringValue, Str: s} }

// print writes the rows of a table, with all frames.
func print(t *trace.Table) string {
	var b strings.Builder
	for _, r := range t.Rows {
		for _, k := range r.Keys {
			if !datum.HasFrames(k) {
				fmt.Fprintf(&b, "%s ", datum.Text(k))
				continue
			}
			for _, f := range k.Frames {
				fmt.Fprintf(&b, "%s ", datum.Named(f))
			}
		}
		fmt.Fprintf(&b, "= %d of %d", r.Value, r.Count)
		for _, x := range r.Buckets {
			fmt.Fprintf(&b, " %d:%d", x.Low, x.Count)
		}
		for _, p := range r.PerCPU {
			fmt.Fprintf(&b, " CPU%d:%d", p.CPU, p.Value)
		}
		b.WriteString("\n")
	}
	return b.String()
}

func TestRows(t *testing.T) {
	row := func(value int64, count uint64, keys ...trace.Value) trace.Row {
		return trace.Row{Value: value, Count: count, Keys: keys}
	}
	histogram := func(r trace.Row, low, n int64) trace.Row {
		r.Buckets = []trace.Bucket{{Low: low, High: 2*low - 1, Count: n}}
		return r
	}
	cpu := func(r trace.Row, shares ...trace.Share) trace.Row {
		r.PerCPU = shares
		return r
	}
	for _, tt := range []struct {
		name string
		fn   trace.AggFunc
		rows []trace.Row
		want string
	}{
		{"a stripped program, loaded at two places", trace.Count, []trace.Row{
			row(3, 0, user(7, 0x555500000000, ":1234", ":1100")), row(4, 0, user(8, 0x555600000000, ":1234", ":1100")),
		}, "a.out:0x1234 a.out:0x1100 = 7 of 0\n"},
		{"other places are other rows", trace.Count, []trace.Row{
			row(3, 0, user(7, 0x555500000000, ":1234")), row(4, 0, user(8, 0x555600000000, ":1238")),
		}, "a.out:0x1234 = 3 of 0\na.out:0x1238 = 4 of 0\n"},
		{"places in a function, of which one remains if it is the same", trace.Sum, []trace.Row{
			row(3, 2, user(7, 0, "leaf+0x12", "main+0x40")), row(-1, 1, user(7, 0, "leaf+0x34", "main+0x40")),
		}, "a.out`leaf a.out`main+0x40 = 2 of 3\n"},
		{"what lies nowhere", trace.Count, []trace.Row{
			row(1, 0, user(7, 0x7f0000000000, "@123")), row(1, 0, user(8, 0x7e0000000000, "@456")), row(1, 0, user(8, 0x7e0000000000, "@456", "@7")),
		}, "(in no module) = 2 of 0\n0x7e0000000456 0x7e0000000007 = 1 of 0\n"},
		{"other keys tell rows apart", trace.Max, []trace.Row{
			row(3, 1, word("a"), user(7, 0x10000, ":1")), row(9, 1, word("b"), user(7, 0x10000, ":1")), row(5, 2, word("a"), user(8, 0x20000, ":1")),
		}, "a a.out:0x1 = 5 of 3\nb a.out:0x1 = 9 of 1\n"},
		{"the least", trace.Min, []trace.Row{row(3, 1, user(7, 0, ":1")), row(-9, 1, user(8, 0x20000, ":1"))}, "a.out:0x1 = -9 of 2\n"},
		{"averages weigh", trace.Avg, []trace.Row{row(10, 3, user(7, 0, ":1")), row(-30, 1, user(8, 0x20000, ":1"))}, "a.out:0x1 = 0 of 4\n"},
		{"averages of numbers that do not fit when multiplied", trace.Avg, []trace.Row{
			row(-1<<62, 1<<40, user(7, 0, ":1")), row(1<<62, 1<<40, user(8, 0x20000, ":1")),
		}, "a.out:0x1 = 0 of 2199023255552\n"},
		{"deviations stay apart", trace.Stddev, []trace.Row{row(1, 3, user(7, 0, ":1")), row(3, 1, user(8, 0x20000, ":1"))},
			"a.out:0x1 = 1 of 3\na.out:0x1 = 3 of 1\n"},
		{"histograms", trace.Quantize, []trace.Row{
			histogram(row(2, 2, user(7, 0, ":1")), 8, 2), histogram(row(5, 5, user(8, 0x20000, ":1")), 4, 5), histogram(row(1, 1, user(9, 0x30000, ":1")), 8, 1),
		}, "a.out:0x1 = 8 of 8 4:5 8:3\n"},
		{"shares of CPUs", trace.Count, []trace.Row{
			cpu(row(3, 0, user(7, 0, ":1")), trace.Share{CPU: 1, Value: 3}),
			cpu(row(6, 0, user(8, 0x20000, ":1")), trace.Share{CPU: 0, Value: 2}, trace.Share{CPU: 1, Value: 1}, trace.Share{CPU: 4, Value: 3}),
		}, "a.out:0x1 = 9 of 0 CPU0:2 CPU1:4 CPU4:3\n"},
		{"symbols of processes", trace.Count, []trace.Row{
			row(1, 0, trace.Value{Kind: trace.SymValue, Int: 7, Str: "a.out`main", Frames: []trace.Frame{{Addr: 0x5000, Module: "a.out", Symbol: "main"}}}),
			row(2, 0, trace.Value{Kind: trace.SymValue, Int: 8, Str: "a.out`main", Frames: []trace.Frame{{Addr: 0x6000, Module: "a.out", Symbol: "main"}}}),
			row(4, 0, trace.Value{Kind: trace.SymValue, Int: 7, Str: "a.out`0x5010", Frames: []trace.Frame{{Addr: 0x5010, Module: "a.out", Offset: 0x10}}}),
			row(8, 0, trace.Value{Kind: trace.SymValue, Int: 8, Str: "a.out`0x6010", Frames: []trace.Frame{{Addr: 0x6010, Module: "a.out", Offset: 0x10}}}),
		}, "a.out`main = 3 of 0\na.out:0x10 = 12 of 0\n"},
		{"numbers and texts are nobody's names", trace.Count, []trace.Row{
			row(1, 0, trace.Value{Int: 1}, word("x")), row(2, 0, trace.Value{Int: 1}, word("x")),
		}, "1 x = 1 of 0\n1 x = 2 of 0\n"},
	} {
		for i := range tt.rows {
			tt.rows[i].ID = fmt.Sprint(i)
		}
		in := trace.Table{Func: tt.fn, Rows: tt.rows}
		before := print(&in)
		s := new(Rows).Snapshot(trace.Snapshot{Aggs: []trace.Table{in}})
		if got := print(&s.Aggs[0]); got != tt.want {
			t.Errorf("%s:\n%swant\n%s", tt.name, got, tt.want)
		}
		if after := print(&in); after != before {
			t.Errorf("%s: what came has been changed:\n%swas\n%s", tt.name, after, before)
		}
	}
}

// A row keeps its ID and its keys from snapshot to snapshot, until another joins that
// differs; what was given away before stays what it was.
func TestRowsStay(t *testing.T) {
	var m Rows
	one := trace.Row{ID: "a", Value: 1, Keys: []trace.Value{user(7, 0, "f+0x1")}}
	two := trace.Row{ID: "b", Value: 1, Keys: []trace.Value{user(7, 0, "f+0x2")}}
	take := func(rows ...trace.Row) trace.Row {
		s := m.Snapshot(trace.Snapshot{Aggs: []trace.Table{{Name: "x", Rows: rows}}})
		if len(s.Aggs[0].Rows) != 1 {
			t.Fatalf("%d rows, want 1", len(s.Aggs[0].Rows))
		}
		return s.Aggs[0].Rows[0]
	}
	first := take(one)
	if again := take(one); again.ID != first.ID || Renamed(first.Keys, again.Keys) {
		t.Error("the same row has another ID or other keys")
	}
	both := take(one, two)
	if both.ID != first.ID || !Renamed(first.Keys, both.Keys) || datum.Text(both.Keys[0]) != "f" || m.Came("x", trace.Count) != 2 {
		t.Errorf("with another: ID %x, was %x; %v from %d rows", both.ID, first.ID, both.Keys, m.Came("x", trace.Count))
	}
	if first.Keys[0].Frames[0].Offset != 1 {
		t.Error("what was given away has been changed")
	}
	if alone := take(two); alone.ID != first.ID || Renamed(both.Keys, alone.Keys) {
		t.Error("the row that remains is another one")
	}
}

// Rows that went are forgotten, and nothing of those that stay.
func TestForget(t *testing.T) {
	var m Rows
	for i := range 5000 {
		s := m.Snapshot(trace.Snapshot{Aggs: []trace.Table{{Rows: []trace.Row{
			{ID: "stays", Value: int64(i), Keys: []trace.Value{user(1, 0, "f+0x1")}},
			{ID: fmt.Sprint(i), Value: 1, Keys: []trace.Value{user(int64(i), 0, fmt.Sprintf("f%d+0x1", i))}},
		}}}})
		if rows := s.Aggs[0].Rows; len(rows) != 2 || rows[0].Value != int64(i) {
			t.Fatalf("%v", rows)
		}
	}
	known := m.tables[tableKey{}]
	if len(known.groups) > 1010 || len(known.named) > 1010 {
		t.Errorf("%d rows and %d names are known after all but two have gone", len(known.groups), len(known.named))
	}
}

// In whatever order rows come, the same are merged to the same values.
func TestOrder(t *testing.T) {
	rnd := rand.New(rand.NewPCG(1, 2))
	var rows []trace.Row
	for i := range 200 {
		rows = append(rows, trace.Row{ID: fmt.Sprint(i), Value: int64(i), Count: 1,
			Keys: []trace.Value{user(int64(i), uint64(i)<<32, fmt.Sprintf(":%x", 1+i%7), fmt.Sprintf("main+%#x", 1+i%3))}})
	}
	values := func() map[string]int64 {
		s := new(Rows).Snapshot(trace.Snapshot{Aggs: []trace.Table{{Func: trace.Sum, Rows: rows}}})
		out := map[string]int64{}
		for _, r := range s.Aggs[0].Rows {
			if _, twice := out[r.ID]; twice {
				t.Fatal("one ID of two rows")
			}
			out[r.ID] = r.Value
		}
		return out
	}
	want := values()
	if len(want) != 7 {
		t.Fatalf("%d rows, want 7", len(want))
	}
	for range 20 {
		rnd.Shuffle(len(rows), func(i, j int) { rows[i], rows[j] = rows[j], rows[i] })
		if got := values(); fmt.Sprint(got) != fmt.Sprint(want) {
			t.Fatalf("%v, want %v", got, want)
		}
	}
}

func BenchmarkRows(b *testing.B) {
	var rows []trace.Row
	for i := range 20_000 {
		var frames []string
		for j := range 30 {
			frames = append(frames, fmt.Sprintf(":%x", 1+(i*j)%997))
		}
		rows = append(rows, trace.Row{ID: fmt.Sprintf("%240d", i), Value: 1, Keys: []trace.Value{user(int64(i), uint64(i)<<32, frames...)}})
	}
	s := trace.Snapshot{Aggs: []trace.Table{{Rows: rows}}}
	b.Run("new", func(b *testing.B) {
		for b.Loop() {
			new(Rows).Snapshot(s)
		}
	})
	b.Run("known", func(b *testing.B) {
		var m Rows
		m.Snapshot(s)
		for b.Loop() {
			m.Snapshot(s)
		}
	})
}
