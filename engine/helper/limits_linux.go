package helper

import (
	"runtime"

	"golang.org/x/sys/unix"
)

// Raise calls do with the capability to read all files, if there is one.
func (*Door) Raise(do func()) {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	was, err := threadCaps()
	if err == nil {
		up := was
		up[0].Effective |= was[0].Permitted & (1 << capDACRead)
		if setThreadCaps(up) == nil {
			defer func() {
				if setThreadCaps(was) != nil {
					panic("the helper cannot give back a capability")
				}
			}()
		}
	}
	do()
}

func threadCaps() (data [2]unix.CapUserData, err error) {
	h := unix.CapUserHeader{Version: unix.LINUX_CAPABILITY_VERSION_3}
	return data, unix.Capget(&h, &data[0])
}

func setThreadCaps(data [2]unix.CapUserData) error {
	h := unix.CapUserHeader{Version: unix.LINUX_CAPABILITY_VERSION_3}
	return unix.Capset(&h, &data[0])
}

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
