package ui

import (
	"os"
	"path/filepath"
	"slices"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"dscope.dev/engine/trace"
	"dscope.dev/ui/history"
)

// Every run is remembered with its end, found by the words of its script in a later workbench,
// opened and run again as it was.
func TestHistory(t *testing.T) {
	state, path := t.TempDir(), filepath.Join(t.TempDir(), "a.d")
	if err := os.WriteFile(path, []byte("BEGIN { trace($1); }\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	synctest.Test(t, func(t *testing.T) {
		b := start(t, &fake{}, Options{State: state, Path: path, Kernel: "6.18.44"})
		b.keys("alt+2", "alt+a")
		b.text("-x quiet 7")
		b.keys("enter", "ctrl+r")
		b.keys("ctrl+t")
		b.wait(time.Second)
		b.keys("alt+2", "ctrl+n")
		b.text("END { }")
		b.keys("ctrl+r") // and the workbench ends while it goes on
		b.wait(time.Second)
		b.end()
	})
	list, err := history.New(state).List()
	if err != nil || len(list) != 2 || !list[1].Ended || list[1].Call != "-x quiet 7" || list[1].Path != path || list[1].Kernel != "6.18.44" {
		t.Fatalf("%v, %+v is remembered", err, list)
	}
	synctest.Test(t, func(t *testing.T) {
		f := &fake{}
		b := start(t, f, Options{State: state})
		b.wait(10 * time.Second) // the clock of the first workbench began at the same time
		b.keys("alt+g")
		b.shows("History of runs", "began              length  drops  script", "a.d", "untitled", "END { }")
		b.text("trace")
		b.shows("a.d  -x quiet 7 on Linux 6.18.44", "BEGIN { trace($1); }")
		b.keys("ctrl+r")
		if len(f.runs) != 1 {
			t.Fatalf("%d runs", len(f.runs))
		}
		b.wait(time.Second)
		b.keys("alt+g")
		b.shows("running      0  a.d")
		b.keys("esc", "alt+2")
		if s := f.runs[0].script; s.Text != "BEGIN { trace($1); }\n" || !slices.Equal(s.Args, []string{"7"}) || !slices.Equal(s.Options, []string{"quiet"}) {
			t.Errorf("it runs %+v", s)
		}
		b.shows("a.d  -x quiet 7")
		b.keys("alt+g", "enter") // the script that is in front already
		b.text("x")
		b.keys("alt+g")
		b.text("nothing of the kind")
		b.shows("no run has all these words")
		b.keys("esc")
		b.end()
	})
}

// A run of which nobody has seen the end is none without events and drops.
func TestHistoryWithoutEnd(t *testing.T) {
	state := t.TempDir()
	if err := history.New(state).Begin(history.Run{ID: "a", Began: time.Unix(1, 0), Kernel: "6.18", Path: "/a.d"}, "BEGIN { }"); err != nil {
		t.Fatal(err)
	}
	synctest.Test(t, func(t *testing.T) {
		b := start(t, &fake{}, Options{State: state})
		b.keys("alt+g")
		b.shows("no end         a.d", "/a.d on Linux 6.18, its end was not seen")
		b.keys("esc")
		b.end()
	})
}

// The end of a run is remembered when the workbench ends, though it does not wait to see it.
func TestHistoryOfWhoEnds(t *testing.T) {
	for name, end := range map[string]func(*bench){
		"signal": func(b *bench) { b.send(signalMsg{syscall.SIGHUP}) },
		"keys":   func(b *bench) { b.keys("ctrl+q", "y") },
	} {
		t.Run(name, func(t *testing.T) {
			state := t.TempDir()
			synctest.Test(t, func(t *testing.T) {
				f := &fake{}
				b := start(t, f, Options{State: state})
				b.text("END { }")
				b.keys("ctrl+r")
				run := f.runs[0]
				run.status <- trace.Status{State: trace.Running, Elapsed: time.Second, Events: 7}
				b.wait(time.Second)
				run.stop.Do(func() {}) // closing it closes no channel
				end(b)
				if !b.quit {
					t.Error("the workbench goes on")
				}
				list, err := history.New(state).List()
				if err != nil || len(list) != 1 || !list[0].Ended || list[0].Length != time.Second || list[0].Events != 7 {
					t.Errorf("%v, %+v is remembered", err, list)
				}
				close(run.snaps)
				close(run.events)
				close(run.status)
				b.end()
			})
		})
	}
}
