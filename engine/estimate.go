package engine

import (
	"context"
	"errors"

	"dscope.dev/engine/internal/mishap"
	"dscope.dev/engine/internal/rehearsal"
	"dscope.dev/engine/trace"
)

// What a script will take of the machine depends on how often its probes fire, and on what
// its clauses do then: walk three frames or a hundred, find a key or make one. Neither can
// be known from its text. So a script with option estimate is rehearsed before it
// runs (estimate_linux.go), and one that would take more than its limit does not start.
//
// Of scripts of the screen that do not say, those that are wide are rehearsed. The others
// have no second to lose: somebody has changed a word and wants to see what comes of it.

// screenEstimate is the share of all CPUs that a wide script of the screen may be expected to
// take without a question: half of what the air bag lets it.
const screenEstimate = 0.1

// foresee estimates what a script with a limit would take. The error is a
// *trace.WideError if that is more.
func (e *Engine) foresee(ctx context.Context, c *Compiled, known trace.Estimate) error {
	if known.Known() {
		c.Estimate = known
		return nil
	}
	if asked := c.Options.Values["estimate"] != ""; c.Options.Estimate == 0 || !asked && !c.Wide() {
		return nil
	}
	if e.rights != nil && e.rights.OwnOnly() {
		return nil
	}
	trace.Note(ctx, trace.Estimating)
	est, err := e.Estimate(ctx, c)
	trace.Note(ctx, "")
	switch {
	case errors.Is(err, rehearsal.ErrUntold): // the air bag sees to it that it does no harm
		return nil
	case err != nil:
		return err
	}
	est.Limit = c.Options.Estimate
	c.Estimate = est
	if est.Above() {
		return &trace.WideError{Estimate: est}
	}
	return nil
}

// Estimate finds out in a second what c would take, by attaching it and throwing away what
// it finds. Nothing of it is left behind, and nothing of it is seen but that time has passed.
func (e *Engine) Estimate(ctx context.Context, c *Compiled) (est trace.Estimate, err error) {
	defer mishap.Catch(&err)
	if e.rights != nil && e.rights.OwnOnly() {
		return est, errors.New("an estimate counts the firings in the processes of all, which takes the right user")
	}
	if err := e.Available(); err != nil {
		return est, err
	}
	if err := e.machine.Affords(c); err != nil {
		return est, err
	}
	return rehearsal.Rehearse(ctx, c, &e.machine)
}
