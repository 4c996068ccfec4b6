package ui

import (
	"context"

	"dscope.dev/dlang/diag"
	"dscope.dev/engine/trace"
)

// A Backend is all that the screen knows of the tracer. *engine.Engine and
// *replay.Player satisfy it without importing this package. Every method may
// be called from any goroutine and stops early when its context ends. What a
// script means is all in the call: a Backend remembers nothing from one to the next.
type Backend interface {
	// Check returns what is wrong with the script, sorted by place.
	Check(ctx context.Context, s trace.Script) diag.List

	// Complete returns what could stand at the byte offset at of the script,
	// best first, and the offset at which the word to be replaced begins.
	Complete(ctx context.Context, s trace.Script, at int) (from int, list []trace.Completion)

	// Probes returns every probe that pattern covers ("" covers all), in the
	// order provider, module, function, name, and the families themselves.
	Probes(ctx context.Context, pattern string) ([]trace.Probe, []trace.ProviderInfo, error)

	// Describe returns the typed arguments of a probe and what else is known.
	Describe(ctx context.Context, p trace.Probe) (trace.ProbeInfo, error)

	// Run compiles and starts the script. An error of the script is a
	// *diag.ListError that holds the list.
	Run(ctx context.Context, s trace.Script) (trace.Run, error)
}

// A Swapper is a Backend that can put a run in the place of another in one step.
type Swapper interface {
	// Swap is Run, and each firing that both would count is counted by one of them. The
	// old run counts nothing more once the new one has begun, and is still to be closed.
	Swap(ctx context.Context, old trace.Run, s trace.Script) (trace.Run, error)
}

// A Crowd is a Backend of many machines.
type Crowd interface {
	// There returns those that are there now, by name.
	There() []trace.Host
}

// A Follower is a Backend that knows what runs now.
type Follower interface {
	// Lead tells where a number of a firing leads: a descriptor to its file, an address to
	// what lies there. It is "" if that is nothing that has a name.
	Lead(ctx context.Context, l trace.Lead) (string, error)
}
