package engine

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"dscope.dev/dlang/diag"
	"dscope.dev/engine/internal/plan"
	"dscope.dev/engine/trace"
)

// withoutTables loads a script that the kernel has refused once more, if it walks
// stacks by tables: then it leaves that to the kernel. Verifiers differ, and a script
// that shows fewer callers is better than none.
func withoutTables(ctx context.Context, c *plan.Plan, m *plan.Machine, before *loaded, refused error) (*plan.Plan, *loaded) {
	if c.WithoutTables == nil {
		return nil, nil
	}
	again := *c
	var err error
	if again.Object, err = c.WithoutTables(); err != nil {
		return nil, nil
	}
	again.Object.Quote(c.File)
	k, err := load(ctx, &again, m, before)
	if err != nil {
		return nil, nil
	}
	again.WhyFrames = "because with tables " + refusal(refused)
	return &again, k
}

// refusal returns the reason alone of a complaint about a script that the kernel refused.
func refusal(err error) string {
	var list *diag.ListError
	if errors.As(err, &list) && len(list.List) > 0 {
		return list.List[0].Msg
	}
	first, _, _ := strings.Cut(err.Error(), "\n")
	return first
}

// tellLate says of how many processes stacks may lack callers, because nothing was known
// of them yet when these were taken.
func (s *Session) tellLate() {
	if s.kernel.unwind == nil {
		return
	}
	if n := s.kernel.unwind.Late(); n > 0 {
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
