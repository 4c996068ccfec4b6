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
		e, err := New()
		if err != nil {
			b.Fatal(err)
		}
		c, err := e.Compile(context.Background(), Script{Text: `BEGIN { exit(0); }`, Options: options.Default(), Level: 1})
		if err != nil {
			b.Fatal(err)
		}
		s, err := e.Start(context.Background(), c)
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
