// Package disk is where scripts rest: reading and saving them, and copies of
// what has not been saved yet that outlive a crash.
//
// Reading refuses what an editor should not take, with a sentence: folders,
// devices and pipes, which would hang, and files over text.MaxSize.
//
// Saving never leaves half a file. The new text goes to a file beside the old
// one, which it then replaces, with the same owner and mode; a link is
// followed. Where that cannot be (a folder that we may not write, a file with
// several names) the file is written in place. A file that somebody else has
// changed since it was read is not overwritten unasked.
//
// A Keeper holds the copy of one running editor, see there.
//
// What is created under sudo belongs to the user who called that, and lies in that user's
// folders: package home.
//
// Nothing here may be called from Update: it all waits for the disk.
package disk

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"
	"time"

	"dscope.dev/ui/document/text"
	"dscope.dev/ui/home"
)

// A Stamp tells whether a file is still the one that was read. The zero Stamp
// is that of no file.
type Stamp struct {
	Size int64
	Mod  time.Time
}

func stampOf(info fs.FileInfo) Stamp { return Stamp{info.Size(), info.ModTime()} }

// A File is a script that was read.
type File struct {
	Path  string // absolute
	Text  string
	Stamp Stamp
	New   bool // there is no such file yet
}

// Read reads the script at path.
func Read(path string) (File, error) {
	abs, err := filepath.Abs(home.Expand(path))
	if err != nil {
		return File{}, fmt.Errorf("open %s: %w", path, err)
	}
	f, err := os.OpenFile(abs, os.O_RDONLY|syscall.O_NONBLOCK, 0) // a pipe must not hang us
	if errors.Is(err, fs.ErrNotExist) {
		if _, err := os.Stat(filepath.Dir(abs)); err != nil {
			return File{}, fmt.Errorf("open %s: there is no folder %s", path, filepath.Dir(abs))
		}
		return File{Path: abs, New: true}, nil
	}
	if err != nil {
		return File{}, err
	}
	defer f.Close()
	info, err := f.Stat()
	switch {
	case err != nil:
		return File{}, err
	case info.IsDir():
		return File{}, fmt.Errorf("open %s: it is a folder", path)
	case !info.Mode().IsRegular():
		return File{}, fmt.Errorf("open %s: it is no regular file", path)
	case info.Size() > text.MaxSize:
		return File{}, fmt.Errorf("open %s: %d MB are too much for a script (the limit is %d)", path, info.Size()>>20, text.MaxSize>>20)
	}
	data, err := io.ReadAll(io.LimitReader(f, text.MaxSize+1))
	if err != nil {
		return File{}, err
	}
	if len(data) > text.MaxSize {
		return File{}, fmt.Errorf("open %s: it grows while it is read", path)
	}
	return File{Path: abs, Text: string(data), Stamp: stampOf(info)}, nil
}

// ErrChanged says that a file was changed by somebody else.
var ErrChanged = errors.New("changed on disk since it was read")

// ErrExists says that there is a file already where a new one was to be.
var ErrExists = errors.New("there is such a file already")

// Write saves text at path. was is the stamp of the file as it was last read
// or written here; if the file is another by now, the error is ErrChanged. The
// zero stamp overwrites whatever there is.
func Write(path, text string, was Stamp) (Stamp, error) {
	return write(path, text, func(info fs.FileInfo) error {
		if was != (Stamp{}) && !sameStamp(was, stampOf(info)) {
			return ErrChanged
		}
		return nil
	})
}

// WriteNew saves text in a new file at path. If there is one already, the error is
// ErrExists.
func WriteNew(path, text string) (Stamp, error) {
	return write(path, text, func(fs.FileInfo) error { return ErrExists })
}

// write saves text at path; may says why a file that is there must not be replaced.
func write(path, text string, may func(fs.FileInfo) error) (Stamp, error) {
	abs, err := filepath.Abs(home.Expand(path))
	if err != nil {
		return Stamp{}, fmt.Errorf("save %s: %w", path, err)
	}
	if real, err := filepath.EvalSymlinks(abs); err == nil {
		abs = real
	}
	info, err := os.Stat(abs)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		err = create(abs, text)
	case err != nil:
		return Stamp{}, fmt.Errorf("save %s: %w", path, err)
	case !info.Mode().IsRegular():
		return Stamp{}, fmt.Errorf("save %s: it is no regular file", path)
	default:
		if err = may(info); err == nil {
			err = replace(abs, text, info)
		}
	}
	if err != nil {
		return Stamp{}, fmt.Errorf("save %s: %w", path, err)
	}
	if info, err = os.Stat(abs); err != nil {
		return Stamp{}, fmt.Errorf("save %s: %w", path, err)
	}
	return stampOf(info), nil
}

func sameStamp(a, b Stamp) bool { return a.Size == b.Size && a.Mod.Equal(b.Mod) }

// create makes a new file. It belongs to whoever called sudo.
func create(path, text string) error {
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o666)
	if err != nil {
		return err
	}
	home.GiveAway(f)
	return finish(f, text)
}

// replace puts text in the place of the file that info describes.
func replace(path, text string, info fs.FileInfo) error {
	if several(info) {
		return overwrite(path, text)
	}
	tmp, err := os.CreateTemp(filepath.Dir(path), ".dscope-*")
	if err != nil {
		return overwrite(path, text)
	}
	if keepOwner(tmp, info) != nil || tmp.Chmod(info.Mode().Perm()) != nil {
		tmp.Close()
		os.Remove(tmp.Name())
		return overwrite(path, text)
	}
	if err := finish(tmp, text); err != nil {
		os.Remove(tmp.Name())
		return err
	}
	if err := os.Rename(tmp.Name(), path); err != nil {
		os.Remove(tmp.Name())
		return err
	}
	return nil
}

func overwrite(path, text string) error {
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_TRUNC, 0)
	if err != nil {
		return err
	}
	return finish(f, text)
}

// finish writes text to f, waits until it is on the disk, and closes f.
func finish(f *os.File, text string) error {
	_, err := io.WriteString(f, text)
	return errors.Join(err, f.Sync(), f.Close())
}

// several reports whether the file has more names than one, which a rename
// would part.
func several(info fs.FileInfo) bool {
	st, ok := info.Sys().(*syscall.Stat_t)
	return ok && st.Nlink > 1
}

// keepOwner gives f the owner of the file that it is to replace.
func keepOwner(f *os.File, info fs.FileInfo) error {
	st, ok := info.Sys().(*syscall.Stat_t)
	if !ok || int(st.Uid) == os.Geteuid() && int(st.Gid) == os.Getegid() {
		return nil
	}
	return f.Chown(int(st.Uid), int(st.Gid))
}
