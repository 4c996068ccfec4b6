//go:build unix

package helper

import (
	"fmt"
	"io/fs"
	"syscall"
)

// trusted returns nil, or why the rules in a file cannot be believed.
func trusted(path string, info fs.FileInfo) error {
	if !info.Mode().IsRegular() {
		return fmt.Errorf("%s: it is no regular file", path)
	}
	st, ok := info.Sys().(*syscall.Stat_t)
	switch {
	case !ok:
		return fmt.Errorf("%s: who has written it cannot be told", path)
	case st.Uid != 0:
		return fmt.Errorf("%s: it belongs to user %d, and only what is root's is believed: chown root %s", path, st.Uid, path)
	case info.Mode().Perm()&0o022 != 0:
		return fmt.Errorf("%s: others than root may write it: chmod go-w %s", path, path)
	}
	return nil
}
