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
func (c *Compiled) foresee(ctx context.Context, known trace.Estimate) error {
	p := c.plan
	if known.Known() {
		p.Estimate = known
		return nil
	}
	if asked := p.Options.Values["estimate"] != ""; p.Options.Estimate == 0 || !asked && !p.Wide() {
		return nil
	}
	if rights := c.by.rights; rights != nil && rights.OwnOnly() {
		return nil
	}
	trace.Note(ctx, trace.Estimating)
	est, err := c.Estimate(ctx)
	trace.Note(ctx, "")
	switch {
	case errors.Is(err, rehearsal.ErrUntold): // the air bag sees to it that it does no harm
		return nil
	case err != nil:
		return err
	}
	est.Limit = p.Options.Estimate
	p.Estimate = est
	if est.Above() {
		return &trace.WideError{Estimate: est}
	}
	return nil
}

// Estimate finds out in a second what the script would take, by attaching it and throwing away what
// it finds. Nothing of it is left behind, and nothing of it is seen but that time has passed.
func (c *Compiled) Estimate(ctx context.Context) (est trace.Estimate, err error) {
	defer mishap.Catch(&err)
	e := c.by
	if e.rights != nil && e.rights.OwnOnly() {
		return est, errors.New("an estimate counts the firings in the processes of all, which takes the right user")
	}
	if err := e.Available(); err != nil {
		return est, err
	}
	if err := e.machine.Affords(c.plan); err != nil {
		return est, err
	}
	return rehearsal.Rehearse(ctx, c.plan, &e.machine)
}
