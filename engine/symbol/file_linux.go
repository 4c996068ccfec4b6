package symbol

import (
	"io/fs"
	"os"
	"syscall"
)

// openFlags keep what a process maps from holding us up, such as a pipe.
const openFlags = os.O_RDONLY | syscall.O_NONBLOCK | syscall.O_NOCTTY

// inode returns the number of a file on its device.
func inode(info fs.FileInfo) uint64 {
	if st, ok := info.Sys().(*syscall.Stat_t); ok {
		return st.Ino
	}
	return 0
}

// owner returns the user that a file belongs to.
func owner(info fs.FileInfo) (uid uint32, ok bool) {
	st, ok := info.Sys().(*syscall.Stat_t)
	if !ok {
		return 0, false
	}
	return st.Uid, true
}
