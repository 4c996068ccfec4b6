package engine

import (
	"context"

	"dscope.dev/engine/trace"
)

// What a script will take of the machine depends on how often its probes fire, and on what
// its clauses do then: walk three frames or a hundred, find a key or make one. Neither can
// be known from its text. So a script with option estimate is rehearsed before it
// runs (estimate_linux.go), and one that would take more than its limit does not start.

// foresee estimates what a script with a limit would take. The error is a
// *trace.WideError if that is more.
func (e *Engine) foresee(ctx context.Context, c *Compiled) error {
	if c.Options.Estimate == 0 {
		return nil
	}
	est, err := e.Estimate(ctx, c)
	if err != nil {
		return err
	}
	est.Limit = c.Options.Estimate
	c.estimate = est
	if est.Above() {
		return &trace.WideError{Estimate: est}
	}
	return nil
}

// Estimate finds out in a second what c would take, by attaching it and throwing away what
// it finds. Nothing of it is left behind, and nothing of it is seen but that time has passed.
func (e *Engine) Estimate(ctx context.Context, c *Compiled) (est trace.Estimate, err error) {
	defer recovered(&err)
	if err := e.Available(); err != nil {
		return est, err
	}
	if err := e.affords(c); err != nil {
		return est, err
	}
	return rehearse(ctx, c, e)
}
