// Command dscope is a workbench for dynamic tracing on Linux.
//
//	dscope [--plain] [-H user@host] [-p PID] [--container name] [script.d]
//	                         the workbench, on a process, a container or another machine if one is named
//	dscope COMMAND …         one of the commands, without it; also when called as dtrace
//	dscope help              what there is
//
// This folder holds what belongs to a command line: flags, signals, exit codes and wiring.
// The commands are rows of one table (commands.go), from which all is made that is told of
// them. It also holds the test of the layers.
package main

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"

	"dscope.dev/cmd/dscope/usage"
	"dscope.dev/dlang/diag"
	"dscope.dev/dlang/token"
	"dscope.dev/probes/resolver"
	"dscope.dev/ui"
)

// Exit codes, as dtrace(1) gives them.
const (
	exitOK    = 0
	exitError = 1 // something failed
	exitUsage = 2 // the command line made no sense

	exitSignal = 128 // and the number of the signal that ended the workbench, as shells have it
)

func main() {
	begin()
	os.Exit(run(os.Args))
}

// begin makes this process a worker that reads files, if it was started as one, else has files
// read by such.
func begin() {
	if resolver.Asked() {
		resolver.Serve()
	}
	resolver.Use("/proc/self/exe")
}

// run chooses what to do by the name that dscope was called by and by its
// first argument.
func run(args []string) (code int) {
	defer func() {
		if why := recover(); why != nil {
			d := diag.Mishap("dscope", token.Span{}, why)
			code = report(workbenchCommand(), fmt.Errorf("%s\n%s", d.Msg, d.Hint))
		}
	}()
	if err := settle(); err != nil {
		return report(workbenchCommand(), err)
	}
	if filepath.Base(args[0]) == "dtrace" {
		c := traceCommand()
		c.Run = classicMain
		return perform(c, args[1:])
	}
	if len(args) > 1 {
		if c, ok := commandNamed(args[1]); ok {
			return perform(c, args[2:])
		}
	}
	if host, rest := commandMachine(args[1:]); host != "" && len(rest) > 0 {
		if c, ok := commandNamed(rest[0]); ok {
			return perform(onMachine(host, c), rest[1:])
		}
	}
	return perform(workbenchCommand(), args[1:])
}

// perform runs a command, or tells of it if that is what is asked for.
func perform(c usage.Command, args []string) int {
	if wantsHelp(c, args) {
		fmt.Fprint(said, c.Text())
		return exitOK
	}
	return report(c, c.Run(args))
}

// targetFlag reads -p, which names the process that the workbench is to look at.
func targetFlag(args []string) (pid int, rest []string, err error) {
	value, ok := strings.CutPrefix(args[0], "-p")
	if !ok {
		return 0, args, nil
	}
	rest = args[1:]
	if value == "" {
		if len(rest) == 0 {
			return 0, nil, errors.New("-p: the number of a process is missing")
		}
		value, rest = rest[0], rest[1:]
	}
	pid, ok = processNumber(value)
	if !ok {
		return 0, nil, fmt.Errorf("-p %s: a process has a number", value)
	}
	return pid, rest, nil
}

// processNumber reads the number of a process, with blanks around it if need be, as
// dtrace(1) takes it.
func processNumber(text string) (pid int, ok bool) {
	n, err := strconv.ParseInt(strings.TrimSpace(text), 10, 32) // a pid_t
	return int(n), err == nil && n > 0
}

// An exitStatus is the status of a script that called exit().
type exitStatus int

// Error is never shown: the status alone is the message.
func (s exitStatus) Error() string { return fmt.Sprintf("exit status %d", int(s)) }

// errReported marks a failure whose complaints have been printed.
var errReported = errors.New("reported")

// report prints err as the command would, and returns the exit code.
func report(c usage.Command, err error) int {
	var status exitStatus
	var wrong usageError
	var ended *ui.SignalError
	name := cmp.Or(c.Says, "dscope")
	switch {
	case err == nil:
		return exitOK
	case errors.As(err, &status):
		return int(status) & 0xff
	case errors.As(err, &ended):
		return exitSignal + int(ended.Signal.(syscall.Signal))
	case errors.Is(err, errReported):
		return exitError
	case errors.As(err, &wrong):
		fmt.Fprintf(told, "%s: %v\n%s", name, err, c.Text())
		return exitUsage
	}
	fmt.Fprintf(told, "%s: %v\n", name, err)
	return exitError
}

// readAll reads a script, within reason: it may be a device without an end.
func readAll(r io.Reader) ([]byte, error) {
	const most = 16 << 20
	b, err := io.ReadAll(io.LimitReader(r, most+1))
	if err == nil && len(b) > most {
		err = fmt.Errorf("a script may have at most %d bytes", most)
	}
	return b, err
}
