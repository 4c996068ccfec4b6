//go:build !cgo

package helper

import (
	"errors"
	"fmt"
	"strings"

	"github.com/cilium/ebpf/features"
	"golang.org/x/sys/unix"
	"kernel.org/pub/linux/libs/security/libcap/cap"
)

// Capabilities, like most that is changed here, belong to threads; package cap changes them
// in all of a process. Where cgo is, it would have all of a program linked by the linker of C.

// Able returns nil, or why this program can be no helper.
func Able() error { return nil }

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
