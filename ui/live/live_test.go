package live

import (
	"fmt"
	"strings"
	"testing"
	"time"

	tea "github.com/charmbracelet/bubbletea"
	"github.com/charmbracelet/x/ansi"

	"dscope.dev/engine/trace"
	"dscope.dev/themes"
	"dscope.dev/ui/keymap"
)

func pane(t testing.TB, w, h int) *Model {
	t.Helper()
	th, err := themes.Load("", themes.Options{Depth: themes.Plain})
	if err != nil {
		t.Fatal(err)
	}
	m := New(th)
	m.SetFocus(true)
	m.SetSize(w, h)
	return m
}

// snap returns a snapshot of the given tables, n half seconds into the run.
func snap(n int, tables ...trace.Table) trace.Snapshot {
	return trace.Snapshot{Seq: uint64(n), Elapsed: time.Duration(n) * 500 * time.Millisecond, Aggs: tables}
}

// counted returns @name[string] = count() with keys and values in pairs.
func counted(name string, pairs ...any) trace.Table {
	t := trace.Table{Name: name, KeyTypes: []string{"string"}, Normal: 1}
	for i := 0; i < len(pairs); i += 2 {
		n := int64(pairs[i+1].(int))
		key := pairs[i].(string)
		t.Rows = append(t.Rows, trace.Row{ID: key, Keys: []trace.Value{{Kind: trace.StringValue, Str: key}}, Value: n, Count: uint64(n)})
	}
	return t
}

// spread returns a quantize() of counts for the powers of two from 1024; key
// "" makes it one without keys.
func spread(name string, key string, counts ...int64) trace.Table {
	t := trace.Table{Name: name, Func: trace.Quantize, Normal: 1}
	r := trace.Row{ID: key}
	if key != "" {
		t.KeyTypes = []string{"string"}
		r.Keys = []trace.Value{{Kind: trace.StringValue, Str: key}}
	}
	for i, n := range counts {
		low := int64(1024) << i
		r.Buckets = append(r.Buckets, trace.Bucket{Label: fmt.Sprint(low), Low: low, High: low*2 - 1, Count: n})
		r.Value += n
	}
	r.Count = uint64(r.Value)
	t.Rows = []trace.Row{r}
	return t
}

func click(m *Model, x, y int) {
	m.Update(tea.MouseMsg{X: x, Y: y, Action: tea.MouseActionPress, Button: tea.MouseButtonLeft})
}

func press(t testing.TB, m *Model, names ...string) *Model {
	t.Helper()
	for _, n := range names {
		msg, ok := keymap.ParseKey(n)
		if !ok {
			t.Fatalf("no key is called %s", n)
		}
		m.Update(msg)
	}
	return m
}

func text(m *Model) string {
	var out []string
	for _, line := range strings.Split(ansi.Strip(strings.Join(m.Rows(), "\n")), "\n") {
		out = append(out, strings.TrimRight(line, " "))
	}
	return strings.TrimRight(strings.Join(out, "\n"), "\n")
}

func TestRatesDivideByTimeThatPassed(t *testing.T) {
	m := pane(t, 80, 10)
	m.SetSnapshot(snap(1, counted("n", "dd", 100)))
	m.SetSnapshot(snap(5, counted("n", "dd", 500))) // two seconds later
	s := m.book.aggs[0].rows["dd"]
	if s.delta != 400 || s.rate != 200 {
		t.Errorf("delta %d rate %v, want 400 and 200 a second", s.delta, s.rate)
	}
}

