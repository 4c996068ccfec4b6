package compare

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"dscope.dev/engine/trace"
	"dscope.dev/ui/timeline"
)

// sampled makes a table of stacks, outermost frame first, and how often they were met.
func sampled(fn trace.AggFunc, stacks ...any) trace.Table {
	t := trace.Table{Name: "s", Func: fn, Normal: 1, KeyTypes: []string{"stack"}}
	for i := 0; i < len(stacks); i += 2 {
		v := trace.Value{Kind: trace.UstackValue}
		for _, f := range strings.Split(stacks[i].(string), ";") {
			v.Frames = append([]trace.Frame{{Module: "m", Symbol: f}}, v.Frames...)
		}
		n := int64(stacks[i+1].(int))
		t.Rows = append(t.Rows, trace.Row{ID: stacks[i].(string), Keys: []trace.Value{v}, Value: n, Count: 1})
	}
	return t
}

// contrast compares what came in the first second with what came in the four after it.
func contrast(t *testing.T, first, second trace.Table) *Table {
	t.Helper()
	line := timeline.New(timeline.Budget)
	line.Add(trace.Snapshot{Seq: 1, Elapsed: time.Second, Aggs: []trace.Table{first}})
	line.Add(trace.Snapshot{Seq: 2, Elapsed: 5 * time.Second, Aggs: []trace.Table{second}})
	tables := Sides(between("a", line, -1, 0), between("b", line, 0, 1))
	return &tables[0]
}

// TestStacks divides by the lengths of both sides, and says of each frame what has become of it.
func TestStacks(t *testing.T) {
	table := contrast(t, sampled(trace.Count, "main;read;copy", 100, "main;gone", 50),
		sampled(trace.Count, "main;read;copy", 300, "main;gone", 50, "main;read;check", 100, "main;sort", 800))
	if !table.Stacked() {
		t.Fatal("the table is not known to be keyed by stacks")
	}
	s := table.Stacks()
	var got []string
	for n := range s.Tree.Nodes {
		d, self := s.Total(int32(n)), s.Self(int32(n))
		got = append(got, fmt.Sprintf("%s %.0f>%.0f %v %+.2f self %.0f>%.0f", s.Tree.Text(int32(n)), d.A.Rate, d.B.Rate, d.State, d.Change(), self.A.Rate, self.B.Rate))
	}
	want := []string{
		"all 150>275 changed +0.29 self 0>0",
		"main 150>275 changed +0.29 self 0>0",
		"sort 0>200 added +1.00 self 0>200",
		"read 100>75 alike +0.00 self 0>0",
		"copy 100>50 changed -0.33 self 100>50",
		"gone 50>0 gone -1.00 self 50>0",
		"check 0>25 added +1.00 self 0>25",
	}
	if strings.Join(got, "\n") != strings.Join(want, "\n") {
		t.Errorf("got\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
	// As wide as both have: 200 of 425 a second.
	if sort := s.Tree.Nodes[2].Total; float64(sort)/float64(s.Tree.Total()) < 0.470 || float64(sort)/float64(s.Tree.Total()) > 0.471 {
		t.Errorf("sort has %d of %d", sort, s.Tree.Total())
	}
}

// TestStacksOfSums leaves out what is below zero, and takes no difference for chance.
func TestStacksOfSums(t *testing.T) {
	s := contrast(t, sampled(trace.Sum, "a", 10, "b", 10), sampled(trace.Sum, "a", 51, "b", 5)).Stacks()
	if s.Negative != 1 || len(s.Tree.Nodes) != 2 {
		t.Fatalf("%d below zero, %d nodes", s.Negative, len(s.Tree.Nodes))
	}
	if d := s.Total(1); d.State != Changed {
		t.Errorf("10 and 10.25 a second are %v", d.State)
	}
	for _, table := range []*Table{contrast(t, sampled(trace.Avg, "a", 1), sampled(trace.Avg, "a", 2)), contrast(t, agg("n", trace.Count, "a=1"), agg("n", trace.Count, "a=3"))} {
		if table.Stacked() {
			t.Errorf("the stacks of %v can be added up", table.Func)
		}
	}
}
