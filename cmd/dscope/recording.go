package main

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"

	"dscope.dev/ui/home"
)

// A recording is the file that a run is recorded to. It holds what traced processes
// had in their memory: nobody but its owner may read it, and that is the user who called
// sudo. What had its name before stays there until something is recorded, and is not
// followed if it is a link.
type recording struct {
	f    *os.File
	dir  *os.Root // nil if f is a device or a pipe, written to as it is
	name string
	temp string // what f is called until it is kept; "" afterwards
}

// newRecording makes the file that will be called path.
func newRecording(path string) (*recording, error) {
	r, err := newPrivate(path)
	if err != nil {
		return nil, fmt.Errorf("record to %s: %w", path, err)
	}
	return r, nil
}

// newPrivate makes a file like that of a recording, for what is made of one.
func newPrivate(path string) (*recording, error) {
	if info, err := os.Stat(path); err == nil && !info.Mode().IsRegular() {
		if info.IsDir() {
			return nil, errors.New("it is a folder")
		}
		f, err := os.OpenFile(path, os.O_WRONLY, 0)
		if err != nil {
			return nil, reason(err)
		}
		return &recording{f: f}, nil
	}
	dir, err := os.OpenRoot(filepath.Dir(path))
	if err != nil {
		return nil, reason(err)
	}
	r := &recording{dir: dir, name: filepath.Base(path)}
	r.temp = "." + r.name + "." + strconv.Itoa(os.Getpid())
	if r.f, err = dir.OpenFile(r.temp, os.O_WRONLY|os.O_CREATE|os.O_EXCL, fs.FileMode(0o600)); err != nil {
		dir.Close()
		return nil, reason(err)
	}
	home.GiveAway(r.f)
	return r, nil
}

// keep gives the file its name. It is written on afterwards, and may be kept again.
func (r *recording) keep() error {
	if r.temp == "" {
		return nil
	}
	if err := r.dir.Rename(r.temp, r.name); err != nil {
		return err
	}
	r.temp = ""
	return nil
}

// keepNew gives the file its name unless there is one of that name by now: that is fs.ErrExist.
func (r *recording) keepNew() error {
	if r.temp == "" {
		return nil
	}
	err := r.dir.Link(r.temp, r.name)
	switch {
	case err == nil:
		err = r.dir.Remove(r.temp)
		r.temp = ""
		return err
	case errors.Is(err, fs.ErrExist):
		return fs.ErrExist
	}
	if _, there := r.dir.Lstat(r.name); there == nil { // the file system has no links
		return fs.ErrExist
	}
	return r.keep()
}

// remove removes a file that was kept.
func (r *recording) remove() error {
	defer r.discard()
	return r.dir.Remove(r.name)
}

// close closes the file, once, and says what went wrong with it.
func (r *recording) close() error {
	if err := r.f.Close(); !errors.Is(err, os.ErrClosed) {
		return err
	}
	return nil
}

// discard closes the file, which is removed if it was not kept.
func (r *recording) discard() {
	r.f.Close()
	if r.dir == nil {
		return
	}
	if r.temp != "" {
		r.dir.Remove(r.temp)
	}
	r.dir.Close()
}
