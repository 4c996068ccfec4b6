package space

import (
	"os"
	"syscall"

	"golang.org/x/sys/unix"
)

func identify(info os.FileInfo) FileID {
	st, ok := info.Sys().(*syscall.Stat_t)
	if !ok {
		return FileID{}
	}
	return FileID{unix.Major(uint64(st.Dev)), unix.Minor(uint64(st.Dev)), st.Ino}
}
