package live

import (
	"strings"
	"testing"
	"time"

	"dscope.dev/engine/trace"
	"dscope.dev/ui/timeline"
)

// heated returns a pane with a run in which each snapshot adds the given counts to the
// buckets of two keys.
func heated(t *testing.T, w, h int, steps ...[2][]int64) *Model {
	t.Helper()
	m := pane(t, w, h)
	var sums [2][4]int64
	for n, step := range steps {
		tab := trace.Table{}
		for k, id := range []string{"a", "b"} {
			for i, c := range step[k] {
				sums[k][i] += c
			}
			one := spread("q", id, sums[k][:]...)
			one.Rows = append(tab.Rows, one.Rows...)
			tab = one
		}
		m.SetSnapshot(snap(n+1, tab))
	}
	return m
}

var slowInTheMiddle = [][2][]int64{
	{{9, 0, 0, 0}, {9, 0, 0, 0}}, {{9, 0, 0, 0}, {9, 0, 0, 0}}, {{0, 0, 0, 9}, {9, 0, 0, 0}}, {{0, 0, 0, 9}, {9, 0, 0, 0}}, {{9, 0, 0, 0}, {9, 0, 0, 0}},
}

// TestHeatMap shows when a key was slow, of one key, of all, and not at all.
func TestHeatMap(t *testing.T) {
	m := heated(t, 60, 12, slowInTheMiddle...)
	m = press(t, m, "h")
	got := text(m)
	for _, want := range []string{
		"@q quantize() a",
		"8192 │                                                 ██\n",
		"1024 │                                               ██  █\n",
		"2.0s to 2.5s  8192: 0 of 9 (0.0%), up to it 100.0%",
		"a column is 500ms",
	} {
		if !strings.Contains(got+"\n", want) {
			t.Errorf("the heat map of a lacks %q:\n%s", want, got)
		}
	}
	m = press(t, m, "j")
	if got := text(m); !strings.Contains(got, "@q quantize() b") || !strings.Contains(got, "1024 │                                               █████") {
		t.Errorf("the heat map of b:\n%s", got)
	}
	m = press(t, m, "h")
	if got := text(m); !strings.Contains(got, "all keys") || !strings.Contains(got, "8192 │                                                 ▓▓") {
		t.Errorf("the heat map of all:\n%s", got)
	}
	m = press(t, m, "j", "j", "j") // the bucket that is read out
	if got := text(m); !strings.Contains(got, "1024: 18 of 18 (100.0%), up to it 100.0%") {
		t.Errorf("read out:\n%s", got)
	}
	if got := text(press(t, m, "h", "h")); !strings.Contains(got, "distribution") && !strings.Contains(got, "shape") {
		t.Errorf("the table does not come back:\n%s", got)
	}
}

// TestHeatMapOfAMoment reads out what was then.
func TestHeatMapOfAMoment(t *testing.T) {
	m := heated(t, 60, 12, slowInTheMiddle...)
	m = press(t, m, "h")
	m.Step(-1)
	if got := text(m); !strings.Contains(got, "1.5s to 2.0s  8192: 9 of 9 (100.0%), up to it 100.0%") {
		t.Errorf("a moment earlier:\n%s", got)
	}
}

// TestHeatMapMarksLoss colours nothing that was lost as quiet.
func TestHeatMapMarksLoss(t *testing.T) {
	m := pane(t, 60, 12)
	for n := 1; n <= 4; n++ {
		s := snap(n, spread("q", "", int64(n), 0))
		if n >= 3 {
			s.Drops = 7
		}
		m.SetSnapshot(s)
	}
	m = press(t, m, "h")
	if got := text(m); strings.Count(got, "!") != 1 {
		t.Errorf("the interval that lost is not marked, or others are:\n%s", got)
	}
	m.Step(-1)
	if got := text(m); !strings.Contains(got, "7 lost") {
		t.Errorf("how much was lost is not told:\n%s", got)
	}
}

// TestHeatMapOfAnotherRun forgets the run before, whose snapshots had the same numbers.
func TestHeatMapOfAnotherRun(t *testing.T) {
	m := press(t, heated(t, 60, 12, slowInTheMiddle...), "h")
	m.Reset()
	m.SetSnapshot(snap(1, spread("q", "a", 1)))
	if got := text(m); !strings.Contains(got, "0.0s to 0.5s  1024: 1 of 1 (100.0%)") {
		t.Errorf("of the second run:\n%s", got)
	}
}

// TestHeatMapFollowsTheCursor is of the key under the cursor, also after another order.
func TestHeatMapFollowsTheCursor(t *testing.T) {
	m := press(t, heated(t, 60, 12, slowInTheMiddle...), "h", "j", "k", "j")
	if got := text(m); !strings.Contains(got, "quantize() b") || !strings.Contains(got, "│                                               █████") {
		t.Errorf("of b:\n%s", got)
	}
}

// BenchmarkHeatMap draws one of 200x60 cells.
func BenchmarkHeatMap(b *testing.B) {
	m := pane(b, 200, 60)
	m.line = timeline.New(timeline.Budget)
	sums := make([]int64, 50)
	for n := 1; n <= 2000; n++ {
		for i := range sums {
			sums[i] += int64(n * i % 7)
		}
		s := snap(n, spread("q", "a", sums...))
		s.Elapsed = time.Duration(n) * 200 * time.Millisecond
		m.SetSnapshot(s)
	}
	m = press(b, m, "h")
	for b.Loop() {
		_ = m.Rows()
	}
}

// TestHeatMapShowsTheTail has more buckets than lines: rows stand for several, so that the
// greatest is in view, and v takes what is slowest.
func TestHeatMapShowsTheTail(t *testing.T) {
	m := pane(t, 70, 10)
	counts := make([]int64, 20)
	for n := 1; n <= 6; n++ {
		for i := range 8 {
			counts[i] += 50
		}
		if n == 4 || n == 5 {
			counts[19] += 20
		}
		m.SetSnapshot(snap(n, spread("q", "a", counts...)))
	}
	m = press(t, m, "h")
	got := text(m)
	first, last := "67108864", "536870912" // of the last four buckets; the greatest value
	if !strings.Contains(got, first+" │") || !strings.Contains(got, "a row 4 buckets") || !strings.Contains(got, first+"–") {
		t.Errorf("the tail is not in view:\n%s", got)
	}
	press(t, m, "v")
	if got, _ := asked(t, m, 'd'); describe(got.Of) != "@q "+last+"-1073741823 1.5s-2.5s a alone" {
		t.Errorf("selected is %s:\n%s", describe(got.Of), text(m))
	}
	press(t, m, "down")
	if got, _ := asked(t, m, 'd'); describe(got.Of) != "@q 4194304-67108863 2s-2.5s a alone" {
		t.Errorf("a row further down is %s:\n%s", describe(got.Of), text(m))
	}
}
