package live

import (
	"strings"
	"testing"
	"time"

	"dscope.dev/engine/trace"
	"dscope.dev/ui/timeline"
)

// pairTable is one aggregation of the keys a and b.
func pairTable(fn trace.AggFunc, normal uint64, a, b int64) trace.Table {
	t := counted("n", "a", int(a), "b", int(b))
	t.Func, t.Normal = fn, normal
	return t
}

// TestPlot draws how much came a second, of one key and of all.
func TestPlot(t *testing.T) {
	m := pane(t, 60, 12)
	var a, b int64
	for n := 1; n <= 8; n++ { // two a second
		a += 10
		if n > 4 {
			a += 30
		}
		b += 40
		m.SetSnapshot(snap(n, pairTable(trace.Count, 1, a, b)))
	}
	press(t, m, "home") // the greatest first: b
	press(t, m, "down", "h")
	got := text(m)
	for _, want := range []string{
		"@n count() a",
		"    80 │                                               ████\n",
		"     0 │                                           ████████\n",
		"3.5s to 4.0s  80 a second, 40 in all",
		"how much came a second; a column is 500ms",
	} {
		if !strings.Contains(got+"\n", want) {
			t.Errorf("the curve of a lacks %q:\n%s", want, got)
		}
	}
	press(t, m, "h")
	if got := text(m); !strings.Contains(got, "all keys") || !strings.Contains(got, "160 a second") {
		t.Errorf("the curve of all:\n%s", got)
	}
	m.Step(-4)
	if got := text(m); !strings.Contains(got, "100 a second") || strings.Contains(got, "160 a second") {
		t.Errorf("some moments earlier:\n%s", got)
	}
	press(t, m, "h")
	if got := text(m); !strings.Contains(got, "trend") {
		t.Errorf("the table does not come back:\n%s", got)
	}
}

// TestPlotOfWhatIsNoAmount draws what it was, and has no sum of all keys.
func TestPlotOfWhatIsNoAmount(t *testing.T) {
	m := pane(t, 60, 12)
	for n, v := range []int64{100, 100, 50, 75} {
		m.SetSnapshot(snap(n+1, pairTable(trace.Avg, 1, v, 1)))
	}
	press(t, m, "home", "h")
	if got := text(m); !strings.Contains(got, "   100 │") || !strings.Contains(got, "1.5s to 2.0s  75") || !strings.Contains(got, "at the end of each column") {
		t.Errorf("the curve of an average:\n%s", got)
	}
	press(t, m, "h")
	if got := text(m); strings.Contains(got, "all keys") || !strings.Contains(got, "trend") {
		t.Errorf("the sum of averages:\n%s", got)
	}
}

// TestPlotDivides by what normalize() asks for, follows a sum that shrinks, and begins anew
// behind clear().
func TestPlotDivides(t *testing.T) {
	for _, tt := range []struct {
		fn     trace.AggFunc
		normal uint64
		values []int64
		want   string
	}{
		{trace.Count, 10, []int64{100, 200}, "20 a second, 10 in all"},
		{trace.Sum, 1, []int64{100, 80}, "-40 a second, -20 in all"},
		{trace.Count, 1, []int64{100, 30}, "60 a second, 30 in all"},
	} {
		m := pane(t, 60, 12)
		for n, v := range tt.values {
			m.SetSnapshot(snap(n+1, pairTable(tt.fn, tt.normal, v, 0)))
		}
		press(t, m, "home", "h")
		if got := text(m); !strings.Contains(got, tt.want) {
			t.Errorf("lacks %q:\n%s", tt.want, got)
		}
	}
}

// BenchmarkPlot draws a curve of 200x60 cells.
func BenchmarkPlot(b *testing.B) {
	m := pane(b, 200, 60)
	m.line = timeline.New(timeline.Budget)
	for n := 1; n <= 2000; n++ {
		s := snap(n, pairTable(trace.Count, 1, int64(n*n), int64(n)))
		s.Elapsed = time.Duration(n) * 200 * time.Millisecond
		m.SetSnapshot(s)
	}
	press(b, m, "h")
	for b.Loop() {
		_ = m.Rows()
	}
}
