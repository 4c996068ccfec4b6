package output

import (
	"fmt"
	"math/rand/v2"
	"runtime"
	"strings"
	"testing"
	"time"

	tea "github.com/charmbracelet/bubbletea"
	"github.com/charmbracelet/x/ansi"

	"dscope.dev/engine/trace"
	"dscope.dev/themes"
	"dscope.dev/ui/keymap"
	"dscope.dev/ui/widget"
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

var read = trace.Probe{ID: 3, Provider: "syscall", Module: "vmlinux", Function: "read", Name: "entry"}

func printed(format string, args ...any) trace.Event {
	return trace.Event{Probe: read, Items: []trace.Item{{Kind: trace.PrintfItem, Text: fmt.Sprintf(format, args...)}}}
}

func lines(m *Model, from, to int) {
	var batch []trace.Event
	for i := from; i < to; i++ {
		batch = append(batch, printed("line %d\n", i))
	}
	m.Add(batch)
}

func press(t testing.TB, m *Model, names ...string) *Model {
	t.Helper()
	for _, n := range names {
		msg, ok := keymap.ParseKey(n)
		if !ok {
			t.Fatalf("no key is called %s", n)
		}
		var cmd tea.Cmd
		cmd = m.Update(msg)
		for cmd != nil {
			next, ok := cmd().(stepMsg)
			if !ok {
				break
			}
			cmd = m.Update(next)
		}
	}
	return m
}

func text(m *Model) string {
	var out []string
	for _, line := range strings.Split(ansi.Strip(strings.Join(m.Rows(), "\n")), "\n") {
		out = append(out, strings.TrimRight(line, " "))
	}
	return strings.Join(out, "\n")
}

func TestFollowsUntilScrolledUp(t *testing.T) {
	m := pane(t, 40, 3)
	lines(m, 0, 10)
	if got := text(m); got != " line 7\n line 8\n line 9" {
		t.Errorf("does not follow:\n%s", got)
	}
	m = press(t, m, "k")
	held := text(m)
	lines(m, 10, 20)
	if got := text(m); got != held {
		t.Errorf("moved while held:\n%s\nwas:\n%s", got, held)
	}
	m = press(t, m, "G")
	if got := text(m); !strings.HasSuffix(got, "line 19") {
		t.Errorf("end does not follow again:\n%s", got)
	}
	m.wheel(-3)
	m.settle()
	if got := text(m); !strings.HasPrefix(got, " line 14") {
		t.Errorf("the wheel does not scroll:\n%s", got)
	}
	m.wheel(+30)
	m.settle()
	lines(m, 20, 21)
	if got := text(m); !strings.HasSuffix(got, "line 20") {
		t.Errorf("the wheel at the end does not follow again:\n%s", got)
	}
}

func TestNoteBeforeTheFirstSize(t *testing.T) {
	m := pane(t, 0, 0)
	m.Note("a long reason that takes more than one line, because the terminal is not known yet")
	m.SetSize(60, 6)
	if got := text(m); !strings.HasPrefix(got, " ✗ a long reason") || !strings.Contains(got, "\n   because the terminal is not known yet") {
		t.Errorf("got:\n%s", got)
	}
}

func TestMemoryIsBounded(t *testing.T) {
	m := pane(t, 60, 3)
	m.ring = newRing(1000, 1<<20)
	lines(m, 0, 5000)
	if n := m.ring.end() - m.ring.begin(); n != 1000 {
		t.Errorf("%d lines are kept, want 1000", n)
	}
	if got := m.Title(); got != "1,000 lines, 4,000 let go" {
		t.Errorf("title %q", got)
	}
	for i := range 100 {
		m.Add([]trace.Event{printed("%s", strings.Repeat("x", 64<<10)), printed("%d", i)})
	}
	if m.ring.bytes > 1<<20 {
		t.Errorf("%d bytes are kept, want at most a MiB", m.ring.bytes)
	}
	m.Add([]trace.Event{printed("%s", strings.Repeat("y\n", 3000))}) // alone larger than the ring
	if m.ring.end()-m.ring.begin() != 3000 {
		t.Error("the newest entry was not kept whole")
	}
	if cap(m.ring.entries) > 16<<10 {
		t.Errorf("the ring holds room for %d entries", cap(m.ring.entries))
	}
}

// TestHeldOutputHolds lets the ring turn over below a window that is held: it stays as it
// was, says how much is newer, and goes on to what is kept then.
func TestHeldOutputHolds(t *testing.T) {
	m := pane(t, 60, 5)
	m.ring = newRing(100, 1<<20)
	lines(m, 0, 100)
	m = press(t, m, "g", "down")
	before := text(m)
	lines(m, 100, 1000)
	if got := text(m); got != before || !strings.Contains(got, "line 0") {
		t.Errorf("held it shows:\n%s\nbefore:\n%s", got, before)
	}
	if got := m.Held(); got != "held at line 2, 900 newer" {
		t.Errorf("it says %q", got)
	}
	for range 60 {
		m = press(t, m, "pgdown")
	}
	if got := text(m); !strings.Contains(got, "line 999") || m.Held() != "" {
		t.Errorf("after going down it shows %q:\n%s", m.Held(), got)
	}
	lines(m, 1000, 1001)
	if got := text(m); !strings.Contains(got, "line 1000") || m.held != nil {
		t.Errorf("it does not follow:\n%s", got)
	}
	m = press(t, m, "up")
	lines(m, 1001, 1200)
	m.wheel(+100)
	m.wheel(+100)
	if got := text(m); !strings.Contains(got, "line 1199") {
		t.Errorf("the wheel leads to:\n%s", got)
	}
	m = press(t, m, "up")
	lines(m, 1200, 1201)
	m = press(t, m, "G")
	if got := text(m); !strings.Contains(got, "line 1200") || m.held != nil {
		t.Errorf("the end is:\n%s", got)
	}
}

func TestKinds(t *testing.T) {
	m := pane(t, 100, 18)
	m.Begin(1, time.Unix(0, 0), false)
	m.Add([]trace.Event{
		printed("two\nlines\n"),
		{Kind: trace.DropEvent, Drop: trace.Drop{Kind: trace.DropPrincipal, CPU: 1, Count: 9}},
		{Probe: read, Items: []trace.Item{{Value: trace.Value{Kind: trace.StringValue, Str: "cat\x1b[31m"}}, {Value: trace.Value{Int: 5}}}},
		{Probe: read},
		{Items: []trace.Item{{Kind: trace.EmptyItem}}}, // clear(): nothing
		{Probe: read, Items: []trace.Item{{Kind: trace.SystemItem, Text: "date", Rare: &trace.Rare{Output: "today\n"}}}},
		{Probe: read, Items: []trace.Item{{Kind: trace.FreopenItem, Text: "/tmp/x"}}},
		{Probe: read, Items: []trace.Item{{Kind: trace.PcapItem, Rare: &trace.Rare{Packet: &trace.Packet{Length: 60, Proto: 12, Data: "E\x00"}}}}},
		{Probe: read, Items: []trace.Item{{Kind: trace.WarnItem, Text: "couldn't set option \"x\""}}},
		{Kind: trace.FaultEvent, Probe: read, Fault: trace.Fault{Kind: trace.FaultDivZero, EPID: 1, Action: 1}},
		{Kind: trace.ExitEvent, Exit: 2},
	})
	m.Begin(2, time.Unix(0, 0), false)
	want := ` two
 lines
 ▲ 9 drops on CPU 1
 read:entry                cat^[[31m  5
 read:entry
 read:entry                $ date
                           today
 read:entry                freopen: /tmp/x (output stays here)
 read:entry                packet of 60 bytes, protocol 12
                               0: 45 00                                            E.
 read:entry                error: couldn't set option "x"
 ✗ error: divide-by-zero in action #1; enabled probe ID 1 (ID 3: syscall:vmlinux:read:entry)
 exit(2)
 ── run 2`
	if got := text(m); !strings.HasPrefix(got, want) {
		t.Errorf("got:\n%s\nwant:\n%s", got, want)
	}
}

func TestSearchGoesAroundInSteps(t *testing.T) {
	m := pane(t, 60, 6)
	lines(m, 0, 3*perStep)
	m.Add([]trace.Event{printed("The Needle\n")})
	lines(m, 0, 3*perStep)
	m = press(t, m, "/", "n", "e", "e", "d", "l", "e", "enter")
	if got := m.line(m.cursor).body; got != "The Needle" || m.follow {
		t.Errorf("found %q", got)
	}
	m = press(t, m, "n")
	if got := m.line(m.cursor).body; got != "The Needle" {
		t.Errorf("the next match around is %q", got)
	}
	if got := text(m); !strings.Contains(got, "The Needle") {
		t.Errorf("the match is not in view:\n%s", got)
	}
	m = press(t, m, "/", "z", "z", "enter")
	if m = press(t, m, "n"); m.why != "not found: zz" {
		t.Errorf("a search that goes on without a match says %q", m.why)
	}
	if m = press(t, m, "/", "z", "z", "enter"); m.why != "not found: zz" {
		t.Errorf("why %q", m.why)
	}
}

func TestStaleSearchStepsAreDropped(t *testing.T) {
	m := pane(t, 60, 6)
	lines(m, 0, 2*perStep)
	m.search.query = "nothing"
	m.find(+1)
	old := stepMsg{m.search.id}
	m.search.query = "line"
	m.find(+1)
	at := m.cursor
	cmd := m.Update(old)
	if cmd != nil || m.cursor != at {
		t.Error("a step of an old search still acts")
	}
}

func TestCopy(t *testing.T) {
	m := pane(t, 60, 6)
	m.Add([]trace.Event{{Probe: read, Items: []trace.Item{{Value: trace.Value{Int: 7}}}}})
	cmd := m.Update(tea.KeyMsg{Type: tea.KeyRunes, Runes: []rune("y")})
	if got := cmd().(widget.CopyMsg).Text; got != "read:entry  7" {
		t.Errorf("copied %q", got)
	}
}

// randomEvent returns an event of random items, odd ones included.
func randomEvent(r *rand.Rand) trace.Event {
	e := trace.Event{Probe: read}
	texts := []string{"", "a", "\n", "a\n", "a\nb", "\n\n", "\x1b[2J\n", "x\ty"}
	value := func() trace.Value {
		v := trace.Value{Kind: trace.ValueKind(r.IntN(8)), Str: strings.Repeat("s", r.IntN(40)), Int: r.Int64()}
		for range r.IntN(4) {
			v.Frames = append(v.Frames, trace.Frame{Symbol: "f"})
		}
		return v
	}
	for range r.IntN(5) {
		it := trace.Item{Kind: trace.ItemKind(r.IntN(int(trace.LastItem) + 1)), Text: texts[r.IntN(len(texts))], Value: value()}
		it.Rare = &trace.Rare{Output: texts[r.IntN(len(texts))]}
		if r.IntN(2) == 0 {
			it.Rare.Packet = &trace.Packet{Length: 60, Data: strings.Repeat("p", r.IntN(40))}
		}
		for range r.IntN(3) {
			t := trace.Table{Name: "t", Func: trace.AggFunc(r.IntN(int(trace.AggFuncs)))}
			for range r.IntN(3) {
				row := trace.Row{Value: 3, Buckets: make([]trace.Bucket, r.IntN(3))}
				for range r.IntN(3) {
					row.Keys = append(row.Keys, value())
				}
				t.Rows = append(t.Rows, row)
			}
			it.Rare.Tables = append(it.Rare.Tables, t)
		}
		e.Items = append(e.Items, it)
	}
	return e
}

// What printa() prints is divided and drawn as in the printed output.
func TestTables(t *testing.T) {
	e := trace.Event{Items: []trace.Item{
		{Kind: trace.TablesItem, Rare: &trace.Rare{Tables: []trace.Table{
			{Name: "c", Func: trace.Count, KeyTypes: []string{"int"}, Normal: 2, Rows: []trace.Row{{Keys: []trace.Value{{Int: -1}}, Value: 9}}},
			{Name: "q", Func: trace.Quantize, Normal: 3, Rows: []trace.Row{{Buckets: []trace.Bucket{{Label: "1", Count: -3}, {Label: "2", Count: 9}}}}},
		}}},
		{Value: trace.Value{Kind: trace.BytesValue, Size: 4, Str: "ABCD"}},
	}}
	want := `@c count()
  -1             4
@q quantize()
                 1                @@@@@|                     -1
                 2                     |@@@@@@@@@@@@@@@      3
    0: 41 42 43 44                                      ABCD`
	if got := strings.Join(format(&e), "\n"); got != want {
		t.Errorf("got:\n%s\nwant:\n%s", got, want)
	}
	if n, _ := measure(&e); n != 6 {
		t.Errorf("measured %d lines", n)
	}
}

func TestMeasureAgreesWithFormat(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for range 20000 {
		e := randomEvent(r)
		got, _ := measure(&e)
		if got == 0 {
			continue // prints nothing
		}
		if want := len(format(&e)); got != want {
			t.Fatalf("measured %d lines, formatted %d: %+v", got, want, e)
		}
	}
}

func TestEveryLineIsAsWideAsThePane(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	for w := 0; w < 100; w += 7 {
		for _, h := range []int{0, 1, 5, 20} {
			m := pane(t, w, h)
			for range 30 {
				m.Add([]trace.Event{randomEvent(r)})
			}
			m.detail = w%2 == 0
			m.search.query = "s"
			v := strings.Join(m.Rows(), "\n")
			if strings.ContainsAny(v, "\x1b\r\t\x07") {
				t.Fatal("control codes came through")
			}
			for _, line := range strings.Split(v, "\n") {
				if got := ansi.StringWidth(line); h > 0 && got != w {
					t.Fatalf("%dx%d: a line is %d wide: %q", w, h, got, line)
				}
			}
		}
	}
}

// TestSparseBatches holds the memory of lines of which each came in a batch of many events
// that print nothing: it is that of the lines alone.
func TestSparseBatches(t *testing.T) {
	m := pane(t, 80, 24)
	const batches = 500
	before := heap()
	for i := range batches {
		batch, items := make([]trace.Event, 1024), make([]trace.Item, 1024)
		for j := range batch {
			items[j].Kind = trace.EmptyItem
			batch[j] = trace.Event{Probe: read, Items: items[j : j+1 : j+1]}
		}
		items[7] = trace.Item{Kind: trace.PrintfItem, Text: fmt.Sprintf("line %d\n", i)}
		m.Add(batch)
	}
	if got := int64(heap()) - int64(before); got > 2*int64(m.ring.bytes)+1<<20 {
		t.Errorf("%d lines hold %d bytes, and are said to take %d", batches, got, m.ring.bytes)
	}
	if got := m.line(batches - 1).text(); got != fmt.Sprintf("line %d", batches-1) {
		t.Errorf("the last line is %q", got)
	}
}

// heap returns what is in use once garbage is gone.
func heap() uint64 {
	runtime.GC()
	var s runtime.MemStats
	runtime.ReadMemStats(&s)
	return s.HeapAlloc
}

func BenchmarkAdd(b *testing.B) {
	m := pane(b, 100, 40)
	batch := make([]trace.Event, 1000)
	for i := range batch {
		batch[i] = printed("%s %s\n", "process", "read")
	}
	for b.Loop() {
		m.Add(batch)
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/1000, "ns/event")
}

func BenchmarkView(b *testing.B) {
	m := pane(b, 100, 50)
	lines(m, 0, 5000)
	for b.Loop() {
		_ = m.Rows()
	}
}

// With times beside the lines the title says what times they are.
func TestTimesSayWhoseTheyAre(t *testing.T) {
	for _, fired := range []bool{false, true} {
		m := pane(t, 60, 6)
		m.Begin(1, time.Unix(0, 0), fired)
		lines(m, 0, 3)
		if strings.Contains(m.Title(), "times") {
			t.Errorf("without times the title is %q", m.Title())
		}
		m = press(t, m, "d")
		if got := strings.Contains(m.Title(), "times of reading"); got == fired {
			t.Errorf("fired %v: the title is %q", fired, m.Title())
		}
	}
}
