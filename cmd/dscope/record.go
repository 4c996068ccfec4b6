package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"strings"
	"syscall"
	"time"

	"dscope.dev/cmd/dscope/usage"
	"dscope.dev/dlang/diag"
	"dscope.dev/dlang/token"
	"dscope.dev/engine/replay"
	"dscope.dev/engine/trace"
	"dscope.dev/ui"
	"dscope.dev/ui/home"
	"dscope.dev/ui/session"
)

func recordCommand() usage.Command {
	return usage.Command{
		Name: "record", Brief: "run scripts and record all that they deliver",
		Forms: []string{"[-t time] [-size bytes] [-every time] [-keep n]\n    [--container name] [--fleet hosts] [--nats url] [--creds file]\n    [--ca file] [--cert file] [--key file] FILE SCRIPT..."},
		About: "Runs scripts, one after the other, and records them in FILE, which is compressed; dscope replay opens it. " +
			"Ctrl-C goes on to the next script. With -size or -every it goes on in another file in time: run.dscope, run-2.dscope, run-3.dscope. " +
			"Each is a recording of its own. nats:NAME in place of FILE has a NATS server keep it (dscope kept).",
		Flags: append([]usage.Flag{
			{Name: "-t", Arg: "time", Help: "how long each script runs: 10s, 5m; without it, until it ends or Ctrl-C"},
			{Name: "-size", Arg: "bytes", Help: "begin another file once one has so many: 100m, 1g"},
			{Name: "-every", Arg: "time", Help: "begin another file once one has so much of a run: 10m, 1h"},
			{Name: "-keep", Arg: "n", Help: "remove the oldest file of this recording when there are more than n"},
			containerFlag}, fleetFlags...),
		Words: usage.Script, Run: recordMain, Topics: []string{"recordings", "fleets"},
	}
}

func replayCommand() usage.Command {
	return usage.Command{
		Name: "replay", Brief: "open the workbench on a recording", Forms: []string{"[-speed n] [-from time] [--nats url] [--creds file]\n    [--ca file] [--cert file] [--key file] FILE"},
		About: "Opens the workbench on what dscope record or the workbench's W has kept. It needs no privileges, and no Linux. " +
			"nats:NAME in place of FILE is what a server keeps, nats:USER/NAME what it keeps of another user.",
		Flags: append([]usage.Flag{
			{Name: "-speed", Arg: "n", Help: "how many times as fast it plays; inf shows all of it at once"},
			{Name: "-from", Arg: "time", Help: "play from there on: 90s, 1h30m; what was printed before is left out"},
		}, loginFlags...),
		Words: usage.File, Run: replayMain, Topics: []string{"recordings"},
	}
}

// parseRecord reads flags in front of names.
func parseRecord(name string, args []string, least int, set func(*flag.FlagSet)) ([]string, error) {
	f := flag.NewFlagSet(name, flag.ContinueOnError)
	f.SetOutput(io.Discard)
	set(f)
	err := f.Parse(args)
	if err == nil && f.NArg() < least {
		err = errors.New("too few arguments")
	}
	if err != nil {
		return nil, usageError{fmt.Errorf("%s: %w", name, err)}
	}
	return f.Args(), nil
}

// recordMain runs scripts and writes all that they deliver to a file.
func recordMain(args []string) error { return recordOn("", args) }

