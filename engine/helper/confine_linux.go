package helper

import (
	"errors"
	"fmt"
	"runtime"
	"strings"

	"github.com/cilium/ebpf/features"
	"golang.org/x/sys/unix"
	"kernel.org/pub/linux/libs/security/libcap/cap"
)

// Capabilities, like most that is changed here, belong to threads; package cap changes them
// in all of a process, whichever of the ways a Go program was linked by.

// Harden takes away from the helper what it never needs: other capabilities, and what a file
// that is set-user-ID could give. What it starts has no more.
func Harden() error {
	if _, err := cap.Prctlw(unix.PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0); err != nil {
		return fmt.Errorf("give up new privileges: %w", err)
	}
	for c := cap.Value(0); c < cap.MaxBits(); c++ {
		if has, err := cap.GetBound(c); err != nil || !has || isKept(int(c)) {
			continue
		}
		if err := cap.DropBound(c); err != nil && !errors.Is(err, unix.EPERM) {
			return fmt.Errorf("drop %v: %w", c, err)
		}
	}
	have := cap.GetProc()
	set := cap.NewSet()
	var lacks []string
	for _, n := range kept {
		c := cap.Value(n)
		if has, _ := have.GetFlag(cap.Permitted, c); !has {
			lacks = append(lacks, strings.ToUpper(c.String()))
			continue
		}
		if err := errors.Join(set.SetFlag(cap.Permitted, true, c), set.SetFlag(cap.Effective, true, c)); err != nil {
			return err
		}
	}
	if len(lacks) > 0 {
		return fmt.Errorf("the helper needs %s: it is started by systemd (dscope helper --unit), or as root", strings.Join(lacks, ", "))
	}
	if err := set.SetProc(); err != nil {
		return fmt.Errorf("keep the capabilities that are needed: %w", err)
	}
	unix.Umask(0o077)
	return errors.Join(noCore(), fileLimit())
}

func isKept(n int) bool {
	for _, k := range kept {
		if k == n {
			return true
		}
	}
	return false
}

// Confine makes ready what the helper has started for an asker. Of its capabilities it keeps
// none for what it executes, and that of reading all files for when it is raised.
func Confine(umask int) error {
	if err := cap.ResetAmbient(); err != nil {
		return fmt.Errorf("keep capabilities to myself: %w", err)
	}
	have := cap.GetProc()
	if err := have.ClearFlag(cap.Inheritable); err != nil {
		return err
	}
	if err := have.SetFlag(cap.Effective, false, cap.Value(capDACRead)); err != nil {
		return err
	}
	if err := have.SetProc(); err != nil {
		return fmt.Errorf("keep capabilities to myself: %w", err)
	}
	// Some programs have to name the kernel's version, which is found out in memory of our
	// own that we cannot read once it is hidden from our user.
	if _, err := features.LinuxVersionCode(); err != nil {
		return err
	}
	if err := unix.Prctl(unix.PR_SET_DUMPABLE, 0, 0, 0, 0); err != nil {
		return err
	}
	unix.Umask(umask)
	return errors.Join(noCore(), dataLimit())
}

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
