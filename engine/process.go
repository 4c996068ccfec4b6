package engine

import (
	"context"
	"errors"
	"strconv"

	"dscope.dev/engine/ps"
	"dscope.dev/engine/trace"
	"dscope.dev/probes"
)

// Processes lists the processes that execute a program.
func (e *Engine) Processes(ctx context.Context) ([]trace.Process, error) {
	list, err := ps.New().List(ctx)
	return e.mine(ctx, list), err
}

// Process tells of a process what can be told without reading the symbols of all that
// it executes: its files, the probes that these carry, and those of its locks.
func (e *Engine) Process(ctx context.Context, pid int) (info trace.ProcessInfo, err error) {
	if err := e.rights.Mine(pid); err != nil {
		return info, err
	}
	table := ps.New()
	if info.Process, err = table.Find(pid); err != nil {
		return info, err
	}
	modules, err := e.processes.Modules(pid)
	if err != nil {
		return info, errors.Join(table.Alive(info.Process), err)
	}
	for _, m := range modules {
		info.Modules = append(info.Modules, trace.Module{Name: m.Name, Path: m.Path, Main: m.Main})
	}
	carried, silent := e.programs.Of(pid)
	for _, p := range carried {
		info.Probes = append(info.Probes, traceProbe(0, p))
	}
	why := ""
	switch {
	case silent != nil:
		why = silent.Error()
	case len(carried) == 0:
		why = "neither its program nor its libraries carry probes"
	}
	if why != "" {
		info.Missing = append(info.Missing, trace.ProviderInfo{Name: e.programs.Name(), Help: e.programs.Help(), Unavailable: why})
	}
	pat := probes.Pattern{Provider: e.locks.Name() + strconv.Itoa(pid)}
	for p, err := range e.locks.Match(ctx, pat) {
		if err != nil {
			info.Missing = append(info.Missing, trace.ProviderInfo{Name: e.locks.Name(), Help: e.locks.Help(), Unavailable: err.Error()})
			break
		}
		info.Probes = append(info.Probes, traceProbe(0, p))
	}
	return info, errors.Join(table.Alive(info.Process), ctx.Err())
}

// Functions lists entry and return of all functions of a file that a process executes,
// by name. They have no numbers: nobody has asked for one of them yet.
func (e *Engine) Functions(ctx context.Context, p trace.Process, m trace.Module) ([]trace.Probe, error) {
	if err := e.rights.Mine(p.PID); err != nil {
		return nil, err
	}
	list, err := e.processes.Functions(ctx, p.PID, m.Path)
	if gone := ps.New().Alive(p); gone != nil {
		return nil, gone
	}
	if err != nil {
		return nil, err
	}
	out := make([]trace.Probe, len(list))
	for i, q := range list {
		out[i] = traceProbe(0, q)
	}
	return out, nil
}

// Ended waits until a process has ended and says so, or until ctx has.
func (e *Engine) Ended(ctx context.Context, p trace.Process) error { return ps.New().Wait(ctx, p) }
