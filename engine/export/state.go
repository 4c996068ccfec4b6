package export

import (
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"dscope.dev/engine/trace"
)

// A state gathers the aggregations as they stood at the moment that is written, and then
// writes them. What is printed before it hands on.
type state struct {
	o       Options
	out     io.Writer
	write   func(io.Writer, []trace.Table, *state) error // nil if it prints
	printer trace.Sink                                   // nil if it does not

	began  time.Time
	last   trace.Snapshot // at the moment
	length time.Duration  // of the run, as far as it was seen
}

func (s *state) Begin(began time.Time) { s.began = began }

func (s *state) Snapshot(n trace.Snapshot) {
	s.length = max(s.length, n.Elapsed)
	if s.o.At == 0 || n.Elapsed <= s.o.At {
		s.last = n
	}
}

func (s *state) Status(n trace.Status) { s.length = max(s.length, n.Elapsed) }

func (s *state) Events(batch []trace.Event) error {
	if s.o.At != 0 {
		until := s.began.Add(s.o.At)
		batch = slices.DeleteFunc(slices.Clone(batch), func(e trace.Event) bool { return e.Time.After(until) })
	}
	if s.printer == nil || s.o.One || len(batch) == 0 {
		return nil
	}
	return s.printer.Events(batch)
}

func (s *state) End(status trace.Status, aggs []trace.Table) error {
	if s.o.At > s.length {
		return fmt.Errorf("the run lasted %v: there is nothing at %v", s.length.Round(time.Millisecond), s.o.At)
	}
	if s.o.At == 0 && s.last.Aggs == nil { // nobody has shown snapshots
		s.last.Aggs = aggs
	}
	tables, err := s.tables()
	if err != nil {
		return err
	}
	if s.printer != nil {
		if status.State == trace.Failed { // what there is of it is asked for
			status.State = trace.Done
		}
		return s.printer.End(status, tables)
	}
	return s.write(s.out, tables, s)
}

// tables returns the aggregations that are written.
func (s *state) tables() ([]trace.Table, error) {
	var out []trace.Table
	for _, t := range s.last.Aggs {
		if s.o.One && t.Name != s.o.Agg {
			continue
		}
		if s.o.Keep != nil {
			rows := t.Rows
			t.Rows = nil
			for i := range rows {
				if s.o.Keep(&t, &rows[i]) {
					t.Rows = append(t.Rows, rows[i])
				}
			}
		}
		out = append(out, t)
	}
	switch {
	case s.o.One && out == nil && len(s.last.Aggs) > 0:
		return nil, fmt.Errorf("there is no aggregation @%s, but %s", s.o.Agg, called(s.last.Aggs))
	case s.write == nil && !s.o.One || rows(out) > 0:
		return out, nil
	}
	return nil, fmt.Errorf("%s has aggregations, and there are none with a key here; what was printed is in %s", s.o.Format.Name, eventful())
}

func rows(tables []trace.Table) (n int) {
	for i := range tables {
		n += len(tables[i].Rows)
	}
	return n
}

// eventful names the formats that have what was printed.
func eventful() string {
	var list []string
	for _, f := range formats {
		if f.Events {
			list = append(list, f.Name)
		}
	}
	return strings.Join(list, ", ")
}

// called names aggregations with their functions: @n count(), @q quantize().
func called(tables []trace.Table) string {
	var list []string
	for i := range tables {
		list = append(list, title(&tables[i]))
	}
	return strings.Join(list, ", ")
}

func title(t *trace.Table) string { return "@" + t.Name + " " + t.Func.String() + "()" }
