package clock

import (
	"os"
	"sync"
	"time"

	"golang.org/x/sys/unix"
)

// Own returns the offsets of our own namespace, which a process never leaves.
var Own = sync.OnceValue(func() Offsets { return read(os.DirFS("/proc")) })

// Monotonic returns the kernel's CLOCK_MONOTONIC in nanoseconds.
func Monotonic() uint64 { return now(unix.CLOCK_MONOTONIC, Own().Monotonic) }

// Boot returns the kernel's CLOCK_BOOTTIME in nanoseconds.
func Boot() uint64 { return now(unix.CLOCK_BOOTTIME, Own().Boot) }

func now(id int32, ahead time.Duration) uint64 {
	var t unix.Timespec
	if unix.ClockGettime(id, &t) != nil {
		return 0 // never: both clocks are there always
	}
	return uint64(t.Nano() - int64(ahead))
}
