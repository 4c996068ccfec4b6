// Package export writes a run in the forms that other tools open: as dtrace(1) prints it,
// as CSV, JSON, NDJSON and a table of Markdown; stacks as flamegraph.pl folds them and as
// a profile of pprof; and what happened when as a trace that Perfetto and Chrome load.
//
// A Writer stands where a screen or a printer stands: it is the sink of a run and its
// observer (trace.Follow), so a run is exported alike while it goes on, from a recording,
// and from what a workbench keeps of it. Nothing here knows files or a kernel.
//
// Three kinds of writers are behind it. Printers (text, JSON, NDJSON) write what comes. The
// tables (CSV, Markdown, folded stacks, pprof) need one state of the aggregations: that at
// the end, or at a moment that is asked for. A trace needs all that came, since what lies
// in parallel must not overlap in it, and is written at the end.
//
// Numbers are those of the printed form, which is what every other form is held to: values
// and counts divided as normalize() has them. Keys are spelled as the printed form spells
// them for a terminal, so that no byte of a traced process is a control code wherever the
// file is shown; JSON, NDJSON and pprof, which are for programs, have ways of their own.
//
// What a run lacks for a form is an error that says what would have it.
package export

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"dscope.dev/dlang/outline"
	"dscope.dev/engine/structured"
	"dscope.dev/engine/text"
	"dscope.dev/engine/trace"
	"dscope.dev/engine/trace/spell"
)

// A Format is one of the forms.
type Format struct {
	Name   string
	Ends   []string // of names of files that have it; the first is the usual one
	Help   string
	Binary bool // it is nothing for a terminal
	Stacks bool // it is made of stacks
	Events bool // what a run printed is in it
	Figure bool // it is a picture, which this package does not draw
}

// The formats, in the order in which they are told.
var formats = []Format{
	{Name: "text", Ends: []string{".txt", ".text", ".out", ".log"}, Help: "as dtrace(1) prints it", Events: true},
	{Name: "csv", Ends: []string{".csv"}, Help: "aggregations, a line a key or bucket"},
	{Name: "json", Ends: []string{".json"}, Help: "one document, as -x oformat=json has it", Events: true},
	{Name: "ndjson", Ends: []string{".ndjson", ".jsonl"}, Help: "an object a line, as -x oformat=ndjson has it", Events: true},
	{Name: "markdown", Ends: []string{".md", ".markdown"}, Help: "aggregations as tables of Markdown"},
	{Name: "folded", Ends: []string{".folded", ".collapsed"}, Help: "stacks, a line each, for flamegraph.pl and speedscope", Stacks: true},
	{Name: "pprof", Ends: []string{".pb.gz", ".pprof", ".prof"}, Help: "stacks as a profile, for go tool pprof", Binary: true, Stacks: true},
	{Name: "chrome", Ends: []string{".trace.json", ".trace", ".perfetto"}, Help: "events, durations, counters over time, for Perfetto", Events: true},
	{Name: "svg", Ends: []string{".svg"}, Help: "a figure: heat map, curve, histogram or icicle", Figure: true},
	{Name: "html", Ends: []string{".html", ".htm"}, Help: "one page with the figure and its numbers", Figure: true},
}

// Formats returns all of them.
func Formats() []Format { return slices.Clone(formats) }

// Named returns the format of a name.
func Named(name string) (Format, error) {
	for _, f := range formats {
		if strings.EqualFold(f.Name, name) {
			return f, nil
		}
	}
	return Format{}, fmt.Errorf("%q is no format: %s", name, names())
}

// Guess returns the format that the name of a file asks for.
func Guess(file string) (Format, error) {
	base, longest := strings.ToLower(filepath.Base(file)), ""
	var best Format
	for _, f := range formats {
		for _, end := range f.Ends {
			if strings.HasSuffix(base, end) && len(base) > len(end) && len(end) > len(longest) {
				best, longest = f, end
			}
		}
	}
	if longest == "" {
		return best, fmt.Errorf("the name %s ends like no format (-f names one): %s", filepath.Base(file), names())
	}
	return best, nil
}

func names() string {
	var list []string
	for _, f := range formats {
		list = append(list, f.Name)
	}
	return strings.Join(list, ", ")
}

// Options say what of a run is written, and how.
type Options struct {
	Format Format
	Script string        // of the run: its options, and which of its numbers are durations
	Agg    string        // the one aggregation that is written, without its sigil, if One
	One    bool          // Agg alone is written
	At     time.Duration // how far into the run the moment is that is written; 0 is its end
	// Keep says which rows are written; nil is all.
	Keep func(t *trace.Table, r *trace.Row) bool
	Say  func(text string) // takes a word about what is left out; nil if nobody is there
	Errs io.Writer         // takes what the printed form has to say of drops and faults; nil if nobody does
}

func (o *Options) say(format string, args ...any) {
	if o.Say != nil {
		o.Say(fmt.Sprintf(format, args...))
	}
}

// A Writer writes a run. It is the sink of the run and, beside that, its observer.
type Writer interface {
	trace.Sink
	trace.Observer
}

// New returns what writes a run to out in a format that is no picture.
func New(out io.Writer, o Options) (Writer, error) {
	if o.Errs == nil {
		o.Errs = io.Discard
	}
	if o.Format.Name == "chrome" {
		return newChrome(out, o), nil
	}
	table := map[string]func(io.Writer, []trace.Table, *state) error{
		"csv": writeCSV, "markdown": writeMarkdown, "folded": writeFolded, "pprof": writeProfile,
	}[o.Format.Name]
	s := &state{o: o, out: out, write: table}
	switch o.Format.Name {
	case "text":
		s.printer = newText(out, o)
	case "json", "ndjson":
		form, _, err := structured.Parse(o.Format.Name)
		if err != nil {
			return nil, err
		}
		s.printer = newStructured(out, form)
	default:
		if table == nil {
			return nil, fmt.Errorf("%s is no form that is written of a run", o.Format.Name)
		}
	}
	return s, nil
}

// A dated is a structured printer whose timestamps are those of the events, where a run that
// goes on has the clock's.
type dated struct {
	*structured.Printer
	out *bufio.Writer
	at  time.Time
}

func newStructured(out io.Writer, form structured.Form) *dated {
	d := &dated{out: bufio.NewWriter(out)}
	d.Printer = structured.New(d.out, structured.Options{Form: form, Aggs: true, Now: func() time.Time { return d.at }})
	return d
}

func (d *dated) Events(batch []trace.Event) error {
	for i := range batch {
		d.at = batch[i].Time
		if err := d.Printer.Events(batch[i : i+1]); err != nil {
			return err
		}
	}
	return nil
}

func (d *dated) End(status trace.Status, aggs []trace.Table) error {
	return errors.Join(d.Printer.End(status, aggs), d.out.Flush())
}

// newText returns a printer with the options that the script has set. Those of the command
// line it was run with are not known.
func newText(out io.Writer, o Options) trace.Sink {
	on := func(name string) bool { return outline.Sets(o.Script, name) }
	scale := spell.OfSum
	if on("aggzoom") {
		scale = spell.OfLargest
	}
	indent, _ := outline.Size(o.Script, "stackindent")
	return text.New(out, o.Errs, text.Options{
		Quiet: on("quiet"), FlowIndent: on("flowindent"), RawBytes: on("rawbytes"), Reverse: on("aggsortrev"), StackIndent: indent,
		Aggs: text.AggLook{Hist: on("agghist"), Pack: on("aggpack"), Scale: scale},
	}).Sink()
}
