package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"strings"
	"syscall"

	"dscope.dev/engine"
	"dscope.dev/engine/trace"
)

// A tabler is a command that runs a D program of its own and shows what has been
// counted once that has ended, as lockstat(1M) and plockstat(1M) do.
type tabler struct {
	name    string
	show    bool     // whether the program is shown
	options []string // of -x
}

// start compiles the program for a process, or with none of its own, and starts it
// with the options set and then those of the user; then it lets the process go.
func (c tabler) start(e *engine.Engine, t *target, text string, set ...string) (trace.Run, error) {
	o := engine.DefaultOptions()
	for _, s := range append(append([]string{"aggrate=1s"}, set...), c.options...) {
		name, value, _ := strings.Cut(s, "=")
		if err := o.Set(name, value); err != nil {
			return nil, fmt.Errorf("set -x %s: %w", s, err)
		}
	}
	if c.show {
		fmt.Fprintf(os.Stderr, "%[1]s: vvvv D program vvvv\n%[2]s%[1]s: ^^^^ D program ^^^^\n", c.name, text)
	}
	ctx := context.Background()
	script, err := e.Compile(ctx, engine.Script{Name: c.name, Text: text, Options: o, Target: t.pid, Level: 1})
	if err != nil {
		return nil, err
	}
	run, err := e.Start(waiting(ctx, c.name), script)
	if err != nil {
		return nil, err
	}
	if err := t.start(); err != nil {
		return nil, errors.Join(err, run.Close())
	}
	return run, nil
}

// follow reads a run until the process has ended, the program is over, or somebody
// interrupts, and returns the aggregations as they stood at the end. It calls ended
// with how the process ended, and tell with what happens.
func (c tabler) follow(run trace.Run, t *target, ended func(how string), tell func(trace.Event)) (final trace.Snapshot, err error) {
	signals := make(chan os.Signal, 1)
	signal.Notify(signals, syscall.SIGINT, syscall.SIGTERM)
	defer signal.Stop(signals)
	gone := t.done
	events, snaps, states := run.Events(), run.Snapshots(), run.Status()
	for events != nil || snaps != nil || states != nil {
		select {
		case <-signals:
			run.Stop()
		case how := <-gone:
			ended(how)
			gone = nil
			run.Stop()
		case batch, ok := <-events:
			if !ok {
				events = nil
			}
			for _, e := range batch {
				tell(e)
			}
		case s, ok := <-snaps:
			if ok {
				final = s
			} else {
				snaps = nil
			}
		case _, ok := <-states:
			if !ok {
				states = nil
			}
		}
	}
	return final, run.Close()
}

// lost tells of events that the tables lack.
func (c tabler) lost(e trace.Event) {
	if e.Kind == trace.DropEvent {
		fmt.Fprintf(os.Stderr, "%s: %d events were lost: %v\n", c.name, e.Drop.Count, e.Drop.Kind)
	}
}
