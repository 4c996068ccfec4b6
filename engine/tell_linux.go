package engine

import (
	"fmt"

	"dscope.dev/engine/trace"
)

// tellLate says of how many processes stacks may lack callers, because nothing was known
// of them yet when these were taken.
func (s *Session) tellLate() {
	if n := s.kernel.Late(); n > 0 {
		s.drained.notices = append(s.drained.notices, notice(trace.WarnItem,
			fmt.Sprintf("stacks of %s may lack callers: they were taken before dscope could read how the code of a new process is unwound", processes(n))))
	}
}

// tellUnread says which interpreters stacks show functions of C of, because what they run is
// not understood.
func (s *Session) tellUnread() {
	for _, name := range s.drained.names.Unread() {
		s.drained.notices = append(s.drained.notices, notice(trace.WarnItem,
			fmt.Sprintf("stacks show functions of C where %s runs functions of Python: those of CPython 3.11 to 3.13 are read; from 3.12 on, python -X perf has them named", name)))
	}
}

func processes(n int) string {
	if n == 1 {
		return "1 process"
	}
	return fmt.Sprintf("%d processes", n)
}
