package ui

import (
	"bytes"
	"errors"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	tea "github.com/charmbracelet/bubbletea"
	"github.com/charmbracelet/x/ansi"

	"dscope.dev/dlang/diag"
	"dscope.dev/dlang/token"
	"dscope.dev/engine/trace"
)

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
		b.shows("5 records on CPU 1 ", "no remedy", "99, now 1.23k a second")
		b.keys("esc")
		b.shows("syscall", "script-text", "@calls", "process-2", "hello^[[2J", "5 drops on CPU 1", "1.23k/s", "99 events", "▲ 5 records on CPU 1 lost: the buffer is full (alt+i)")
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
		if len(f.runs) != 1 || f.runs[0].script.Text != "given" {
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
