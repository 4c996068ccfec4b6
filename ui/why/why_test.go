package why

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	tea "github.com/charmbracelet/bubbletea"
	"github.com/charmbracelet/x/ansi"

	"dscope.dev/dlang/narrow"
	"dscope.dev/engine/trace"
	"dscope.dev/themes"
	"dscope.dev/ui/keymap"
	"dscope.dev/ui/selection"
	"dscope.dev/ui/timeline"
)

const script = `syscall::read:entry { self->ts = timestamp; }
syscall::read:return
/self->ts/
{
	@t[probefunc] = quantize(timestamp - self->ts);
	self->ts = 0;
}
`

var place = []trace.Origin{{Clause: 2, From: strings.Index(script, "@t"), To: strings.Index(script, ";\n\tself") + 1, Keys: []string{"probefunc"}, Arg: "timestamp - self->ts",
	Dims: []trace.Dimension{{Name: "probefunc", Expr: "probefunc", Key: true}, {Name: "process", Expr: "execname"}, {Name: "pid", Expr: "pid"}, {Name: "file", Expr: "fds[arg0].fi_pathname"},
		{Name: "request", Expr: "copyinstr(arg1)"}, {Name: "user stack", Expr: "ustack()"}, {Name: "self->ts", Expr: "self->ts"}}}}

// store has reads of three processes, of which that of an evil name is slow.
func store(seed uint64) *timeline.Examples {
	r := rand.New(rand.NewPCG(seed, 1))
	x := timeline.NewExamples(8 << 20)
	start := time.Unix(1_000_000, 0).UTC()
	for i := range 600 {
		at := time.Duration(i) * 10 * time.Millisecond
		who := r.IntN(3)
		name := []string{"dd", "ssh\x1b[2Jd", "cron"}[who]
		v := 1000 + r.Int64N(1000)
		if who == 1 && r.IntN(2) == 0 {
			v = 30_000_000 + r.Int64N(1_000_000)
		}
		frames := []trace.Frame{{Addr: 1, Module: "libc.so.6", Symbol: "read", Offset: 13}, {Addr: uint64(2 + who), Module: name, Symbol: "serve"}}
		x.Add(&trace.Snapshot{Elapsed: at, Time: start.Add(at), Aggs: []trace.Table{{Name: "t", Func: trace.Quantize, Origins: place}}, Examples: []trace.Example{{
			Time: start.Add(at), Value: v, Weight: 1 + float64(r.IntN(4)), CPU: r.IntN(4), Probe: trace.Probe{Provider: "syscall", Module: "vmlinux", Function: "read", Name: "return"},
			Facts: []trace.Value{text("read"), text(name), {Int: int64(100 + who)}, text("/data/" + name), text(fmt.Sprint("r", i)), {Kind: trace.UstackValue, Frames: frames}, {Int: at.Nanoseconds()}}}}})
	}
	return x
}

func text(s string) trace.Value { return trace.Value{Kind: trace.StringValue, Str: s} }

var slow = selection.Selection{Name: "t", Func: trace.Quantize, Buckets: true, Low: 1 << 24, High: 1<<25 - 1}

func open(t testing.TB, of selection.Selection, q selection.Question, w, h int) *Model {
	t.Helper()
	th, err := themes.Load("", themes.Options{Depth: themes.Plain})
	if err != nil {
		t.Fatal(err)
	}
	m := New(th)
	m.SetSize(w, h)
	deliver(m, m.Open(selection.AskMsg{Of: of, For: q}, store(1), script))
	return m
}

// deliver hands the answer of a command back, as the root does; what is for the root
// itself is returned.
func deliver(m *Model, cmd tea.Cmd) tea.Msg {
	if cmd == nil {
		return nil
	}
	msg := cmd()
	if _, ok := msg.(RankedMsg); !ok {
		return msg
	}
	return deliver(m, m.Update(msg))
}