// recordOn does so on another machine if host is one, or on a fleet if the flags say so.
func recordOn(host string, args []string) error {
	many, args, err := takeServer(args)
	if err == nil && many.hosts != "" && host != "" {
		err = errOneOrMany
	}
	if err != nil {
		return usageError{fmt.Errorf("record: %w", err)}
	}
	var limit time.Duration
	var parts partition
	// Nobody is there who could be asked whether a wide script is to run: the air bag watches.
	options := []string{"estimate=off"}
	args, err = parseRecord("record", args, 2, func(f *flag.FlagSet) {
		f.DurationVar(&limit, "t", 0, "")
		f.Func("container", "", func(word string) error {
			options = append(options, "container="+word)
			return nil
		})
		parts.flags(f)
	})
	if err == nil {
		err = parts.check()
	}
	if err != nil {
		return err
	}
	kept, far := keptBy(args[0])
	switch {
	case far && parts.spread():
		err = errors.New("-size and -every begin other files: a server keeps a recording as one")
	case !far:
		err = many.lone()
	}
	if err != nil {
		return usageError{fmt.Errorf("record: %w", err)}
	}
	var out destination
	var server *keptRecording
	if far {
		if server, err = newKept(context.Background(), &many.login, kept); err != nil {
			return err
		}
		defer server.discard()
		out = server
	}
	at, err := recorded(place{host: host, fleet: many})
	if err != nil {
		return err
	}
	defer at.close()
	path, paths := args[0], args[1:]
	scripts, err := readScripts(at, path, paths, options)
	if err != nil {
		return err
	}
	var w *replay.Writer
	if far {
		w, err = replay.NewWriter(server, at.header)
	} else {
		file, err := newRecording(path)
		if err != nil {
			return err
		}
		defer file.discard()
		out = file
		if w, err = parts.writer(file, path, at.header); err != nil {
			return err
		}
	}
	if err != nil {
		return err
	}
	return errors.Join(recordAll(at.tracer, w, out, scripts, options, limit), w.Close(), out.close())
}

// A destination is where a recording is written to. It is kept once something runs, and what is not
// kept is not there afterwards.
type destination interface {
	keep() error
	close() error
	discard() // closes it as well, if need be
}

// recorded returns what is to be recorded.
func recorded(p place) (*workplace, error) {
	if p.host != "" || p.fleet.hosts != "" {
		at, err := p.open()
		if err == nil && at.missing != "" {
			at.close()
			err = errors.New(at.missing)
		}
		return at, err
	}
	if m, err := helperMachine(); m != nil || err != nil {
		return m, err
	}
	e, err := newEngine()
	if err != nil {
		return nil, err
	}
	return &workplace{tracer: e, header: here(), close: func() { e.Close() }}, nil
}

// A recordedScript is one that is to be recorded.
type recordedScript struct{ path, text string }

// readScripts reads and checks all scripts before anything is written: none of them
// is the file that is to be written, and none has mistakes.
func readScripts(e tracer, file string, paths, options []string) (list []recordedScript, err error) {
	there, _ := os.Stat(file) // nil if there is nothing to lose
	for _, path := range paths {
		f, err := os.Open(path)
		if err != nil {
			return nil, fmt.Errorf("record %s: %w", path, reason(err))
		}
		info, err := f.Stat()
		var text []byte
		if err == nil && there != nil && os.SameFile(there, info) {
			err = errors.New("it is the file that the recording is to be written to; name that first, then the scripts")
		}
		if err == nil {
			text, err = readAll(f)
		}
		f.Close()
		if err != nil {
			return nil, fmt.Errorf("record %s: %w", path, reason(err))
		}
		if list := e.Check(context.Background(), trace.Script{Text: string(text), Options: options}); list.Failed() {
			return nil, fmt.Errorf("record %s: %w", path, &diag.ListError{File: token.NewFile("script", string(text)), List: list})
		}
		list = append(list, recordedScript{path, string(text)})
	}
	return list, nil
}

// kernelRelease returns the release of this kernel; "" if it does not say.
func kernelRelease() string {
	b, err := os.ReadFile("/proc/sys/kernel/osrelease")
	if err != nil {
		return ""
	}
	return strings.TrimSpace(string(b))
}

