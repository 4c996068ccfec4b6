package ps

import (
	"context"
	"errors"
	"time"

	"golang.org/x/sys/unix"

	"dscope.dev/engine/trace"
)

// glance is how often Wait looks whether it is still wanted.
const glance = time.Second

// Wait returns once a process has ended, with an *Ended, or ctx has, with its error.
func (t *Table) Wait(ctx context.Context, p trace.Process) error {
	fd, err := unix.PidfdOpen(p.PID, 0)
	if err != nil {
		return &Ended{p}
	}
	defer unix.Close(fd)
	if err := t.Alive(p); err != nil { // the number may have been given away before
		return err
	}
	for {
		if err := ctx.Err(); err != nil {
			return err
		}
		list := []unix.PollFd{{Fd: int32(fd), Events: unix.POLLIN}}
		n, err := unix.Poll(list, int(glance.Milliseconds()))
		if n > 0 {
			return &Ended{p}
		}
		if err != nil && !errors.Is(err, unix.EINTR) {
			return err
		}
	}
}