func TestShrinkingCountsBeginAnew(t *testing.T) {
	m := pane(t, 80, 10)
	m.SetSnapshot(snap(1, counted("n", "dd", 100, "sh", 5), spread("q", "a", 0, 50, 0)))
	m.SetSnapshot(snap(2, counted("n", "dd", 30), spread("q", "a", 0, 20, 0))) // clear(@n), clear(@q), trunc of sh
	rows := m.book.aggs[0].rows
	if s := rows["dd"]; s.delta != 30 {
		t.Errorf("after clear delta is %d, want all 30", s.delta)
	}
	if rows["sh"] != nil {
		t.Error("a truncated key is still there")
	}
	if s := m.book.aggs[1].rows["a"]; s.delta != 20 || s.came(s.buckets[1]) != 20 {
		t.Errorf("after clear delta is %d, bucket %d, want 20", s.delta, s.came(s.buckets[1]))
	}
	m.SetSnapshot(snap(3, counted("n", "dd", 31, "sh", 2)))
	if s := m.book.aggs[0].rows["sh"]; s.delta != 2 {
		t.Errorf("a key that came back has delta %d, want 2", s.delta)
	}
}

func TestMinHasNoFlowOfItsOwn(t *testing.T) {
	m := pane(t, 80, 10)
	tab := func(value int64, count uint64) trace.Table {
		return trace.Table{Name: "low", Func: trace.Min, Normal: 1, Rows: []trace.Row{{Value: value, Count: count}}}
	}
	m.SetSnapshot(snap(2, tab(900, 10)))
	m.SetSnapshot(snap(4, tab(7, 30)))
	if s := m.book.aggs[0].rows[""]; s.rate != 15 {
		t.Errorf("rate %v, want the 30 values of two seconds", s.rate)
	}
}

func TestFreezeHoldsPictureNotData(t *testing.T) {
	m := pane(t, 80, 12)
	start := time.Unix(1000, 0)
	m.SetNow(start)
	m.SetSnapshot(snap(1, counted("n", "read", 8, "write", 2), spread("q", "a", 0, 5, 0)))
	m = press(t, m, "space")
	before := strings.Join(m.Rows(), "\n")
	for i := range 5 {
		m.SetSnapshot(snap(2+i, counted("n", "read", 10, "write", 99+i, "open", 3), spread("q", "a", 0, 5, 100*int64(i))))
	}
	if got := strings.Join(m.Rows(), "\n"); got != before {
		t.Errorf("the frozen picture changed:\n%s\nwas:\n%s", got, before)
	}
	m.SetNow(start.Add(12 * time.Second))
	if got := m.Held(); got != "frozen for 12s" {
		t.Errorf("Frozen() = %q", got)
	}
	m = press(t, m, "z")
	got := text(m)
	if !strings.Contains(got, "103") || !strings.Contains(got, "open") || m.Held() != "" {
		t.Errorf("the released picture lacks what came meanwhile:\n%s", got)
	}
}

func order(m *Model) string {
	var out []string
	for _, s := range m.view(m.shown().aggs[m.sel]).rows {
		out = append(out, s.id)
	}
	return strings.Join(out, " ")
}

func TestSortAndCursorFollowsKey(t *testing.T) {
	m := pane(t, 100, 12)
	m.SetSnapshot(snap(1, counted("n", "a", 5, "b", 9, "c", 1)))
	if got := order(m); got != "b a c" {
		t.Errorf("at first %q, want the greatest first", got)
	}
	m = press(t, m, "j") // to a
	m.SetSnapshot(snap(2, counted("n", "a", 50, "b", 10, "c", 1)))
	if v := m.view(m.book.aggs[0]); v.cursor != "a" || v.at != 0 {
		t.Errorf("the cursor is at %q row %d, want a in row 0", v.cursor, v.at)
	}
	m = press(t, m, "s", "s") // rate, key
	if got := order(m); got != "a b c" {
		t.Errorf("by key %q", got)
	}
	m = press(t, m, "S")
	if got := order(m); got != "c b a" {
		t.Errorf("reversed %q", got)
	}
	// Click on the header of the value column.
	x := strings.Index(strings.Split(text(m), "\n")[1], "count")
	click(m, len([]rune(strings.Split(text(m), "\n")[1][:x])), 1)
	if got := order(m); got != "a b c" {
		t.Errorf("after a click on count %q:\n%s", got, text(m))
	}
}

