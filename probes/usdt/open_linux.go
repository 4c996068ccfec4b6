package usdt

import (
	"errors"
	"fmt"
	"os"

	"golang.org/x/sys/unix"
)

// errNoFile is what openFile says of what is no plain file.
var errNoFile = errors.New("it is no plain file")

// openFile opens a plain file. A pipe or a device of that name must neither hold
// us up nor do anything.
func openFile(path string) (*os.File, error) {
	f, err := os.OpenFile(path, os.O_RDONLY|unix.O_NONBLOCK|unix.O_NOCTTY, 0)
	if err != nil {
		return nil, err
	}
	if info, err := f.Stat(); err != nil || !info.Mode().IsRegular() {
		f.Close()
		return nil, fmt.Errorf("%s: %w", path, errNoFile)
	}
	return f, nil
}

// identify returns the identity of a file as /proc/PID/maps writes it.
func identify(f *os.File) fileID {
	var st unix.Stat_t
	if unix.Fstat(int(f.Fd()), &st) != nil {
		return fileID{}
	}
	return fileID{fmt.Sprintf("%02x:%02x", unix.Major(uint64(st.Dev)), unix.Minor(uint64(st.Dev))), st.Ino}
}
