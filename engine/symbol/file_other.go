//go:build !linux

package symbol

import (
	"io/fs"
)

// inode returns 0: off Linux there are no processes to name addresses of.
func inode(fs.FileInfo) uint64 { return 0 }

// owner reports that it does not know.
func owner(fs.FileInfo) (uid uint32, ok bool) { return 0, false }
