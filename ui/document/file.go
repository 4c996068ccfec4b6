package document

import (
	"errors"
	"fmt"
	"path/filepath"

	"dscope.dev/ui/document/disk"
	"dscope.dev/ui/home"
	"dscope.dev/ui/widget"
)

// file is where a script rests.
type file struct {
	path   string // absolute; "" if it has none yet
	stamp  disk.Stamp
	clash  string       // where a save was refused because it would overwrite what is not ours
	keeper *disk.Keeper // of copies of unsaved text; nil if none are kept
	due    bool         // a copy has been promised
}

// A Job waits for the disk.
type Job func() error

// Name is what a person calls the script.
func (d *Document) Name() string {
	if d.file.path == "" {
		return "untitled"
	}
	return filepath.Base(d.file.path)
}

// Path returns where the script is saved; "" if it is not.
func (d *Document) Path() string { return d.file.path }

// Dir returns the folder of the script with a slash, to begin a path with.
func (d *Document) Dir() string {
	if d.file.path == "" {
		return ""
	}
	return filepath.Dir(d.file.path) + string(filepath.Separator)
}

// Modified reports whether the script differs from its file. An empty one that has none
// does not.
func (d *Document) Modified() bool {
	return d.Buf.Modified() && (d.file.path != "" || d.Buf.Size() > 0)
}

// Unsaved says what would be lost if the document went now; "" if nothing.
func (d *Document) Unsaved() string {
	switch {
	case !d.Modified():
		return ""
	case d.file.path == "":
		return "the script has not been saved to a file"
	}
	return d.Name() + " has changes that are not saved"
}

// Opened is a script that was read, and what crashed editors left of it, newest first.
type Opened struct {
	File    disk.File
	Call    string // what it was run with last
	Orphans []disk.Orphan
	Err     error
}

// Open reads the script at path, or none if path is "", and looks below the folder state,
// unless that is "", for what was left of it; without a path for all that was left. It waits
// for the disk.
func Open(state, path string) Opened {
	var o Opened
	if path != "" {
		if o.File, o.Err = disk.Read(path); o.Err != nil {
			return o
		}
	}
	if state != "" {
		known, _ := disk.Recent(state) // nor is a call that is not known one
		for _, k := range known {
			if k.Path == path || k.Path == o.File.Path {
				o.Call = k.Call
				break
			}
		}
		o.Orphans, _ = disk.Orphans(state, func(of string) bool { return path == "" || of == o.File.Path }) // none to be had is none
	}
	return o
}

// Saved is how a save ended.
type Saved struct {
	of    Ref
	path  string
	mark  int // of the text that was saved
	lines int
	stamp disk.Stamp
	err   error
}

// Save returns what writes the script as it is now to path. A file that somebody else has
// changed, or that was not there when it was opened, or that is not its own, is overwritten
// only when asked for twice.
func (d *Document) Save(path string) func() Saved {
	s := Saved{of: d.Ref(), mark: d.Buf.Mark(), lines: d.Buf.Lines()}
	own, stamp, clash, body := d.file.path, d.file.stamp, d.file.clash, d.Buf.Text()
	return func() Saved {
		if s.path, s.err = filepath.Abs(home.Expand(path)); s.err != nil {
			return s
		}
		switch {
		case s.path == clash:
			s.stamp, s.err = disk.Write(s.path, body, disk.Stamp{})
		case s.path == own && stamp != disk.Stamp{}:
			s.stamp, s.err = disk.Write(s.path, body, stamp)
		default:
			s.stamp, s.err = disk.WriteNew(s.path, body)
		}
		return s
	}
}

// Saved takes note of how a save ended. It returns a sentence about it, and what is to be
// done then, nil if nothing.
func (d *Document) Saved(s Saved) (said string, then Job) {
	switch {
	case errors.Is(s.err, disk.ErrChanged) || errors.Is(s.err, disk.ErrExists):
		if d.Is(s.of) {
			d.file.clash = s.path
		}
		return s.err.Error() + "; save again to overwrite it", nil
	case s.err != nil:
		return s.err.Error(), nil
	}
	if d.Is(s.of) {
		d.file.path, d.file.stamp, d.file.clash = s.path, s.stamp, ""
		d.Buf.SaveAs(s.mark)
		then = d.drop(s.of.Version)
	}
	return fmt.Sprintf("saved %s, %s", filepath.Base(s.path), widget.Count(s.lines, "line")), then
}

// WantsCopy reports whether a copy of the text is to be written soon, and takes it for
// promised.
func (d *Document) WantsCopy() bool {
	if d.file.keeper == nil || d.file.due || !d.Buf.Modified() {
		return false
	}
	d.file.due = true
	return true
}

// Copy returns what writes the copy that was promised, or what removes the last one if the
// text was saved meanwhile; nil if no copies are kept.
func (d *Document) Copy() Job {
	d.file.due = false
	if !d.Buf.Modified() {
		return d.drop(d.Buf.Version())
	}
	return d.Flush()
}

// Flush returns what writes a copy of the text as it is now; nil if there is nothing to
// keep.
func (d *Document) Flush() Job {
	k, v, path, body := d.file.keeper, d.Buf.Version(), d.file.path, d.Buf.Text()
	if k == nil || !d.Buf.Modified() {
		return nil
	}
	return func() error { return k.Keep(v, path, body) }
}

// drop returns what removes the copies of a version and of those before it; nil if none are
// kept.
func (d *Document) drop(version int) Job {
	k := d.file.keeper
	if k == nil {
		return nil
	}
	return func() error { return k.Drop(version) }
}

// close returns what removes the copy and ends the keeping of copies; nil if none are kept.
func (d *Document) close() Job {
	if k := d.file.keeper; k != nil {
		return k.Close
	}
	return nil
}
