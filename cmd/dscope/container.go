package main

import (
	"bufio"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"dscope.dev/cmd/dscope/usage"
	"dscope.dev/engine"
	"dscope.dev/engine/container"
)

// containerFlag narrows what a command does to a container. It is option container, which
// goes wherever options go: to other machines and fleets, too.
var containerFlag = usage.Flag{Name: "--container", Arg: "name", Takes: usage.Container,
	Help: "only what happens in this container: its name, pod/name, namespace/pod, or the beginning of its ID; $target is its first process"}

// takeContainer takes --container out of args, in front of a lone --.
func takeContainer(args []string) (word string, rest []string, err error) {
	for i := 0; i < len(args); i++ {
		name, value, given := strings.Cut(args[i], "=")
		switch {
		case args[i] == "--":
			return word, append(rest, args[i:]...), nil
		case name != containerFlag.Name:
			rest = append(rest, args[i])
			continue
		case !given:
			if i++; i < len(args) {
				value = args[i]
			}
		}
		if word = value; word == "" {
			return "", nil, errors.New("--container: the name of a container is missing; dscope containers lists them")
		}
	}
	return word, rest, nil
}

// containerOption writes --container as the option that it is.
func containerOption(args []string) ([]string, error) {
	word, rest, err := takeContainer(args)
	if err != nil {
		return nil, usageError{err}
	}
	if word == "" {
		return rest, nil
	}
	return append([]string{"-x", "container=" + word}, rest...), nil
}

// contained is the target that option container makes: the first process of a container, or
// some of its processes that -p names. It ends with them.
func (j *job) contained(e *engine.Engine, word string) (*target, error) {
	if len(j.commands) > 0 {
		return nil, errors.New("-c: a command that dscope starts runs outside of the container; leave --container away, or start it in there and name it with -p")
	}
	c, err := e.Container(context.Background(), word)
	if err != nil {
		return nil, err
	}
	if !j.opts.Quiet && !underTest() {
		fmt.Fprintf(told, "dtrace: only in %s, which has %d process%s\n", &c, len(c.Processes), plurals(len(c.Processes)))
	}
	if len(j.pids) == 0 {
		t, err := newProcess(c.Init, fmt.Sprintf("%s has ended", &c))
		if err != nil {
			return nil, err
		}
		t = together([]*target{t})
		t.pids = c.Processes
		return t, nil
	}
	var list []*target
	for _, pid := range j.pids {
		if !slices.Contains(c.Processes, pid) {
			return nil, fmt.Errorf("-p %d: it is no process of %s", pid, &c)
		}
		t, err := newProcess(pid, "")
		if err != nil {
			return nil, err
		}
		list = append(list, t)
	}
	return together(list), nil
}

// inContainer looks at a container before the workbench opens on it, and has its first
// process be $target unless -p names another. One of another machine is looked for there, with
// each script.
func inContainer(at *workplace, word string, pid *int) (notices []string, err error) {
	e, here := at.tracer.(*engine.Engine)
	if !here {
		return []string{"only in the container " + word}, nil
	}
	c, err := e.Container(context.Background(), word)
	if err != nil {
		return nil, err
	}
	*pid = cmp.Or(*pid, c.Init)
	return []string{fmt.Sprintf("only in %s", &c)}, nil
}

func plurals(n int) string {
	if n == 1 {
		return ""
	}
	return "es"
}

func containersCommand() usage.Command {
	return usage.Command{
		Name: "containers", Brief: "list containers and pods, as --container takes them", Forms: []string{"[-v]"},
		About: "Lists the containers that have processes, with the ID, name, pod and image, if they are known, and the first process, " +
			"which is $target. With -v also who was asked for the names.",
		Flags: []usage.Flag{{Name: "-v", Help: "say who was asked for the names, and what came of it"}},
		Run:   containersMain, Topics: []string{"container"},
	}
}

// containersMain is dscope containers.
func containersMain(args []string) error {
	flags, rest, err := getopt(args, "v")
	if err == nil && len(rest) > 0 {
		err = fmt.Errorf("%s makes no sense here", rest[0])
	}
	if err != nil {
		return usageError{err}
	}
	list, sources, err := container.Here().List(context.Background())
	if err != nil {
		return err
	}
	out := bufio.NewWriter(said)
	printContainers(out, list)
	if len(flags) > 0 {
		for _, s := range sources {
			fmt.Fprintln(out, s)
		}
	}
	return ignorePipe(out.Flush())
}

// printContainers prints a table. What holds pods together is left out: nobody asks for it.
func printContainers(out *bufio.Writer, list []container.Container) {
	rows := [][]string{{"ID", "NAME", "RUNTIME", "PROCESSES", "TARGET", "IMAGE"}}
	for i := range list {
		c := &list[i]
		if c.Sandbox {
			continue
		}
		rows = append(rows, []string{c.Short(), cmp.Or(c.Full(), "-"), cmp.Or(c.Runtime, "-"), fmt.Sprint(len(c.Processes)), fmt.Sprint(c.Init), cmp.Or(c.Image, "-")})
	}
	if len(rows) == 1 {
		fmt.Fprintln(out, "no container runs here")
		return
	}
	printRows(out, rows)
}

// printRows prints rows of as many cells in columns.
func printRows(out io.Writer, rows [][]string) {
	widths := make([]int, len(rows[0]))
	for _, row := range rows {
		for i, cell := range row {
			widths[i] = max(widths[i], len([]rune(cell)))
		}
	}
	for _, row := range rows {
		line := ""
		for i, cell := range row {
			line += fmt.Sprintf("%-*s  ", widths[i], cell)
		}
		fmt.Fprintln(out, strings.TrimRight(line, " "))
	}
}
