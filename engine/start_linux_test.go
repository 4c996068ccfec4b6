package engine

import (
	"context"
	"testing"

	"dscope.dev/engine/internal/options"
)

// BenchmarkBegin is the whole of dscope trace -n 'BEGIN { exit(0); }' within one
// process: from nothing known of the kernel to the last status.
func BenchmarkBegin(b *testing.B) {
	tracing(b)
	for b.Loop() {
		e, err := Open()
		if err != nil {
			b.Fatal(err)
		}
		c, err := e.Compile(context.Background(), Script{Text: `BEGIN { exit(0); }`, Options: options.Default()})
		if err != nil {
			b.Fatal(err)
		}
		s, err := c.Start(context.Background())
		if err != nil {
			b.Fatal(err)
		}
		all(s, 0)
		if err := s.Close(); err != nil {
			b.Fatal(err)
		}
		e.Close()
	}
}
