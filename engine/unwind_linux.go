package engine

import "context"

// withoutTables loads a script that the kernel has refused once more, if it walks
// stacks by tables: then it leaves that to the kernel. Verifiers differ, and a script
// that shows fewer callers is better than none.
func withoutTables(ctx context.Context, c *Compiled, e *Engine, refused error) (*Compiled, *loaded) {
	if c.plain == nil {
		return nil, nil
	}
	again := *c
	var err error
	if again.Object, err = c.plain(); err != nil {
		return nil, nil
	}
	again.Object.Quote(c.File)
	k, err := load(ctx, &again, e)
	if err != nil {
		return nil, nil
	}
	again.frames = "because with tables " + refusal(refused)
	return &again, k
}
