package lab

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"
	"syscall"
)

// An archive is a file system as the kernel takes it from a boot loader: a cpio
// archive of the form newc. Folders are made as they are needed.
type archive struct {
	f    *os.File
	w    *bufio.Writer
	seen map[string]bool
	ino  int
	err  error // the first that went wrong; then nothing more is written
}

func newArchive(file string) (*archive, error) {
	f, err := os.Create(file)
	if err != nil {
		return nil, err
	}
	return &archive{f: f, w: bufio.NewWriterSize(f, 1<<20), seen: map[string]bool{".": true}}, nil
}

// header is one entry of the archive without its data.
type header struct {
	name         string
	mode         uint32
	size         int64
	major, minor int // of a device
}

// entry writes a header and the size bytes of r.
func (a *archive) entry(h header, r io.Reader) {
	if a.err != nil {
		return
	}
	a.ino++
	// magic ino mode uid gid nlink mtime size dev rdev namesize check
	fmt.Fprintf(a.w, "070701%08X%08X%08X%08X%08X%08X%08X%08X%08X%08X%08X%08X%08X%s\x00",
		a.ino, h.mode, 0, 0, 1, 0, h.size, 0, 0, h.major, h.minor, len(h.name)+1, 0, h.name)
	const fixed = 110
	a.pad(int64(fixed + len(h.name) + 1))
	if r != nil {
		if n, err := io.CopyN(a.w, r, h.size); err != nil {
			a.err = fmt.Errorf("%s: %d of %d bytes: %w", h.name, n, h.size, err)
		}
	}
	a.pad(h.size)
}

// pad fills up to a multiple of four what has n bytes.
func (a *archive) pad(n int64) {
	for ; n%4 != 0; n++ {
		a.w.WriteByte(0)
	}
}

// folder makes a folder and those above it.
func (a *archive) folder(name string) {
	if a.seen[name] {
		return
	}
	a.folder(path.Dir(name))
	a.seen[name] = true
	a.entry(header{name: name, mode: syscall.S_IFDIR | 0o755}, nil)
}

// put writes a file.
func (a *archive) put(name string, mode uint32, data string) {
	a.folder(path.Dir(name))
	a.entry(header{name: name, mode: syscall.S_IFREG | mode, size: int64(len(data))}, strings.NewReader(data))
}

// symlink writes a symbolic link.
func (a *archive) symlink(name, to string) {
	a.folder(path.Dir(name))
	a.entry(header{name: name, mode: syscall.S_IFLNK | 0o777, size: int64(len(to))}, strings.NewReader(to))
}

// device writes a character device.
func (a *archive) device(name string, major, minor int) {
	a.folder(path.Dir(name))
	a.entry(header{name: name, mode: syscall.S_IFCHR | 0o600, major: major, minor: minor}, nil)
}

// copy writes a file of this machine, or a folder with all that is in it.
func (a *archive) copy(host, name string) {
	err := filepath.WalkDir(host, func(file string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		rel, err := filepath.Rel(host, file)
		if err != nil {
			return err
		}
		a.copyOne(file, path.Join(name, filepath.ToSlash(rel)), d.Type())
		return a.err
	})
	a.err = errors.Join(a.err, err)
}

func (a *archive) copyOne(host, name string, kind fs.FileMode) {
	switch {
	case kind.IsDir():
		a.folder(name)
	case kind&fs.ModeSymlink != 0:
		to, err := os.Readlink(host)
		if err != nil {
			a.err = err
			return
		}
		a.symlink(name, to)
	case kind.IsRegular():
		f, err := os.Open(host)
		if err != nil {
			a.err = err
			return
		}
		defer f.Close()
		info, err := f.Stat()
		if err != nil {
			a.err = err
			return
		}
		a.folder(path.Dir(name))
		a.entry(header{name: name, mode: syscall.S_IFREG | uint32(info.Mode().Perm()), size: info.Size()}, f)
	}
}

// close ends the archive.
func (a *archive) close() error {
	a.entry(header{name: "TRAILER!!!"}, nil)
	return errors.Join(a.err, a.w.Flush(), a.f.Close())
}
