package binary

import (
	"os"

	"golang.org/x/sys/unix"
)

// open opens a regular file for reading.
func (r Root) open(name string) (*os.File, error) {
	const flags = unix.O_RDONLY | unix.O_NONBLOCK | unix.O_NOCTTY | unix.O_CLOEXEC
	var file *os.File
	if r.Dir == "" {
		f, err := os.OpenFile(name, flags, 0)
		if err != nil {
			return nil, err
		}
		file = f
	} else {
		dir, err := unix.Open(r.Dir, unix.O_PATH|unix.O_DIRECTORY|unix.O_CLOEXEC, 0)
		if err != nil {
			return nil, err
		}
		defer unix.Close(dir)
		fd, err := unix.Openat2(dir, clean(name), &unix.OpenHow{
			Flags: flags, Resolve: unix.RESOLVE_IN_ROOT | unix.RESOLVE_NO_MAGICLINKS,
		})
		if err != nil {
			return nil, err
		}
		file = os.NewFile(uintptr(fd), name)
	}
	info, err := file.Stat()
	if err == nil && !info.Mode().IsRegular() {
		err = errNotRegular
	}
	if err != nil {
		file.Close()
		return nil, err
	}
	return file, nil
}
