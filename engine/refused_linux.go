package engine

import (
	"dscope.dev/engine/internal/names"
	"dscope.dev/engine/internal/plan"
	"dscope.dev/engine/trace"
	"dscope.dev/probes/resolver"
)

// warmed begins to start what reads files of processes, if a script has stacks of processes or
// places in them. It is done when the result is closed.
func warmed(c *plan.Plan) <-chan struct{} {
	if c.Object.Maps.Unwind || names.OfProcesses(c) {
		return resolver.Warm()
	}
	done := make(chan struct{})
	close(done)
	return done
}

// refused returns why files were not read since it was asked last, by whoever.
func (e *Engine) refused() (list []string) {
	e.refusalsMu.Lock()
	defer e.refusalsMu.Unlock()
	list, e.refusals = resolver.Refusals(e.refusals)
	return list
}

// tellRefused says which files were not read, because reading them took too long or failed, for this
// run or for its script to be compiled.
func (s *Session) tellRefused() {
	for _, why := range s.refused() {
		s.drained.Notify(trace.WarnItem, why)
	}
}
