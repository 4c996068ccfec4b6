package attach

import (
	"fmt"
	"os"
)

// Files are files that are open already, by the paths that hooks have for them. A path
// that leads through a process, /proc/1234/root/bin/true, does so only as long as that
// lives.
type Files map[string]*os.File

// path returns one by which the kernel finds a file.
func (f Files) path(name string) string {
	if file := f[name]; file != nil {
		return fmt.Sprintf("/proc/self/fd/%d", file.Fd())
	}
	return name
}

// Close closes all of them, and forgets them.
func (f Files) Close() {
	for _, file := range f {
		file.Close()
	}
	clear(f)
}
