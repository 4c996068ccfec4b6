package engine

import (
	"context"

	"dscope.dev/engine/internal/load"
	"dscope.dev/engine/internal/mishap"
	"dscope.dev/engine/trace"
)

// Swap runs a script in the place of a run of e: old goes on until all probes of the new
// one are attached; then one step hands over, and each firing is counted by one of the two.
// After that old counts nothing more, and waits to be stopped or closed. If it fails, old
// goes on. What cannot be handed over (a replay, a run on a machine with very many CPUs) is
// started beside.
func (e *Engine) Swap(ctx context.Context, old trace.Run, asked trace.Script) (_ trace.Run, err error) {
	defer mishap.Catch(&err)
	return e.run(ctx, asked, sessionOf(old))
}

// sessionOf finds the session in a run, nil if there is none.
func sessionOf(r trace.Run) *Session {
	for {
		switch v := r.(type) {
		case *Session:
			return v
		case interface{ Unwrap() trace.Run }:
			r = v.Unwrap()
		default:
			return nil
		}
	}
}

// lend returns what s has loaded, and keeps it from going away until over is called. It is
// nil if it has gone, or s is nil.
func (s *Session) lend() (k *load.Loaded, over func()) {
	if s == nil {
		return nil, func() {}
	}
	s.lending.Lock()
	if !s.gone {
		k = s.kernel
	}
	return k, s.lending.Unlock
}

// end frees what the kernel holds, unless another run is about to take its place.
func (s *Session) end() error {
	s.lending.Lock()
	defer s.lending.Unlock()
	s.gone = true
	return s.kernel.Close()
}
