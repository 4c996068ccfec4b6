package trial

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strings"

	"golang.org/x/sys/unix"
)

// Lockdown returns the mode of the kernel's lockdown: none, integrity or
// confidentiality; "" if the kernel knows no lockdown. An error says that we may not
// know. Where securityfs is not mounted it is mounted for a moment, where no path leads.
func Lockdown() (mode string, err error) {
	text, err := os.ReadFile("/sys/kernel/security/lockdown")
	if err != nil {
		text, err = unmounted()
	}
	if errors.Is(err, fs.ErrNotExist) || errors.Is(err, unix.ENODEV) {
		return "", nil
	}
	_, mode, _ = strings.Cut(string(text), "[")
	mode, _, _ = strings.Cut(mode, "]")
	return mode, err
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
