// Package engine runs D scripts on this kernel.
//
// An Engine knows the machine: its probes, its types, its symbols. It checks
// and completes scripts while they are typed, and compiles and starts them. A
// Session is one script that runs.
//
// The life of a run, and the rooms in which it is spent (engine/internal): the script is
// parsed and checked (dlang/parser, check), for which env.go tells of this machine. A plan is
// made of it (plan): units, one program each, then instructions and maps. What the kernel
// lets programs do is tried, once, when somebody first asks (trial); the script itself has
// touched nothing of the kernel until Start loads it (load), runs BEGIN to its end, attaches
// the rest and begins to drain. The drain (drain) reads the record buffers of each CPU and
// turns what they hold into events (engine/record), and at its own pace takes the
// aggregations: it makes the programs fill the other of two generations of maps, waits until
// none is inside the old one, and adds what it holds to the totals (engine/agg). So no
// snapshot shows half an update, and the kernel's memory stays bounded. What numbers stand
// for is told by a resolver (names). Scripts that name what may come later get more probes
// while they run (grow). At the end everything is detached, END runs, the buffers are read a
// last time, and every kernel object is given back. A process that is killed leaves nothing
// either: all is held by descriptors.
//
// What a script will take can be found out beforehand (rehearsal). What leaves the engine
// are the plain values of engine/trace.
package engine

import (
	"context"
	"errors"
	"sync"
	"sync/atomic"
	"time"

	"dscope.dev/dlang/check"
	"dscope.dev/dlang/diag"
	"dscope.dev/dlang/function"
	"dscope.dev/dlang/parser"
	"dscope.dev/engine/internal/load"
	"dscope.dev/engine/internal/mishap"
	"dscope.dev/engine/internal/options"
	"dscope.dev/engine/internal/plan"
	"dscope.dev/engine/internal/trial"
	"dscope.dev/engine/outside"
	"dscope.dev/engine/rights"
	"dscope.dev/engine/trace"
	"dscope.dev/probes"
	"dscope.dev/probes/derived"
	"dscope.dev/probes/dtrace"
	"dscope.dev/probes/fbt"
	"dscope.dev/probes/kernel"
	"dscope.dev/probes/kinst"
	"dscope.dev/probes/perf"
	"dscope.dev/probes/plockstat"
	"dscope.dev/probes/syscall"
	"dscope.dev/probes/timer"
	"dscope.dev/probes/tracepoint"
	"dscope.dev/probes/usdt"
	"dscope.dev/probes/user"
)

// An Engine checks, lists and starts. Its methods may be called from several
// goroutines. Close it to give back what it holds of the kernel.
type Engine struct {
	machine  plan.Machine
	registry *probes.Registry
	programs *usdt.Provider
	counters *perf.Provider

	processes *user.Provider // their functions
	locks     *plockstat.Provider

	rights *rights.Rights // of who asks; nil is root
	door   Door           // is asked before each run; nil if nobody need be

	mu     sync.Mutex
	listed listed

	answers    answers
	keeper     atomic.Pointer[parser.Keeper] // of the script that was checked last
	containers containers

	refusalsMu sync.Mutex
	refusals   int // how many of the files that were not read have been told of
}

// patience is after how long a start says what it waits for, and how often again.
const patience = 5 * time.Second

// Open returns an engine over the running kernel. It needs no privileges: what
// they forbid is refused when it is asked for.
func Open() (*Engine, error) {
	if err := load.MayOpen(load.BaseFiles); err != nil {
		return nil, err
	}
	return over(kernel.Open())
}

// over returns an engine over k.
func over(k *kernel.Kernel) (*Engine, error) {
	facts, err := k.Facts()
	if err != nil {
		return nil, err
	}
	e := &Engine{machine: plan.Machine{Kernel: k, Facts: facts, Trials: trial.New(k, facts), Patience: patience},
		programs: usdt.New(), counters: perf.New()}
	mayHook := func() error { return e.machine.Trials.Functions().Err() }
	e.machine.Instructions = kinst.New(k, func() error { return e.machine.Trials.Functions().InstructionErr() })
	calls, raw := syscall.New(k), tracepoint.NewRaw(k)
	functions := fbt.New(k, mayHook)
	made, err := derived.New(k, calls, raw, functions)
	if err != nil {
		return nil, err
	}
	e.processes = user.New()
	e.locks = plockstat.New(e.processes, calls, facts.Arch)
	placed, made := probes.Join(tracepoint.NewSDT(k), made)
	list := append([]probes.Provider{dtrace.New(), calls, placed, raw}, made...)
	e.registry = probes.NewRegistry(append(list, timer.New(), e.counters,
		e.programs, e.processes, e.locks,
		functions, fbt.NewRaw(k, mayHook), e.machine.Instructions)...)
	return e, nil
}

// Carried returns the probes that processes carry in their programs and libraries.
func (e *Engine) Carried(ctx context.Context, pids []int) ([]trace.Probe, error) {
	var list []trace.Probe
	for _, pid := range pids {
		carried, _ := e.programs.Of(pid) // those of a file that is silent are not known
		for _, p := range carried {
			entry, err := e.registry.Lookup(ctx, p)
			if err != nil {
				return list, err
			}
			list = append(list, traceProbe(entry.ID, entry.Probe))
		}
	}
	return list, nil
}

// Close gives back what the engine holds. Sessions live on.
func (e *Engine) Close() error { return e.machine.Kernel.Close() }

// Available returns nil, or why this machine or these privileges cannot trace,
// with the remedy. It tries the kernel, once.
func (e *Engine) Available() error { return e.machine.Trials.Available() }

