package live

import (
	"strings"
	"testing"
)

// crowd returns a pane with one aggregation of so many keys, each with twelve buckets.
func crowd(t *testing.T, w, h, keys int) *Model {
	m := pane(t, w, h)
	for n := 1; n <= 2; n++ {
		tab := spread("q", "a", 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, int64(9+n), 0)
		for _, id := range []string{"b", "c", "d", "e"}[:keys-1] {
			tab.Rows = append(tab.Rows, spread("q", id, 0, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 0).Rows...)
		}
		m.SetSnapshot(snap(n, tab))
	}
	return m
}

// TestOthersStayInView beside a key that is open at first, and all of its buckets with them.
func TestOthersStayInView(t *testing.T) {
	want := strings.Join([]string{
		"▌▾a             56    1.05–2.1M      56   ▁▁▂▃▄▄▅▆▇█",
		"     2048 │████████▊                               6",
		"    16384 │█████████████████████▉                 15",
		"   131072 │███████████████████████████████████    24",
		"  1048576 │██████████████▒▒                       11    +1",
		" ▸b             10    1.05–2.1M      10   ██████████",
		" ▸c             10    1.05–2.1M      10   ██████████",
		" ▸d             10    1.05–2.1M      10   ██████████",
	}, "\n")
	if _, rows, _ := strings.Cut(text(crowd(t, 58, 10, 5)), "p99   /s 5s  shape\n"); rows != want {
		t.Errorf("got\n%s\nwant\n%s", rows, want)
	}
	for _, tt := range []struct {
		h, keys, lines int // of the histogram
	}{{10, 5, 4}, {10, 2, 5}, {10, 1, 5}, {9, 5, 3}, {8, 5, 0}, {8, 1, 5}, {40, 5, 24}} {
		m := crowd(t, 58, tt.h, tt.keys)
		if got := strings.Count(text(m), "│"); got != tt.lines {
			t.Errorf("%d keys on %d lines: %d lines of a histogram, want %d\n%s", tt.keys, tt.h, got, tt.lines, text(m))
		}
		if seen := strings.Count(text(m), "▸"); tt.h >= 9 && seen < min(tt.keys-1, besides) {
			t.Errorf("%d keys on %d lines: %d others are in view\n%s", tt.keys, tt.h, seen, text(m))
		}
	}
	m := crowd(t, 58, 8, 5)
	m.SetSize(58, 30) // there is room now
	if got := strings.Count(text(m), "│"); got != 12 {
		t.Errorf("in a higher pane %d lines of a histogram:\n%s", got, text(m))
	}
}

// TestSelectBars selects what a bar of several buckets stands for.
func TestSelectBars(t *testing.T) {
	m := press(t, crowd(t, 58, 10, 5), "v", "up")
	if got := text(m); !strings.HasPrefix(got, " @q quantize()  a bar 3 buckets") {
		t.Errorf("the title says nothing of how coarse the histogram is:\n%s", got)
	}
	if got, _ := asked(t, m, 'd'); describe(got.Of) != "@q 16384-131071 a alone" {
		t.Errorf("selected is %s\n%s", describe(got.Of), text(m))
	}
	m = crowd(t, 58, 10, 5)
	click(m, 20, 3)
	if got, _ := asked(t, m, 'd'); describe(got.Of) != "@q 2048-16383 a alone" {
		t.Errorf("a click selects %s\n%s", describe(got.Of), text(m))
	}
}
