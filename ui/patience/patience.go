// Package patience asks the tracer for what may take long, for so long and no longer, and
// says in words what did not come in time.
package patience

import (
	"context"
	"errors"
	"fmt"
	"time"
)

// ErrSlow is what there was no answer of in time. It may well be asked for again.
var ErrSlow = errors.New("no answer")

// Limit returns a context that ends after the time that an answer may take. The caller
// cancels it once the answer has come.
func Limit(parent context.Context, most time.Duration) (context.Context, context.CancelFunc) {
	return context.WithTimeoutCause(parent, most, fmt.Errorf("%w for %v: the machine may be busy", ErrSlow, most))
}

// Told returns an error of an answer, in words where it is that ctx, made by Limit, has
// ended. Other errors are as they were.
func Told(ctx context.Context, err error) error {
	if errors.Is(err, context.DeadlineExceeded) && ctx.Err() != nil {
		return context.Cause(ctx)
	}
	return err
}

// Within asks for one answer.
func Within[T any](parent context.Context, most time.Duration, ask func(context.Context) (T, error)) (T, error) {
	ctx, cancel := Limit(parent, most)
	defer cancel()
	answer, err := ask(ctx)
	return answer, Told(ctx, err)
}
