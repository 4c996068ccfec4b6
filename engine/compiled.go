package engine

import (
	"context"

	"dscope.dev/dlang/check"
	"dscope.dev/dlang/diag"
	"dscope.dev/dlang/token"
	"dscope.dev/engine/internal/load"
	"dscope.dev/engine/internal/plan"
)

// Compiled is a script made ready to run, by the engine that made it.
type Compiled struct {
	plan *plan.Plan
	by   *Engine
}

// Warnings returns what the compiler has to say of the script, by place.
func (c *Compiled) Warnings() diag.List { return c.plan.Warnings }

// Probes returns how many places the script enables, each clause counted.
func (c *Compiled) Probes() int { return c.plan.Probes }

// Listing returns the programs of the script as people read them, one instruction a line.
func (c *Compiled) Listing() string { return c.plan.Object.Listing() }

// File returns the text that the places of warnings are of.
func (c *Compiled) File() *token.File { return c.plan.File }

// Program returns the script as the checker understood it. It must not be changed.
func (c *Compiled) Program() *check.Program { return c.plan.Program }

// Options returns the settings of the run, those that the script has made itself among them.
func (c *Compiled) Options() Options { return c.plan.Options.Clone() }

// Start loads and starts the script. Probes may fire before it returns. If it fails it
// leaves nothing behind. Canceling ctx abandons the start; a started session lives until
// Close.
func (c *Compiled) Start(ctx context.Context) (*Session, error) {
	s, _, err := c.start(ctx, nil)
	return s, err
}

// start is Start. The run takes the place of what is loaded before, unless that is nil.
// Begun is whether BEGIN may have fired, even if it fails.
func (c *Compiled) start(ctx context.Context, before *load.Loaded) (_ *Session, begun bool, err error) {
	e := c.by
	if err := e.Available(); err != nil {
		return nil, false, err
	}
	if err := e.machine.Affords(c.plan); err != nil {
		return nil, false, err
	}
	end, err := e.enter(c.plan, before != nil)
	if err != nil {
		return nil, false, err
	}
	s, begun, err := start(ctx, c.plan, e, before)
	if err != nil {
		end()
		return nil, begun, err
	}
	if e.door != nil {
		s.whenDone(end)
	}
	return s, begun, nil
}
