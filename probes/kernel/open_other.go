//go:build !linux

package kernel

import (
	"io"
	"io/fs"
	"runtime"
)

// Open returns a kernel of which nothing can be had: only Linux can be traced.
func Open() *Kernel {
	return New(Roots{
		Proc: nothing{},
		Sys:  nothing{},
		Arch: runtime.GOARCH,
		Tracing: func() (fs.FS, io.Closer, error) {
			return nil, nil, &Missing{What: "tracefs", Why: "this is " + runtime.GOOS, Remedy: "trace on Linux"}
		},
	})
}

// OpenWith is Open.
func OpenWith(func(do func())) *Kernel { return Open() }

// nothing is a file system without files.
type nothing struct{}

func (nothing) Open(name string) (fs.File, error) {
	return nil, &fs.PathError{Op: "open", Path: name, Err: fs.ErrNotExist}
}

// mapFile maps nothing: there is nothing to map.
func mapFile(fs.File, int64) ([]byte, func()) { return nil, nil }
