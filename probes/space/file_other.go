//go:build !linux

package space

import "os"

const openFlags = os.O_RDONLY

// identify knows no file: only Linux has processes whose files could be found.
func identify(os.FileInfo) FileID { return FileID{} }
