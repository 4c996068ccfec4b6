package trace

import "context"

// notesKey is the key of a context under which whoever waits is told why.
type notesKey struct{}

// Estimating is the note of a start that finds out what its script would take.
const Estimating = "estimating what it would take"

// WithNotes returns a context with which a start that takes long says what it waits
// for, in a sentence, while it goes on; "" is that what it had waited for is over. note must not block; it may be called by any
// goroutine, but by none when the start has ended.
func WithNotes(ctx context.Context, note func(text string)) context.Context {
	return context.WithValue(ctx, notesKey{}, note)
}

// Note says what a start waits for to whoever wants to know.
func Note(ctx context.Context, text string) {
	if note, ok := ctx.Value(notesKey{}).(func(string)); ok {
		note(text)
	}
}
