package ui

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"reflect"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	tea "github.com/charmbracelet/bubbletea"
	"github.com/charmbracelet/x/ansi"

	"dscope.dev/dlang/diag"
	"dscope.dev/dlang/token"
	"dscope.dev/engine/trace"
	"dscope.dev/themes"
	"dscope.dev/ui/widget"
)

// bench drives a model in a bubble of virtual time.
type bench struct {
	t    *testing.T
	m    tea.Model
	mu   sync.Mutex
	msgs []tea.Msg
	quit bool
}

func start(t *testing.T, f *fake, o Options) *bench {
	t.Helper()
	o.Depth = themes.Plain
	m, err := New(t.Context(), f, o)
	if err != nil {
		t.Fatal(err)
	}
	b := &bench{t: t, m: m}
	b.run(m.Init())
	b.send(tea.WindowSizeMsg{Width: 120, Height: 40})
	return b
}

func (b *bench) run(cmd tea.Cmd) {
	if cmd == nil {
		return
	}
	go func() {
		msg := cmd()
		b.mu.Lock()
		b.msgs = append(b.msgs, msg)
		b.mu.Unlock()
	}()
}

func (b *bench) deliver(msg tea.Msg) {
	if _, ok := msg.(tea.QuitMsg); ok {
		b.quit = true
		return
	}
	if v := reflect.ValueOf(msg); v.Kind() == reflect.Slice && v.Type().Elem() == reflect.TypeFor[tea.Cmd]() {
		for i := range v.Len() { // tea.Batch, or tea.Sequence: here in order
			b.run(v.Index(i).Interface().(tea.Cmd))
			b.settle()
		}
		return
	}
	if msg == nil {
		return
	}
	var cmd tea.Cmd
	b.m, cmd = b.m.Update(msg)
	b.run(cmd)
}

func (b *bench) settle() {
	for {
		synctest.Wait()
		b.mu.Lock()
		msgs := b.msgs
		b.msgs = nil
		b.mu.Unlock()
		if len(msgs) == 0 {
			return
		}
		for _, m := range msgs {
			b.deliver(m)
		}
	}
}

func (b *bench) send(msg tea.Msg) {
	b.deliver(msg)
	b.settle()
}

func (b *bench) keys(names ...string) {
	b.t.Helper()
	for _, n := range names {
		msg, ok := widget.ParseKey(n)
		if !ok {
			b.t.Fatalf("no key %s", n)
		}
		b.send(msg)
	}
}

func (b *bench) text(s string) {
	for _, c := range s {
		b.send(tea.KeyMsg{Type: tea.KeyRunes, Runes: []rune{c}})
	}
}

func (b *bench) wait(d time.Duration) {
	for ; d > 0; d -= 10 * time.Millisecond {
		time.Sleep(10 * time.Millisecond)
		b.settle()
	}
}

func (b *bench) view() string { return ansi.Strip(b.m.View()) }

func (b *bench) model() Model { return b.m.(Model) }

// end lets everything that sleeps or waits come to its end.
func (b *bench) end() {
	b.model().open.closeAll()
	for range 3 {
		b.settle()
		time.Sleep(time.Minute)
	}
}

func (b *bench) shows(words ...string) {
	b.t.Helper()
	for _, w := range words {
		if !strings.Contains(b.view(), w) {
			b.t.Errorf("the screen lacks %q:\n%s", w, b.view())
		}
	}
}

func TestRunAgainClosesTheRunBefore(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := &fake{}
		b := start(t, f, Options{})
		defer b.end()
		b.text("one")
		b.keys("ctrl+r")
		b.keys("ctrl+r")
		if len(f.runs) != 2 || !f.runs[0].isClosed() || f.runs[1].isClosed() {
			t.Fatalf("%d runs", len(f.runs))
		}
		b.shows("running")
		b.keys("ctrl+t")
		b.wait(100 * time.Millisecond)
		if !f.runs[1].isClosed() {
			t.Error("a run that has ended is not closed")
		}
		b.shows("done")
	})
}

