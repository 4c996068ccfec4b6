package helper

import "golang.org/x/sys/unix"

// noCore has nothing of the memory of a process written to a file.
func noCore() error { return unix.Setrlimit(unix.RLIMIT_CORE, &unix.Rlimit{}) }

// mostData is the memory of one session, besides that of the kernel: what files of
// processes hold may ask for any amount.
const mostData = 4 << 30

func dataLimit() error {
	return unix.Setrlimit(unix.RLIMIT_DATA, &unix.Rlimit{Cur: mostData, Max: mostData})
}

// mostFiles is what a run with many places in many files has open.
const mostFiles = 64 << 10

// fileLimit lets sessions open as many files as runs need, as far as that is allowed.
func fileLimit() error {
	var lim unix.Rlimit
	if err := unix.Getrlimit(unix.RLIMIT_NOFILE, &lim); err != nil {
		return err
	}
	lim.Max = min(lim.Max, mostFiles)
	lim.Cur = lim.Max
	return unix.Setrlimit(unix.RLIMIT_NOFILE, &lim)
}
