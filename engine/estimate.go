package engine

import (
	"context"
	"errors"

	"dscope.dev/engine/trace"
	"dscope.dev/probes"
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

// A script is wide if the places that it enables, and that fire when the machine wants, count
// more than this. (BEGIN, timers and counters fire as often as the script says.) Those on the
// way of nearly everything, such as locks, RCU and interrupts, count many times.
const (
	widePlaces = 64
	hotPlace   = 16
)

// wide reports whether a script is worth an estimate that nobody has asked for.
func (c *Compiled) wide() bool {
	places := 0
	for _, u := range c.units {
		each := 1
		switch {
		case u.paced():
			continue
		case withinHelpers(u.hooks[0]):
			each = hotPlace
		}
		places += each * max(len(u.hooks), len(u.sites))
	}
	return places > widePlaces
}

// paced reports whether the script itself says how often the hook of u fires.
func (u *unit) paced() bool {
	switch u.hooks[0].Kind {
	case probes.Test, probes.Timer, probes.Counter:
		return true
	}
	return false
}

// foresee estimates what a script with a limit would take. The error is a
// *trace.WideError if that is more.
func (e *Engine) foresee(ctx context.Context, c *Compiled, known trace.Estimate) error {
	if known.Known() {
		c.estimate = known
		return nil
	}
	if asked := c.Options.Values["estimate"] != ""; c.Options.Estimate == 0 || !asked && !c.wide() {
		return nil
	}
	trace.Note(ctx, trace.Estimating)
	est, err := e.Estimate(ctx, c)
	trace.Note(ctx, "")
	switch {
	case errors.Is(err, errUntold): // the air bag sees to it that it does no harm
		return nil
	case err != nil:
		return err
	}
	est.Limit = c.Options.Estimate
	c.estimate = est
	if est.Above() {
		return &trace.WideError{Estimate: est}
	}
	return nil
}

// errUntold says that a script cannot be rehearsed.
var errUntold = errors.New("cannot be estimated")

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