func TestStaleMessagesAreDropped(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := &fake{}
		b := start(t, f, Options{})
		defer b.end()
		b.text("one")
		b.keys("ctrl+r", "ctrl+r")
		old := b.model().run.id - 1
		for _, msg := range []tea.Msg{
			snapshotMsg{old, trace.Snapshot{Aggs: []trace.Table{table("stale", 3)}}},
			eventsMsg{old, [][]trace.Event{{{Items: []trace.Item{{Kind: trace.PrintfItem, Text: "stale"}}}}}},
			statusMsg{old, trace.Status{State: trace.Failed, Err: errors.New("stale")}},
			endedMsg{old}, endedMsg{old}, endedMsg{old},
		} {
			b.send(msg)
		}
		if strings.Contains(b.view(), "stale") {
			t.Errorf("something of an earlier run is shown:\n%s", b.view())
		}
		b.shows("running")
		late := &fakeRun{snaps: make(chan trace.Snapshot), events: make(chan []trace.Event), status: make(chan trace.Status, 1), closed: make(chan struct{})}
		b.send(startedMsg{id: old, run: late})
		if !late.isClosed() {
			t.Error("a run that starts too late is left open")
		}
	})
}

func TestAllFourPanesShowARun(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := &fake{probes: []trace.Probe{{Provider: "syscall", Module: "vmlinux", Function: "read", Name: "entry"}}}
		b := start(t, f, Options{})
		defer b.end()
		b.text("script-text")
		b.keys("ctrl+r")
		r := f.runs[0]
		r.snaps <- trace.Snapshot{Seq: 1, Elapsed: time.Second, Aggs: []trace.Table{table("calls", 3)}}
		r.events <- []trace.Event{{Items: []trace.Item{{Kind: trace.PrintfItem, Text: "hello\x1b[2J\n"}}},
			{Kind: trace.DropEvent, Drop: trace.Drop{CPU: 1, Count: 5}}}
		r.status <- trace.Status{State: trace.Running, Elapsed: time.Second, Rate: 1234, Events: 99, Drops: []trace.Drop{{CPU: 1, Count: 5}}}
		b.wait(100 * time.Millisecond)
		b.keys("alt+i")
		b.shows("5 drops on CPU 1", "99, now 1.23k a second")
		b.keys("esc")
		b.shows("syscall", "script-text", "@calls", "process-2", "hello^[[2J", "5 drops on CPU 1", "1.23k/s", "99 events", "▲ 5 drops")
	})
}

// TestStatusOfAggregations shows what a script counts that records nothing.
func TestStatusOfAggregations(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := &fake{}
		b := start(t, f, Options{})
		defer b.end()
		b.keys("ctrl+r")
		r := f.runs[0]
		r.status <- trace.Status{State: trace.Running, Elapsed: time.Second}
		b.wait(100 * time.Millisecond)
		b.shows("0/s  0 events")
		r.snaps <- trace.Snapshot{Seq: 1, Elapsed: time.Second, Aggs: []trace.Table{table("calls", 5)}}
		b.wait(100 * time.Millisecond)
		b.shows("1.0s  @calls 5 keys  10/s  0 probes")
		r.snaps <- trace.Snapshot{Seq: 2, Elapsed: 2 * time.Second, Aggs: []trace.Table{table("calls", 5), table("sizes", 2)}}
		b.wait(100 * time.Millisecond)
		b.shows("1.0s  2 aggregations  7 keys  0 probes")
	})
}

func TestComplaints(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := &fake{}
		b := start(t, f, Options{})
		defer b.end()
		b.text("bad")
		b.wait(time.Second)
		b.shows("bad is no script", "1 error")
		if n := len(f.checks); n == 0 || n > 2 {
			t.Errorf("three letters typed at once were checked %d times", n)
		}
		var list diag.List
		list.Add(token.Span{From: 1, To: 4}, diag.ProbeZero, "no probe is called bad")
		f.refuse = &diag.ListError{File: token.NewFile("script", "bad"), List: list}
		b.keys("ctrl+r")
		b.shows("failed", "no probe is called bad", "[D_PDESC_ZERO]")
		f.refuse = errors.New("needs CAP_BPF: start as root")
		b.keys("ctrl+r")
		b.shows("needs CAP_BPF")
	})
}

func TestQuitAsksOnlyIfTextWouldBeLost(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := &fake{}
		b := start(t, f, Options{})
		b.keys("esc", "q")
		b.wait(50 * time.Millisecond)
		if !b.quit {
			t.Error("an empty script holds the user back")
		}
		b.end()

		b = start(t, f, Options{})
		b.text("text")
		b.keys("ctrl+r", "ctrl+c")
		b.shows("the script has not been saved", "leave without saving")
		if b.quit {
			t.Error("unsaved text is thrown away")
		}
		b.keys("esc", "ctrl+c", "y")
		b.wait(50 * time.Millisecond)
		if !b.quit || !f.runs[len(f.runs)-1].isClosed() {
			t.Error("leaving does not close the run")
		}
		b.end()
	})
}

