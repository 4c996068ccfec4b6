//go:build !linux

package engine

import (
	"context"

	"dscope.dev/engine/internal/load"
	"dscope.dev/engine/internal/plan"
	"dscope.dev/engine/internal/trial"
	"dscope.dev/engine/trace"
)

// A Session is one running script; there are none but on Linux.
type Session struct{ trace.Run }

// Hooks says how the probes were attached.
func (*Session) Hooks() []string { return nil }

// Executed does nothing.
func (*Session) Executed(int) {}

func (*Session) whenDone(func()) {}

func (*Session) lend() (*load.Loaded, func()) { return nil, func() {} }

func start(context.Context, *plan.Plan, *Engine, *load.Loaded) (*Session, bool, error) {
	return nil, false, trial.ErrPrivileges
}

// Lowered returns 0.
func (*Session) Lowered() int { return 0 }
