package load

import (
	"context"
	"errors"
	"strings"

	"dscope.dev/dlang/diag"
	"dscope.dev/engine/internal/plan"
)

// withoutTables loads a script that the kernel has refused once more, if it walks
// stacks by tables: then it leaves that to the kernel. Verifiers differ, and a script
// that shows fewer callers is better than none.
func withoutTables(ctx context.Context, c *plan.Plan, m *plan.Machine, before *Loaded, refused error) (*plan.Plan, *Loaded) {
	if c.WithoutTables == nil {
		return nil, nil
	}
	again := *c
	var err error
	if again.Object, err = c.WithoutTables(); err != nil {
		return nil, nil
	}
	again.Object.Quote(c.File)
	k, err := AsPlanned(ctx, &again, m, before)
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

// Executed says that a process has executed a program and does not run yet.
func (k *Loaded) Executed(pid int) {
	if k.unwind != nil {
		k.unwind.Add(uint32(pid))
	}
}

// Late returns of how many processes nothing was known when stacks of theirs were walked.
func (k *Loaded) Late() int {
	if k.unwind == nil {
		return 0
	}
	return k.unwind.Late()
}

// Pythons returns the processes that run Python, as far as their stacks are walked by tables.
func (k *Loaded) Pythons() []uint32 { return k.unwind.Pythons() }

// PythonCame returns what tells that there is one more of them; nil if nothing does.
func (k *Loaded) PythonCame() <-chan struct{} { return k.unwind.PythonCame() }
