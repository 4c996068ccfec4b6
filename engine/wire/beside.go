package wire

import "dscope.dev/engine/trace"

// What others use who carry values beside a stream of messages.

// A Failure is an error as plain values. Its fields are for a codec.
type Failure = failure

// Fail makes plain values of an error.
func Fail(err error) *Failure { return fail(err) }

// Err returns an error of the same text that is what the other one was: errors.Is and
// errors.As find the errors of engine/trace and the list of a script in it.
func (f *failure) Err() error { return f.error() }

// EventsSize returns about how many bytes of memory events take.
func EventsSize(list []trace.Event) int { return eventsSize(list) }
