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

func refusalsSoFar() int {
	_, n := resolver.Refusals(0)
	return n
}

// tellRefused says which files were not read, because reading them took too long or failed.
func (s *Session) tellRefused() {
	list, _ := resolver.Refusals(s.refusals)
	for _, why := range list {
		s.drained.Notify(trace.WarnItem, why)
	}
}
