//go:build !linux

package scout

import (
	"errors"
	"os"
)

// Look returns what a path leads to.
func Look(name string, on Device) (os.FileInfo, error) { return os.Stat(name) }

// Open opens the plain file of a name for reading. Off Linux there are no processes whose files could
// be asked for.
func Open(dir, name string, on Device) (*File, error) {
	if dir != "" {
		return nil, errors.New("the files of a process can be reached on Linux only")
	}
	info, err := os.Stat(name)
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() {
		return nil, ErrNotRegular
	}
	f, err := os.Open(name)
	return &File{f, info, false}, err
}

// Hangs returns nil.
func Hangs(on Device, name string) error { return nil }

// Near returns false.
func Near(on Device) bool { return false }

// Warm does nothing.
func Warm() {}

// Forget does nothing.
func Forget() {}
