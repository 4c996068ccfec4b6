package ui

import (
	"strings"
	"testing"
	"testing/synctest"
	"time"

	tea "github.com/charmbracelet/bubbletea"

	"dscope.dev/engine/trace"
)

// lossy is the state of a run that has lost of everything.
func lossy() trace.Status {
	return trace.Status{State: trace.Running, Elapsed: 4 * time.Second, Events: 10, Probes: 2, Missing: []string{"not used: attach to tracepoint gone"},
		Hooks: []string{"syscall::read:entry by a tracepoint", "not used: attach to tracepoint gone"},
		Drops: []trace.Drop{
			{CPU: 0, Count: 3, Cure: "bufsize=8m"}, {CPU: 1, Count: 4, Cure: "bufsize=8m"},
			{Kind: trace.DropAggregation, CPU: -1, Count: 43947, Where: "@k", Cure: "aggsize=8m"},
			{Kind: trace.DropRecursion, CPU: -1, Count: 12, Where: "fbt::evil\x1b[2J:entry"},
		}}
}

// TestLedgerTakesTheRemedy names the greatest loss in the status line, lists all, and takes
// the remedy of one: an option in the script, run in place of the run, undone in one step.
func TestLedgerTakesTheRemedy(t *testing.T) {
	const script = "#pragma D option aggsize=4k\nBEGIN { @k[pid] = count(); }"
	synctest.Test(t, func(t *testing.T) {
		f := &swapping{}
		b := start(t, f, Options{Text: script, Start: true})
		defer b.end()
		f.runs[0].status <- trace.Status{State: trace.Running, Elapsed: time.Second}
		b.wait(100 * time.Millisecond)
		b.keys("alt+i", "f")
		b.shows("lost     nothing", "go to a loss to take its remedy")
		b.keys("esc")
		f.runs[0].status <- lossy()
		b.wait(100 * time.Millisecond)
		b.shows("▲ 43,947 firings of @k lost: its table is full (alt+i)")
		b.keys("alt+i")
		b.shows("Run 1: how it goes", "43,947 firings of @k", "since 4.0s  f aggsize=8m", "had no room for another key", "f sets aggsize=8m in the script",
			"12 firings of fbt::evil^[[2J:entry", "no remedy", "7 records on CPUs 0-1", "f bufsize=8m", "left out not used: attach to tracepoint gone", "hooks    syscall::read:entry")
		b.keys("down", "f")
		b.shows("no option helps against this", "trace fewer functions")
		b.keys("up", "f")
		b.wait(time.Second)
		if len(f.runs) != 2 || len(f.swapped) != 1 || f.runs[1].script.Text != strings.Replace(script, "aggsize=4k", "aggsize=8m", 1) {
			t.Fatalf("%d runs, the last of %q", len(f.runs), f.runs[len(f.runs)-1].script.Text)
		}
		b.shows("aggsize=8m")
		b.keys("alt+2", "ctrl+z")
		if got := b.model().editor.Document().Text(); got != script {
			t.Errorf("one undo leaves %q", got)
		}
		f.runs[1].status <- lossy() // of a run whose script is no longer in the editor
		b.wait(100 * time.Millisecond)
		b.keys("alt+i", "f")
		b.shows("the script was edited: run it first")
		if len(f.runs) != 2 {
			t.Error("it was run all the same")
		}
	})
}

// A recording cannot be run otherwise, and says so.
func TestNoRemedyForARecording(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := &fake{}
		b := start(t, f, Options{Text: "BEGIN { }", Start: true, Source: "recording of then"})
		defer b.end()
		f.runs[0].status <- lossy()
		b.wait(100 * time.Millisecond)
		b.keys("alt+i", "f")
		b.shows("a recording cannot be run otherwise")
		if len(f.runs) != 1 {
			t.Error("it was run")
		}
	})
}

// detached starts a run that the air bag stops.
func detached(b *bench, f *fake, n int) {
	r := f.runs[n]
	r.failed = &trace.DearError{Share: 0.34, Limit: 0.2 * float64(n+1)} // which a run says twice
	r.status <- trace.Status{State: trace.Failed, Elapsed: 3 * time.Second, Err: r.failed}
	r.stop.Do(func() {
		close(r.snaps)
		close(r.events)
		close(r.status)
	})
	b.wait(100 * time.Millisecond)
}

