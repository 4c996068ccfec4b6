// Package picture draws the figures of the live pane as files: SVG, which any page and any
// drawing program takes in, and one page of HTML with nothing outside of it.
//
// A figure is a function of data, as on the screen, and of the same data: the columns and
// shades of a heat map, the bars of a histogram, and where the frames of an icicle stand
// come from the packages that the live pane draws with (timeline, flow, chart, flame). Only
// what a cell is there is a rectangle here.
//
// Colours are those of the themes dark and light. A file has both: which of them is seen is
// what the reader has chosen for all pages, unless the file is asked to have one alone. What
// a colour says is said by a word or a number, too: each part has a title, which is shown
// under the mouse and read out, and a page has all numbers in tables.
//
// Nothing of a traced process is markup: all text goes through one function (escape).
package picture

import (
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"dscope.dev/dlang/unit"
	"dscope.dev/engine/trace"
	"dscope.dev/ui/flame"
	"dscope.dev/ui/merge"
	"dscope.dev/ui/timeline"
)

// A Kind is a way to draw an aggregation.
type Kind string

// The kinds. Fitting chooses by the aggregation.
const (
	Fitting   Kind = ""
	Heat      Kind = "heat"
	Curve     Kind = "curve"
	Histogram Kind = "histogram"
	Icicle    Kind = "icicle"
)

// kinds are those that can be asked for.
var kinds = []Kind{Heat, Curve, Histogram, Icicle}

// Options say what of a run is drawn.
type Options struct {
	Page   bool   // a page of HTML, with all aggregations; else an SVG, with one
	Kind   Kind   // of the figure
	Theme  string // dark, light, or auto
	Script string // a page shows it
	About  string // where and when the run was, a line
	Agg    string // the one aggregation that is drawn, without its sigil, if One
	One    bool
	At     time.Duration // how far into the run the moment is; 0 is the end
	// Keep says which rows are drawn; nil is all.
	Keep func(t *trace.Table, r *trace.Row) bool
	Say  func(text string) // takes a word about what is left out; nil if nobody is there
}

// A Writer gathers a run and draws it when that is over. It is the sink of the run and,
// beside that, its observer.
type Writer struct {
	o      Options
	out    io.Writer
	rows   merge.Rows
	line   *timeline.Timeline
	length time.Duration
	status trace.Status
	looks  looks
}

// New returns a writer of figures.
func New(out io.Writer, o Options) (*Writer, error) {
	if o.Kind != Fitting && !slices.Contains(kinds, o.Kind) {
		return nil, fmt.Errorf("%q is no figure: heat, curve, histogram, icicle", o.Kind)
	}
	k, err := newLooks(o.Theme)
	if err != nil {
		return nil, err
	}
	return &Writer{o: o, out: out, line: timeline.New(timeline.Budget), looks: k}, nil
}

// Begin is of no matter to a figure.
func (w *Writer) Begin(time.Time) {}

// Snapshot takes in a state of the aggregations.
func (w *Writer) Snapshot(s trace.Snapshot) {
	w.length = max(w.length, s.Elapsed)
	if w.o.At == 0 || s.Elapsed <= w.o.At {
		s.Examples = nil
		w.line.Add(w.rows.Snapshot(s))
	}
}

// Status takes in how the run came along.
func (w *Writer) Status(s trace.Status) {
	w.status = s
	w.length = max(w.length, s.Elapsed)
}

// Events takes what is not drawn.
func (w *Writer) Events([]trace.Event) error { return nil }

// End draws.
func (w *Writer) End(trace.Status, []trace.Table) error {
	if w.o.At > w.length {
		return fmt.Errorf("the run lasted %v: there is nothing at %v", w.length.Round(time.Millisecond), w.o.At)
	}
	list, err := w.figures()
	if err != nil {
		return err
	}
	if w.o.Page {
		return w.page(list)
	}
	if more := len(list) - 1; more > 0 {
		w.say("the figure is of %s; -a @name chooses another aggregation, and html has all", list[0].name())
	}
	return w.looks.svg(w.out, list[0], true)
}

func (w *Writer) say(format string, args ...any) {
	if w.o.Say != nil {
		w.o.Say(fmt.Sprintf(format, args...))
	}
}

