package plan

import (
	"context"
	"errors"
	"sync"

	"dscope.dev/dlang/diag"
	"dscope.dev/dlang/ir"
	"dscope.dev/dlang/token"
)

// A passing runs the passes over functions, which know nothing of one another: side by side, and
// beside the lowering of those that come next.
type passing struct {
	ctx     context.Context
	file    *token.File
	level   int
	working sync.WaitGroup

	mu   sync.Mutex
	errs []error
}

func newPassing(ctx context.Context, f *token.File, level int) *passing {
	return &passing{ctx: ctx, file: f, level: level}
}

// begin runs the passes over fn, which nobody else may touch before the end.
func (p *passing) begin(fn *ir.Func) {
	p.working.Go(func() {
		p.run(fn, func() error { return ir.OptimizeFast(fn, p.level) })
	})
}

// watched runs the passes over functions, one after the other, and shows each what they made.
func (p *passing) watched(funcs []*ir.Func, watch func(pass string, f *ir.Func)) {
	for _, fn := range funcs {
		p.run(fn, func() error { return ir.Optimize(fn, p.level, watch) })
	}
}

func (p *passing) run(fn *ir.Func, passes func() error) {
	err := p.ctx.Err()
	defer func() {
		if why := recover(); why != nil {
			err = &diag.ListError{File: p.file, List: diag.List{diag.Mishap("the optimiser", fn.Place(), why)}}
		}
		if err != nil {
			p.mu.Lock()
			p.errs = append(p.errs, err)
			p.mu.Unlock()
		}
	}()
	if err == nil {
		err = passes()
	}
}

// end waits for all that was begun.
func (p *passing) end() error {
	p.working.Wait()
	return errors.Join(p.errs...)
}
