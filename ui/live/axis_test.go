package live

import (
	"strings"
	"testing"
	"time"

	"dscope.dev/engine/trace"
	"dscope.dev/ui/selection"
)

// long returns a pane with a run so long that a column holds several frames: a count goes up
// by 10 in each, every 200 ms, and a histogram by 10.
func long(t *testing.T, frames int) *Model {
	m := pane(t, 60, 24)
	for n := 1; n <= frames; n++ {
		q := spread("q", "a", int64(10*n))
		m.SetSnapshot(trace.Snapshot{Seq: uint64(n), Elapsed: time.Duration(n) * 200 * time.Millisecond,
			Aggs: []trace.Table{pairTable(trace.Count, 1, int64(10*n), 1), q}})
	}
	return m
}

// TestNewestIntervalIsPartial marks what is not over, and divides by what has passed.
func TestNewestIntervalIsPartial(t *testing.T) {
	for _, tt := range []struct {
		frames int
		want   string
		mark   bool
	}{
		{300, "58.0s to 1:00.0  50 a second, 100 in all", false}, // columns of 2 s
		{301, "1:00.0 to 1:00.2 so far  50 a second, 10 in all", true},
		{306, "1:00.0 to 1:01.2 so far  50 a second, 60 in all", true},
		{310, "1:00.0 to 1:02.0  50 a second, 100 in all", false},
	} {
		m := press(t, long(t, tt.frames), "h")
		got := text(m)
		if !strings.Contains(got, tt.want) || strings.Contains(got, "…\n") != tt.mark {
			t.Errorf("after %d frames the curve lacks %q, or the sign on its axis is wrong:\n%s", tt.frames, tt.want, got)
		}
	}
	over := press(t, long(t, 301), "h")
	over.End()
	if got := text(over); strings.Contains(got, "so far") || !strings.Contains(got, "…\n") {
		t.Errorf("of a run that is over:\n%s", got)
	}
	// The shade of what is not over is that of its pace.
	m := press(t, long(t, 301), "]", "h")
	if got := text(m); !strings.Contains(got, "█████\n") || !strings.Contains(got, "so far  1024: 10 of 10") || !strings.Contains(got, "…\n") {
		t.Errorf("the heat map:\n%s", got)
	}
}

// TestMarksOnTheAxis draws marks in their columns, and names them where the cursor is.
func TestMarksOnTheAxis(t *testing.T) {
	m := long(t, 20)
	for _, at := range []time.Duration{1000 * time.Millisecond, 2400 * time.Millisecond} {
		m.Timeline().Mark(at)
	}
	m.Marked()
	press(t, m, "h")
	if got := text(m); !strings.Contains(got, " ◆      ◆\n") {
		t.Errorf("the axis:\n%s", got)
	}
	for range 8 {
		press(t, m, "left")
	}
	if got := text(m); !strings.Contains(got, "2.2s to 2.4s  ◆ 2.4s  50 a second") || strings.Count(got, "↑") != 1 {
		t.Errorf("the cursor is on the mark:\n%s", got)
	}
	press(t, m, "]", "h")
	for range 8 {
		press(t, m, "left")
	}
	if got := text(m); !strings.Contains(got, "2.2s to 2.4s  ◆ 2.4s  1024: 10 of 10") {
		t.Errorf("the heat map with its cursor on the mark:\n%s", got)
	}
}

// TestCursorInTime stays on its moment while the picture moves, and goes along again at the end.
func TestCursorInTime(t *testing.T) {
	m := press(t, long(t, 10), "h", "left", "left")
	read := func(want string) {
		t.Helper()
		if got := text(m); !strings.Contains(got, want) {
			t.Errorf("what is read out lacks %q:\n%s", want, got)
		}
	}
	read("1.4s to 1.6s")
	next := trace.Snapshot{Seq: 11, Elapsed: 2200 * time.Millisecond, Aggs: []trace.Table{pairTable(trace.Count, 1, 130, 1), spread("q", "a", 100)}}
	m.SetSnapshot(next)
	read("1.4s to 1.6s  50 a second, 10 in all")
	press(t, m, "right", "right", "right")
	read("2.0s to 2.2s  150 a second, 30 in all")
	press(t, m, "right", "left", "left", "left")
	read("1.4s to 1.6s")
	press(t, m, "right", "right", "right")
	next.Seq, next.Elapsed = 12, 2400*time.Millisecond
	m.SetSnapshot(next)
	read("2.2s to 2.4s  0 a second") // it goes along
	for range 30 {
		press(t, m, "left")
	}
	read("0.0s to 0.2s  50 a second") // not beyond what is kept
}

// TestSelectOfACurve selects intervals of a key, or of all.
func TestSelectOfACurve(t *testing.T) {
	for _, tt := range []struct{ keys, want string }{
		{"h v", "@n 1.8s-2s a alone"},
		{"h left left v", "@n 1.4s-1.6s a alone"},
		{"h left v v left left", "@n 1.2s-1.8s a alone"},
		{"h h v left", "@n 1.6s-1.8s"},
	} {
		m := long(t, 10)
		for k := range splitKeys(tt.keys) {
			press(t, m, k)
		}
		got, ok := asked(t, m, 'd')
		if !ok || got.For != selection.Differs || describe(got.Of) != tt.want {
			t.Errorf("%s selects %s, want %s (%s)\n%s", tt.keys, describe(got.Of), tt.want, m.Why(), text(m))
		}
	}
	m := press(t, long(t, 10), "h")
	click(m, 56, 3)
	if got, _ := asked(t, m, 'd'); describe(got.Of) != "@n 1.4s-1.6s a alone" {
		t.Errorf("a click selects %s:\n%s", describe(got.Of), text(m))
	}
}
