package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"

	"dscope.dev/cmd/dscope/usage"
	"dscope.dev/engine"
	"dscope.dev/probes"
	"dscope.dev/ui"
	"dscope.dev/ui/document/disk"
)

// What the workbench asks beyond what it must; on Linux also ui.Swapper, which a test holds.
var _ ui.Follower = (*engine.Engine)(nil)

func workbenchCommand() usage.Command {
	return usage.Command{
		Forms: []string{"[-p PID] [script.d]"},
		About: "Opens the workbench, on an empty script or on script.d; with -p on a process, which is $target.",
		Flags: []usage.Flag{{Name: "-p", Arg: "PID", Takes: usage.Process, Help: "look at this process: it is $target"}},
		After: "In the workbench, press ? (or F1 while typing) for the keys.\n\n" +
			"Tracing needs root, or CAP_BPF and CAP_PERFMON.",
		Words: usage.Script, Topics: []string{"workbench"}, Run: workbenchMain,
	}
}

// workbenchMain is dscope without a command.
func workbenchMain(args []string) error {
	if len(args) == 0 {
		return workbench("", 0)
	}
	pid, rest, err := targetFlag(args)
	switch {
	case err != nil:
		return usageError{err}
	case len(rest) == 0:
		return workbench("", pid)
	case strings.HasPrefix(rest[0], "-"):
		return usageError{fmt.Errorf("%s is no flag and no command of dscope", rest[0])}
	case pid == 0 && !isPath(rest[0]):
		return usageError{noCommand(rest[0])}
	case len(rest) > 1:
		return usageError{fmt.Errorf("%s: the workbench opens on one script", rest[1])}
	}
	return workbench(rest[0], pid)
}

// isPath reports whether a word means a file: one that is there, or that has a name as files
// have.
func isPath(word string) bool {
	_, err := os.Stat(word)
	return err == nil || strings.ContainsAny(word, "./")
}

// noCommand complains of a word that is none of the commands.
func noCommand(word string) error {
	var names []string
	for _, c := range commandTable() {
		names = append(names, c.Name)
	}
	if near := probes.Nearest(word, names); len(near) > 0 {
		return fmt.Errorf("%s is no command of dscope: do you mean %s?", word, strings.Join(near, " or "))
	}
	return fmt.Errorf("%s is no command of dscope; a new script has a name such as %s.d", word, word)
}

// workbench opens the workbench on a script, or on an empty one, and on a process if
// pid is one.
func workbench(path string, pid int) error {
	if !isTerminal(os.Stdin) || !isTerminal(os.Stdout) {
		return errors.New("the workbench needs a terminal; dscope trace runs scripts without one")
	}
	e, err := engine.New()
	if err != nil {
		return err
	}
	defer e.Close()
	o := ui.Options{Path: path, Keep: keeper(here(), e)}
	missing := elevate(e) // first: whose process it is matters no more afterwards
	if pid != 0 {
		info, err := e.Process(context.Background(), pid)
		if err != nil {
			return err
		}
		o.Process = info.Process
	}
	var notices []string
	if missing != "" {
		notices = append(notices, "editing and checking only: "+missing)
	}
	if o.State, err = disk.StateDir(); err != nil {
		notices = append(notices, fmt.Sprintf("unsaved text is not kept: %v", err))
	}
	o.Notice = strings.Join(notices, "; ")
	return ui.Run(context.Background(), e, o)
}