func TestBeginsWithAText(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := &fake{}
		b := start(t, f, Options{Text: "given", Start: true})
		defer b.end()
		b.shows("given", "running")
		if len(f.runs) != 1 || f.runs[0].script != "given" {
			t.Errorf("%d runs", len(f.runs))
		}
		b.keys("ctrl+c")
		b.wait(50 * time.Millisecond)
		if !b.quit {
			t.Error("a text that was given holds the user back as if it were lost")
		}
	})
}

func TestSignalLeaves(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := &fake{}
		b := start(t, f, Options{})
		defer b.end()
		b.text("text")
		b.keys("ctrl+r")
		b.send(signalMsg{})
		if !b.quit || !f.runs[0].isClosed() {
			t.Error("a signal does not end run and program")
		}
	})
}

func TestFocusByKeysAndMouse(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := start(t, &fake{}, Options{})
		defer b.end()
		for _, tt := range []struct {
			key  string
			want pane
		}{{"alt+3", livePane}, {"tab", outputPane}, {"tab", browserPane}, {"shift+tab", outputPane}, {"1", browserPane},
			{"alt+2", editorPane}, {"esc", browserPane}, {"4", outputPane}} {
			b.keys(tt.key)
			if got := b.model().focus; got != tt.want {
				t.Errorf("%s goes to %v, want %v", tt.key, got, tt.want)
			}
		}
		for p := range panes {
			m := b.model()
			l := m.layout()
			r := l.body[p]
			b.send(tea.MouseMsg{X: r.x + 2, Y: r.y + 1, Button: tea.MouseButtonLeft, Action: tea.MouseActionPress})
			b.send(tea.MouseMsg{X: r.x + 2, Y: r.y + 1, Action: tea.MouseActionRelease})
			if got := b.model().focus; got != p {
				t.Errorf("a click into %v goes to %v", p, got)
			}
		}
		b.keys("alt+3", "+")
		b.shows("━ 3 Live")
		if strings.Contains(b.view(), "1 Probes") {
			t.Error("enlarged, the pane does not have the screen")
		}
		b.keys("esc")
		b.shows("1 Probes")
	})
}

func TestDragABorder(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := start(t, &fake{}, Options{})
		defer b.end()
		m := b.model()
		l := m.layout()
		at := l.borders[0]
		b.send(tea.MouseMsg{X: at.x, Y: 20, Button: tea.MouseButtonLeft, Action: tea.MouseActionPress})
		b.send(tea.MouseMsg{X: at.x + 9, Y: 21, Button: tea.MouseButtonLeft, Action: tea.MouseActionMotion})
		b.send(tea.MouseMsg{X: at.x + 9, Y: 21, Action: tea.MouseActionRelease})
		b.send(tea.MouseMsg{X: at.x + 30, Y: 21, Action: tea.MouseActionMotion})
		m = b.model()
		if l := m.layout(); l.borders[0].x != at.x+9 {
			t.Errorf("the border is at %d, dragged from %d to %d", l.borders[0].x, at.x, at.x+9)
		}
	})
}

func TestHintsAreClickable(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := &fake{}
		b := start(t, f, Options{})
		defer b.end()
		m := b.model()
		b.send(tea.MouseMsg{X: m.hints()[0].x, Y: 39, Button: tea.MouseButtonLeft, Action: tea.MouseActionPress})
		if len(f.runs) != 1 {
			t.Error("a click on the hint of run does not run")
		}
	})
}

// TestNoKeyIsBoundTwice holds that the tables of the root and of each pane do
// not claim one key for two things.
func TestNoKeyIsBoundTwice(t *testing.T) {
	m, err := New(context.Background(), &fake{}, Options{Depth: themes.Plain})
	if err != nil {
		t.Fatal(err)
	}
	for p := range panes {
		seen := map[string]string{}
		rows := append(widget.Helps(&m, always), m.paneKeys(p)...)
		if p != editorPane { // letters are typed there, and it wants tab for itself
			rows = append(rows, widget.Helps(&m, calm)...)
		}
		for _, h := range rows {
			for _, on := range strings.Fields(h.On) {
				if _, ok := widget.ParseKey(on); !ok {
					t.Errorf("%v: no key is called %s", p, on)
				}
				if before := seen[on]; before != "" && on != "ctrl+c" { // copies a selection, else leaves
					t.Errorf("%v: %s means %q and %q", p, on, before, h.Text)
				}
				seen[on] = h.Text
			}
		}
	}
}

