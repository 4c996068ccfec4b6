package child

import (
	"os"
	"strconv"
	"strings"

	"golang.org/x/sys/unix"
)

// CloseOthers closes, in such a process, what whoever has started dscope has left open behind a
// descriptor, but for what Go itself waits with.
func CloseOthers(last int) error {
	list, err := os.ReadDir("/proc/self/fd")
	if err != nil {
		return err
	}
	for _, e := range list {
		fd, err := strconv.Atoi(e.Name())
		if err != nil || fd <= last {
			continue
		}
		if what, _ := os.Readlink("/proc/self/fd/" + e.Name()); !strings.HasPrefix(what, "anon_inode:[event") {
			unix.Close(fd) // that of the folder itself has been closed
		}
	}
	return nil
}
