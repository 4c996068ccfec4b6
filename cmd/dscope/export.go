package main

import (
	"cmp"
	"errors"
	"flag"
	"fmt"
	"io"
	"math"
	"os"
	"slices"
	"strings"
	"time"

	"dscope.dev/cmd/dscope/usage"
	"dscope.dev/engine/export"
	"dscope.dev/engine/replay"
	"dscope.dev/engine/trace"
	"dscope.dev/engine/trace/spell"
	"dscope.dev/ui/picture"
)

func exportCommand() usage.Command {
	return usage.Command{
		Name: "export", Brief: "write a recording in forms that other tools open",
		Forms: []string{"[-f format] [-o file] [-a @name] [-k key] [--at time]\n    [--run n] [--figure kind] [--theme name] [--nats url] [--creds file]\n    [--ca file] [--cert file] [--key file] RECORDING"},
		About: "Writes what was recorded (dscope record, W in the workbench) in a form that other tools open. nats:NAME is what a server keeps.",
		Flags: append([]usage.Flag{
			{Name: "-f", Arg: "format", Help: "the format; without it what the name of the file ends in, or text"},
			{Name: "-o", Arg: "file", Takes: usage.File, Help: "the file; without it standard output"},
			{Name: "-a", Arg: "@name", Help: "this aggregation alone"},
			{Name: "-k", Arg: "key", Help: "keys alone of which one part is this"},
			{Name: "--at", Arg: "time", Help: "as it was so far into the run (1.5s, 2m); without it at the end"},
			{Name: "--run", Arg: "n", Help: "which of the runs that the recording has, from 1; without it the last"},
			{Name: "--figure", Arg: "kind", Help: "what svg and html draw: heat, curve, histogram or icicle; without it what fits the aggregation best"},
			{Name: "--theme", Arg: "name", Help: "the colours of svg and html: dark, light, or auto, which is as the reader has chosen"},
		}, loginFlags...),
		After: "The formats:\n\n" + formatHelp(),
		Words: usage.File, Topics: []string{"exports"}, Run: exportMain,
	}
}

// formatHelp lists the formats.
func formatHelp() string {
	var b strings.Builder
	var ends []string
	for _, f := range export.Formats() {
		fmt.Fprintf(&b, "    %-9s %s\n", f.Name, f.Help)
		ends = append(ends, f.Ends[0])
	}
	return b.String() + "\nWhat the names of their files end in, in that order: " + strings.Join(ends, ", ") + "."
}

// An exporting is what one command line of dscope export asks for.
type exporting struct {
	format, file, agg, key string
	at                     time.Duration
	run                    int
	figure, theme          string
	recording              string
}

func parseExport(args []string) (*exporting, error) {
	x := &exporting{}
	f := flag.NewFlagSet("export", flag.ContinueOnError)
	f.SetOutput(io.Discard)
	f.StringVar(&x.format, "f", "", "")
	f.StringVar(&x.file, "o", "", "")
	f.StringVar(&x.agg, "a", "", "")
	f.StringVar(&x.key, "k", "", "")
	f.DurationVar(&x.at, "at", 0, "")
	f.IntVar(&x.run, "run", 0, "")
	f.StringVar(&x.figure, "figure", "", "")
	f.StringVar(&x.theme, "theme", "auto", "")
	err := f.Parse(args)
	if err == nil && f.NArg() > 1 { // flags may follow the recording
		x.recording = f.Arg(0)
		err = f.Parse(f.Args()[1:])
		if err == nil && f.NArg() > 0 {
			err = fmt.Errorf("one recording at a time: %s", f.Arg(0))
		}
	} else if err == nil {
		x.recording = f.Arg(0)
	}
	switch {
	case err != nil:
	case x.recording == "":
		err = errors.New("which recording? dscope record makes one, and W in the workbench")
	case x.at < 0 || x.run < 0:
		err = errors.New("--at and --run count from the beginning")
	}
	if err != nil {
		return nil, usageError{fmt.Errorf("export: %w", err)}
	}
	return x, nil
}

// exportMain is dscope export.
func exportMain(args []string) error {
	l, args, err := takeLogin("export", args)
	if err != nil {
		return err
	}
	x, err := parseExport(args)
	if err != nil {
		return err
	}
	format, err := x.formatOf()
	if err != nil {
		return fmt.Errorf("export: %w", err)
	}
	p, err := openRecording(&l, x.recording)
	if err != nil {
		return err
	}
	defer p.Close()
	scripts := p.Scripts()
	n := cmp.Or(x.run, len(scripts)) - 1
	if n < 0 || n >= len(scripts) {
		return fmt.Errorf("export: %s has %d runs, and no run %d", x.recording, len(scripts), x.run)
	}
	p.Speed = math.Inf(1)
	run := x.play(p, n, format)
	defer run.Close()
	out, err := x.open(format)
	if err != nil {
		return err
	}
	defer out.discard()
	w, err := newExport(out.to, format, x.options(format, scripts[n]), look{x.figure, x.theme, aboutOf(p.Header)})
	if err != nil {
		return fmt.Errorf("export: %w", err)
	}
	status, err := trace.Follow(run, w, x.until(w, run, format))
	if err == nil {
		err = out.keep()
	}
	if err = ignorePipe(err); err != nil {
		return fmt.Errorf("export %s as %s: %w", x.recording, format.Name, err)
	}
	if status.State == trace.Failed && status.Err != nil {
		fmt.Fprintf(told, "dscope: of a run that failed: %v; what it has is exported\n", status.Err)
	} else if err := p.Broken(); err != nil {
		fmt.Fprintf(told, "dscope: %v\n", err)
	}
	return nil
}

