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
	"dscope.dev/engine/trace/spell"
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
		fmt.Fprintf(told, "%[1]s: vvvv D program vvvv\n%[2]s%[1]s: ^^^^ D program ^^^^\n", c.name, text)
	}
	ctx := context.Background()
	script, err := e.Compile(ctx, engine.Script{Name: c.name, Text: text, Options: o, Target: t.pid})
	if err != nil {
		return nil, err
	}
	run, err := script.Start(waiting(ctx, c.name))
	if err != nil {
		return nil, err
	}
	if err := t.start(run); err != nil {
		return nil, errors.Join(err, run.Close())
	}
	return run, nil
}

// follow reads a run until the process has ended, the program is over, or somebody
// interrupts, and returns the aggregations as they stood at the end. It calls ended
// with how the process ended. At last it tells what the tables lack.
func (c tabler) follow(run trace.Run, t *target, ended func(how string)) (final trace.Snapshot, err error) {
	signals := make(chan os.Signal, 1)
	signal.Notify(signals, syscall.SIGINT, syscall.SIGTERM)
	defer signal.Stop(signals)
	gone := t.done
	var lacks losses
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
			for i := range batch {
				lacks.add(&batch[i])
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
	for _, line := range lacks.lines() {
		fmt.Fprintf(told, "%s: %s\n", c.name, line)
	}
	return final, run.Close()
}

// losses are what is missing from the tables: what was dropped, and firings that were
// given up. A fault that happens with every event is told of once, with its number.
type losses struct {
	list []loss
}

// A loss is one kind of them.
type loss struct {
	drop  bool
	kind  trace.DropKind
	fault trace.Fault // the first of them
	probe trace.Probe // whose firings were given up
	count uint64
}

// add counts what an event tells of.
func (l *losses) add(e *trace.Event) {
	switch e.Kind {
	case trace.DropEvent:
		l.count(loss{drop: true, kind: e.Drop.Kind, count: e.Drop.Count})
	case trace.FaultEvent:
		l.count(loss{fault: e.Fault, probe: e.Probe, count: 1})
	}
}

func (l *losses) count(n loss) {
	for i, old := range l.list {
		if old.drop == n.drop && old.kind == n.kind && old.fault.Kind == n.fault.Kind && old.probe == n.probe {
			l.list[i].count += n.count
			return
		}
	}
	l.list = append(l.list, n)
}

// lines tells of each kind, in the order in which they were met.
func (l *losses) lines() (lines []string) {
	for _, n := range l.list {
		if n.drop {
			lines = append(lines, "events were lost: "+spell.Drop(trace.Drop{Kind: n.kind, CPU: -1, Count: n.count}))
			continue
		}
		times := "once: "
		if n.count > 1 {
			times = fmt.Sprintf("%d times, at first: ", n.count)
		}
		lines = append(lines, fmt.Sprintf("%v was not counted %s%s", n.probe, times, spell.AppendReason(nil, &n.fault)))
	}
	return lines
}
