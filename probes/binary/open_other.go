//go:build !linux

package binary

import (
	"errors"
	"os"
)

// open opens a regular file for reading. Off Linux there are no processes whose
// files could be asked for.
func (r Root) open(name string) (*os.File, error) {
	if r.Dir != "" {
		return nil, errors.New("the files of a process can be reached on Linux only")
	}
	info, err := os.Stat(name)
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() {
		return nil, errNotRegular
	}
	return os.Open(name)
}