// TestAirBagResumes tells of a run that was detached, and runs it again with twice the
// limit, then with none: for that run alone, the script stays as it is.
func TestAirBagResumes(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := &fake{}
		b := start(t, f, Options{Text: "syscall::: { @ = count(); }", Start: true})
		defer b.end()
		b.keys("alt+i", "r")
		b.shows("the air bag has not stopped this run")
		b.keys("esc")
		detached(b, f, 0)
		b.shows("detached", "air bag: 34% CPU, limit 20% (alt+i)")
		b.keys("alt+3", "j") // a notice goes with the next key, this does not
		b.shows("air bag: 34% CPU, limit 20% (alt+i)")
		b.keys("alt+i")
		b.shows("took 34% of all CPUs, the limit is 20%", "stopped to protect the machine", "r runs it again with a limit of 40%, o without a limit")
		b.keys("r")
		b.wait(time.Second)
		if len(f.runs) != 2 || len(f.runs[1].script.Options) != 1 || f.runs[1].script.Options[0] != "airbag=40%" || f.runs[1].script.Text != f.runs[0].script.Text {
			t.Fatalf("run again with %+v", f.runs[len(f.runs)-1].script)
		}
		b.shows("running", "air bag at 40%")
		f.runs[1].status <- lossy()
		b.wait(100 * time.Millisecond)
		b.keys("alt+i", "f") // another remedy keeps the limit
		b.wait(time.Second)
		if len(f.runs) != 3 || len(f.runs[2].script.Options) != 1 || f.runs[2].script.Options[0] != "airbag=40%" {
			t.Fatalf("run again with %+v", f.runs[len(f.runs)-1].script)
		}
		detached(b, f, 2)
		b.keys("alt+i", "o")
		b.wait(time.Second)
		if o := f.runs[3].script.Options; len(o) != 1 || o[0] != "airbag=off" {
			t.Errorf("run again with %v", o)
		}
		b.shows("no air bag")
		b.keys("ctrl+r")
		if o := f.runs[4].script.Options; len(o) != 0 {
			t.Errorf("the next run has %v", o)
		}
	})
}

// A limit in the script comes before that of the call: it is changed there.
func TestAirBagOfTheScript(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := &fake{}
		b := start(t, f, Options{Text: "#pragma D option airbag=20%\nsyscall::: { @ = count(); }", Start: true})
		defer b.end()
		detached(b, f, 0)
		b.keys("alt+i", "r")
		b.wait(time.Second)
		if s := f.runs[1].script; len(s.Options) != 0 || s.Text != "#pragma D option airbag=40%\nsyscall::: { @ = count(); }" {
			t.Errorf("run again with %+v", s)
		}
	})
}

// A click chooses a line of the ledger, one beside it closes it.
func TestLedgerMouse(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := &fake{}
		b := start(t, f, Options{Text: "BEGIN { }", Start: true})
		defer b.end()
		f.runs[0].status <- lossy()
		b.wait(100 * time.Millisecond)
		b.keys("alt+i")
		b.shows("Keys that were there already")
		y := 0
		for i, line := range strings.Split(b.m.View(), "\n") {
			if strings.Contains(line, "7 records on CPUs 0-1") {
				y = i
			}
		}
		left := func(x, y int) tea.Msg {
			return tea.MouseMsg{X: x, Y: y, Button: tea.MouseButtonLeft, Action: tea.MouseActionPress}
		}
		b.send(left(20, y))
		b.shows("7 records on CPUs 0-1 were lost, the first 4.0s after the start")
		b.send(left(0, 5))
		if b.model().overlay != nil {
			t.Error("a click beside the ledger leaves it open")
		}
	})
}

// The ledger finds strings that are cut in what was aggregated last, and their remedy.
func TestLedgerFindsWhatIsCut(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := &fake{}
		b := start(t, f, Options{Text: "BEGIN { @k[execname] = count(); }", Start: true})
		defer b.end()
		one := table("k", 3)
		one.Rows[1].Keys[0].Str = strings.Repeat("long", 64)
		f.runs[0].snaps <- trace.Snapshot{Seq: 1, Elapsed: time.Second, Aggs: []trace.Table{one}}
		b.wait(100 * time.Millisecond)
		b.keys("alt+i")
		b.wait(100 * time.Millisecond)
		b.shows("lost     1 string in keys of @k", "f strsize=512", "is as long as it may be. What came after the first strsize bytes")
		b.keys("f")
		b.wait(time.Second)
		if got := f.runs[len(f.runs)-1].script.Text; got != "#pragma D option strsize=512\nBEGIN { @k[execname] = count(); }" {
			t.Errorf("it runs %q", got)
		}
		b.keys("alt+i")
		b.wait(100 * time.Millisecond)
		b.shows("lost     nothing")
	})
}

// Firings whose clause was given up are in the ledger, counted by place and reason.
func TestLedgerCountsFaults(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := &fake{}
		b := start(t, f, Options{Text: "BEGIN { trace(*(int *)16); }", Start: true})
		defer b.end()
		fault := func(line int, file string) trace.Event {
			return trace.Event{Kind: trace.FaultEvent, Fault: trace.Fault{Kind: trace.FaultBadAddr, Addr: 16, EPID: 1, Action: 1, Line: line, File: file}}
		}
		f.runs[0].status <- trace.Status{State: trace.Running, Elapsed: 2 * time.Second}
		b.wait(100 * time.Millisecond)
		f.runs[0].events <- []trace.Event{fault(3, ""), {Kind: trace.DataEvent}, fault(3, "")}
		b.wait(100 * time.Millisecond)
		f.runs[0].events <- []trace.Event{fault(3, ""), fault(7, "net.d")}
		f.runs[0].status <- trace.Status{State: trace.Running, Elapsed: 5 * time.Second}
		b.wait(100 * time.Millisecond)
		b.keys("alt+i")
		b.shows("lost     3 firings in line 3 (invalid address)", "1 firing in line 7 of net.d (invalid address)", "3 firings in line 3 (invalid address) were lost, the first 2.0s", "nothing of the firing is kept")
	})
}