// recordAll records the machine, then each script. The file takes its name once the
// first of them runs.
func recordAll(e tracer, w *replay.Writer, out destination, scripts []recordedScript, options []string, limit time.Duration) error {
	ctx := context.Background()
	if err := recordMachine(ctx, e, w); err != nil {
		return err
	}
	for _, s := range scripts {
		if err := recordOne(ctx, e, w, out, s.text, options, limit); err != nil {
			return fmt.Errorf("record %s: %w", s.path, err)
		}
	}
	return nil
}

// A described is what knows the probes of a machine.
type described interface {
	Probes(ctx context.Context, pattern string) ([]trace.Probe, []trace.ProviderInfo, error)
	Describe(ctx context.Context, p trace.Probe) (trace.ProbeInfo, error)
}

// A manyDescribed can be asked about many probes at once, where each question takes time.
type manyDescribed interface {
	DescribeAll(ctx context.Context, list []trace.Probe) (infos []trace.ProbeInfo, wrong []error, err error)
}

// recordMachine records the probes and what is known of them.
func recordMachine(ctx context.Context, e described, w *replay.Writer) error {
	probes, families, err := e.Probes(ctx, "")
	if err != nil {
		return err
	}
	if err := w.Probes(probes, families); err != nil {
		return err
	}
	if far, ok := e.(manyDescribed); ok {
		infos, wrong, err := far.DescribeAll(ctx, probes)
		for i, info := range infos {
			if wrong[i] == nil {
				err = errors.Join(err, w.Info(info))
			}
		}
		return err
	}
	for _, p := range probes {
		// A probe that cannot be described is listed without a description.
		if info, err := e.Describe(ctx, p); err == nil {
			if err := w.Info(info); err != nil {
				return err
			}
		}
	}
	return nil
}

// recordOne runs a script until it ends, its time is over, or Ctrl-C.
func recordOne(ctx context.Context, e tracer, w *replay.Writer, out destination, script string, options []string, limit time.Duration) error {
	ctx, stop := signal.NotifyContext(ctx, os.Interrupt, syscall.SIGTERM, syscall.SIGHUP)
	defer stop()
	if limit > 0 {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, limit)
		defer cancel()
	}
	run, err := e.Run(waiting(ctx, "dscope"), trace.Script{Text: script, Options: options})
	if err != nil {
		return err
	}
	if err := out.keep(); err != nil {
		return errors.Join(err, run.Close())
	}
	return errors.Join(w.Record(ctx, script, run), run.Close())
}

// replayMain opens the workbench on a recording and plays its last run.
func replayMain(args []string) error {
	speed := 1.0
	var from time.Duration
	l, args, err := takeLogin("replay", args)
	if err != nil {
		return err
	}
	args, err = parseRecord("replay", args, 1, func(f *flag.FlagSet) {
		f.Float64Var(&speed, "speed", 1, "")
		f.DurationVar(&from, "from", 0, "")
	})
	if err != nil {
		return err
	}
	if !(speed > 0) { // nor is it a number
		return usageError{fmt.Errorf("replay: -speed %g: a recording plays so many times as fast, inf is at once", speed)}
	}
	p, err := openRecording(&l, args[0])
	if err != nil {
		return err
	}
	defer p.Close()
	if !isTerminal(os.Stdin) || !isTerminal(os.Stdout) {
		return errors.New("the workbench needs a terminal")
	}
	p.Speed, p.From = speed, from
	o := ui.Options{Keep: keeper(p.Header, p), Export: exporter(p.Header), Source: fmt.Sprintf("recording of Linux %s, %s", p.Header.Kernel, p.Header.Made.Format("2006-01-02 15:04"))}
	if scripts := p.Scripts(); len(scripts) > 0 {
		o.Text, o.Start = scripts[len(scripts)-1], true
	}
	if err := p.Broken(); err != nil {
		o.Notice = err.Error()
	}
	c, wrong := configured()
	c.Session = false // what is open is the recording
	o.Config, o.Wrong = &c, wrong
	if state, err := home.State(); err == nil {
		o.Store = session.Themes(state)
	}
	return ui.Run(context.Background(), p, o)
}
