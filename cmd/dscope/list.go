package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"os"
	"strings"

	"dscope.dev/engine"
	"dscope.dev/engine/trace"
)

// listProbes is -l: a line for each probe that the sources describe, or for
// every probe of the machine.
func listProbes(ctx context.Context, e *engine.Engine, j *job) (err error) {
	out := bufio.NewWriterSize(os.Stdout, 1<<16)
	defer func() { err = errors.Join(err, out.Flush()) }()
	if len(j.parts) == 0 {
		probes, families, err := e.Probes(ctx, "")
		if err != nil {
			return err
		}
		printList(out, e, j, probes)
		for _, f := range families {
			if f.Unavailable != "" {
				out.Flush()
				fmt.Fprintf(os.Stderr, "dtrace: provider %s is unavailable: %s\n", f.Name, f.Unavailable)
			}
		}
		return nil
	}
	var all []trace.Probe
	seen := map[uint32]bool{}
	for _, p := range j.parts {
		list, err := describe(ctx, e, p)
		if err != nil {
			return err
		}
		for _, probe := range list {
			if !seen[probe.ID] {
				seen[probe.ID] = true
				all = append(all, probe)
			}
		}
	}
	printList(out, e, j, all)
	return nil
}

// describe finds the probes of one source: its descriptions, or those of the
// clauses of a script.
func describe(ctx context.Context, e *engine.Engine, p part) ([]trace.Probe, error) {
	if p.flag == 's' || p.flag == 'i' || strings.ContainsAny(p.text, "{/,;") {
		return e.Enabled(ctx, engine.Script{Name: p.name, Text: p.text, File: p.file, Options: engine.DefaultOptions()})
	}
	list, _, err := e.Probes(ctx, strings.TrimSpace(p.text))
	if err != nil {
		return nil, fmt.Errorf("failed to match %s: %w", p.text, err)
	}
	return list, nil
}

// printList prints probes as dtrace -l does; with -v their arguments too.
func printList(out *bufio.Writer, e *engine.Engine, j *job, probes []trace.Probe) {
	fmt.Fprintf(out, "%5s %10s %17s %33s %s\n", "ID", "PROVIDER", "MODULE", "FUNCTION", "NAME")
	for _, p := range probes {
		fmt.Fprintf(out, "%5d %10s %17s %33s %s\n", p.ID, p.Provider, p.Module, p.Function, p.Name)
		if j.verbose {
			printArgs(out, e, p)
		}
	}
}

// printArgs prints what -v adds to a line of the list.
func printArgs(out *bufio.Writer, e *engine.Engine, p trace.Probe) {
	info, err := e.Describe(context.Background(), p)
	if err != nil {
		fmt.Fprintf(out, "\n\t%v\n\n", err)
		return
	}
	if info.Help != "" {
		fmt.Fprintf(out, "\n\t%s\n", info.Help)
	}
	if info.Unavailable != "" {
		fmt.Fprintf(out, "\n\tUnavailable: %s\n\n", info.Unavailable)
		return
	}
	fmt.Fprintf(out, "\n\tArgument Types\n")
	if len(info.Args) == 0 {
		fmt.Fprintf(out, "\t\tNone\n")
	}
	for i, a := range info.Args {
		name := ""
		if a.Name != "" {
			name = " " + a.Name
		}
		fmt.Fprintf(out, "\t\targs[%d]: %s%s\n", i, a.Type, name)
	}
	fmt.Fprintln(out)
}
