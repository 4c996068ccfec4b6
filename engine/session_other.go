//go:build !linux

package engine

import (
	"context"
	"errors"
	"os"

	"dscope.dev/dlang/lower"
	"dscope.dev/engine/trace"
	"dscope.dev/probes/kernel"
)

// ErrPrivileges is what Available wraps if the process may not trace.
var ErrPrivileges = errors.New("tracing needs Linux; here dscope edits, checks and replays")

// MayWrite returns why nothing writes to memory of processes.
func (*Engine) MayWrite() error { return ErrPrivileges }

func tryKernel() error { return ErrPrivileges }

func kernelPID() int { return os.Getpid() }

func (*Engine) interruptCount() kernel.InterruptCount { return kernel.InterruptCount{} }
func (*Engine) activeVar() uint32                     { return 0 }

func (*Engine) pidSpace() lower.PIDSpace { return lower.PIDSpace{} }

// A Session is one running script; there are none but on Linux.
type Session struct{ trace.Run }

// Hooks says how the probes were attached.
func (*Session) Hooks() []string { return nil }

// Executed does nothing.
func (*Session) Executed(int) {}

func (*Session) lend(*Compiled) func() { return func() {} }

func start(context.Context, *Compiled, *Engine) (*Session, error) { return nil, ErrPrivileges }

func rehearse(context.Context, *Compiled, *Engine) (trace.Estimate, error) {
	return trace.Estimate{}, ErrPrivileges
}

// Lowered returns 0.
func (*Session) Lowered() int { return 0 }
