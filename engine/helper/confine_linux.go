package helper

import (
	"errors"
	"fmt"
	"runtime"
	"strings"
	"syscall"
	"unsafe"

	"golang.org/x/sys/unix"

	"github.com/cilium/ebpf/features"
)

// Capabilities, like most that is changed here, belong to threads. Go's runtime changes them
// in all of a process, unless code of C may have threads of its own there.

// Able returns nil, or why this program can be no helper.
func Able() error {
	if _, _, err := syscall.AllThreadsSyscall(unix.SYS_GETPID, 0, 0, 0); err != 0 {
		return errors.New("this dscope was built with cgo and can be no helper: build it with CGO_ENABLED=0")
	}
	return nil
}

// Harden takes away from the helper what it never needs: other capabilities, and what a file
// that is set-user-ID could give. What it starts has no more.
func Harden() error {
	if err := prctl(unix.PR_SET_NO_NEW_PRIVS, 1); err != nil {
		return fmt.Errorf("give up new privileges: %w", err)
	}
	have, err := threadCaps()
	if err != nil {
		return err
	}
	var keep [2]unix.CapUserData
	var lacks []string
	for n := range highestNumber + 1 {
		name, isKept := kept[n]
		word, bit := n/32, uint32(1)<<(n%32)
		switch {
		case !isKept:
			if has, err := unix.PrctlRetInt(unix.PR_CAPBSET_READ, uintptr(n), 0, 0, 0); err != nil || has == 0 {
				continue // the kernel has no such capability, or this process has not
			}
			// Without CAP_SETPCAP it is for systemd to have taken them away.
			if err := prctl(unix.PR_CAPBSET_DROP, uintptr(n)); err != nil && !errors.Is(err, unix.EPERM) {
				return fmt.Errorf("drop capability %d: %w", n, err)
			}
		case have[word].Permitted&bit == 0:
			lacks = append(lacks, name)
		default:
			keep[word].Permitted |= bit
			keep[word].Effective |= bit
		}
	}
	if len(lacks) > 0 {
		return fmt.Errorf("the helper needs %s: it is started by systemd (dscope helper --unit), or as root", strings.Join(lacks, ", "))
	}
	if err := setCaps(keep); err != nil {
		return fmt.Errorf("keep the capabilities that are needed: %w", err)
	}
	unix.Umask(0o077)
	return errors.Join(noCore(), fileLimit())
}

// Confine makes ready what the helper has started for an asker. Of its capabilities it keeps
// none for what it executes, and that of reading all files for when it is raised.
func Confine(umask int) error {
	have, err := threadCaps()
	if err != nil {
		return err
	}
	for i := range have {
		have[i].Inheritable = 0 // and with it what is ambient
	}
	have[0].Effective &^= 1 << capDACRead
	if err := setCaps(have); err != nil {
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
	return errors.Join(setName(), noCore(), dataLimit())
}

// setName has lists of processes show this one by its name: it was executed as /proc/self/exe.
func setName() error {
	name := [...]byte{'d', 's', 'c', 'o', 'p', 'e', 0}
	if _, _, err := syscall.AllThreadsSyscall(unix.SYS_PRCTL, unix.PR_SET_NAME, uintptr(unsafe.Pointer(&name[0])), 0); err != 0 {
		return err
	}
	return nil
}

// prctl changes all threads.
func prctl(option int, arg uintptr) error {
	if _, _, err := syscall.AllThreadsSyscall6(unix.SYS_PRCTL, uintptr(option), arg, 0, 0, 0, 0); err != 0 {
		return err
	}
	return nil
}

// setCaps sets the capabilities of all threads.
func setCaps(data [2]unix.CapUserData) error {
	h := unix.CapUserHeader{Version: unix.LINUX_CAPABILITY_VERSION_3}
	if _, _, err := syscall.AllThreadsSyscall(unix.SYS_CAPSET, uintptr(unsafe.Pointer(&h)), uintptr(unsafe.Pointer(&data[0])), 0); err != 0 {
		return err
	}
	return nil
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