func TestHistogramOpensAndCloses(t *testing.T) {
	m := pane(t, 90, 20)
	m.SetSnapshot(snap(1, spread("time", "dd", 0, 3, 40, 0)))
	if got := text(m); !strings.Contains(got, "2048 │") {
		t.Errorf("the first keys are not open at once:\n%s", got)
	}
	m = press(t, m, "enter")
	if got := text(m); strings.Contains(got, "2048 │") {
		t.Errorf("enter does not close:\n%s", got)
	}
	click(m, 5, 2)
	if got := text(m); !strings.Contains(got, "2048 │") {
		t.Errorf("a click on the selected row does not open:\n%s", got)
	}
}

func TestStacksShowFrames(t *testing.T) {
	m := pane(t, 80, 12)
	tab := counted("", "x", 3)
	tab.KeyTypes = []string{"stack"}
	tab.Rows[0].Keys = []trace.Value{{Kind: trace.StackValue, Frames: []trace.Frame{
		{Module: "vmlinux", Symbol: "vfs_read", Offset: 1}, {Module: "vmlinux", Symbol: "ksys_read"}}}}
	m.SetSnapshot(snap(1, tab))
	if got := text(m); !strings.Contains(got, "vmlinux`vfs_read+0x1") || !strings.Contains(got, "vmlinux`ksys_read") {
		t.Errorf("no frames:\n%s", got)
	}
}

// Stacks of the kernel and of processes in one aggregation are rows beside each other,
// of which each shows its own frames.
func TestMixedStacks(t *testing.T) {
	m := pane(t, 80, 12)
	tab := counted("", "x", 3)
	tab.KeyTypes = []string{"stack() or ustack()"}
	row := tab.Rows[0]
	row.ID, row.Value, row.Count = "y", 2, 2
	tab.Rows[0].Keys = []trace.Value{{Kind: trace.StackValue, Frames: []trace.Frame{{Module: "vmlinux", Symbol: "vfs_read", Offset: 1}}}}
	row.Keys = []trace.Value{{Kind: trace.UstackValue, Int: 42, Frames: []trace.Frame{{Module: "cat", Symbol: "main", Offset: 2}}}}
	tab.Rows = append(tab.Rows, row)
	m.SetSnapshot(snap(1, tab))
	if got := text(m); !strings.Contains(got, "vmlinux`vfs_read+0x1") || !strings.Contains(got, "▸main") {
		t.Errorf("not the frames of the kernel:\n%s", got)
	}
	m = press(t, m, "j", "enter")
	if got := text(m); !strings.Contains(got, "cat`main+0x2") {
		t.Errorf("not the frames of the process:\n%s", got)
	}
}

func TestSeveralStackOrBecomeTabs(t *testing.T) {
	m := pane(t, 80, 40)
	tables := []trace.Table{counted("one", "a", 1), counted("two", "b", 2), counted("three", "c", 3)}
	m.SetSnapshot(snap(1, tables...))
	if got := text(m); !strings.Contains(got, "@one") || !strings.Contains(got, "@three") {
		t.Errorf("not all in view:\n%s", got)
	}
	m.SetSize(80, 8)
	if got := text(m); !strings.Contains(got, "[@one] @two  @three") {
		t.Errorf("no tabs:\n%s", got)
	}
	click(m, 8, 0)
	if m.sel != 1 {
		t.Errorf("a click on the second tab selects %d", m.sel)
	}
}

func TestDropsAreMarked(t *testing.T) {
	m := pane(t, 90, 8)
	m.SetSnapshot(snap(1, counted("n", "a", 1)))
	s := snap(2, counted("n", "a", 2))
	s.Drops = 7
	m.SetSnapshot(s)
	if !strings.Contains(text(m), "!") || !strings.Contains(m.Title(), "7 lost") {
		t.Errorf("title %q:\n%s", m.Title(), text(m))
	}
}

