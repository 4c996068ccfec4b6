package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"slices"
	"strings"
	"syscall"

	"dscope.dev/cmd/dscope/usage"
	"dscope.dev/dlang/near"
	"dscope.dev/ui"
	"dscope.dev/ui/home"
	"dscope.dev/ui/plain"
	"dscope.dev/ui/session"
)

func workbenchCommand() usage.Command {
	return usage.Command{
		Forms: []string{"[--plain] [-H user@host | --fleet hosts] [-p PID]\n    [--container name] [--metrics addr] [--otlp url]\n    [--metrics-keys n] [--nats url] [--creds file] [--ca file]\n    [--cert file] [--key file] [script.d]"},
		About: "Opens the workbench, on script.d or on what was open last; with -p on a process, which is $target; with --container on a container, outside of which nothing fires; with -H on another machine, with --fleet on many.",
		Flags: append([]usage.Flag{
			{Name: "--plain", Help: "in lines of text, one thing at a time, for screen readers and pipes"},
			{Name: "-H", Arg: "user@host", Help: "trace on that machine, over ssh; a command may follow: trace, record, probes, containers, ask, doctor"},
			{Name: "-p", Arg: "PID", Takes: usage.Process, Help: "look at this process: it is $target"},
			containerFlag,
			{Name: "--metrics", Arg: "addr", Help: monitorHelp[0]},
			{Name: "--otlp", Arg: "url", Help: monitorHelp[1]},
			{Name: "--metrics-keys", Arg: "n", Help: monitorHelp[2]}}, fleetFlags...),
		After: "In the workbench, press ? (or F1 while typing) for the keys.\n\n" +
			"Tracing needs root, or CAP_BPF and CAP_PERFMON.",
		Words: usage.Script, Topics: []string{"workbench", "container", "machines", "fleets"}, Run: workbenchMain,
	}
}

// workbenchMain is dscope without a command.
func workbenchMain(args []string) error {
	var m monitoring
	args, err := m.take(args)
	if err != nil {
		return usageError{err}
	}
	host, args, err := machineFlag(args)
	if err != nil {
		return usageError{err}
	}
	many, args, err := takeFleet(args)
	if err == nil && many.hosts != "" && host != "" {
		err = errOneOrMany
	}
	if err != nil {
		return usageError{err}
	}
	within, args, err := takeContainer(args)
	if err != nil {
		return usageError{err}
	}
	at := place{host: host, fleet: many, container: within}
	words := len(args)
	args = slices.DeleteFunc(args, func(word string) bool { return word == "--plain" })
	plainly := len(args) < words
	if len(args) == 0 {
		return workbench(at, "", 0, m, plainly)
	}
	pid, rest, err := targetFlag(args)
	switch {
	case err != nil:
		return usageError{err}
	case len(rest) == 0:
		return workbench(at, "", pid, m, plainly)
	case strings.HasPrefix(rest[0], "-"):
		return usageError{fmt.Errorf("%s is no flag and no command of dscope", rest[0])}
	case len(rest) > 1 && mistyped(rest[0]) == nil:
		return usageError{fmt.Errorf("%s: the workbench opens on one script", rest[1])}
	}
	if err := mistyped(rest[0]); err != nil {
		fmt.Fprintf(told, "dscope: %v\n", err) // and not how all of it is called
		return exitStatus(exitUsage)
	}
	return workbench(at, rest[0], pid, m, plainly)
}

// mistyped says that a word is no command, if it cannot be a script either: it is no file,
// and has neither the form of a path nor the name of a D script.
func mistyped(word string) error {
	if strings.ContainsRune(word, filepath.Separator) || filepath.Ext(word) == ".d" {
		return nil
	}
	if _, err := os.Lstat(word); err == nil {
		return nil
	}
	var names []string
	for _, c := range commandTable() {
		names = append(names, c.Name)
	}
	hint := ""
	if meant := near.Name(word, names); meant != "" {
		hint = fmt.Sprintf(" Did you mean dscope %s?", meant)
	}
	return fmt.Errorf("%s is no command of dscope, and there is no such file.%s A new script has a name with .d, or a path: dscope ./%s; dscope help lists the commands", word, hint, word)
}

// workbench opens the workbench on a script, or on an empty one, and on a process if
// pid is one, at a place. What runs is told to monitoring systems as far as m says; plainly is in lines of
// text.
func workbench(where place, path string, pid int, m monitoring, plainly bool) error {
	c, wrong := configured()
	if plainly = plainly || c.Plain; !plainly && (!isTerminal(os.Stdin) || !isTerminal(os.Stdout)) {
		return errors.New("the workbench needs a terminal; dscope trace runs scripts without one, and dscope --plain reads commands")
	}
	at, err := where.open()
	if err != nil {
		return err
	}
	defer at.close()
	o := ui.Options{Path: path, Keep: keeper(at.header, at.tracer), Export: exporter(at.header), Machine: at.name}
	var notices []string
	if word := where.container; word != "" {
		c.Options = append(c.Options, "container="+word)
		if notices, err = inContainer(at, word, &pid); err != nil {
			return err
		}
	}
	if pid != 0 {
		if o.Process, err = at.find(context.Background(), pid); err != nil {
			return err
		}
	}
	if at.missing != "" {
		notices = append(notices, "editing and checking only: "+at.missing)
	}
	if plainly {
		if at.name != "" {
			notices = append(notices, "on "+at.name)
		}
		ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGINT, syscall.SIGTERM, syscall.SIGHUP)
		defer stop()
		return plain.Run(ctx, at.tracer, os.Stdin, said, plain.Options{Path: path, Target: pid, Options: c.Options, Notices: append(notices, wrong...)})
	}
	o.Kernel = at.header.Kernel
	o.Config, o.Wrong = &c, wrong
	notices = append(notices, remember(&o)...)
	defer o.Store.Close()
	words := make(chan string, 16)
	beside, done, err := m.start(func(text string) {
		select {
		case words <- text:
		default: // who says so much says it again
		}
	})
	if err != nil {
		return err
	}
	defer done()
	o.Beside, o.Words = beside, words
	o.Notice = strings.Join(notices, "; ")
	if at.quiet != nil {
		at.quiet()
	}
	return ui.Run(context.Background(), at.tracer, o)
}

var errOneOrMany = errors.New("-H is one machine and --fleet is many: one of them can be meant")

// A place is where the workbench traces: here, on another machine, or on a fleet.
type place struct {
	host  string // -H
	fleet fleetChoice

	container string // --container
}

// open reaches what is to be traced.
func (p place) open() (*workplace, error) {
	switch {
	case p.fleet.hosts != "":
		return fleetPlace(p.fleet)
	case p.host == "":
		return thisMachine()
	}
	m, _, err := otherMachine(p.host)
	return m, err
}

// remember finds out where what is remembered lies, and what was open last.
func remember(o *ui.Options) (notices []string) {
	var err error
	if o.State, err = home.State(); err != nil {
		return []string{fmt.Sprintf("nothing is kept, unsaved text neither: %v", err)}
	}
	if o.Store, o.Last, err = session.Open(o.State); err != nil {
		notices = append(notices, err.Error())
	}
	if len(o.Last.Documents) > 0 && o.Last.Documents[0].Gone() {
		notices = append(notices, "what was open last is there no more: "+o.Last.Documents[0].Path)
		o.Last.Documents = nil
	}
	if o.Store.Shared() && o.Path == "" {
		notices = append(notices, "another workbench has the session: this one begins empty and leaves it alone")
	}
	return notices
}
