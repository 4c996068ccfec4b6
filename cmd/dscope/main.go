// Command dscope is a workbench for dynamic tracing on Linux.
//
//	dscope [-p PID] [script.d]
//	                         the workbench, on a process if one is named
//	dscope trace …           dtrace(1), flag for flag; also when called as dtrace
//	dscope record FILE …     run scripts and keep all that they deliver
//	dscope replay FILE       the workbench over what was kept
//	dscope export FILE       what was kept, in forms that other tools open
//	dscope lockstat …        lockstat(1M): the locks of the kernel
//	dscope probes …          lists probes, of processes and files too
//	dscope plockstat …       plockstat(1M): the locks of a process
//	dscope check …           all mistakes of scripts, for people and for editors
//	dscope fmt …             scripts laid out
//	dscope config …          the user's settings and keys
//	dscope doctor            what this kernel and these privileges allow
//	dscope help              what there is
//
// This folder holds what belongs to a command line: flags, signals, exit codes
// and wiring. It also holds the test of the layers.
package main

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"

	"dscope.dev/dlang/diag"
	"dscope.dev/dlang/near"
	"dscope.dev/dlang/token"
	"dscope.dev/ui"
)

// Exit codes, as dtrace(1) gives them.
const (
	exitOK    = 0
	exitError = 1 // something failed
	exitUsage = 2 // the command line made no sense

	exitSignal = 128 // and the number of the signal that ended the workbench, as shells have it
)

func main() { os.Exit(run(os.Args)) }

// run chooses what to do by the name that dscope was called by and by its
// first argument.
func run(args []string) (code int) {
	defer func() {
		if why := recover(); why != nil {
			d := diag.Mishap("dscope", token.Span{}, why)
			code = report("dscope", fmt.Errorf("%s\n%s", d.Msg, d.Hint))
		}
	}()
	if filepath.Base(args[0]) == "dtrace" {
		return report("dtrace", traceMain(args[1:]))
	}
	if len(args) < 2 {
		return report("dscope", workbench("", 0, monitoring{}))
	}
	switch args[1] {
	case "trace":
		return report("dtrace", traceMain(args[2:]))
	case "record":
		return report("dscope", recordMain(args[2:]))
	case "replay":
		return report("dscope", replayMain(args[2:]))
	case "export":
		return report("dscope", exportMain(args[2:]))
	case "lockstat":
		return report("lockstat", lockstatMain(args[2:]))
	case "probes":
		return report("dscope", probesMain(args[2:]))
	case "plockstat":
		return report("plockstat", plockstatMain(args[2:]))
	case "fmt":
		return report("dscope", fmtMain(args[2:]))
	case "check":
		return report("dscope", checkMain(args[2:]))
	case "doctor":
		return report("dscope", doctorMain(args[2:]))
	case "config":
		return report("dscope", configMain(args[2:]))
	case "help", "-h", "--help":
		fmt.Fprint(said, help)
		return exitOK
	case "version", "--version":
		fmt.Fprintln(said, versionLine)
		return exitOK
	}
	var monitor monitoring
	rest, err := monitor.take(args[1:])
	pid := 0
	if err == nil && len(rest) > 0 {
		pid, rest, err = targetFlag(rest)
	}
	if err != nil {
		fmt.Fprintf(told, "dscope: %v\n%s", err, help)
		return exitUsage
	}
	if len(rest) == 0 {
		return report("dscope", workbench("", pid, monitor))
	}
	args = append(args[:1], rest...)
	if strings.HasPrefix(args[1], "-") || len(args) > 2 {
		fmt.Fprintf(told, "dscope: %s is no command of dscope\n%s", args[1], help)
		return exitUsage
	}
	if err := mistyped(args[1]); err != nil {
		fmt.Fprintf(told, "dscope: %v\n", err)
		return exitUsage
	}
	return report("dscope", workbench(args[1], pid, monitor))
}

// commandWords are the words that dscope takes for something to do.
var commandWords = []string{"trace", "record", "replay", "lockstat", "probes", "plockstat", "fmt", "check", "config", "doctor", "help", "version"}

// mistyped says that a word is no command, if it cannot be a script either: it is no file,
// and has neither the form of a path nor the name of a D script.
func mistyped(word string) error {
	if strings.ContainsRune(word, filepath.Separator) || filepath.Ext(word) == ".d" {
		return nil
	}
	if _, err := os.Lstat(word); err == nil {
		return nil
	}
	hint := ""
	if meant := near.Name(word, commandWords); meant != "" {
		hint = fmt.Sprintf(" Did you mean dscope %s?", meant)
	}
	return fmt.Errorf("%s is no command of dscope, and there is no such file.%s A new script has a name with .d, or a path: dscope ./%s; dscope help lists the commands", word, hint, word)
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

// report prints err as the command called name would, and returns the exit
// code.
func report(name string, err error) int {
	var status exitStatus
	var usage usageError
	var own commandUsage
	var ended *ui.SignalError
	switch {
	case err == nil:
		return exitOK
	case errors.As(err, &status):
		return int(status) & 0xff
	case errors.As(err, &ended):
		return exitSignal + int(ended.Signal.(syscall.Signal))
	case errors.Is(err, errReported):
		return exitError
	case errors.As(err, &own):
		fmt.Fprintf(told, "%s: %v\n%s", name, err, own.usage)
		return exitUsage
	case errors.As(err, &usage):
		fmt.Fprintf(told, "%s: %v\n%s", name, err, traceUsage)
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
