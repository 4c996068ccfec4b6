package live

import (
	"strings"
	"testing"

	"dscope.dev/engine/trace"
)

// TestMultiples draws the heat maps of two keys in one scale, and the cursor goes from one to
// the other and through time.
func TestMultiples(t *testing.T) {
	m := press(t, heated(t, 60, 24, slowInTheMiddle...), "h", "h", "h")
	blank := strings.Repeat(" ", 47)
	want := strings.Join([]string{
		"8192 │" + blank + "  ██",
		"4096 │",
		"2048 │",
		"1024 │" + blank + "██  █",
		"       b  45",
		"8192 │",
		"4096 │",
		"2048 │",
		"1024 │" + blank + "█████",
	}, "\n ")
	if got := text(m); !strings.Contains(got, "[a] 45\n "+want) || !strings.Contains(got, "quantize() keys 1 to 2") {
		t.Errorf("two keys:\n%s\nwant\n%s", got, want)
	}
	press(t, m, "down", "left", "left")
	if got := text(m); !strings.Contains(got, "[b] 45") || !strings.Contains(got, "1.0s to 1.5s  1024: 9 of 9") || strings.Count(got, "↑") != 1 {
		t.Errorf("of b, two intervals earlier:\n%s", got)
	}
	press(t, m, "v")
	if got, _ := asked(t, m, 'd'); describe(got.Of) != "@q 1024-2047 1s-1.5s b alone" {
		t.Errorf("selected is %s", describe(got.Of))
	}
	click(m, 56, 2) // in the map of a
	if got, _ := asked(t, m, 'd'); describe(got.Of) != "@q 8192-16383 1s-1.5s a alone" {
		t.Errorf("a click selects %s:\n%s", describe(got.Of), text(m))
	}
}

// TestMultiplesBeside stand beside one another in a low pane, and need a place for two.
func TestMultiplesBeside(t *testing.T) {
	m := press(t, heated(t, 60, 10, slowInTheMiddle...), "h", "h", "h")
	if got := text(m); !strings.Contains(got, "[a] 45") || !strings.Contains(got, " │ b  45") || !strings.Contains(got, "██  █ │") {
		t.Errorf("beside one another:\n%s", got)
	}
	for _, tt := range []struct{ x, y int }{{4, 0}, {20, 1}, {59, 5}, {59, 9}, {30, 7}} {
		click(m, tt.x, tt.y) // wherever that is
		press(t, m, "esc", "esc")
	}
	click(m, 57, 3)
	if got, _ := asked(t, m, 'd'); describe(got.Of) != "@q 4096-8191 1.5s-2s b alone" {
		t.Errorf("a click selects %s:\n%s", describe(got.Of), text(m))
	}
	m.SetSize(60, 5)
	m.SetSize(12, 3)
	m.SetSize(60, 10)
	m = press(t, heated(t, 60, 7, slowInTheMiddle...), "h", "h", "h")
	if got := text(m); !strings.Contains(got, "count") {
		t.Errorf("maps of two keys in seven lines:\n%s", got)
	}
}

// TestMultiplesOfMany scroll with the cursor, and survive a filter that leaves nothing.
func TestMultiplesOfMany(t *testing.T) {
	m := pane(t, 60, 15)
	tab := spread("q", "a", 9, 9, 9, 9)
	for n, id := range []string{"b", "c", "d"} {
		tab.Rows = append(tab.Rows, spread("q", id, int64(8-n), 1, 0, 0).Rows...)
	}
	m.SetSnapshot(snap(1, tab))
	press(t, m, "h", "h", "h", "down", "down", "down")
	if got := text(m); !strings.Contains(got, "keys 3 to 4") || !strings.Contains(got, "[d] 7") {
		t.Errorf("of the last key:\n%s", got)
	}
	press(t, m, "/", "x", "x", "enter", "up", "v", "left", "d")
	_ = text(m)
}

// TestReader reads a frame once, and what is too much beside the screen.
func TestReader(t *testing.T) {
	m := heated(t, 60, 24, slowInTheMiddle...)
	a, v := m.current()
	r, line := m.reader(a, v, "a"), m.Timeline()
	if _, ok := r.at(line.Frame(0), readAtOnce-1); !ok {
		t.Error("the first frame is not read")
	}
	r.at(line.Frame(1), 1)
	if _, ok := r.at(line.Frame(2), 1); ok {
		t.Error("more rows are read than may be")
	}
	if _, ok := r.at(line.Frame(0), readAtOnce); !ok {
		t.Error("a frame is not kept")
	}
	cmd := m.Work()
	if cmd == nil || m.Work() != nil {
		t.Fatal("what was left is read never, or more than once")
	}
	msg := cmd().(readMsg)
	m.hasRead(msg)
	if r := m.reader(a, v, "a"); len(r.have) != 1 || len(r.later) != 0 {
		t.Errorf("%d frames come of what was read, and %d are left, want 1 and none", len(r.have), len(r.later))
	}
	m.reader(a, v, "b")
	if m.hasRead(msg); v.read != nil {
		t.Error("what was read for a key is kept for another")
	}
}

// BenchmarkMultiples draws those of 84x58 cells, after a snapshot of 200 keys.
func BenchmarkMultiples(b *testing.B) {
	m := pane(b, 84, 58)
	sums := make([]int64, 20)
	next := func(n int) {
		tab := trace.Table{}
		for i := range sums {
			sums[i] += int64(n * i % 7)
		}
		for key := range 200 {
			one := spread("q", string(rune('a'+key%26))+string(rune('a'+key/26)), sums...)
			one.Rows = append(tab.Rows, one.Rows...)
			tab = one
		}
		m.SetSnapshot(snap(n, tab))
	}
	for n := 1; n <= 200; n++ {
		next(n)
	}
	press(b, m, "h", "h", "h")
	for n := 201; b.Loop(); n++ {
		next(n)
		_ = m.Rows()
	}
}
