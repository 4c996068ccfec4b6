package main

import (
	"context"
	"fmt"

	"dscope.dev/engine/trace"
)

// waiting returns a context with which a start that takes long tells on stderr what it
// waits for.
func waiting(ctx context.Context, name string) context.Context {
	if underTest() {
		return ctx
	}
	return trace.WithNotes(ctx, func(text string) {
		fmt.Fprintf(told, "%s: %s; Ctrl-C gives up\n", name, text)
	})
}
