//go:build !linux

package main

import (
	"context"
	"errors"
	"io"

	"dscope.dev/engine"
	"dscope.dev/engine/remote"
	"dscope.dev/engine/trace"
)

// served is the engine as a server has it.
type served struct{ *engine.Engine }

// Swap is never reached: nothing runs here.
func (s served) Swap(ctx context.Context, _ trace.Run, asked trace.Script) (trace.Run, error) {
	return s.Run(ctx, asked)
}

func standardStream() (io.ReadWriteCloser, error) { return nil, errors.New("serve needs Linux") }

func execute(context.Context, remote.Command, remote.Terminal) (int, error) {
	return 0, errors.New("serve needs Linux")
}