// Probes returns the probes that pattern covers, and the families.
func (e *Engine) Probes(ctx context.Context, pattern string) ([]trace.Probe, []trace.ProviderInfo, error) {
	told := make(chan []trace.ProviderInfo, 1)
	go func() { told <- e.providers() }()
	list, err := e.Match(ctx, pattern)
	return list, <-told, err
}

// Match returns the probes that pattern covers. It asks only families that may have
// some. If it names no provider it also means what the processes carry that are followed.
func (e *Engine) Match(ctx context.Context, pattern string, followed ...int) (_ []trace.Probe, err error) {
	defer mishap.Catch(&err)
	pat, err := probes.ParsePattern(pattern)
	if err != nil {
		return nil, err
	}
	entries, err := e.match(ctx, pat, followed)
	if err != nil {
		return nil, err
	}
	list := make([]trace.Probe, len(entries))
	for i, p := range entries {
		list[i] = traceProbe(p.ID, p.Probe)
	}
	return e.mayList(list), nil
}

// providers tells of the families.
func (e *Engine) providers() []trace.ProviderInfo {
	var families []trace.ProviderInfo
	for _, f := range e.registry.Providers() {
		info := trace.ProviderInfo{Name: f.Name, Help: f.Help, Processes: f.Varied}
		if f.Err != nil {
			info.Unavailable = f.Err.Error()
		}
		families = append(families, info)
	}
	return families
}

// Describe returns the typed arguments of a probe and what else is known.
func (e *Engine) Describe(ctx context.Context, p trace.Probe) (info trace.ProbeInfo, err error) {
	defer mishap.Catch(&err)
	info = trace.ProbeInfo{Probe: p}
	entry, err := e.registry.Lookup(ctx, probes.Probe{Provider: p.Provider, Module: p.Module, Function: p.Function, Name: p.Name})
	if err != nil {
		return info, err
	}
	s, err := e.registry.Site(entry)
	if err != nil {
		info.Unavailable, s = err.Error(), e.registry.Declared(entry)
	} else {
		info.Hook = s.Hook.Way()
	}
	info.ID, info.Help = entry.ID, s.Help
	for _, a := range s.Args {
		shown := check.Arg{Type: a.Type, As: a.As}
		info.Args = append(info.Args, trace.Arg{Name: a.Name, Type: shown.TypeName()})
	}
	return info, nil
}

// screenRate is the pace of the workbench's pictures.
const screenRate = 200 * time.Millisecond

// screenExamples is how many firings a run of the workbench keeps of each bucket, CPU and
// interval, unless its script says otherwise.
const screenExamples = "4"

// screenAirBag is the share of all CPUs that a run of the workbench may take, unless its
// script says otherwise.
const screenAirBag = 0.2

// Run compiles and starts a script of the screen.
func (e *Engine) Run(ctx context.Context, asked trace.Script) (_ trace.Run, err error) {
	defer mishap.Catch(&err)
	return e.run(ctx, asked, nil)
}

// run starts a script of the screen, in the place of after unless that is nil.
func (e *Engine) run(ctx context.Context, asked trace.Script, after *Session) (trace.Run, error) {
	o := options.Default()
	o.AggRate, o.SwitchRate = screenRate, min(o.SwitchRate, screenRate)
	o.Timed, o.Prints, o.Handover, o.AirBag, o.Estimate = true, asked.Prints, true, screenAirBag, screenEstimate
	if err := o.Set("examples", screenExamples); err != nil {
		return nil, err
	}
	s, err := called(asked, o)
	if err != nil {
		return nil, err
	}
	run, begun, err := e.begin(ctx, s, asked.Foreseen, after)
	if err == nil || begun || ctx.Err() != nil || errors.Is(err, trace.ErrWide) || s.Options.Values["examples"] != screenExamples {
		return run, err
	}
	// What is kept of each firing may be what the compiler or the kernel does not take.
	if err := s.Options.Set("examples", "0"); err != nil {
		return nil, err
	}
	run, _, err = e.begin(ctx, s, asked.Foreseen, after)
	return run, err
}

// begin compiles and starts a script of the screen. Begun is whether its BEGIN may have
// fired, even if it fails.
func (e *Engine) begin(ctx context.Context, s Script, known trace.Estimate, after *Session) (_ trace.Run, begun bool, err error) {
	c, err := e.Compile(ctx, s)
	if list, ok := IsScriptError(err); ok {
		list.List = onScreen(list.File, list.List)
	}
	if err != nil {
		return nil, false, err
	}
	if err := c.foresee(ctx, known); err != nil {
		return nil, false, err
	}
	before, over := after.lend()
	defer over()
	session, begun, err := c.start(ctx, before)
	if err != nil {
		return nil, begun, err
	}
	if c.Program().Uses(function.System) {
		return outside.Keep(session), true, nil
	}
	return session, true, nil
}

func traceProbe(id uint32, p probes.Probe) trace.Probe {
	return trace.Probe{ID: id, Provider: p.Provider, Module: p.Module, Function: p.Function, Name: p.Name}
}

// Enabled returns the probes that the clauses of a script enable, each once.
func (e *Engine) Enabled(ctx context.Context, s Script) (_ []trace.Probe, err error) {
	defer mishap.Catch(&err)
	f, p, list := e.check(ctx, &s, false)
	if list.Failed() {
		return nil, &diag.ListError{File: f, List: list}
	}
	var found []trace.Probe
	seen := map[uint32]bool{}
	for _, c := range p.Clauses {
		for _, set := range c.Probes {
			for _, site := range plan.SitesOf(&set) {
				if !seen[site.ID] {
					seen[site.ID] = true
					found = append(found, traceProbe(site.ID, site.Probe))
				}
			}
		}
	}
	return found, nil
}