func press(t testing.TB, m *Model, names ...string) (last tea.Msg) {
	t.Helper()
	for _, n := range names {
		msg, ok := keymap.ParseKey(n)
		if !ok {
			t.Fatalf("no key is called %s", n)
		}
		last = deliver(m, m.Update(msg))
	}
	return last
}

func picture(m *Model) string { return ansi.Strip(strings.Join(m.Rows(), "\n")) }

func shows(t *testing.T, m *Model, words ...string) {
	t.Helper()
	for _, w := range words {
		if !strings.Contains(m.Title()+"\n"+picture(m), w) {
			t.Errorf("lacks %q:\n%s\n%s", w, m.Title(), picture(m))
		}
	}
}

// The story: what is different, an example of it, and a script that keeps no more.
func TestStory(t *testing.T) {
	m := open(t, slow, selection.Differs, 100, 40)
	shows(t, m, "What is different about @t  16777216 to 33554431", "process (execname)  differs in at least", "ssh^[[2Jd", "also pid: 101", "also file: /data/ssh^[[2Jd",
		"the sample says nothing about", "hardly two examples are alike", "not compared", "the aggregated value is made of it", "apart by")
	if got := picture(m); strings.Index(got, "process (execname)") > strings.Index(got, "no difference found") {
		t.Errorf("the cause is not first:\n%s", got)
	}
	press(t, m, "x")
	shows(t, m, "Examples: @t", "time", "process", "ssh^[[2Jd", "30.", "ms")
	press(t, m, "enter")
	shows(t, m, "Example of @t", "syscall:vmlinux:read:return", "libc.so.6`read+0xd", "stands for", "value")
	press(t, m, "esc", "esc")
	shows(t, m, "What is different")
	press(t, m, "enter")
	shows(t, m, "Narrow the script", "-     @t[probefunc]", `+     if (execname == "ssh\033[2Jd") @t[probefunc]`, "enter takes it")
	take, ok := press(t, m, "enter").(TakeMsg)
	if !ok || take.Script != script || !strings.Contains(narrow.Apply(script, take.Edits), `if (execname == "ssh\033[2Jd") @t[`) {
		t.Errorf("taken: %+v", take)
	}
	press(t, m, "esc")
	shows(t, m, "What is different")
	if _, ok := press(t, m, "esc").(CloseMsg); !ok {
		t.Error("the last page is taken off and nobody is told")
	}
	if _, ok := press(t, m, "down").(CloseMsg); !ok {
		t.Error("a key without a page")
	}
}

func TestNarrowTheSelection(t *testing.T) {
	of := slow
	of.Time, of.To = true, time.Second
	m := open(t, of, selection.Narrow, 100, 30)
	shows(t, m, "+     if (timestamp - self->ts >= 16777216 &&", "when it was cannot be asked for")
	press(t, m, "d", "n") // the value under the cursor
	shows(t, m, "if (execname ==")
	press(t, m, "esc", "end", "up", "n") // a stack
	shows(t, m, "a stack cannot be asked for in D")
	if got := press(t, m, "enter"); got != nil || m.Why() != "there is no change to take" {
		t.Errorf("%v, %q", got, m.Why())
	}
}

func TestNothingToSay(t *testing.T) {
	none := slow
	none.Low, none.High = 1, 1
	m := open(t, none, selection.Differs, 60, 12)
	shows(t, m, "no example of it is kept")
	press(t, m, "x")
	shows(t, m, "no example of it is kept")
	m = open(t, selection.Selection{Name: "t", Func: trace.Quantize}, selection.Differs, 60, 12)
	shows(t, m, "all examples are inside")
	m = open(t, selection.Selection{Name: "other"}, selection.Narrow, 60, 12)
	shows(t, m, "it is not known where")
	th, _ := themes.Load("", themes.Options{Depth: themes.Plain})
	m = New(th)
	m.SetSize(90, 12)
	m.Open(selection.AskMsg{Of: slow}, timeline.NewExamples(1), script)
	shows(t, m, "#pragma D option examples=4")
}

