package live

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"dscope.dev/engine/trace"
)

// cells returns the count of each key as the table has it, in the order of the keys.
func cellsOf(m *Model) string {
	a := m.shown().aggs[0]
	var out []string
	for _, id := range []string{"a", "b", "c"} {
		if s := a.rows[id]; s != nil {
			out = append(out, fmt.Sprintf("%s=%d", id, a.shown(s)))
		}
	}
	return strings.Join(out, " ")
}

// told returns counts of two keys, one of which comes late and one of which is cleared.
func told(n int) trace.Snapshot {
	a := 10 * n
	if n >= 4 { // clear()
		a = 10 * (n - 3)
	}
	if n < 3 {
		return snap(n, counted("n", "a", a))
	}
	return snap(n, counted("n", "a", a, "b", n*n))
}

// TestMeanings goes through what values mean, live and at moments of the past.
func TestMeanings(t *testing.T) {
	m := pane(t, 80, 10)
	for n := 1; n <= 5; n++ {
		m.SetSnapshot(told(n))
	}
	check := func(when, title, want string) {
		t.Helper()
		if got := cellsOf(m); got != want || !strings.Contains(text(m), "count()"+title+" ") {
			t.Errorf("%s: %s, want %s; want %q in\n%s", when, got, want, title, text(m))
		}
	}
	check("at first", "", "a=20 b=25")
	press(t, m, "c")
	check("of an interval", " last 500ms", "a=10 b=9")
	m.Step(-1)
	check("of the interval in which it was cleared", " last 500ms", "a=10 b=7")
	m.Step(-1)
	check("of the interval in which b came", " last 500ms", "a=10 b=9")
	m.Now()
	press(t, m, "c")
	check("without a mark", " no mark before: since the start", "a=20 b=25")
	m.Step(-3)
	m.line.Mark(m.Elapsed()) // of the second snapshot
	m.Marked()
	check("at the mark", " no mark before: since the start", "a=20")
	m.Step(+1)
	check("behind the mark", " since mark at 1.0s", "a=10 b=9")
	m.Step(+1)
	check("over clear()", " since mark at 1.0s", "a=20 b=16")
	m.Now()
	check("up to now", " since mark at 1.0s", "a=30 b=25")
	m.SetSnapshot(told(6))
	check("as it goes on", " since mark at 1.0s", "a=40 b=36")
	m.line.Mark(m.Elapsed())
	m.Marked()
	check("at another mark", " since mark at 1.0s", "a=40 b=36")
	m.SetSnapshot(told(7))
	check("behind it", " since mark at 3.0s", "a=10 b=13")
	m.line.Mark(3 * time.Second)
	m.Marked()
	check("when it is gone", " since mark at 1.0s", "a=50 b=49")
	press(t, m, "c")
	check("the start again", "", "a=40 b=49")
}

// TestMeaningOfAMoment is the same live, by stepping, and by stepping back and forth.
func TestMeaningOfAMoment(t *testing.T) {
	for _, keys := range [][]string{nil, {"c"}, {"c", "c"}} {
		m := pane(t, 80, 24)
		var want []string
		for n := 1; n <= 30; n++ {
			s := told(n)
			s.Aggs = append(s.Aggs, spread("q", "a", 0, int64(n), int64(2*n*n), 1))
			m.SetSnapshot(s)
			if n == 1 {
				press(t, m, keys...)
			}
			if n == 5 || n == 20 {
				m.line.Mark(m.Elapsed())
			}
			want = append(want, cellsOf(m)+text(m)[strings.Index(text(m), "@q"):])
		}
		for _, by := range []int{-1, -9, -1, -10, +4, +9, -17} {
			m.Step(by)
			i := m.line.Find(m.held.elapsed)
			got, live := cellsOf(m)+text(m)[strings.Index(text(m), "@q"):], want[i]
			if bars(got) != bars(live) {
				t.Errorf("%v at %v:\n%s\nwas live:\n%s", keys, m.held.elapsed, got, live)
			}
		}
	}
}

// bars drops what is a matter of the whole run: how long bars are, and columns wide.
func bars(s string) string {
	return strings.Join(strings.FieldsFunc(s, func(r rune) bool {
		return strings.ContainsRune(" \n▏▎▍▌▋▊▉█▒▁▂▃▄▅▆▇", r)
	}), " ")
}

// TestMeaningOfHistograms has bars, quantiles and the sums of others follow.
func TestMeaningOfHistograms(t *testing.T) {
	m := pane(t, 100, 24)
	join := func(tables ...trace.Table) trace.Table {
		for _, more := range tables[1:] {
			tables[0].Rows = append(tables[0].Rows, more.Rows...)
		}
		return tables[0]
	}
	m.SetSnapshot(snap(1, join(spread("q", "a", 0, 990, 0, 0), spread("q", "b", 0, 50, 0, 0))))
	m.SetSnapshot(snap(2, join(spread("q", "a", 0, 990, 0, 0), spread("q", "b", 0, 50, 0, 0))))
	m.line.Mark(m.Elapsed())
	m.SetSnapshot(snap(3, join(spread("q", "a", 0, 990, 0, 6), spread("q", "b", 0, 51, 0, 1))))
	m.SetSnapshot(snap(4, join(spread("q", "a", 0, 991, 0, 9), spread("q", "b", 0, 51, 0, 1))))
	press(t, m, "/")
	write(m, "a")
	press(t, m, "enter")
	for _, tt := range []struct{ title, row, bar, others string }{
		{"quantize() a ", "▌▾a 1000 2.05–4.1k 2.05–4.1k 2.05–4.1k", "8192 9 +3", "1 other key: count 52, 4.9%"},
		{"last 500ms a ", "▌▾a 4 8.19–16.4k 8.19–16.4k 8.19–16.4k", "8192 3", "1 other key: count 0, 0%"},
		{"since mark at 1.0s a ", "▌▾a 10 8.19–16.4k 8.19–16.4k 8.19–16.4k", "8192 9 +3", "1 other key: count 2, 17%"},
	} {
		got := text(m)
		if flat := bars(strings.ReplaceAll(got, "│", "")) + "\n"; !strings.Contains(got, tt.title) || !strings.Contains(flat, strings.TrimPrefix(tt.row, "▌")) ||
			!strings.Contains(flat, tt.bar) || !strings.Contains(got, tt.others) {
			t.Errorf("want %q, %q, %q and %q in\n%s\n%s", tt.title, tt.row, tt.bar, tt.others, got, flat)
		}
		press(t, m, "c")
	}
}

// TestMeaningOfWhatIsNoAmount leaves the values alone; how often they were fed follows.
func TestMeaningOfWhatIsNoAmount(t *testing.T) {
	m := pane(t, 80, 8)
	for n := 1; n <= 3; n++ {
		tab := counted("low", "a", 7-n)
		tab.Func, tab.Rows[0].Count = trace.Min, uint64(10*n)
		m.SetSnapshot(snap(n, tab))
	}
	press(t, m, "c")
	if got := text(m); !strings.Contains(got, "min() since the start") || !strings.Contains(bars(got), "a 4 10 20") {
		t.Errorf("of an interval:\n%s", got)
	}
}