// A figure is an aggregation and how it is drawn.
type figure struct {
	kind    Kind
	table   trace.Table // at the moment, with the rows that are drawn, the greatest first
	elapsed time.Duration
	unit    unit.Unit
	length  time.Duration // of an interval
	columns []column      // of a heat map or curve
	tree    *flame.Tree   // of an icicle
}

func (f *figure) name() string { return "@" + f.table.Name + " " + f.table.Func.String() + "()" }

// figures returns what is drawn: each aggregation that has a key.
func (w *Writer) figures() ([]*figure, error) {
	n := w.line.Len()
	if n == 0 {
		return nil, fmt.Errorf("a figure is drawn of an aggregation, and the run has none; @[execname] = count() would make one")
	}
	var out []*figure
	var others, unfit []string
	var last error
	for _, t := range w.line.At(n - 1).Aggs {
		name := "@" + t.Name
		if w.o.One && t.Name != w.o.Agg {
			others = append(others, name)
			continue
		}
		t.Rows = w.kept(&t)
		if len(t.Rows) == 0 {
			continue
		}
		f := &figure{table: t, elapsed: w.line.Elapsed(n - 1), unit: unitOf(&t)}
		if f.kind, last = w.kindOf(&t); last != nil {
			unfit = append(unfit, name)
			continue
		}
		w.fill(f)
		out = append(out, f)
	}
	switch {
	case len(out) > 0:
		if len(unfit) > 0 {
			w.say("%s cannot be drawn so and are left out", strings.Join(unfit, ", "))
		}
		return out, nil
	case last != nil:
		return nil, last
	case w.o.One && len(others) > 0:
		return nil, fmt.Errorf("there is no key of @%s to draw; there are %s", w.o.Agg, strings.Join(others, ", "))
	}
	return nil, fmt.Errorf("a figure is drawn of an aggregation, and there is none with a key here")
}

// kept returns the rows that are drawn, the greatest first.
func (w *Writer) kept(t *trace.Table) []trace.Row {
	rows := slices.Clone(t.Rows)
	if w.o.Keep != nil {
		rows = slices.DeleteFunc(rows, func(r trace.Row) bool { return !w.o.Keep(t, &r) })
	}
	slices.SortStableFunc(rows, func(a, b trace.Row) int {
		switch {
		case a.Value > b.Value:
			return -1
		case a.Value < b.Value:
			return +1
		}
		return 0
	})
	return rows
}

// kindOf returns how an aggregation is drawn, or why it cannot be drawn as is asked for.
func (w *Writer) kindOf(t *trace.Table) (Kind, error) {
	stacks := slices.ContainsFunc(t.Rows, func(r trace.Row) bool { return flame.IsStack(r.Keys) })
	hist := t.Func.IsHistogram()
	name := fmt.Sprintf("@%s is %s()", t.Name, t.Func)
	switch k := w.o.Kind; {
	case k == Icicle && !stacks:
		return k, fmt.Errorf("an icicle is of stacks, and @%s has none as keys: @[stack()] = count() would", t.Name)
	case k == Icicle && !t.Func.AddsUp():
		return k, fmt.Errorf("an icicle is of values that add up, and %s", name)
	case k == Heat && !hist, k == Histogram && !hist:
		return k, fmt.Errorf("a %s is of quantize(), lquantize() or llquantize(), and %s; curve draws it", map[Kind]string{Heat: "heat map", Histogram: "histogram"}[k], name)
	case k == Curve && hist:
		return k, fmt.Errorf("a histogram has no one value for a curve, and %s; heat draws it", name)
	case k != Fitting:
		return k, nil
	case stacks && t.Func.AddsUp():
		return Icicle, nil
	case hist && w.line.Len() > 2:
		return Heat, nil
	case hist:
		return Histogram, nil
	}
	return Curve, nil
}

// fill works out what a figure is drawn of.
func (w *Writer) fill(f *figure) {
	switch f.kind {
	case Icicle:
		f.tree = flame.Merge(&f.table, flame.Options{})
	case Heat:
		f.length, f.columns = w.course(&f.table, heatColumns)
	case Curve:
		f.length, f.columns = w.course(&f.table, curveColumns)
	}
}

// unitOf is what goes into an aggregation is counted in.
func unitOf(t *trace.Table) unit.Unit {
	if t.Func.Counts() {
		return unit.None
	}
	var args []string
	for _, o := range t.Origins {
		args = append(args, o.Arg)
	}
	return unit.Agreed(args)
}