// An answer to a question that nobody asks any more is not shown.
func TestStaleAnswer(t *testing.T) {
	m := open(t, slow, selection.Differs, 100, 30)
	stale := RankedMsg{id: m.asked}
	m.Open(selection.AskMsg{Of: slow, For: selection.Differs}, store(2), script)
	m.Update(stale)
	shows(t, m, "comparing")
}

// Examples are listed from the greatest value, or in the order of time.
func TestOrder(t *testing.T) {
	m := open(t, slow, selection.Examples, 100, 30)
	if m.q.Inside[0].Value < m.q.Inside[1].Value {
		t.Error("the greatest is not first")
	}
	press(t, m, "s")
	if m.q.Inside[0].Time.After(m.q.Inside[1].Time) {
		t.Error("the first is not first")
	}
	press(t, m, "end")
	at := m.page().row
	press(t, m, "d", "s")
	if at != len(m.page().lines) && m.Why() == "" {
		t.Error("the answer is put into another order")
	}
}

// Whatever is shown fits, and what was traced cannot act on the terminal.
func TestAnySize(t *testing.T) {
	for _, q := range []selection.Question{selection.Examples, selection.Differs, selection.Narrow} {
		for w := 0; w <= 130; w += 7 {
			for _, h := range []int{0, 1, 2, 5, 20, 60} {
				m := open(t, slow, q, w, h)
				for _, key := range []string{"down", "end", "enter", "pgup", "home", "esc"} {
					press(t, m, key)
					rows := m.Rows()
					if len(rows) != h {
						t.Fatalf("%dx%d: %d rows", w, h, len(rows))
					}
					for _, row := range rows {
						if ansi.StringWidth(row) != w || strings.ContainsAny(row, "\x1b\r\n\x07") {
							t.Fatalf("%dx%d after %s: %d wide: %q", w, h, key, ansi.StringWidth(row), row)
						}
					}
				}
			}
		}
	}
}

func TestDiff(t *testing.T) {
	lines := "a\nb\nc\nd\ne\nf\ng\nh\ni\nj\nk\nl\n"
	at := func(c string) int { return strings.Index(lines, c) }
	for _, tt := range []struct {
		edits []narrow.Edit
		want  string
	}{
		{[]narrow.Edit{{From: at("b"), To: at("b"), Text: "x"}}, "  a|- b|+ xb|  c|  d|  e"},
		{[]narrow.Edit{{From: at("l") + 1, To: at("l") + 1, Text: "!"}}, "  i|  j|  k|- l|+ l!"},
		{[]narrow.Edit{{From: at("a") + 1, To: at("a") + 1, Text: "\n/x/"}}, "- a|+ a|+ /x/|  b|  c|  d"},
		{[]narrow.Edit{{From: at("a"), To: at("a"), Text: "1"}, {From: at("l"), To: at("l"), Text: "2"}}, "- a|+ 1a|  …|  i|  j|  k|- l|+ 2l"},
		{[]narrow.Edit{{From: at("c"), To: at("c"), Text: "("}, {From: at("c") + 1, To: at("c") + 1, Text: ")"}}, "  a|  b|- c|+ (c)|  d|  e|  f"},
	} {
		var got []string
		for _, l := range diff(lines, tt.edits) {
			got = append(got, l.text)
		}
		if s := strings.Join(got, "|"); s != tt.want {
			t.Errorf("%v: %s, want %s", tt.edits, s, tt.want)
		}
	}
}

func TestDuration(t *testing.T) {
	for ns, want := range map[int64]string{0: "0s", 999: "999ns", 1_234: "1.234us", 33_500_714: "33.501ms", 2_000_000_000: "2.000s", -1_500_000: "-1.500ms"} {
		if got := duration(ns); got != want {
			t.Errorf("%d: %s, want %s", ns, got, want)
		}
	}
}