// approach is how long before the moment that is asked for a run is played.
const approach = 2 * time.Second

// play plays a run. For one state of the aggregations what came long before the moment need
// not be read.
func (x *exporting) play(p *replay.Player, n int, f export.Format) trace.Run {
	if x.at > approach && !f.Events && !f.Figure {
		return p.PlayFrom(n, x.at-approach)
	}
	return p.Play(n)
}

// until has w watch a run up to the moment that is asked for. What is printed comes by another
// way, of which nothing may be cut off.
func (x *exporting) until(w trace.Observer, run trace.Run, f export.Format) trace.Observer {
	if x.at == 0 || f.Events {
		return w
	}
	return until{w, run, x.at}
}

// until ends a run that is played once a moment is over.
type until struct {
	trace.Observer
	run trace.Run
	at  time.Duration
}

func (u until) Snapshot(s trace.Snapshot) {
	u.Observer.Snapshot(s)
	if s.Elapsed > u.at {
		u.run.Stop()
	}
}

// aboutOf says where a recording was made, and when.
func aboutOf(h replay.Header) string {
	if h.Kernel == "" {
		return ""
	}
	return fmt.Sprintf("Linux %s, %s", h.Kernel, h.Made.Format("2006-01-02 15:04 MST"))
}

// formatOf returns the format that is asked for, by its name or that of the file.
func (x *exporting) formatOf() (export.Format, error) {
	switch {
	case x.format != "":
		return export.Named(x.format)
	case x.file != "":
		return export.Guess(x.file)
	}
	return export.Named("text")
}

func (x *exporting) options(f export.Format, script string) export.Options {
	o := export.Options{Format: f, Script: script, At: x.at, Errs: told,
		Say: func(text string) { fmt.Fprintf(told, "dscope: %s\n", text) }}
	if x.agg != "" {
		o.Agg, o.One = strings.TrimPrefix(x.agg, "@"), true
	}
	if x.key != "" {
		o.Keep = func(_ *trace.Table, r *trace.Row) bool {
			return slices.ContainsFunc(r.Keys, func(v trace.Value) bool { return spell.Line(&v) == x.key })
		}
	}
	return o
}

// An exported is where an export goes.
type exported struct {
	to   io.Writer
	file *recording // nil is standard output
}

// open returns where the export goes: a file takes the place of the one before once it is
// whole.
func (x *exporting) open(f export.Format) (*exported, error) {
	if x.file == "" || x.file == "-" {
		terminal := isTerminal(os.Stdout)
		if f.Binary && terminal {
			return nil, fmt.Errorf("export: %s is nothing for a terminal; -o names a file", f.Name)
		}
		if f.Binary {
			return &exported{to: os.Stdout}, nil
		}
		return &exported{to: said}, nil
	}
	here, err := os.Stat(x.recording)
	if there, wrong := os.Stat(x.file); err == nil && wrong == nil && os.SameFile(here, there) {
		return nil, fmt.Errorf("export to %s: that is the recording", x.file)
	}
	file, err := newPrivate(x.file)
	if err != nil {
		return nil, fmt.Errorf("export to %s: %w", x.file, err)
	}
	return &exported{to: file.f, file: file}, nil
}

func (e *exported) keep() error {
	if e.file == nil {
		return nil
	}
	return errors.Join(e.file.f.Sync(), e.file.keep())
}

func (e *exported) discard() {
	if e.file != nil {
		e.file.discard()
	}
}

// A look is how a figure is drawn.
type look struct{ figure, theme, about string }

// newExport returns what writes a run, in any of the formats.
func newExport(out io.Writer, f export.Format, o export.Options, l look) (export.Writer, error) {
	if f.Figure {
		return picture.New(out, picture.Options{Page: f.Name == "html", Kind: picture.Kind(l.figure), Theme: l.theme, Script: o.Script, About: l.about,
			Agg: o.Agg, One: o.One, At: o.At, Keep: o.Keep, Say: o.Say})
	}
	if l.figure != "" {
		return nil, fmt.Errorf("--figure is for svg and html, and %s draws none", f.Name)
	}
	return export.New(out, o)
}
