package plan

import (
	"context"
	"errors"
	"sync"

	"dscope.dev/dlang/diag"
	"dscope.dev/dlang/ir"
	"dscope.dev/dlang/token"
)

// optimize runs the passes over functions, which know nothing of one another: side
// by side, unless somebody watches.
func optimize(ctx context.Context, f *token.File, funcs []*ir.Func, level int, watch func(pass string, f *ir.Func)) error {
	errs := make([]error, len(funcs))
	run := func(i int) {
		defer func() {
			if why := recover(); why != nil {
				errs[i] = &diag.ListError{File: f, List: diag.List{diag.Mishap("the optimiser", funcs[i].Place(), why)}}
			}
		}()
		switch {
		case ctx.Err() != nil:
			errs[i] = ctx.Err()
		case watch != nil:
			errs[i] = ir.Optimize(funcs[i], level, watch)
		default:
			errs[i] = ir.OptimizeFast(funcs[i], level)
		}
	}
	var passing sync.WaitGroup
	for i := range funcs {
		if watch != nil {
			run(i)
			continue
		}
		passing.Go(func() { run(i) })
	}
	passing.Wait()
	return errors.Join(errs...)
}
