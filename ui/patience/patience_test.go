package patience

import (
	"context"
	"errors"
	"testing"
	"time"
)

// TestWithin says what took too long in words, and leaves other errors alone.
func TestWithin(t *testing.T) {
	waits := func(ctx context.Context) (int, error) { <-ctx.Done(); return 1, ctx.Err() }
	if _, err := Within(context.Background(), time.Millisecond, waits); !errors.Is(err, ErrSlow) || err.Error() != "no answer for 1ms: the machine may be busy" {
		t.Errorf("slow: %v", err)
	}
	left, leave := context.WithCancel(context.Background())
	leave()
	if _, err := Within(left, time.Minute, waits); !errors.Is(err, context.Canceled) {
		t.Errorf("left: %v", err)
	}
	other := func(context.Context) (int, error) { return 2, context.DeadlineExceeded }
	if n, err := Within(context.Background(), time.Minute, other); n != 2 || err != context.DeadlineExceeded {
		t.Errorf("the tracer's own: %d, %v", n, err)
	}
}
