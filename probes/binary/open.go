package binary

import (
	"errors"
	"fmt"
	"io"
	"os"
	"sync"

	"dscope.dev/probes/scout"
)

// A Root is a tree of files: our own, or what a process in a container sees as
// its own. Links are followed inside of it and never lead out.
type Root struct {
	Dir string // "" for our own, else such as /proc/42/root

	// Through opens a file of the tree for a process that can open none: see package
	// resolver. It may be nil.
	Through func(name string) (*os.File, error)
}

// Open opens the ELF file at a path. Devices, pipes and the like are refused, and
// opening never waits.
func Open(name string) (*File, error) { return Root{}.Open(name) }

// Open opens the ELF file that has a path within r.
func (r Root) Open(name string) (*File, error) {
	file, err := r.OpenFile(name)
	if err != nil {
		return nil, err
	}
	f, err := FromFile(file)
	if err != nil {
		file.Close()
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	f.path = name
	return f, nil
}

// OpenFile opens the regular file that has a path within r.
func (r Root) OpenFile(name string) (*os.File, error) {
	if r.Through == nil {
		f, err := r.OpenPlain(name)
		if err != nil {
			return nil, err
		}
		return f.File, nil
	}
	file, err := r.Through(name)
	if err != nil {
		return nil, fmt.Errorf("open %s: %w", name, bare(err))
	}
	return file, nil
}

// OpenPlain opens the regular file that has a path within r, and tells what it is.
func (r Root) OpenPlain(name string) (*scout.File, error) {
	f, err := scout.Open(r.Dir, name, scout.Device{})
	if err != nil {
		return nil, fmt.Errorf("open %s: %w", name, bare(err))
	}
	return f, nil
}

// FromFile reads the headers of an open file, which then belongs to the result.
func FromFile(file *os.File) (*File, error) {
	info, err := file.Stat()
	if err != nil {
		return nil, bare(err)
	}
	if !info.Mode().IsRegular() {
		return nil, scout.ErrNotRegular
	}
	f, err := New(file, info.Size())
	if err != nil {
		return nil, err
	}
	f.c, f.path = &onceCloser{c: file}, file.Name()
	return f, nil
}

// bare strips an error of the path, which its reader is told anyway.
func bare(err error) error {
	var p *os.PathError
	if errors.As(err, &p) {
		return p.Err
	}
	return err
}

// A onceCloser closes once, however often it is told to.
type onceCloser struct {
	c    io.Closer
	once sync.Once
	err  error
}

func (o *onceCloser) Close() error {
	o.once.Do(func() { o.err = o.c.Close() })
	return o.err
}
