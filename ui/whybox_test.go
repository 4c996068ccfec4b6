package ui

import (
	"context"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	tea "github.com/charmbracelet/bubbletea"

	"dscope.dev/engine/trace"
)

// TestNarrowIsOneStep asks about a key, narrows the script to it, runs that, and takes it
// back with one undo. A script that was edited since its run began is left alone.
func TestNarrowIsOneStep(t *testing.T) {
	const script = "BEGIN { @n[execname] = count(); @m = count(); }"
	from := strings.Index(script, "@n")
	one := table("n", 2)
	one.Origins = []trace.Origin{{From: from, To: strings.Index(script, " @m"), Keys: []string{"execname"}, Dims: []trace.Dimension{{Name: "execname", Expr: "execname", Key: true}}}}
	synctest.Test(t, func(t *testing.T) {
		f := &fake{}
		b := start(t, f, Options{Text: script, Start: true})
		defer b.end()
		snap := trace.Snapshot{Seq: 1, Elapsed: time.Second, Aggs: []trace.Table{one}, Examples: []trace.Example{{Weight: 1, Value: 1, Facts: []trace.Value{one.Rows[1].Keys[0]}}}}
		f.runs[0].snaps <- snap
		b.wait(100 * time.Millisecond)
		b.keys("alt+3", "x")
		b.shows("Examples: @n", "enter opens one")
		b.keys("esc", "n")
		b.shows("Narrow the script", `+ BEGIN /execname == "process-`)
		b.keys("enter")
		b.wait(time.Second)
		if got := f.runs[len(f.runs)-1].script.Text; len(f.runs) != 2 || !strings.Contains(got, `BEGIN /execname == "process-`) {
			t.Errorf("%d runs, the last of %s", len(f.runs), got)
		}
		b.keys("alt+2", "ctrl+z")
		if got := b.model().editor.Document().Text(); got != script {
			t.Errorf("one undo leaves %s", got)
		}
		f.runs[1].snaps <- snap // of a run whose script is no longer in the editor
		b.wait(100 * time.Millisecond)
		b.keys("alt+3", "n", "enter")
		if len(f.runs) != 2 || b.model().editor.Document().Text() != script {
			t.Error("another script is narrowed")
		}
	})
}

// The box has the wheel and clicks while it is there; beside it a click goes back.
func TestBoxMouse(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := &fake{}
		b := start(t, f, Options{Text: "BEGIN { @n[execname] = count(); }", Start: true})
		defer b.end()
		one := table("n", 2)
		one.Origins = []trace.Origin{{Keys: []string{"execname"}, Dims: []trace.Dimension{{Name: "execname", Expr: "execname", Key: true}}}}
		snap := trace.Snapshot{Seq: 1, Elapsed: time.Second, Aggs: []trace.Table{one}}
		for i := range 9 {
			snap.Examples = append(snap.Examples, trace.Example{Weight: 1, Value: int64(i), Facts: []trace.Value{one.Rows[1].Keys[0]}})
		}
		f.runs[0].snaps <- snap
		b.wait(100 * time.Millisecond)
		b.keys("alt+3", "x")
		b.send(tea.MouseMsg{X: 60, Y: 10, Button: tea.MouseButtonWheelDown, Action: tea.MouseActionPress})
		left := func(x, y int) tea.Msg {
			return tea.MouseMsg{X: x, Y: y, Button: tea.MouseButtonLeft, Action: tea.MouseActionPress}
		}
		b.send(left(60, 7)) // chooses
		b.shows("Examples: @n")
		b.send(left(60, 7)) // opens
		b.shows("Example of @n", "value")
		b.send(left(0, 10))
		b.shows("Examples: @n")
		b.send(left(0, 10))
		if b.model().overlay != nil {
			t.Error("a click beside the box does not close it")
		}
	})
}

// leading is a backend that knows where numbers lead.
type leading struct {
	fake
	asked []trace.Lead
}

func (l *leading) Lead(_ context.Context, lead trace.Lead) (string, error) {
	time.Sleep(time.Second)
	l.asked = append(l.asked, lead)
	return "/etc/prices", nil
}

// TestFollowIsOneStep follows an example to a question about its thread, which takes the place
// of a script that has been edited meanwhile, and is taken back with one undo.
func TestFollowIsOneStep(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := &leading{}
		b := start(t, f, Options{Text: "BEGIN { }", Start: true})
		defer b.end()
		one := table("n", 1)
		one.Origins = []trace.Origin{{Keys: []string{"execname"}, Dims: []trace.Dimension{{Name: "execname", Expr: "execname", Key: true},
			{Name: "pid", Expr: "pid"}, {Name: "thread", Expr: "tid"}, {Name: "descriptor", Expr: "(int)arg0"}}}}
		n := func(n int64) trace.Value { return trace.Value{Kind: trace.IntValue, Size: 4, Int: n} }
		f.runs[0].snaps <- trace.Snapshot{Seq: 1, Elapsed: time.Second, Aggs: []trace.Table{one}, Examples: []trace.Example{{Weight: 1, Value: 1,
			Probe: trace.Probe{Provider: "syscall", Function: "read", Name: "entry"}, Facts: []trace.Value{one.Rows[0].Keys[0], n(70), n(71), n(3)}}}}
		b.wait(100 * time.Millisecond)
		b.keys("alt+2")
		b.text("/* mine */ ")
		text := b.model().editor.Document().Text()
		b.keys("alt+3", "x", "enter", "f")
		b.shows("thread 71: What does this thread wait for", "looking …")
		b.wait(2 * time.Second)
		b.shows("/etc/prices now")
		if len(f.asked) != 1 || f.asked[0].N != 3 || f.asked[0].PID != 70 {
			t.Errorf("asked %+v", f.asked)
		}
		b.keys("enter")
		b.shows("+ /tid == 71/")
		b.keys("enter")
		b.wait(time.Second)
		if got := f.runs[len(f.runs)-1].script.Text; len(f.runs) != 2 || !strings.Contains(got, "/tid == 71/") || strings.Contains(got, "mine") {
			t.Errorf("%d runs, the last of %s", len(f.runs), got)
		}
		b.keys("alt+2", "ctrl+z")
		if got := b.model().editor.Document().Text(); got != text {
			t.Errorf("one undo leaves %s", got)
		}
	})
}
