package space

import (
	"errors"
	"fmt"
	"os"
	"strings"
	"syscall"

	"dscope.dev/probes/scout"
)

// A Found is a file of a process that we can reach.
type Found struct {
	Path  string // by which it is opened
	Stamp Stamp
	Own   bool // whether Path is the one that the process knows, and needs it no more
}

// ErrReplaced is what Find wraps if only another file is found in the place of the one
// that is mapped.
var ErrReplaced = errors.New("it is another file by now")

// Gone reports whether err says that a process, or a file that it has, was gone when it
// was looked for. Another process may still have that.
func Gone(err error) bool {
	return errors.Is(err, os.ErrNotExist) || errors.Is(err, syscall.ESRCH) || errors.Is(err, ErrReplaced)
}

// OnlyGone returns err if it says that, else nil: for those to whom a file that is no
// program, or a damaged one, is as good as one without what they look for.
func OnlyGone(err error) error {
	if Gone(err) {
		return err
	}
	return nil
}

// A way is how a file is looked for.
type way int

const (
	byPath way = iota
	byRoot
	byMapping
)

// Find looks for the file that m maps.
func (p Process) Find(m *Mapping) (Found, error) { return p.find(m, byPath, byRoot, byMapping) }

// Catch is Find for a process that may end any moment.
func (p Process) Catch(m *Mapping) (Found, error) {
	if scout.Near(m.File.device()) {
		return p.find(m, byPath, byMapping, byRoot)
	}
	return p.Find(m)
}

// find looks for the file in some ways.
func (p Process) find(m *Mapping, ways ...way) (Found, error) {
	if err := scout.Hangs(m.File.device(), m.Path); err != nil {
		return Found{}, err
	}
	var first error
	look := looker{p: p, m: m}
	for i, by := range ways {
		if by != byMapping && !strings.HasPrefix(m.Path, "/") || by == byRoot && errors.Is(first, scout.ErrSilent) {
			continue // by the second path it would mostly be silent, too
		}
		on, file := scout.Device{}, m.Path
		switch by {
		case byRoot:
			file = p.Root() + m.Path
		case byMapping:
			on, file = m.File.device(), look.itself() // and nothing else has to be asked
		}
		info, err := regular(file, on)
		if err == nil && !look.same(info) {
			err = fmt.Errorf("%s: %w", file, ErrReplaced)
		}
		if err == nil {
			return Found{Path: file, Stamp: StampOf(info), Own: by == byPath}, nil
		}
		if first == nil {
			first = err
		}
		if i == 1 && by == byMapping && errors.Is(err, os.ErrNotExist) {
			break // the process has ended
		}
	}
	return Found{}, first
}

// Open opens the file that m maps.
func (p Process) Open(m *Mapping) (*scout.File, Found, error) {
	found, err := p.Find(m)
	if err != nil {
		return nil, found, err
	}
	f, err := found.Open()
	return f, found, err
}

// Open opens the file, if it is still the same.
func (f Found) Open() (*scout.File, error) {
	file, err := scout.Open("", f.Path, f.Stamp.device())
	if err != nil {
		return nil, err
	}
	if StampOf(file.Info) != f.Stamp {
		file.Close()
		return nil, fmt.Errorf("%s: %w", f.Path, ErrReplaced)
	}
	return file, nil
}

// A looker compares files with the one that is mapped.
type looker struct {
	p Process
	m *Mapping

	asked bool
	sure  FileID // what map_files says; Inode is 0 if we may not look
}

// itself is the path of the mapping as a file.
func (l *looker) itself() string {
	return l.p.dir(fmt.Sprintf("/map_files/%x-%x", l.m.Start, l.m.End))
}

// same reports whether a file is the one that is mapped.
func (l *looker) same(info os.FileInfo) bool {
	id := identify(info)
	if id.Inode != l.m.File.Inode || id == l.m.File {
		return id == l.m.File
	}
	if !l.asked {
		l.asked = true
		if info, err := scout.Look(l.itself(), l.m.File.device()); err == nil {
			l.sure = identify(info)
		}
	}
	return l.sure.Inode == 0 || id == l.sure
}

// regular looks at a file, which must not be a device or the like.
func regular(file string, on scout.Device) (os.FileInfo, error) {
	info, err := scout.Look(file, on)
	if err == nil && !info.Mode().IsRegular() {
		err = fmt.Errorf("%s: %w", file, scout.ErrNotRegular)
	}
	return info, err
}
