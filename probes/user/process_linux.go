package user

import (
	"errors"
	"io/fs"
	"os"
	"syscall"
)

func identify(info fs.FileInfo) fileID {
	id := fileID{mtime: info.ModTime().UnixNano(), size: info.Size()}
	if st, ok := info.Sys().(*syscall.Stat_t); ok {
		id.dev, id.inode = st.Dev, st.Ino
	}
	return id
}

// openFlags keep what a process maps from holding us up, such as a pipe.
const openFlags = os.O_RDONLY | syscall.O_NONBLOCK | syscall.O_NOCTTY

// available returns nil if the kernel has uprobes.
func available() error {
	_, err := os.Stat("/sys/bus/event_source/devices/uprobe/type")
	if errors.Is(err, os.ErrNotExist) {
		return errors.New("this kernel has no uprobes; it needs CONFIG_UPROBE_EVENTS, and /sys to be mounted")
	}
	return nil
}
