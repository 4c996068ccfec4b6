package engine

import (
	"fmt"

	"dscope.dev/engine/trace"
)

// tellLate says of how many processes stacks may lack callers, because nothing was known
// of them yet when these were taken.
func (s *Session) tellLate() {
	if n := s.kernel.Late(); n > 0 {
		s.drained.Notify(trace.WarnItem, fmt.Sprintf("stacks of %s may lack callers: they were taken before dscope could read how the code of a new process is unwound", processes(n)))
	}
}

func processes(n int) string {
	if n == 1 {
		return "1 process"
	}
	return fmt.Sprintf("%d processes", n)
}
