package engine

import (
	"context"
	"os"
	"testing"
)

func BenchmarkZZ(b *testing.B) {
	e := tracing(b)
	t, _ := os.ReadFile(os.Getenv("ZZ"))
	for b.Loop() {
		if _, err := e.Compile(context.Background(), Script{Name: "script", Text: string(t), Options: DefaultOptions(), Level: 1}); err != nil {
			b.Fatal(err)
		}
	}
}
