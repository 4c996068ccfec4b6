package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"os/signal"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"syscall"

	"dscope.dev/cmd/dscope/usage"
	"dscope.dev/engine"
	"dscope.dev/engine/trace"
	"dscope.dev/probes"
	"dscope.dev/probes/usdt"
)

func probesCommand() usage.Command {
	return usage.Command{
		Name: "probes", Brief: "list probes, with their arguments", Forms: []string{"[pattern ...]", "PID|FILE ...", "--container name",
			"--fleet hosts [--nats url] [--creds file] [--ca file]\n    [--cert file] [--key file] [pattern ...]"},
		About: "Lists the probes that patterns such as syscall::read*:entry match, all if there is none; or those that a " +
			"process, or a program or library, carries. A FILE is written with a slash: ./prog. " +
			"With --fleet those of a host of each kernel; of probes that not all have stands who has them.",
		Flags: append([]usage.Flag{{Name: "--container", Arg: "name", Takes: usage.Container, Help: "those that the processes of this container carry"}}, fleetFlags...),
		Words: usage.Named, Run: probesMain, Topics: []string{"providers", "processes", "fleets"},
	}
}

// probesMain lists probes with their arguments, one a line.
func probesMain(args []string) error {
	many, args, err := takeFleet(args)
	if err != nil {
		return usageError{fmt.Errorf("probes: %w", err)}
	}
	word, args, err := takeContainer(args)
	switch {
	case err != nil:
	case word != "" && many.hosts != "":
		err = errors.New("probes: --container is about this machine, and --fleet about others")
	case word != "" && len(args) > 0:
		err = fmt.Errorf("%s: --container is about what its processes carry, and goes alone", args[0])
	}
	if err != nil {
		return usageError{err}
	}
	if len(args) == 0 {
		args = []string{""}
	}
	if strings.HasPrefix(args[0], "-") {
		return usageError{fmt.Errorf("illegal option %s", args[0])}
	}
	out := bufio.NewWriterSize(said, 1<<16)
	if many.hosts != "" {
		return errors.Join(fleetProbes(many, out, args), ignorePipe(out.Flush()))
	}
	if done, err := byHelper("probes", args, nil); done {
		return err
	}
	e, err := newEngine()
	if err != nil {
		return err
	}
	defer e.Close()
	if word != "" {
		return errors.Join(probesIn(e, out, word), ignorePipe(out.Flush()))
	}
	for _, what := range args {
		err = errors.Join(err, probesOf(e, out, what))
	}
	return errors.Join(err, ignorePipe(out.Flush()))
}

// hinted adds to an error why no probe was found, if that is known.
func hinted(err error) error {
	var none *probes.NoMatch
	if errors.As(err, &none) && none.Hint() != "" {
		return fmt.Errorf("%w: %s", err, none.Hint())
	}
	return err
}

// probesOf lists what one word of the command line means.
func probesOf(e *engine.Engine, out *bufio.Writer, what string) error {
	if strings.Contains(what, "/") {
		return probesOfFile(out, what)
	}
	ctx := context.Background()
	var list []trace.Probe
	var err error
	if pid, bad := strconv.Atoi(what); bad == nil {
		list, err = e.Carried(ctx, []int{pid})
		if err == nil && len(list) == 0 {
			err = fmt.Errorf("process %d carries no probes", pid)
		}
	} else {
		list, err = e.Match(ctx, what)
		err = hinted(err)
	}
	if err != nil {
		return err
	}
	printAll(e, out, list)
	return nil
}

// probesIn lists what the processes of a container carry.
func probesIn(e *engine.Engine, out *bufio.Writer, word string) error {
	ctx := context.Background()
	c, err := e.Container(ctx, word)
	if err != nil {
		return err
	}
	list, err := e.Carried(ctx, c.Processes)
	if err == nil && len(list) == 0 {
		err = fmt.Errorf("no process of %s carries probes", &c)
	}
	printAll(e, out, list)
	return err
}

// printAll prints probes with their arguments.
func printAll(e *engine.Engine, out *bufio.Writer, list []trace.Probe) {
	ctx := context.Background()
	for _, p := range list {
		info, err := e.Describe(ctx, p)
		if err != nil {
			continue // the process has ended since
		}
		fmt.Fprintln(out, probeLine(p, info))
	}
}

// probeLine is a probe with its arguments.
func probeLine(p trace.Probe, info trace.ProbeInfo) string {
	var types []string
	for _, a := range info.Args {
		types = append(types, strings.TrimSpace(a.Type+" "+a.Name))
	}
	return fmt.Sprintf("%s:%s:%s:%s (%s)", p.Provider, p.Module, p.Function, p.Name, strings.Join(types, ", "))
}

// fleetProbes lists the probes of a host of each kernel of a fleet, each probe once. What not
// all of them have, or not alike, is followed by the kernels that have it so.
func fleetProbes(c fleetChoice, out *bufio.Writer, patterns []string) error {
	f, done, err := c.open(func(text string) { fmt.Fprintf(told, "dscope: %s\n", text) })
	if err != nil {
		return err
	}
	defer done()
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGINT, syscall.SIGTERM, syscall.SIGHUP)
	defer stop()
	for _, pattern := range patterns {
		if _, bad := strconv.Atoi(pattern); bad == nil || strings.Contains(pattern, "/") {
			return usageError{fmt.Errorf("probes: %s: processes and files are those of one host: ask it with -H", pattern)}
		}
		kernels, err := f.ProbesByKernel(ctx, pattern)
		if err != nil {
			return err
		}
		var lines []string
		has := map[string][]string{}
		for _, k := range kernels {
			for i, p := range k.Probes {
				line := probeLine(p, k.Infos[i])
				if has[line] == nil {
					lines = append(lines, line)
				}
				has[line] = append(has[line], k.Kernel)
			}
		}
		if len(lines) == 0 {
			return fmt.Errorf("no probe matches %s on any of %d kernel%s", pattern, len(kernels), plural(len(kernels)))
		}
		slices.Sort(lines)
		for _, line := range lines {
			if n := len(has[line]); n < len(kernels) {
				line += "  # on Linux " + strings.Join(has[line], ", ")
			}
			fmt.Fprintln(out, line)
		}
	}
	return nil
}

// probesOfFile lists the probes that a file carries, for any process that runs it.
func probesOfFile(out *bufio.Writer, name string) error {
	points, err := usdt.Open(name, runtime.GOARCH)
	for i, p := range points {
		same := func(q usdt.Point) bool {
			return p.Provider == q.Provider && p.Function == q.Function && p.Name == q.Name
		}
		if i > 0 && same(points[i-1]) {
			continue // another place of the same probe
		}
		var types []string
		for _, t := range p.Types() {
			types = append(types, t.String())
		}
		fmt.Fprintf(out, "%s*:%s:%s:%s (%s)\n", p.Provider, filepath.Base(name), p.Function, p.Name, strings.Join(types, ", "))
	}
	if err != nil {
		return fmt.Errorf("read the probes of %s: %w", name, reason(err))
	}
	if len(points) == 0 {
		return fmt.Errorf("%s carries no probes: it has no notes of the kind stapsdt", name)
	}
	return nil
}