func TestEveryLineIsAsWideAsThePane(t *testing.T) {
	var tables []trace.Table
	tables = append(tables, spread("q", "", 0, 1, 9, 0), spread("k", "key\x1b[2J", 0, 4, 0), counted("wide", strings.Repeat("漢", 40), 3, "a", 1))
	avg := counted("avg", "x", 10)
	avg.Func, avg.Normal = trace.Avg, 1000
	tables = append(tables, avg)
	for w := 0; w <= 130; w += 3 {
		for _, h := range []int{0, 1, 2, 3, 7, 15, 50} {
			m := pane(t, w, h)
			m.SetSnapshot(snap(1, tables...))
			m.SetSnapshot(snap(2, tables...))
			v := strings.Join(m.Rows(), "\n")
			if strings.ContainsAny(v, "\x07\x1b\r") {
				t.Fatal("control codes in a plain picture")
			}
			lines := strings.Split(v, "\n")
			if h > 0 && len(lines) != h {
				t.Fatalf("%dx%d: %d lines", w, h, len(lines))
			}
			for _, line := range lines {
				if got := ansi.StringWidth(line); got != w && h > 0 {
					t.Fatalf("%dx%d: a line is %d wide: %q", w, h, got, line)
				}
			}
		}
	}
}

// Columns are called as the script writes the keys, and by their types where its
// clauses differ.
func TestTitlesOfKeys(t *testing.T) {
	place := func(keys ...string) trace.Origin { return trace.Origin{Keys: keys} }
	row := trace.Row{ID: "k", Keys: []trace.Value{{Kind: trace.StringValue, Str: "cat"}, {Int: 4}}, Value: 1}
	for _, tt := range []struct {
		origins []trace.Origin
		want    string
	}{
		{nil, "string int value"},
		{[]trace.Origin{place("execname", "arg2 / 1024")}, "execname arg2 / 1024 value"},
		{[]trace.Origin{place("execname", "arg0"), place("execname", "arg1")}, "execname int value"},
		{[]trace.Origin{place("\x1b[2J", strings.Repeat("x", 200))}, "^[[2J " + strings.Repeat("x", 24) + "… value"},
	} {
		m := pane(t, 100, 10)
		m.SetSnapshot(snap(1, trace.Table{Name: "n", Func: trace.Sum, KeyTypes: []string{"string", "int"}, Normal: 1, Origins: tt.origins, Rows: []trace.Row{row}}))
		head := strings.Join(strings.Fields(m.Rows()[1]), " ")
		if !strings.HasPrefix(strings.ReplaceAll(head, "sum▼", "value"), tt.want) {
			t.Errorf("%v: %q", tt.origins, head)
		}
	}
}

func TestPictures(t *testing.T) {
	m := pane(t, 92, 24)
	for i := range 12 {
		n := int64(i + 1)
		m.SetSnapshot(snap(i+1, spread("time", "dd", 0, 3*n, 40*n, 12*n*n, n, 0), counted("calls", "dd", 100*i, "sshd", 3*i*i, "systemd", 7)))
	}
	t.Logf("\n%s", text(m))
	one := pane(t, 60, 9)
	one.SetSnapshot(snap(1, spread("", "", 0, 3, 40, 12, 1, 0)))
	one.SetSnapshot(snap(2, spread("", "", 0, 5, 80, 12, 1, 0)))
	t.Logf("\n%s", text(one))
}

func BenchmarkBusy(b *testing.B) {
	m := pane(b, 120, 50)
	pairs := make([]any, 0, 2000)
	for i := range 1000 {
		pairs = append(pairs, fmt.Sprintf("process-%d", i), i)
	}
	s := snap(1, counted("n", pairs...), spread("q", "dd", 0, 3, 4, 5, 6, 3, 2, 2, 1, 0))
	for b.Loop() {
		s.Seq++
		s.Elapsed += 100 * time.Millisecond
		m.SetSnapshot(s)
		_ = m.Rows()
	}
}