// TestHelpListsEveryKey holds that help is all of the tables.
func TestHelpListsEveryKey(t *testing.T) {
	m, err := New(context.Background(), &fake{}, Options{Depth: themes.Plain})
	if err != nil {
		t.Fatal(err)
	}
	listed := map[string]bool{}
	for _, h := range m.helpLines() {
		listed[h.On+h.Text] = true
	}
	for _, table := range [][]widget.Help{widget.Helps(&m, always), widget.Helps(&m, calm), m.paneKeys(browserPane),
		m.paneKeys(editorPane), m.paneKeys(livePane), m.paneKeys(outputPane)} {
		for _, h := range table {
			if !listed[h.On+h.Text] {
				t.Errorf("help lacks %s: %s", h.On, h.Text)
			}
		}
	}
}

// TestAnyKeysAtAnySize throws random keys, sizes and data at the model: no
// panic, and every frame fits the screen.
func TestAnyKeysAtAnySize(t *testing.T) {
	names := strings.Fields(`a / ? q + _ 1 2 3 4 tab shift+tab enter esc up down left right pgup pgdown home end space z s S e y Y n d C
		ctrl+p ctrl+t alt+i alt+1 alt+2 alt+3 alt+4 alt+t f1 f2 backspace ctrl+f ctrl+g ctrl+z [ ] i { } ( " @ x`)
	t.Chdir(t.TempDir()) // whatever is saved by chance goes there
	for seed := range uint64(6) {
		synctest.Test(t, func(t *testing.T) {
			r := rand.New(rand.NewPCG(seed, 1))
			f := &fake{}
			for i := range 200 {
				f.probes = append(f.probes, trace.Probe{ID: uint32(i), Provider: "syscall", Module: "vmlinux", Function: fmt.Sprintf("call%d", i/2), Name: []string{"entry", "return"}[i%2]})
			}
			b := start(t, f, Options{ASCII: seed%2 == 1})
			defer b.end()
			var trail []string
			w, h := 120, 40
			for i := range 250 {
				switch n := r.IntN(20); {
				case n == 0:
					w, h = 1+r.IntN(300), 1+r.IntN(100)
					b.send(tea.WindowSizeMsg{Width: w, Height: h})
				case n == 1:
					b.keys("ctrl+r")
				case n == 2 && len(f.runs) > 0 && b.model().run.run != nil:
					run := f.runs[len(f.runs)-1]
					select {
					case run.snaps <- trace.Snapshot{Seq: uint64(i), Elapsed: time.Duration(i) * time.Second, Aggs: []trace.Table{table("n", r.IntN(40)), table("m", 3)}}:
					default:
					}
					select {
					case run.events <- []trace.Event{{Items: []trace.Item{{Kind: trace.PrintfItem, Text: "text\n"}}}}:
					default:
					}
					b.wait(50 * time.Millisecond)
				case n == 3:
					b.send(tea.MouseMsg{X: r.IntN(w), Y: r.IntN(h), Button: tea.MouseButton(r.IntN(6)), Action: tea.MouseAction(r.IntN(3))})
				default:
					k := names[r.IntN(len(names))]
					trail = append(trail, k)
					b.keys(k)
				}
				if b.quit {
					return
				}
				lines := strings.Split(b.m.View(), "\n")
				if len(lines) != h {
					t.Fatalf("%dx%d: %d lines after %v", w, h, len(lines), trail)
				}
				for y, line := range lines {
					if got := ansi.StringWidth(line); got != w {
						t.Fatalf("%dx%d: line %d is %d wide after %v:\n%q", w, h, y, got, trail, line)
					}
				}
			}
		})
	}
}

// TestBurst types faster than the terminal is read: letters come in one piece.
func TestBurst(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := start(t, &fake{}, Options{})
		b.send(tea.KeyMsg{Type: tea.KeyRunes, Runes: []rune("1"), Alt: true})
		b.send(tea.KeyMsg{Type: tea.KeyRunes, Runes: []rune("431/read")})
		if m := b.model(); m.focus != browserPane || !m.browser.Typing() {
			t.Errorf("focus %v, typing %t", m.focus, m.browser.Typing())
		}
		b.shows("/read")
		b.end()
	})
}

func TestCopyReachesTheTerminal(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var terminal bytes.Buffer
		f := &fake{probes: []trace.Probe{{Provider: "dtrace", Name: "BEGIN"}, {Provider: "dtrace", Name: "END"}}}
		b := start(t, f, Options{Clipboard: &terminal})
		defer b.end()
		b.keys("alt+1", "y")
		if !strings.Contains(terminal.String(), ansi.SetSystemClipboard("dtrace:::")) {
			t.Errorf("the terminal got %q", terminal.String())
		}
	})
}

