package engine

import (
	"context"
	"crypto/sha256"
	"fmt"
	"io"
	"slices"
	"strings"

	"dscope.dev/dlang/diag"
	"dscope.dev/dlang/token"
	"dscope.dev/engine/internal/load"
	"dscope.dev/engine/internal/plan"
	"dscope.dev/engine/rights"
	"dscope.dev/engine/trace"
	"dscope.dev/probes/kernel"
)

// A Door is what an engine for somebody who is not root must ask, since it may not do
// so much itself: the helper, which knows of all runs.
type Door interface {
	// Begin asks for a run, and is told what it is. End is called when it is over.
	Begin(s Start) (end func(), err error)

	// Raise calls do while files may be opened that are not the asker's: those by which
	// the kernel tells of itself.
	Raise(do func())

	// Stats has the kernel time programs until the result is closed.
	Stats() (io.Closer, error)
}

// A Start is what is told of a run before it begins.
type Start struct {
	Hash        string   // of the script: SHA-256, in hexadecimal
	Probes      []string // the descriptions of its clauses, as they are written
	Destructive bool
	Instead     bool // it takes the place of one that ends as soon as it has begun
}

// NewFor returns an engine for somebody who has rights, in a process that has few
// capabilities. Door is asked before each run.
func NewFor(r *rights.Rights, door Door) (*Engine, error) {
	if err := load.MayOpen(load.BaseFiles); err != nil {
		return nil, err
	}
	e, err := over(kernel.OpenWith(door.Raise))
	if err != nil {
		return nil, err
	}
	e.rights, e.door = r, door
	e.machine.Seal, e.machine.Most = r.Seal(), r.Memory
	e.machine.Stats, e.machine.AskerPID = door.Stats, r.PID
	if r.Providers != nil {
		e.machine.Provides = r.Provides
	}
	return e, nil
}

// Rights are those of the asker; nil is root, who may do all.
func (e *Engine) Rights() *rights.Rights { return e.rights }

// OpenKernel returns the running kernel as this engine may see it.
func (e *Engine) OpenKernel() *kernel.Kernel {
	if e.door == nil {
		return kernel.Open()
	}
	return kernel.OpenWith(e.door.Raise)
}

// enter asks for a run of c, which may take the place of another.
func (e *Engine) enter(c *plan.Plan, instead bool) (end func(), err error) {
	if e.door == nil {
		return func() {}, nil
	}
	if n := len(c.Object.Entries); e.rights.Cost > 0 && n > load.MostTimed {
		return nil, fmt.Errorf("what %d programs cost cannot be watched, and your runs must not take more than %.6g%% of the CPUs (%s): name fewer probes",
			n, 100*e.rights.Cost, e.rights.Source)
	}
	s := Start{Destructive: c.Options.Destructive, Instead: instead}
	s.Hash = fmt.Sprintf("%x", sha256.Sum256([]byte(c.Program.File.Src)))
	for _, clause := range c.Program.Clauses {
		for _, d := range clause.AST.Probes {
			if text := strings.Join(strings.Fields(d.Text), " "); !slices.Contains(s.Probes, text) {
				s.Probes = append(s.Probes, text)
			}
		}
	}
	return e.door.Begin(s)
}

// mayList drops from a list of probes those of providers that the rights leave out.
func (e *Engine) mayList(list []trace.Probe) []trace.Probe {
	if e.rights == nil || e.rights.Providers == nil {
		return list
	}
	return slices.DeleteFunc(list, func(p trace.Probe) bool { return !e.rights.Provides(p.Provider) })
}

// mine keeps of processes those that the asker may look into.
func (e *Engine) mine(ctx context.Context, list []trace.Process) []trace.Process {
	if e.rights == nil || !e.rights.OwnOnly() {
		return list
	}
	return slices.DeleteFunc(list, func(p trace.Process) bool { return ctx.Err() == nil && e.rights.Mine(p.PID) != nil })
}

// withoutHits leaves out of what a run costs how often its probes fire: they do in the
// processes of all, and of others nothing may be counted.
func (e *Engine) withoutHits(c trace.Cost) trace.Cost {
	if e.rights == nil || !e.rights.OwnOnly() {
		return c
	}
	c.Hits, c.Clauses = 0, nil
	return c
}

// foreign explains complaints about processes of others.
func (e *Engine) foreign(f *token.File, target int, list diag.List) {
	e.rights.Foreign(f, target, list)
}
