package load

import (
	"fmt"

	"golang.org/x/sys/unix"
)

// MayOpen reports, by name, that a process may not open the files that it needs. The
// kernel's own refusals come later, each at another step, and look like other troubles.
func MayOpen(need int) error {
	var lim unix.Rlimit
	if err := unix.Getrlimit(unix.RLIMIT_NOFILE, &lim); err != nil || lim.Cur >= uint64(need) {
		return nil // a limit that cannot be read is found when it is met
	}
	return fmt.Errorf("this process may have %d files open, and %d are needed: raise the limit with ulimit -n", lim.Cur, need)
}
