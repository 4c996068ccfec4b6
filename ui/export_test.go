package ui

import (
	"context"
	"errors"
	"io/fs"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"dscope.dev/engine/trace"
)

// An exports is an exporter that notes what it is asked for.
type exports struct {
	got Export
	n   int
	err error
}

func (x *exports) exporter() Exporter {
	return Exporter{
		Formats: []ExportFormat{{"text", ".txt", "as printed"}, {"json", ".json", "a document"}, {"chrome", ".trace.json", "over time"}, {"csv", ".csv", "lines"}, {"svg", ".svg", "a figure"}},
		Write: func(_ context.Context, e Export) (string, string, error) {
			x.got = e
			x.n++
			return e.File, "that form", x.err
		},
	}
}

// values returns what the last snapshot has in all of its first aggregation that is shown.
func (x *exports) values() (sum int64) {
	var last trace.Snapshot
	for s := range x.got.Past.Snapshots {
		last = s
	}
	if len(last.Aggs) == 0 {
		return 0
	}
	t := &last.Aggs[0]
	for i := range t.Rows {
		if v := x.got.View; v == nil || v.Keep(t, &t.Rows[i]) {
			sum += t.Rows[i].Value
		}
	}
	return sum
}

// TestExport exports what the live pane shows, the output, and all of a run; by key and from
// the palette; and replaces no file that it was not told to.
func TestExport(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f, x := &fake{}, &exports{}
		b := start(t, f, Options{Export: x.exporter()})
		defer b.end()
		b.keys("alt+3", "E")
		b.shows("nothing has been run yet")
		b.plays(f, "one", 10, 10, 10)

		b.keys("E")
		b.shows("Export @", "dscope-", ".csv", "> ", "all of the run", "as printed")
		b.keys("enter")
		b.wait(100 * time.Millisecond)
		b.shows(".csv has @calls (that form)")
		if v := x.got.View; v == nil || v.Figure != "" || x.got.Replace || x.values() != 90 || !strings.HasSuffix(x.got.File, ".csv") {
			t.Errorf("%+v", x.got)
		}

		b.keys("h", "E", "enter") // the curve of the key under the cursor
		b.wait(100 * time.Millisecond)
		if v := x.got.View; v == nil || v.Figure != "curve" || x.values() != 60 {
			t.Errorf("%+v with %d", v, x.values())
		}
		b.keys("E")
		b.shows("Export the curve of @", ".svg")
		b.keys("tab")
		b.shows("Export all of run 1")
		b.keys("down") // after the last comes the first
		b.shows(".txt")
		b.keys("up", "up", "up")
		b.shows(".trace.json")
		b.keys("enter")
		b.wait(100 * time.Millisecond)
		b.shows(" has all of run 1")
		if x.got.View != nil || len(x.got.Past.Events) != 3 || x.values() != 90 || !strings.HasSuffix(x.got.File, ".trace.json") {
			t.Errorf("%+v", x.got)
		}

		b.keys("alt+4", "alt+ctrl+x")
		b.shows("Export the output", ".txt")
		b.keys("ctrl+u")
		b.keys(strings.Split("q.txt", "")...) // letters are text here
		b.keys("enter")
		b.wait(100 * time.Millisecond)
		b.shows("q.txt has the output")
		if x.values() != 0 || len(x.got.Past.Events) != 3 {
			t.Errorf("%+v", x.got)
		}

		// Of a run that has ended, at the moment that is shown.
		b.plays(f, "two", 5, 5)
		b.keys("alt+3", ",", "E", "enter")
		b.wait(100 * time.Millisecond)
		var moment time.Duration
		for s := range x.got.Past.Snapshots {
			if s.Seq == 1 {
				moment = s.Elapsed
			}
		}
		if v := x.got.View; v == nil || v.At != moment || x.got.Past.Script != "two" {
			t.Errorf("%+v, want the moment %v", v, moment)
		}
	})
}

func TestExportReplaces(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f, x := &fake{}, &exports{err: fs.ErrExist}
		b := start(t, f, Options{Export: x.exporter()})
		defer b.end()
		b.plays(f, "one", 10)
		b.keys("alt+3", "ctrl+p")
		b.keys(strings.Split("export what", "")...)
		b.keys("enter")
		b.shows("Export @")
		b.keys("enter")
		b.wait(100 * time.Millisecond)
		b.shows("there is a file of that name; enter again replaces it")
		b.keys("backspace") // another name is another file
		b.keys("v", "enter")
		b.wait(100 * time.Millisecond)
		if x.got.Replace {
			t.Error("the name was changed meanwhile")
		}
		x.err = nil
		b.keys("enter")
		b.wait(100 * time.Millisecond)
		if !x.got.Replace || x.n != 3 {
			t.Errorf("%d times, replace %v", x.n, x.got.Replace)
		}
		b.shows(" has @calls (that form)")

		x.err = errors.New("no space left")
		b.keys("E", "enter")
		b.wait(100 * time.Millisecond)
		b.shows("Export @", "no space left")
		b.keys("ctrl+u", "enter")
		b.shows("the file needs a name")
		b.keys("esc")
		if x.n != 4 {
			t.Errorf("written %d times", x.n)
		}
	})
}

// TestBeside shows observers each run of the workbench.
func TestBeside(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f, w, words := &fake{}, &watcher{}, make(chan string, 1)
		b := start(t, f, Options{Beside: []trace.Observer{w}, Words: words})
		defer b.end()
		defer close(words)
		words <- "nobody takes it"
		b.wait(100 * time.Millisecond)
		b.shows("nobody takes it")
		b.plays(f, "one", 10, 10)
		b.plays(f, "two", 5)
		if w.begun != 2 || w.snaps != 3 || w.states == 0 {
			t.Errorf("%+v", w)
		}
		b.keys("alt+3", "E")
		b.shows("nothing is exported here")
	})
}

type watcher struct{ begun, snaps, states int }

func (w *watcher) Begin(time.Time)         { w.begun++ }
func (w *watcher) Snapshot(trace.Snapshot) { w.snaps++ }
func (w *watcher) Status(trace.Status)     { w.states++ }
