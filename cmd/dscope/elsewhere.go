package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"slices"
	"strings"
	"syscall"

	"dscope.dev/cmd/dscope/usage"
	"dscope.dev/engine/remote"
)

// onMachine is a command as it runs for another machine.
func onMachine(host string, c usage.Command) usage.Command {
	there := c
	there.Run = func(args []string) error {
		switch {
		case c.Name == "record":
			return recordOn(host, args)
		case c.Name == "trace":
			return traceOn(host, args)
		case slices.Contains(commandsThere, c.Name):
			return execOn(host, remote.Command{Args: append([]string{c.Name}, args...)}, nil)
		}
		return usageError{fmt.Errorf("-H: dscope %s concerns this machine alone; with -H go trace, record, probes, containers, ask, doctor, and the workbench", c.Name)}
	}
	return there
}

// traceOn is dscope trace on another machine: it runs there, scripts are read and output is
// written here.
func traceOn(host string, args []string) error {
	var m monitoring
	args, err := m.take(args)
	if err != nil {
		return usageError{err}
	}
	if m != (monitoring{}) {
		return errors.New("--metrics and --otlp tell of runs that are shown here: they go with -H in the workbench, not with dscope trace")
	}
	if args, err = containerOption(args); err != nil {
		return err
	}
	flags, rest, err := getopt(args, usage.Spec(traceFlags))
	if err != nil {
		return usageError{err}
	}
	c := remote.Command{Args: []string{"trace"}, Files: map[string]string{}}
	var output string
	for _, f := range flags {
		switch f.flag {
		case 'C', 'D', 'I', 'U', 'X', 'H':
			return fmt.Errorf("-%c: headers are those of this machine, and %s may have others: preprocess there", f.flag, host)
		case 'G', 'h':
			return fmt.Errorf("-%c writes a file for programs of this machine: leave -H %s away", f.flag, host)
		case 'o':
			output, f.arg = f.arg, handedFile
		case 's':
			text, err := sourceText(f.arg)
			if err != nil {
				return err
			}
			c.Files[f.arg] = text
		}
		c.Args = append(c.Args, "-"+string(f.flag))
		if takesArg(f.flag) {
			c.Args = append(c.Args, f.arg)
		}
	}
	if len(rest) > 0 {
		c.Args = append(append(c.Args, "--"), rest...)
	}
	var out *os.File
	if output != "" {
		if out, err = os.OpenFile(output, os.O_WRONLY|os.O_CREATE|os.O_APPEND, 0o666); err != nil {
			return fmt.Errorf("failed to open %s: %w", output, reason(err))
		}
		defer out.Close()
	}
	return execOn(host, c, out)
}

func takesArg(flag byte) bool {
	spec := usage.Spec(traceFlags)
	i := strings.IndexByte(spec, flag)
	return i+1 < len(spec) && spec[i+1] == ':'
}

// sourceText reads the script of -s; - is standard input.
func sourceText(name string) (string, error) {
	if handedOver != nil {
		if text, ok := handedOver.Files[name]; ok {
			return string(text), nil
		}
	}
	f := os.Stdin
	if name != "-" {
		var err error
		if f, err = os.Open(name); err != nil {
			return "", fmt.Errorf("failed to open %s: %w", name, reason(err))
		}
		defer f.Close()
	}
	text, err := readAll(f)
	if err != nil {
		return "", fmt.Errorf("failed to read %s: %w", name, reason(err))
	}
	return string(text), nil
}

// passedOn are what of the environment a command there is given: how to write, and for whom.
var passedOn = []string{"TERM", "LANG", "LC_ALL", "NO_COLOR", "TZ", "_DTRACE_TESTING", "DTRACE_DEBUG"}

// execOn runs a command line there. What it writes to the file of -o goes to out.
func execOn(host string, c remote.Command, out *os.File) error {
	m, client, err := otherMachine(host)
	if err != nil {
		return err
	}
	defer m.close()
	c.Terminal = isTerminal(os.Stdout)
	for _, name := range passedOn {
		if value, ok := os.LookupEnv(name); ok {
			c.Env = append(c.Env, name+"="+value)
		}
	}
	signals := make(chan int, 4)
	came := make(chan os.Signal, 4)
	signal.Notify(came, syscall.SIGINT, syscall.SIGTERM, syscall.SIGHUP)
	defer signal.Stop(came)
	over := make(chan struct{})
	defer close(over)
	go func() {
		for {
			select {
			case s := <-came:
				select {
				case signals <- int(s.(syscall.Signal)):
				default:
				}
			case <-over:
				return
			}
		}
	}()
	to := map[int]io.Writer{1: os.Stdout, 2: told}
	if out != nil {
		to[handedOutput] = out
	}
	code, err := client.Executing(context.Background(), c, func(descriptor int, b []byte) error {
		if w := to[descriptor]; w != nil {
			_, err := w.Write(b)
			return err
		}
		return nil
	}, signals)
	switch {
	case err != nil:
		return ignorePipe(err)
	case code != 0:
		return exitStatus(code)
	}
	return nil
}
