package main

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"unicode/utf8"

	"dscope.dev/engine"
	"dscope.dev/engine/trace"
	"dscope.dev/probes"
)

// listProbes is -l: a line for each probe that the sources describe, or for
// every probe of the machine.
func listProbes(ctx context.Context, e *engine.Engine, j *job, t *target) (err error) {
	out := bufio.NewWriterSize(said, 1<<16)
	defer func() { err = errors.Join(err, out.Flush()) }()
	if len(j.parts) == 0 && t != nil {
		list, err := e.Carried(ctx, t.pids)
		printHead(out)
		for _, p := range list {
			printProbe(out, e, j, p)
		}
		return err
	}
	if len(j.parts) == 0 {
		all, families, err := e.Probes(ctx, "")
		if err != nil {
			return err
		}
		printHead(out)
		for _, p := range all {
			printProbe(out, e, j, p)
		}
		for _, f := range families {
			if f.Unavailable != "" {
				out.Flush()
				fmt.Fprintf(told, "dtrace: provider %s is unavailable: %s\n", f.Name, f.Unavailable)
			}
		}
		return nil
	}
	printHead(out)
	seen := map[uint32]bool{}
	for _, p := range j.parts {
		list, err := describe(ctx, e, j, p, t)
		if err != nil {
			out.Flush()
			var none *probes.NoMatch
			if !errors.As(err, &none) {
				return err
			}
			fmt.Fprintf(told, "dtrace: failed to match %s: No probe matches description\n", none.Pattern)
			if hint := none.Hint(); hint != "" && !underTest() {
				fmt.Fprintf(told, "    hint: %s\n", hint)
			}
		}
		for _, probe := range list {
			if !seen[probe.ID] {
				seen[probe.ID] = true
				printProbe(out, e, j, probe)
			}
		}
	}
	return nil
}

// describe finds the probes of one source: its descriptions, or those of the
// clauses of a script.
func describe(ctx context.Context, e *engine.Engine, j *job, p part, t *target) ([]trace.Probe, error) {
	text := strings.TrimSpace(p.text)
	digits := text != "" && text[0] >= '0' && text[0] <= '9'
	if p.flag == 's' || digits || strings.ContainsAny(text, "{/,;$") {
		s := engine.Script{Name: p.name, Text: p.text, File: p.file, Options: j.opts, Args: j.args}
		s.Target, s.Follow = t.processes()
		list, err := e.Enabled(ctx, s)
		return list, complainOf(err, p, j.opts.On("errtags"))
	}
	if len(j.args) > 0 && !j.opts.On("argref") {
		return nil, fmt.Errorf("invalid probe specifier %s: extraneous argument '%s' ($1 is not referenced)", p.name, j.args[0])
	}
	_, followed := t.processes()
	return e.Match(ctx, text, followed...)
}

// printHead prints what every list of dtrace -l begins with.
func printHead(out *bufio.Writer) {
	fmt.Fprintf(out, "%5s %10s %17s %33s %s\n", "ID", "PROVIDER", "MODULE", "FUNCTION", "NAME")
}

// blanks are as many as the widest column of a list.
const blanks = "                                 "

// appendRight appends text, right-aligned. There are thousands of lines to print, and
// fmt would take longer for them than it takes to find the probes.
func appendRight(line []byte, text string, width int) []byte {
	if n := utf8.RuneCountInString(text); n < width {
		line = append(line, blanks[:width-n]...)
	}
	return append(line, text...)
}

// printProbe prints a line of the list, in columns like those of printHead; with -v its
// arguments too.
func printProbe(out *bufio.Writer, e *engine.Engine, j *job, p trace.Probe) {
	var digits [10]byte
	line := appendRight(out.AvailableBuffer(), string(strconv.AppendUint(digits[:0], uint64(p.ID), 10)), 5)
	line = appendRight(append(line, ' '), p.Provider, 10)
	line = appendRight(append(line, ' '), p.Module, 17)
	line = appendRight(append(line, ' '), p.Function, 33)
	line = append(append(line, ' '), p.Name...)
	if bytes.IndexByte(line, '\n') >= 0 { // in a name, where it would make a line of its own
		line = bytes.ReplaceAll(line, []byte("\n"), []byte("^J"))
	}
	out.Write(append(line, '\n'))
	if j.verbose {
		printArgs(out, e, p)
	}
}

// printArgs prints what -v adds to a line of the list.
func printArgs(out *bufio.Writer, e *engine.Engine, p trace.Probe) {
	info, err := e.Describe(context.Background(), p)
	if err != nil {
		fmt.Fprintf(out, "\n\t%v\n\n", err)
		return
	}
	if info.Help != "" && !underTest() {
		fmt.Fprintf(out, "\n\t%s\n", info.Help)
	}
	if info.Unavailable != "" && !underTest() {
		fmt.Fprintf(out, "\n\tUnavailable: %s\n", info.Unavailable)
	}
	printPromises(out, p)
	fmt.Fprintf(out, "\n\tArgument Types\n")
	if len(info.Args) == 0 {
		fmt.Fprintf(out, "\t\tNone\n")
	}
	for i, a := range info.Args {
		name := ""
		if a.Name != "" && !underTest() {
			name = " " + a.Name
		}
		fmt.Fprintf(out, "\t\targs[%d]: %s%s\n", i, a.Type, name)
	}
	fmt.Fprintln(out)
}
