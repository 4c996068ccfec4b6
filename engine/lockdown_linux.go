package engine

import (
	"fmt"
	"os"
	"strings"

	"golang.org/x/sys/unix"
)

// Lockdown returns the mode of the kernel's lockdown: none, integrity or
// confidentiality; "" if the kernel does not tell. Where securityfs is not mounted
// it is mounted for a moment, where no path leads.
func Lockdown() string {
	text, err := os.ReadFile("/sys/kernel/security/lockdown")
	if err != nil {
		text, err = unmounted()
	}
	if err != nil {
		return ""
	}
	_, mode, _ := strings.Cut(string(text), "[")
	mode, _, _ = strings.Cut(mode, "]")
	return mode
}

// unmounted reads the file of the lockdown through a mount of its own.
func unmounted() ([]byte, error) {
	ctx, err := unix.Fsopen("securityfs", unix.FSOPEN_CLOEXEC)
	if err != nil {
		return nil, err
	}
	defer unix.Close(ctx)
	if err := unix.FsconfigCreate(ctx); err != nil {
		return nil, err
	}
	fd, err := unix.Fsmount(ctx, unix.FSMOUNT_CLOEXEC, unix.MOUNT_ATTR_RDONLY|unix.MOUNT_ATTR_NOEXEC)
	if err != nil {
		return nil, err
	}
	defer unix.Close(fd)
	return os.ReadFile(fmt.Sprintf("/proc/self/fd/%d/lockdown", fd))
}
