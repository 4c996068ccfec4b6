package nats

import (
	"context"
	"errors"

	"dscope.dev/engine/remote"
	"dscope.dev/engine/trace"
)

// A Relay is hosts of a fleet as one of them: the tracer of an agent, whose runs are those of
// all these hosts, merged where it is. So a reader has one snapshot to take in of hundreds of
// hosts, and the server hands each of their snapshots on over a short way.
type Relay struct{ *Fleet }

var _ remote.Backend = Relay{}

var errRelayed = errors.New("this is a relay, which has no processes: ask one host")

// Processes refuses, as all that follows does: what it is about is of one host.
func (Relay) Processes(context.Context) ([]trace.Process, error) { return nil, errRelayed }

// Functions refuses.
func (Relay) Functions(context.Context, trace.Process, trace.Module) ([]trace.Probe, error) {
	return nil, errRelayed
}

// Ended refuses.
func (Relay) Ended(context.Context, trace.Process) error { return errRelayed }

// Lead refuses.
func (Relay) Lead(context.Context, trace.Lead) (string, error) { return "", errRelayed }

// Swap refuses.
func (Relay) Swap(context.Context, trace.Run, trace.Script) (trace.Run, error) {
	return nil, errRelayed
}

// Available tells nothing: hosts may come.
func (Relay) Available() error { return nil }
