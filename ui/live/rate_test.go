package live

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"dscope.dev/engine/trace"
)

// TestRatesAreTrue counts what comes at known rates and looks at every snapshot of 200 ms:
// from the first second on the rate is what it is, and does not waver.
func TestRatesAreTrue(t *testing.T) {
	for _, tt := range []struct {
		every time.Duration
		hits  int
		want  string
	}{{time.Second, 1, "1.0"}, {time.Second / 3, 1, "3.0"}, {time.Millisecond, 1000, "1.00M"}} {
		synctest.Test(t, func(t *testing.T) {
			m := pane(t, 80, 8)
			total, seq, start := 0, uint64(0), time.Now()
			hit, shot := time.NewTicker(tt.every), time.NewTicker(200*time.Millisecond)
			defer hit.Stop()
			defer shot.Stop()
			for seq < 100 {
				select {
				case <-hit.C:
					total += tt.hits
					continue
				case <-shot.C:
				}
				// A probe that fires at the very moment of the snapshot is in one or the other.
				elapsed := time.Since(start)
				n := int(elapsed/tt.every) * tt.hits
				if total < n-tt.hits || total > n {
					t.Fatalf("%d hits after %v", total, elapsed)
				}
				seq++
				m.SetSnapshot(trace.Snapshot{Seq: seq, Elapsed: elapsed, Aggs: []trace.Table{counted("n", "k", n)}})
				s := m.book.aggs[0].rows["k"]
				got := perSecond(float64(s.rate))
				if elapsed < settled && s.rate != 0 {
					t.Errorf("%v: a rate of %s after %v", tt.every, got, elapsed)
				}
				if elapsed >= window && got != tt.want {
					t.Errorf("every %v, %v into the run: %s a second, want %s", tt.every, elapsed, got, tt.want)
				}
			}
			if head := strings.Split(text(m), "\n")[1]; !strings.Contains(head, windowText) {
				t.Errorf("the title does not say the window: %s", head)
			}
		})
	}
}

// TestRatesOfUnevenSnapshots holds the rates where snapshots come as they like: then one hit
// of the five may be taken for one that lies outside of the window, or the other way.
func TestRatesOfUnevenSnapshots(t *testing.T) {
	m := pane(t, 80, 8)
	at := time.Duration(0)
	for n := 1; n < 200; n++ {
		at += time.Duration(20+(n*7919)%180) * time.Millisecond
		m.SetSnapshot(trace.Snapshot{Seq: uint64(n), Elapsed: at, Aggs: []trace.Table{counted("n", "slow", int(at/time.Second), "fast", int(at/time.Microsecond))}})
		if at < 2*window {
			continue
		}
		rows := m.book.aggs[0].rows
		if r := rows["slow"].rate; r < 0.8 || r > 1.2 {
			t.Errorf("%v into the run: %v a second, want about 1", at, r)
		}
		if got := perSecond(float64(rows["fast"].rate)); got != "1.00M" {
			t.Errorf("%v into the run: %s a second, want 1.00M", at, got)
		}
	}
}

// TestHitOnceHasNoRate begins with a probe that fires once, in the first millisecond.
func TestHitOnceHasNoRate(t *testing.T) {
	m := pane(t, 80, 8)
	tab := counted("n", "BEGIN", 1)
	m.SetSnapshot(trace.Snapshot{Seq: 1, Elapsed: 700 * time.Microsecond, Aggs: []trace.Table{tab}})
	if got := strings.Fields(strings.Split(text(m), "\n")[2]); len(got) < 3 || got[2] != "1" || strings.ContainsAny(got[3], "0123456789·") {
		t.Errorf("a rate of one millisecond: %q", got)
	}
	for n := 2; n < 60; n++ {
		m.SetSnapshot(trace.Snapshot{Seq: uint64(n), Elapsed: time.Duration(n) * 200 * time.Millisecond, Aggs: []trace.Table{tab}})
		s := m.book.aggs[0].rows["BEGIN"]
		if s.rate > 1 || n > 27 && s.rate != 0 {
			t.Errorf("snapshot %d: %v a second of what came once", n, s.rate)
		}
	}
}

// TestRatesOfAMoment are those of then, also where few frames may be looked at.
func TestRatesOfAMoment(t *testing.T) {
	m := pane(t, 80, 8)
	var want [61]float32
	var pairs []any
	for k := range 9000 { // so that two frames are all that trends are made of
		pairs = append(pairs, fmt.Sprint(k), 0)
	}
	for n := 1; n <= 60; n++ {
		pairs[1] = n * n
		s := snap(n, counted("n", pairs...))
		s.Elapsed = time.Duration(n) * 200 * time.Millisecond
		m.SetSnapshot(s)
		want[n] = m.book.aggs[0].rows["0"].rate
	}
	for _, back := range []int{0, 20, 20, 15} {
		m.Step(-max(back, 1))
		runErrands(m)
		i := m.line.Find(m.held.elapsed)
		if got := m.held.aggs[0].rows["0"].rate; got != want[i+1] {
			t.Errorf("at %v: %v a second, want %v", m.held.elapsed, got, want[i+1])
		}
	}
}

// TestEqualValues are in the order of their keys: numbers as numbers, strings as text.
func TestEqualValues(t *testing.T) {
	number := func(n int64) trace.Value { return trace.Value{Kind: trace.IntValue, Size: 8, Int: n} }
	word := func(s string) trace.Value { return trace.Value{Kind: trace.StringValue, Str: s} }
	tab := trace.Table{Name: "n", KeyTypes: []string{"int"}, Normal: 1}
	for _, k := range []trace.Value{number(991), number(99), number(-5), number(995), {Kind: trace.UintValue, Size: 8, Int: -1}, word("b10"), word("b9"), word("a")} {
		tab.Rows = append(tab.Rows, trace.Row{ID: fmt.Sprint(k.Int, k.Str), Keys: []trace.Value{k}, Value: 3, Count: 3})
	}
	m := pane(t, 80, 20)
	m.SetSnapshot(snap(1, tab))
	var got []string
	for _, s := range m.view(m.book.aggs[0]).rows {
		got = append(got, s.texts[0])
	}
	if want := "-5 99 991 995 18446744073709551615 a b10 b9"; strings.Join(got, " ") != want {
		t.Errorf("keys of equal values: %v, want %s", got, want)
	}
}

// TestPlacesOfKeys keeps equal keys in order as others come, go and come again.
func TestPlacesOfKeys(t *testing.T) {
	m := pane(t, 80, 20)
	for n, keys := range []string{"d b", "d b c", "a d e b c", "e a", "b e c a d f"} {
		var pairs []any
		for _, k := range strings.Fields(keys) {
			pairs = append(pairs, k, 7)
		}
		m.SetSnapshot(snap(n+1, counted("n", pairs...)))
		want := strings.Fields(keys)
		slices.Sort(want)
		if got := order(m); got != strings.Join(want, " ") {
			t.Errorf("snapshot %d: %s", n+1, got)
		}
		press(t, m, "S")
		m.Step(-1)
		m.Now()
	}
	for _, want := range []string{"a e", "a b c d e", "b c d"} {
		if m.Step(-1); order(m) != want {
			t.Errorf("at %v: %s, want %s", m.held.elapsed, order(m), want)
		}
	}
}
