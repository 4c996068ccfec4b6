package plain

import (
	"fmt"
	"slices"
	"strings"
	"sync"

	"dscope.dev/engine/trace"
	"dscope.dev/ui/datum"
	"dscope.dev/ui/output"
	"dscope.dev/ui/widget"
)

// running is a run, and what was heard of it last.
type running struct {
	run trace.Run

	mu     sync.Mutex
	snap   trace.Snapshot
	status trace.Status
}

func (w *bench) start(string) {
	if strings.TrimSpace(w.text()) == "" {
		w.say("there is no script")
		return
	}
	run, err := w.back.Run(w.ctx, w.script())
	if err != nil {
		w.failed(err)
		return
	}
	if w.run != nil {
		_ = w.run.run.Close() // what ends now has told of itself
	}
	r := &running{run: run, status: trace.Status{State: trace.Running}}
	w.run = r
	w.say("running")
	var heard sync.WaitGroup
	heard.Go(func() {
		for batch := range run.Events() {
			w.print(batch)
		}
	})
	heard.Go(func() {
		for s := range run.Snapshots() {
			r.mu.Lock()
			r.snap = s
			r.mu.Unlock()
		}
	})
	heard.Go(func() {
		for s := range run.Status() {
			r.mu.Lock()
			r.status = s
			r.mu.Unlock()
		}
	})
	w.end.Go(func() {
		heard.Wait()
		w.over(r)
	})
}

// print says what a run prints.
func (w *bench) print(batch []trace.Event) {
	w.mu.Lock()
	defer w.mu.Unlock()
	for e := range trace.Each(batch) {
		for _, line := range output.Lines(e) {
			fmt.Fprintln(w.out, line)
		}
	}
}

// over says how a run has ended, and what it has found.
func (w *bench) over(r *running) {
	r.mu.Lock()
	defer r.mu.Unlock()
	w.say("%s", r.words())
	for _, d := range r.status.Drops {
		if d.Count > 0 {
			w.say("lost: %s", datum.Drop(d))
		}
	}
	for i := range r.snap.Aggs {
		w.table(&r.snap.Aggs[i])
	}
}

// words say how a run is.
func (r *running) words() string {
	s := r.status
	out := s.State.String() + " for " + widget.Elapsed(s.Elapsed)
	if s.State >= trace.Done {
		out = s.State.String() + " after " + widget.Elapsed(s.Elapsed)
	}
	out += ", " + widget.Count(int(s.Events), "record") + ", " + widget.Count(s.Probes, "probe")
	if n := datum.Drops(s.Drops); n > 0 {
		out += fmt.Sprintf(", %d lost", n)
	}
	if s.Exited && s.Exit != 0 {
		out += fmt.Sprintf(", exit %d", s.Exit)
	}
	if s.Err != nil {
		out += ": " + widget.Safe(s.Err.Error())
	}
	return out
}

func (w *bench) stop(string) {
	if w.run == nil {
		w.say("nothing runs")
		return
	}
	w.run.run.Stop()
}

func (w *bench) status() {
	if w.run == nil {
		w.say("nothing has run yet")
		return
	}
	w.run.mu.Lock()
	defer w.run.mu.Unlock()
	w.say("%s", w.run.words())
}

// tables says the tables of a run, or those of a name.
func (w *bench) tables(name string) {
	if w.run == nil {
		w.say("nothing has run yet")
		return
	}
	w.run.mu.Lock()
	defer w.run.mu.Unlock()
	said := false
	for i := range w.run.snap.Aggs {
		if t := &w.run.snap.Aggs[i]; name == "" || strings.TrimPrefix(name, "@") == t.Name {
			w.table(t)
			said = true
		}
	}
	if !said {
		w.say("there is no such table yet")
	}
}

// table says a table, the greatest row first: a line a row, which begins with its key.
func (w *bench) table(t *trace.Table) {
	rows := slices.Clone(t.Rows)
	slices.SortStableFunc(rows, func(a, b trace.Row) int {
		switch {
		case a.Value > b.Value:
			return -1
		case a.Value < b.Value:
			return 1
		}
		return 0
	})
	w.say("table @%s, %s, %s", widget.Safe(t.Name), t.Func, widget.Count(len(rows), "row"))
	normal := int64(max(t.Normal, 1))
	for i, r := range rows {
		if i == most {
			w.say("and %d more", len(rows)-most)
			return
		}
		var keys []string
		for _, k := range r.Keys {
			keys = append(keys, datum.Text(k))
		}
		key := strings.Join(keys, ", ")
		if key == "" {
			key = "all"
		}
		if !t.Func.IsHistogram() {
			w.say("%s: %d", key, r.Value/normal)
			continue
		}
		var buckets []string
		for _, b := range r.Buckets {
			if b.Count != 0 {
				buckets = append(buckets, fmt.Sprintf("%s: %d", b.Label, b.Count/normal))
			}
		}
		w.say("%s: %d values; %s", key, r.Value/normal, strings.Join(buckets, ", "))
	}
}
