package resolver

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"syscall"
	"unsafe"

	"golang.org/x/sys/unix"

	"dscope.dev/probes/child"
)

// nobody is the user that owns nothing.
const nobody = 65534

// confine takes from this process all that it can do but to compute, to read what is handed to
// it, and to answer. The filter of system calls is what counts: it opens nothing, connects to nothing
// and starts nothing. The others hold should the kernel have a hole there; where one cannot be
// had, as in a container, the rest has to do, and State tells.
//
// The order matters: each takes what the ones before need.
func confine() (walls []string, err error) {
	if err := child.CloseOthers(emptyFD); err != nil {
		return nil, fmt.Errorf("close what was left open: %w", err)
	}
	nameThreads()
	nowhere := unix.Fchdir(emptyFD) == nil && unix.Chroot(".") == nil
	_ = unix.Close(emptyFD)
	if err := bound(); err != nil {
		return nil, fmt.Errorf("bound what it takes: %w", err)
	}
	if os.Geteuid() == 0 { // a root who may not, as a service may be, stays who it is
		err := errors.Join(syscall.Setgroups(nil), syscall.Setresgid(nobody, nobody, nobody), syscall.Setresuid(nobody, nobody, nobody))
		if err != nil && !errors.Is(err, unix.EPERM) {
			return nil, fmt.Errorf("be nobody: %w", err)
		}
	}
	if err := dropCaps(); err != nil {
		return nil, err
	}
	// A change of user forgets both.
	if err := errors.Join(unix.Prctl(unix.PR_SET_PDEATHSIG, uintptr(unix.SIGKILL), 0, 0, 0), unix.Prctl(unix.PR_SET_DUMPABLE, 0, 0, 0, 0)); err != nil {
		return nil, err
	}
	isNobody := os.Geteuid() == nobody // which the filter lets nobody ask
	if err := filter(); err != nil {
		return nil, fmt.Errorf("this kernel filters no system calls: %w", err)
	}
	walls = []string{"a filter of system calls", "no capabilities"}
	if isNobody {
		walls = append(walls, "the user nobody")
	}
	if nowhere {
		walls = append(walls, "an empty root")
	}
	return walls, nil
}

// nameThreads has all threads called as those of dscope are, and not by the link that it was started by.
func nameThreads() {
	threads, _ := filepath.Glob("/proc/self/task/*/comm")
	for _, t := range threads {
		_ = os.WriteFile(t, []byte("dscope"), 0) // it is only for people
	}
}

// bound sets what the process may take at most.
func bound() error {
	var errs []error
	for what, most := range map[int]uint64{
		unix.RLIMIT_DATA:     mostMemory,
		unix.RLIMIT_FSIZE:    0,
		unix.RLIMIT_CORE:     0,
		unix.RLIMIT_MEMLOCK:  0,
		unix.RLIMIT_MSGQUEUE: 0,
		unix.RLIMIT_NOFILE:   4 * mostKept,
	} {
		errs = append(errs, unix.Setrlimit(what, &unix.Rlimit{Cur: most, Max: most}))
	}
	return errors.Join(errs...)
}

// dropCaps gives up all capabilities, if there are any left: those of an ordinary user who was
// given some.
func dropCaps() error {
	head := unix.CapUserHeader{Version: unix.LINUX_CAPABILITY_VERSION_3}
	var has [2]unix.CapUserData
	if err := unix.Capget(&head, &has[0]); err != nil {
		return err
	}
	if has == [2]unix.CapUserData{} {
		return nil
	}
	has = [2]unix.CapUserData{} // and with what can be inherited goes what is ambient
	if _, _, errno := syscall.AllThreadsSyscall(unix.SYS_CAPSET, uintptr(unsafe.Pointer(&head)), uintptr(unsafe.Pointer(&has[0])), 0); errno != 0 {
		return fmt.Errorf("drop capabilities (a dscope built with cgo cannot): %w", errno)
	}
	return nil
}
