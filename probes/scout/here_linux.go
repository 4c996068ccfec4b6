package scout

import (
	"fmt"
	"os"
	"path"
	"sync"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// An info is what is known of a file without package os, which would have to ask for it again.
type info struct {
	name string
	stat syscall.Stat_t
}

func (i *info) Name() string       { return path.Base(i.name) }
func (i *info) Size() int64        { return i.stat.Size }
func (i *info) ModTime() time.Time { return time.Unix(i.stat.Mtim.Unix()) }
func (i *info) IsDir() bool        { return i.Mode().IsDir() }
func (i *info) Sys() any           { return &i.stat }

// Mode returns the permissions, and whether it is a plain file or a folder; what is neither is
// told apart no further.
func (i *info) Mode() os.FileMode {
	m := os.FileMode(i.stat.Mode & 0o777)
	switch i.stat.Mode & unix.S_IFMT {
	case unix.S_IFREG:
	case unix.S_IFDIR:
		m |= os.ModeDir
	default:
		m |= os.ModeIrregular
	}
	return m
}

// openFlags have no open wait for anything but the file system.
const openFlags = unix.O_RDONLY | unix.O_NONBLOCK | unix.O_NOCTTY | unix.O_CLOEXEC

// openHere opens a plain file. It waits for nothing but its file system.
func openHere(dir, name string) (*File, error) {
	var file *os.File
	if dir == "" {
		f, err := os.OpenFile(name, openFlags, 0)
		if err != nil {
			return nil, err
		}
		file = f
	} else {
		root, err := unix.Open(dir, unix.O_PATH|unix.O_DIRECTORY|unix.O_CLOEXEC, 0)
		if err != nil {
			return nil, &os.PathError{Op: "open", Path: dir, Err: err}
		}
		defer unix.Close(root)
		fd, err := unix.Openat2(root, Clean(name), &unix.OpenHow{
			Flags: openFlags, Resolve: unix.RESOLVE_IN_ROOT | unix.RESOLVE_NO_MAGICLINKS,
		})
		if err != nil {
			return nil, &os.PathError{Op: "open", Path: name, Err: err}
		}
		file = os.NewFile(uintptr(fd), name)
	}
	info, err := file.Stat()
	if err == nil && !info.Mode().IsRegular() {
		err = &os.PathError{Op: "open", Path: name, Err: ErrNotRegular}
	}
	if err != nil {
		file.Close()
		return nil, err
	}
	return &File{file, info, false}, nil
}

// resolveCached is RESOLVE_CACHED of the kernel's include/uapi/linux/openat2.h.
const resolveCached = 0x20

// glimpse returns what the kernel knows of a path without asking anybody. If that is not enough err
// is EAGAIN.
func glimpse(name string) (*info, error) {
	return look(name, resolveCached)
}

// look returns what a path leads to; resolve says how the kernel goes there.
func look(name string, resolve uint64) (*info, error) {
	fd, i, err := reach(name, resolve)
	if err == nil {
		unix.Close(fd)
	}
	return i, err
}

// ours are the devices without which this machine does nothing anyway: that of its root, and of
// dscope itself.
var ours = sync.OnceValue(func() (list []uint64) {
	for _, name := range []string{"/", "/proc/self/exe"} {
		var st unix.Stat_t
		if unix.Stat(name, &st) == nil {
			list = append(list, st.Dev)
		}
	}
	return list
})

// reopen opens the plain file that a descriptor of reach stands for, whatever the path leads to by now.
func reopen(fd int, i *info) (*File, error) {
	if !i.Mode().IsRegular() {
		return nil, &os.PathError{Op: "open", Path: i.name, Err: ErrNotRegular}
	}
	n, err := unix.Open(fmt.Sprintf("/proc/self/fd/%d", fd), openFlags, 0)
	if err != nil {
		return nil, &os.PathError{Op: "open", Path: i.name, Err: err}
	}
	file := os.NewFile(uintptr(n), i.name)
	info, err := file.Stat()
	if err != nil {
		file.Close()
		return nil, err
	}
	return &File{file, info, false}, nil
}

// reach returns a descriptor of what a path leads to, for nothing but to open it. With resolveCached
// nobody is asked, and err is EAGAIN if that is not enough.
func reach(name string, resolve uint64) (fd int, i *info, err error) {
	fd, err = unix.Openat2(unix.AT_FDCWD, name, &unix.OpenHow{Flags: unix.O_PATH | unix.O_CLOEXEC, Resolve: resolve})
	switch err {
	case nil:
	case unix.ENOENT, unix.ENOTDIR:
		return -1, nil, &os.PathError{Op: "stat", Path: name, Err: err}
	default:
		return -1, nil, unix.EAGAIN
	}
	var x unix.Statx_t
	if err := unix.Statx(fd, "", unix.AT_EMPTY_PATH|unix.AT_STATX_DONT_SYNC, unix.STATX_BASIC_STATS, &x); err != nil {
		unix.Close(fd)
		return -1, nil, unix.EAGAIN
	}
	i = &info{name: name}
	i.stat.Mode, i.stat.Uid, i.stat.Gid = uint32(x.Mode), x.Uid, x.Gid
	i.stat.Dev, i.stat.Ino, i.stat.Size = unix.Mkdev(x.Dev_major, x.Dev_minor), x.Ino, int64(x.Size)
	i.stat.Mtim = syscall.Timespec{Sec: x.Mtime.Sec, Nsec: int64(x.Mtime.Nsec)}
	return fd, i, nil
}
