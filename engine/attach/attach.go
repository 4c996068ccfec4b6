// Package attach turns hooks into links: it asks the kernel to call a loaded
// program at a tracepoint or from a clock, until the result is closed.
//
// Most ways in that are used here detach at once. Perf tracepoints are not
// used, because the kernel waits for a grace period when each of them is closed
// (72 ms, one after another). So it does for each uprobe of perf, which is why many
// places of processes are one link of uprobe_multi where there is such a thing; the
// kernel then takes its time (some tenths of a millisecond) for each breakpoint.
package attach

import (
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"sync"
	"sync/atomic"

	"golang.org/x/sys/unix"

	"dscope.dev/probes"
)

// ErrMissing is what Tracepoint and Timer wrap if this kernel does not have the
// hook, or not in the form that was announced. Others may still be had.
var ErrMissing = errors.New("not on this kernel")

// An Error says which hook could not be used, and what would help.
type Error struct {
	Hook probes.Hook
	Err  error
}

// Error names the hook, the reason and the remedy.
func (e *Error) Error() string {
	s := fmt.Sprintf("attach to %s: %v", e.Hook, e.Err)
	if errors.Is(e.Err, os.ErrPermission) {
		s += " (needs CAP_BPF and CAP_PERFMON)"
	}
	return s
}

// Unwrap returns the kernel's error.
func (e *Error) Unwrap() error { return e.Err }

// Is makes a hook that is not there an ErrMissing: its module is gone (ENOENT,
// ENODEV), or it passes fewer arguments than the program reads (EINVAL).
func (e *Error) Is(target error) bool {
	if target != ErrMissing {
		return false
	}
	return errors.Is(e.Err, unix.ENOENT) || errors.Is(e.Err, unix.ENODEV) || errors.Is(e.Err, unix.EINVAL)
}

// A file closes a descriptor of the kernel.
type file int

// Close gives the descriptor back.
func (f file) Close() error { return unix.Close(int(f)) }

// A Group closes what was opened together: a few newest first, many side by side.
type Group []io.Closer

// From fewAtOnce members on a group is closed side by side, by no more than
// mostAtOnce threads. To take a probe away from a process the kernel waits for a
// grace period, up to hundreds of milliseconds each on a busy machine; waits that
// overlap take as long as one.
const (
	fewAtOnce  = 8
	mostAtOnce = 64
)

// Close closes all members and returns what went wrong with any of them.
func (g Group) Close() error {
	if len(g) >= fewAtOnce {
		return g.closeAtOnce()
	}
	var errs []error
	for _, c := range slices.Backward(g) {
		errs = append(errs, c.Close())
	}
	return errors.Join(errs...)
}

func (g Group) closeAtOnce() error {
	errs := make([]error, len(g))
	var next atomic.Int64
	var closing sync.WaitGroup
	for range min(len(g), mostAtOnce) {
		closing.Go(func() {
			for i := int(next.Add(1)) - 1; i < len(g); i = int(next.Add(1)) - 1 {
				errs[i] = g[len(g)-1-i].Close()
			}
		})
	}
	closing.Wait()
	return errors.Join(errs...)
}
