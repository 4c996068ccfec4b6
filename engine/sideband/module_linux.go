package sideband

import (
	"bytes"
	"errors"
	"fmt"

	"golang.org/x/sys/unix"
)

// A ModuleEar hears that modules of the kernel are loaded and let go, by what the kernel
// tells device managers (lib/kobject_uevent.c): of a module once its functions can be
// probed, after it was set up (Linux 5.8).
type ModuleEar struct{ fd int }

// kernelGroup is the multicast group to which the kernel itself speaks.
const kernelGroup = 1

// ListenModules begins to listen.
func ListenModules() (*ModuleEar, error) {
	fd, err := unix.Socket(unix.AF_NETLINK, unix.SOCK_RAW|unix.SOCK_CLOEXEC|unix.SOCK_NONBLOCK, unix.NETLINK_KOBJECT_UEVENT)
	if err == nil {
		if err = unix.Bind(fd, &unix.SockaddrNetlink{Family: unix.AF_NETLINK, Groups: kernelGroup}); err != nil {
			unix.Close(fd)
		}
	}
	if err != nil {
		return nil, fmt.Errorf("hear of modules that are loaded: %w", err)
	}
	return &ModuleEar{fd}, nil
}

// FD returns what becomes readable when there is something to hear.
func (e *ModuleEar) FD() int { return e.fd }

// Heard reports whether there is anything to drain.
func (e *ModuleEar) Heard() bool {
	n, _ := unix.Poll([]unix.PollFd{{Fd: int32(e.fd), Events: unix.POLLIN}}, 0)
	return n > 0
}

// Close stops listening.
func (e *ModuleEar) Close() error { return unix.Close(e.fd) }

// Drain reports whether modules may have come or gone since the last time. Which, the
// kernel's list says: whoever may speak to the group could tell anything.
func (e *ModuleEar) Drain() (changed bool) {
	room := make([]byte, 8<<10) // the kernel's own are 2 KiB at most
	for {
		n, _, err := unix.Recvfrom(e.fd, room, 0)
		switch {
		case errors.Is(err, unix.EINTR):
			continue
		case errors.Is(err, unix.ENOBUFS):
			changed = true // some were lost
			continue
		case err != nil:
			return changed
		}
		changed = changed || aboutModule(room[:n])
	}
}

// aboutModule reports whether a message begins as "add@/module/dummy" does.
func aboutModule(message []byte) bool {
	act, of, ok := bytes.Cut(message, []byte("@"))
	return ok && (string(act) == "add" || string(act) == "remove") && bytes.HasPrefix(of, []byte("/module/"))
}