func TestThemes(t *testing.T) {
	m, err := New(context.Background(), &fake{}, Options{Depth: themes.TrueColor})
	if err != nil {
		t.Fatal(err)
	}
	var model tea.Model = m
	model, _ = model.Update(tea.WindowSizeMsg{Width: 80, Height: 24})
	seen := map[string]bool{}
	for range themes.Names() {
		seen[model.View()] = true
		msg, _ := widget.ParseKey("alt+t")
		model, _ = model.Update(msg)
	}
	if len(seen) != len(themes.Names()) {
		t.Errorf("%d themes look like %d", len(themes.Names()), len(seen))
	}
}

// BenchmarkKeyToFrame measures what lies between a key and its frame with a
// busy live pane and 5,000 lines of output at 200x60. The aim is 16 ms.
func BenchmarkKeyToFrame(b *testing.B) {
	for _, tt := range []struct {
		name string
		key  string
		in   string
	}{{"type", "x", "alt+2"}, {"live", "j", "alt+3"}, {"output", "k", "alt+4"}, {"browse", "j", "alt+1"}} {
		b.Run(tt.name, func(b *testing.B) {
			m := busy(b)
			focus, _ := widget.ParseKey(tt.in)
			m, _ = m.Update(focus)
			key, _ := widget.ParseKey(tt.key)
			seq := uint64(1000)
			for b.Loop() {
				seq++
				m, _ = m.Update(snapshotMsg{1, busySnapshot(seq)})
				m, _ = m.Update(key)
				_ = m.View()
			}
		})
	}
}

func busySnapshot(seq uint64) trace.Snapshot {
	hist := trace.Table{Name: "time", Func: trace.Quantize, KeyTypes: []string{"string"}, Normal: 1}
	for k := range 200 {
		id := fmt.Sprintf("process-%d", k)
		row := trace.Row{ID: id, Keys: []trace.Value{{Kind: trace.StringValue, Str: id}}}
		for e := range 20 {
			n := int64(seq) * int64(e*k%97)
			row.Buckets = append(row.Buckets, trace.Bucket{Label: fmt.Sprint(1 << e), Low: 1 << e, High: 2<<e - 1, Count: n})
			row.Value += n
		}
		row.Count = uint64(row.Value)
		hist.Rows = append(hist.Rows, row)
	}
	return trace.Snapshot{Seq: seq, Elapsed: time.Duration(seq) * 100 * time.Millisecond, Aggs: []trace.Table{hist, table("calls", 1000)}}
}

// busy returns a model at 200x60 with a long script, a run, and much output.
func busy(b *testing.B) tea.Model {
	f := &fake{}
	for i := range 5000 {
		f.probes = append(f.probes, trace.Probe{ID: uint32(i), Provider: "fbt", Module: "vmlinux", Function: fmt.Sprintf("function_%d", i), Name: "entry"})
	}
	root, err := New(context.Background(), f, Options{Depth: themes.TrueColor})
	if err != nil {
		b.Fatal(err)
	}
	var m tea.Model = root
	m, _ = m.Update(tea.WindowSizeMsg{Width: 200, Height: 60})
	m, _ = m.Update(tea.KeyMsg{Type: tea.KeyRunes, Paste: true, Runes: []rune(strings.Repeat("syscall::read:entry\n{\n\t@[execname] = count();\n}\n\n", 100))})
	probes, infos, _ := f.Probes(context.Background(), "")
	m, _ = m.Update(loadedProbes(probes, infos))
	run, _ := f.Run(context.Background(), "")
	root = m.(Model)
	root.run.id, root.run.cancel = 1, func() {}
	m, _ = root.Update(startedMsg{id: 1, run: run})
	var events []trace.Event
	for i := range 5000 {
		events = append(events, trace.Event{Probe: probes[i], Items: []trace.Item{{Kind: trace.PrintfItem, Text: fmt.Sprintf("%d: a line of output that is as long as lines are\n", i)}}})
	}
	m, _ = m.Update(eventsMsg{1, [][]trace.Event{events}})
	return m
}

// BenchmarkView measures a frame alone.
func BenchmarkView(b *testing.B) {
	m := busy(b)
	m, _ = m.Update(snapshotMsg{1, busySnapshot(1000)})
	for b.Loop() {
		_ = m.View()
	}
}
