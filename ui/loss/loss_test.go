package loss

import (
	"strings"
	"testing"
	"time"

	"dscope.dev/engine/trace"
)

// TestLedger takes three states of a run: what comes later is told since when, what
// concerns several CPUs is one line, and the greatest loss is first.
func TestLedger(t *testing.T) {
	var g Ledger
	records := func(cpu int, n uint64) trace.Drop { return trace.Drop{CPU: cpu, Count: n, Cure: "bufsize=8m"} }
	keys := trace.Drop{Kind: trace.DropAggregation, CPU: -1, Count: 43947, Where: "@k", Cure: "aggsize=8m"}
	held := trace.Drop{Kind: trace.DropAggregation, CPU: -1, Count: 3, Where: "@k"}
	g.Note(&trace.Status{Elapsed: time.Second})
	if len(g.Lines()) != 0 {
		t.Fatalf("%+v of nothing", g.Lines())
	}
	g.Note(&trace.Status{Elapsed: 2 * time.Second, Drops: []trace.Drop{records(1, 7)}})
	before := g.Lines()
	g.Note(&trace.Status{Elapsed: 5 * time.Second, Drops: []trace.Drop{records(0, 1), records(1, 8), records(2, 1), records(7, 1), keys, held}})
	want := []Line{
		{trace.DropAggregation, 43947, "@k", 5 * time.Second, "aggsize=8m"},
		{trace.DropPrincipal, 11, "CPUs 0-2 and 7", 2 * time.Second, "bufsize=8m"},
		{trace.DropAggregation, 3, "@k", 5 * time.Second, ""},
	}
	got := g.Lines()
	if len(got) != len(want) {
		t.Fatalf("got %+v", got)
	}
	for i := range want {
		if got[i] != want[i] {
			t.Errorf("line %d is %+v, want %+v", i, got[i], want[i])
		}
	}
	if before[0].Where != "CPU 1" || before[0].Count != 7 {
		t.Errorf("what was given out has changed: %+v", before)
	}
	g.Note(&trace.Status{}) // the next run
	g.Note(&trace.Status{Elapsed: 9 * time.Second, Drops: []trace.Drop{records(1, 7)}})
	if l := g.Lines(); l[0].Since != 9*time.Second {
		t.Errorf("since %v of another run", l[0].Since)
	}
}

func TestWords(t *testing.T) {
	for want, l := range map[string]Line{
		"43,947 firings of @k lost: its table is full":                 {Kind: trace.DropAggregation, Count: 43947, Where: "@k"},
		"1 firing of an aggregation lost: its table is full":           {Kind: trace.DropAggregation, Count: 1},
		"1,000,000 records on CPUs 0-3 lost: the buffer is full":       {Count: 1000000, Where: "CPUs 0-3"},
		"12 firings of fbt::evil^[[2J:entry lost: a probe was at work": {Kind: trace.DropRecursion, Count: 12, Where: "fbt::evil\x1b[2J:entry"},
		"2 assignments to x[] lost: there is no room for more":         {Kind: trace.DropDynamic, Count: 2, Where: "x[]"},
		"5 firings of the script lost: it could not be kept":           {Kind: 99, Count: 5},
	} {
		if got := l.Brief(); got != want {
			t.Errorf("got  %s\nwant %s", got, want)
		}
	}
	for k := range kinds { // each kind says why, and what helps where no option does
		with, without := Line{Kind: trace.DropKind(k), Cure: "x=1"}, Line{Kind: trace.DropKind(k)}
		if with.Why() == "" || !strings.HasPrefix(without.Why(), with.Why()+" ") || kinds[k].one == "" {
			t.Errorf("kind %d has no words", k)
		}
	}
}

func TestSpans(t *testing.T) {
	for want, list := range map[string][]int{"CPU 3": {3}, "CPUs 0-1": {1, 0}, "CPUs 0, 2 and 4-6": {6, 5, 4, 2, 0, 0}} {
		if got := spans(list); got != want {
			t.Errorf("got %s, want %s", got, want)
		}
	}
}
